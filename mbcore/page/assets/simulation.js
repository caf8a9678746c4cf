// A run of the FMU: values that were chosen, time, and what went wrong.

import { Fmu } from "./fmu.js";

export class Simulation {
  constructor(module, model) {
    this.model = model;
    this.variables = new Map(model.variables.map((variable) => [variable.name, variable]));
    this.messages = [];
    this.fmu = new Fmu(module, (status, text) => this.hear(status, text));
    // Values are tried on a second instance, which is never started and so takes fixed ones, too.
    this.trial = new Fmu(module, (status, text) => this.hear(status, text));
    this.chosen = new Map();
    this.failed = false;
  }

  hear(status, text) {
    this.messages.push({ status, text: text.replace(/^(fmi3\w+|the scene): /, "") });
  }

  // Return the messages since the last call.
  heard() {
    return this.messages.splice(0);
  }

  variable(name) {
    const found = this.variables.get(name);
    if (!found) throw new Error(`no variable is called "${name}"`);
    return found;
  }

  // Start again with the values that were chosen. Return whether that worked.
  reset() {
    this.failed = true;
    this.time = this.model.start;
    this.pending = false;
    this.fmu.reset();
    for (const [name, value] of this.chosen) if (!this.fmu.set(this.variable(name), value)) return false;
    this.failed = !this.fmu.initialize(this.time);
    return !this.failed;
  }

  isChosen(name) {
    return this.chosen.has(name);
  }

  // The value that something was set to, which of states is that at the start.
  get(name) {
    return this.chosen.get(name) ?? this.variable(name).start;
  }

  // Inputs and tunable parameters count at once, others from the next reset on. Return whether the
  // value was taken; messages tell why not.
  set(name, value) {
    const variable = this.variable(name);
    if (variable.start === undefined) throw new Error(`${name} is calculated and cannot be set`);
    if (!this.trial.set(variable, value)) return false;
    const atOnce = variable.tunable && !this.failed;
    if (atOnce && !this.fmu.set(variable, value)) return false;
    if (value === variable.start) this.chosen.delete(name);
    else this.chosen.set(name, value);
    this.pending ||= !variable.tunable;
    return true;
  }

  // Inputs that keys hold, over the next step of some seconds from one value to another; they are no
  // choice that a link remembers.
  hold(variable, from, to, span) {
    if (this.failed) return true;
    return this.fmu.set(variable, from) && (to === from || this.fmu.move(variable, (to - from) / span));
  }

  // Return whether the step succeeded.
  step(span) {
    if (this.failed) return false;
    const reached = this.fmu.step(this.time, span);
    this.failed = Number.isNaN(reached);
    if (!this.failed) this.time = reached;
    return !this.failed;
  }

  // The present value.
  shown(name) {
    return this.fmu.get(this.variable(name));
  }

  scene() {
    return this.fmu.scene();
  }
}

const LOOKS = 40;
const LONGEST_LOOK = 300; // milliseconds
const SPAN = 8; // seconds of the page

// The scene's numbers in the first seconds of a run with all start values, as far as it gets.
export function preview(module, model) {
  const fmu = new Fmu(module, () => {}), begun = performance.now();
  const looks = [], span = Math.min(model.stop - model.start, SPAN * model.timeScale) / LOOKS;
  let time = model.start;
  if (fmu.initialize(time)) {
    do {
      const numbers = fmu.scene();
      if (!numbers || !numbers.every(Number.isFinite)) break;
      looks.push(numbers.slice());
      time = fmu.step(time, span);
    } while (!Number.isNaN(time) && looks.length < LOOKS && performance.now() - begun < LONGEST_LOOK);
  }
  const all = new Float64Array(looks.length * fmu.sceneSize);
  looks.forEach((numbers, i) => all.set(numbers, i * fmu.sceneSize));
  return { numbers: all, frames: looks.length };
}
