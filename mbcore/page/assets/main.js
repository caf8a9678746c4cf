// The page: puts the parts together and keeps the clock.

import { makeScene } from "./scene.js";
import { loadModule } from "./fmu.js";
import { preview, Simulation } from "./simulation.js";
import { read, written } from "./link.js";
import { Spins } from "./spins.js";
import { Drive, isTyping, keyName, touchPad } from "./drive.js";
import { Controls, digits, unitName } from "./controls.js";
import { Flags } from "./flags.js";
import { Plots } from "./plots.js";

const TICK = 1 / 120; // seconds of the page in one step
const MOST_LAG = 0.25; // seconds that are made up for; what is more is lost
const TRACED = 4; // steps between points of a path
const MOST_WORK = 40; // milliseconds of steps in one frame
const WINDOW = 12; // seconds of the page in a plot
const WATCHED = 6; // frames between looks whether all is in the picture
const PLOTTING = 60; // milliseconds between drawings of the plots
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

const part = (name) => document.getElementById(name);

class Page {
  constructor(module, model) {
    this.model = model;
    this.simulation = new Simulation(module, model);
    this.speed = 1;
    this.lag = this.untraced = 0;
    this.rate = 1; // how much of the speed is reached
    this.cost = 0; // of a step, ms
    this.apart = 0; // frames, ms
    this.drive = new Drive(model.keys, model.ramp, this.simulation);
    this.spins = new Spins(model, this.simulation);
    this.controls = new Controls(part("panel"), model, this.simulation, (name, value, said) => this.slide(name, value, said));
    this.plots = new Plots(part("plots"), part("more"), model, this.simulation, () => this.drawPlots());
    this.plots.replace(model.plots);
    this.flags = new Flags(part("flags"), model, this.simulation);
    if (model.scene) this.makeScene(module);
    else document.body.classList.add("blind");
    this.connect();
    this.open(location.hash || model.opening);
    this.play(!this.simulation.failed);
  }

  makeScene(module) {
    // What the camera and the arrows are scaled by is a first look at the run, as far as it gets.
    this.scene = makeScene(part("view"), this.model.scene);
    document.body.classList.toggle("planar", this.model.scene.planar);
    const { numbers, frames } = preview(module, this.model);
    if (frames) {
      this.scene.survey(numbers, frames, numbers.length / frames);
      this.scene.update(numbers);
    }
    this.follow(this.model.follow ?? this.scene.travels);
    this.undecided = this.model.follow === null && !this.followed;
    if (frames) this.look("oblique");
  }

  look(name) {
    this.scene?.view(name);
  }

  // What the buttons do

