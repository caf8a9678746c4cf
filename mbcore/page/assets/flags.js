// What the model says of itself by yes and no: names of what holds now, and what holds no longer.

import { digits } from "./controls.js";

const GOOD = "valid"; // holds where nothing is wrong

export class Flags {
  constructor(element, model, simulation) {
    this.simulation = simulation;
    this.remarks = Object.entries(model.remarks).map(([name, remark]) => ({ ...remark, name }));
    this.list = model.variables.filter(({ role, type, visible }) => role === "output" && type === "boolean" && visible);
    this.chips = this.list.map(({ name, description }) => {
      const chip = document.createElement("span"), good = name === GOOD || name.endsWith(`.${GOOD}`);
      chip.className = good ? "flag remark" : "flag";
      chip.textContent = name;
      chip.title = `${name}: ${description}`;
      chip.hidden = true;
      return { name, description, good, chip };
    });
    element.append(...this.chips.map(({ chip }) => chip));
  }

  // After each step: how large it has become, and when, what a remark names.
  watch() {
    for (const remark of this.remarks) {
      for (const name of remark.watched) {
        const value = this.simulation.shown(name);
        if (!(Math.abs(value) <= Math.abs(remark.peak?.value))) remark.peak = { name, value, time: this.simulation.time };
      }
    }
  }

  clear() {
    for (const remark of this.remarks) delete remark.peak;
  }

  said(name, description) {
    const remark = this.remarks.find((one) => one.name === name);
    if (!remark?.peak) return `"${description}" does not hold; the motion goes on as before`;
    const { peak, limit, remedy } = remark, bound = this.simulation.shown(limit);
    return `${peak.name} reached ${digits(peak.value, 3)} at ${peak.time.toFixed(2)} s, ${limit} is ` +
      `${digits(bound, 3)}; the motion goes on as before: ${remedy}`;
  }

  draw() {
    for (const { name, description, good, chip } of this.chips) {
      const hidden = Boolean(this.simulation.shown(name)) === good;
      if (good && !hidden) {
        if (chip.hidden) chip.dataset.since = this.simulation.time.toFixed(2);
        const text = `not ${name} since ${chip.dataset.since} s: ${this.said(name, description)}`;
        if (chip.textContent !== text) chip.textContent = text;
      }
      chip.hidden = hidden;
    }
  }
}