  connect() {
    const on = (name, event, action) => part(name).addEventListener(event, action);
    on("play", "click", () => this.play(!this.playing));
    on("reset", "click", () => this.restart());
    on("again", "click", () => this.restart());
    on("defaults", "click", () => this.open(this.model.opening));
    on("share", "click", () => this.share());
    on("follow", "click", () => this.follow(!this.followed));
    on("close", "click", () => this.say(""));
    on("about", "click", () => this.read());
    for (const button of document.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => this.look(button.dataset.view));
    }
    const { timeScale } = this.model;
    part("speed").append(...SPEEDS.map((speed) => new Option(timeScale === 1 ? `× ${speed}` : `× ${digits(speed * timeScale)}`, speed)));
    on("speed", "change", () => {
      this.speed = Number(part("speed").value);
      part("speed").blur();
    });
    part("speed").value = 1;
    window.addEventListener("hashchange", () => location.hash !== this.shared && this.open(location.hash || this.model.opening));
    this.connectKeys();
  }

  read(on = !document.body.classList.contains("reading")) {
    document.body.classList.toggle("reading", on);
    part("about").setAttribute("aria-pressed", on);
    part("about").blur();
  }

  connectKeys() {
    window.addEventListener("keydown", (event) => {
      if (isTyping(event)) return;
      const key = keyName(event);
      if (this.drive.has(key)) this.drive.press(key, 1);
      else if (key === " " && !event.target.closest("button, summary")) this.play(!this.playing);
      else if (key === "r") this.restart();
      else if (key === "escape") this.read(false);
      else return;
      event.preventDefault();
    });
    window.addEventListener("keyup", (event) => this.drive.press(keyName(event), 0));
    window.addEventListener("blur", () => this.drive.release());
    touchPad(part("pad"), this.drive);
    const names = { left: "←", right: "→", up: "↑", down: "↓" };
    const { keys, captions } = this.model;
    for (const [key, effect] of Object.entries(keys)) {
      const item = document.createElement("span"), cap = document.createElement("kbd");
      cap.textContent = names[key] ?? key;
      const effects = Object.entries(effect).map((one) => this.effect(one));
      item.append(cap, ` ${captions[key] ?? effects[0] + (effects.length > 1 ? " …" : "")}`);
      item.title = effects.join(", ");
      part("keys").append(item);
      cap.addEventListener("pointerdown", () => this.drive.press(key, 1));
      for (const event of ["pointerup", "pointerleave", "pointercancel"]) cap.addEventListener(event, () => this.drive.press(key, 0));
    }
    part("pad").hidden = !["left", "right", "up", "down"].some((key) => key in keys);
  }

  // An input that a key sets, with its value as a person reads it.
  effect([name, value]) {
    const { factor, shown } = this.simulation.variable(name);
    const unit = unitName(shown);
    return `${name} ${digits(value * factor, 3)}${unit === "°" ? "" : " "}${unit}`;
  }

  // What happens to the run

  change(name, value, said) {
    const taken = said === undefined && this.simulation.set(name, value);
    this.tell(said);
    if (taken) {
      part("reset").classList.toggle("wanted", this.simulation.pending);
      if (this.simulation.variable(name).role === "input") this.drawScene();
    }
    return taken;
  }

  // What a slider sets; an input whose rate is an input of its own moves there.
  slide(name, value, said) {
    const before = this.drive.base(name);
    const taken = this.change(name, value, said);
    if (taken) this.drive.moveFrom(name, before);
    return taken;
  }

  restart() {
    this.lag = 0;
    this.drive.settle();
    this.spins.clear();
    this.plots.clear();
    this.flags.clear();
    const failed = part("message").classList.contains("fatal");
    const good = this.simulation.reset();
    if (failed) this.say("");
    this.tell();
    part("reset").classList.toggle("wanted", false);
    this.scene?.clearTrails();
    if (good) {
      this.note();
      this.drawAll();
    }
    this.play(good && (this.playing || failed));
    this.stopped(!good);
    return good;
  }

  open(hash) {
    const { rest, complaints } = read(hash, this.simulation, ["plots", "speed"]);
    if (rest.plots !== undefined) this.plots.replace(rest.plots);
    if (SPEEDS.includes(Number(rest.speed))) part("speed").value = this.speed = Number(rest.speed);
    this.restart();
    this.controls.refresh();
    if (complaints.length) this.say(complaints.join("; "));
    if (hash === this.model.opening) this.address("");
  }

  play(on) {
    if (on && !this.playing) this.drive.forget();
    this.playing = on && !this.simulation.failed;
    part("play").textContent = this.playing ? "❚❚" : "▶";
    part("play").ariaLabel = this.playing ? "pause" : "play";
    this.last = undefined;
    if (this.playing) this.ask();
  }

  // One step of any size, as tests and other scripts make it.
  step(span) {
    const good = this.simulation.step(span);
    if (!good) this.fail();
    else {
      this.spins.turn(span);
      this.note();
    }
    return good;
  }

  note() {
    this.plots.note(this.simulation.time);
    this.flags.watch();
  }

  fail() {
    this.play(false);
    this.tell();
    this.stopped(true);
  }

  // Frames

  ask() {
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = 0;
    if (!this.playing) return;
    const passed = this.last === undefined ? 0 : (now - this.last) / 1000;
    this.last = now;
    const begun = performance.now();
    this.advance(passed, begun);
    if (!this.simulation.failed) this.drawAll(now);
    if (!this.marked) this.marked = performance.mark("first frame");
    this.work = performance.now() - begun - this.rendering;
    if (this.playing) this.ask();
  }

  advance(passed, begun) {
    this.lag += Math.min(passed, MOST_LAG);
    const span = TICK * this.speed * this.model.timeScale;
    const before = performance.now();
    let made = 0;
    while (this.lag >= TICK && performance.now() - begun < MOST_WORK) {
      this.drive.advance(TICK, span);
      if (!this.simulation.step(span)) return this.fail();
      this.spins.turn(span);
      this.note();
      this.trace();
      this.lag -= TICK;
      made += TICK;
    }
    this.lag = Math.min(this.lag, MOST_LAG);
    if (made) this.cost += 0.2 * ((performance.now() - before) * (TICK / made) - this.cost);
    if (passed > 0) this.apart += 0.2 * (1000 * passed - this.apart);
    if (passed > 0) this.rate += (1 - Math.exp(-passed)) * (Math.min(1, made / passed) - this.rate);
    if (this.simulation.messages.length) this.tell();
  }

  trace() {
    // Where frames are far apart, paths have points between them, too.
    this.untraced += 1;
    if (this.untraced < TRACED || !this.scene?.trails?.length) return;
    this.untraced = 0;
    const numbers = this.simulation.scene();
    if (numbers) this.scene.trace(numbers);
  }

  drawAll(now) {
    this.drawScene();
    const places = 2 - Math.floor(Math.log10(this.model.timeScale * this.speed));
    part("clock").textContent = `${this.simulation.time.toFixed(Math.max(1, Math.min(6, places)))} s`;
    if (now === undefined || now - this.plotted >= PLOTTING) this.drawPlots(now);
  }

  drawPlots(now = 0) {
    this.plotted = now;
    this.controls.follow(this.drive.inEffect);
    if (!this.simulation.failed) this.flags.draw();
    this.plots.draw(this.simulation.time, WINDOW * this.speed * this.model.timeScale);
    part("lagging").textContent = this.playing && this.rate < 0.8 ? this.slowness() : "";
  }

  // How much of the speed is reached, and why not all of it.
  slowness() {
    const span = 1000 * TICK * this.speed * this.model.timeScale;
    const step = `a step of ${digits(span, 2)} ms takes ${digits(this.cost, 2)} ms`;
    const why = this.cost > 500 * TICK ? step : `frames are ${Math.round(this.apart)} ms apart`;
    return `${Math.round(100 * this.rate)} % of the speed: ${why}`;
  }

  drawScene() {
    this.rendering = this.untraced = 0;
    if (!this.scene || this.simulation.failed) return;
    const numbers = this.simulation.scene();
    if (!numbers || numbers.some((number) => !Number.isFinite(number))) return;
    this.spins.apply(numbers);
    if (this.undecided) this.watch(numbers);
    this.scene.update(numbers);
    this.drawn = (this.drawn ?? 0) + 1;
    if (this.drawn % WATCHED === 0) this.scene.widen(numbers);
    const begun = performance.now();
    this.scene.render();
    this.rendering = performance.now() - begun;
  }

  watch(numbers) {
    // Where the first look was too short to show that things travel, they are followed once they do.
    const { shapes, size } = this.model.scene, { first } = shapes[0];
    this.begun ??= numbers.slice();
    const way = Math.hypot(...[0, 1, 2].map((k) => numbers[first + k] - this.begun[first + k]));
    if (!(way > 2.5 * size)) return;
    this.scene.survey(Float64Array.from([...this.begun, ...numbers]), 2, numbers.length);
    this.scene.update(numbers);
    this.follow(true);
    this.look("oblique");
  }

  follow(wanted) {
    this.followed = wanted;
    this.undecided = false;
    this.scene?.follow(wanted || null);
    part("follow").setAttribute("aria-pressed", Boolean(wanted));
  }

  // Words

  tell(said) {
    const texts = this.simulation.heard().map(({ text }) => text);
    if (said) texts.push(said);
    if (texts.length) this.say([...new Set(texts)].slice(-3).join("; "));
  }

  say(text) {
    part("words").textContent = text;
    part("message").hidden = !text;
  }

  stopped(really) {
    part("message").classList.toggle("fatal", really);
    if (really && part("message").hidden) this.say("the run has ended");
  }

  address(hash) {
    this.shared = hash;
    try {
      history.replaceState(null, "", hash || location.pathname + location.search);
    } catch {
      location.hash = hash;
    }
  }

  link() {
    const more = {};
    if (this.speed !== 1) more.speed = this.speed;
    const usual = this.model.plots.map((names) => names.join("+")).join(",");
    if (this.plots.names !== usual) more.plots = this.plots.names;
    // A page that opens with a value must be told of the default one.
    for (const name of new URLSearchParams(this.model.opening.slice(1)).keys()) {
      if (!this.simulation.isChosen(name)) more[name] = this.simulation.variable(name).start;
    }
    return written(this.simulation, more);
  }

  async share() {
    this.address(this.link());
    let copied = "the address now holds all that was changed; copy it";
    try {
      await navigator.clipboard.writeText(location.href);
      copied = "link copied: it holds all that was changed";
    } catch {
      // no clipboard: the address is there
    }
    this.say(copied);
  }
}

function startPage(model, module) {
  const page = new Page(module, model);
  const own = {
    model,
    page,
    get: (name) => page.simulation.shown(name),
    set: (name, value) => {
      const taken = page.change(name, value);
      if (page.controls.rows.has(name)) page.controls.show(name);
      return taken;
    },
    step: (span) => {
      page.play(false);
      return page.step(span);
    },
    reset: () => page.restart(),
    play: () => page.play(true),
    pause: () => page.play(false),
    link: () => page.link(),
    scene: () => Array.from(page.simulation.scene() ?? []),
  };
  Object.defineProperty(own, "time", { get: () => page.simulation.time });
  return own;
}

export async function openPage() {
  const text = (name) => part(name).textContent;
  const model = JSON.parse(text("model"));
  part("documentation").innerHTML = JSON.parse(text("text"));
  try {
    return startPage(model, await loadModule(text("module")));
  } catch (reason) {
    part("words").textContent = `this page cannot run the model: ${reason.message ?? reason}`;
    part("message").hidden = false;
    part("message").classList.add("fatal");
    throw reason;
  }
}
