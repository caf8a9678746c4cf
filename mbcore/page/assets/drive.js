// Keys and touch that hold inputs away from the values of their sliders. Inputs whose rate is an input of its own move
// to their sliders' new values, too, and the rate is what they move by: forces need it.

const NAMES = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", a: "left", d: "right", w: "up", s: "down" };
const FIELDS = "input:not([type=range]), select, textarea, [contenteditable]";

export function keyName(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  return NAMES[event.key] ?? NAMES[event.key.toLowerCase()] ?? event.key.toLowerCase();
}

export function isTyping(event) {
  return Boolean(event.target.closest?.(FIELDS));
}

export class Drive {
  constructor(keys, ramp, simulation) {
    this.keys = keys;
    this.ramp = ramp;
    this.simulation = simulation;
    this.wanted = new Map(Object.keys(keys).map((key) => [key, 0]));
    this.level = new Map(this.wanted);
    this.tapped = new Map(); // how far keys have been pressed since the last step, even if they are up again
    const withRate = simulation.model.variables.filter(({ rate }) => rate).map(({ name }) => name);
    this.keyed = new Set(Object.values(keys).flatMap((effect) => Object.keys(effect)));
    this.inputs = [...new Set([...this.keyed, ...withRate])].map((name) => simulation.variable(name));
    this.inEffect = new Map(); // values of the inputs that are held
    this.moving = new Map(); // where sliders' inputs with a rate come from, and how much of the way is done
    this.led = new Set(); // inputs whose rate is that at which they move
  }

  has(key) {
    return this.wanted.has(key);
  }

  // How far a key is pressed, from 0 to 1.
  press(key, part) {
    if (!this.has(key)) return;
    if (part > this.wanted.get(key)) this.tapped.set(key, part);
    this.wanted.set(key, part);
  }

  // Taps of a page that did not play have no effect.
  forget() {
    this.tapped.clear();
  }

  release() {
    for (const key of this.wanted.keys()) this.wanted.set(key, 0);
  }

  settle() {
    this.release();
    this.forget();
    for (const key of this.level.keys()) this.level.set(key, 0);
    this.inEffect.clear();
    this.moving.clear();
    this.led.clear();
  }

  // A slider of an input with a rate has left this value: the input follows within the ramp.
  moveFrom(name, value) {
    if (this.simulation.variable(name).rate) this.moving.set(name, { from: value, done: 0 });
  }

  // The value of an input without keys.
  base(name) {
    const target = this.simulation.get(name), moving = this.moving.get(name);
    return moving ? moving.from + moving.done * (target - moving.from) : target;
  }

  // Before a step: levels go on by some seconds of the page, and inputs move linearly over the
  // step's span, in seconds of the model. Return whether the FMU took all inputs.
  advance(seconds, span) {
    const before = this.inputs.map((input) => this.value(input));
    const bases = this.inputs.map(({ name }) => this.base(name));
    const most = seconds / this.ramp;
    for (const [name, moving] of this.moving) {
      if (moving.done < 1) moving.done = Math.min(1, moving.done + most);
      else this.moving.delete(name);
    }
    for (const [key, wanted] of this.wanted) {
      const level = this.level.get(key), sought = Math.max(wanted, this.tapped.get(key) ?? 0);
      this.level.set(key, level + Math.min(most, Math.max(-most, sought - level)));
    }
    this.forget();
    return this.inputs.map((input, i) => this.apply(input, before[i], bases[i], span)).every(Boolean);
  }

  // The value of an input by the keys that are felt; undefined where none is.
  value(input) {
    const base = this.base(input.name);
    let value;
    for (const [key, level] of this.level) {
      const target = this.keys[key][input.name];
      if (target !== undefined && level !== 0) value = (value ?? base) + level * (target - base);
    }
    return value;
  }

  apply(input, before, baseBefore, span) {
    const after = this.value(input), base = this.base(input.name);
    if (after !== undefined) this.inEffect.set(input.name, after);
    else if (before !== undefined) this.inEffect.set(input.name, base); // until the step has led there
    else if (!this.inEffect.delete(input.name) && base === baseBefore && !this.led.has(input.name)) return true;
    const from = before ?? baseBefore, to = after ?? base;
    return this.simulation.hold(input, from, to, span) && this.lead(input, (to - from) / span);
  }

  // Set the rate of an input to that at which it moves, and back to its slider's value afterwards.
  lead(input, speed) {
    if (!input.rate || this.keyed.has(input.rate)) return true; // keys that have both are believed
    if (speed) this.led.add(input.name);
    else this.led.delete(input.name);
    const rate = this.simulation.variable(input.rate), value = speed || this.simulation.get(rate.name);
    return this.simulation.hold(rate, value, value);
  }
}

// A pad for the thumb: as far as it is dragged, so far the arrows are pressed.
export function touchPad(element, drive) {
  const knob = element.firstElementChild;
  let touch = null;
  const move = (event) => {
    const box = element.getBoundingClientRect(), radius = box.width / 2;
    const part = (offset) => Math.max(-1, Math.min(1, offset / (0.8 * radius)));
    const x = part(event.clientX - box.left - radius), y = part(box.top + radius - event.clientY);
    knob.style.transform = `translate(${x * radius * 0.6}px, ${-y * radius * 0.6}px)`;
    drive.press("left", Math.max(0, -x));
    drive.press("right", Math.max(0, x));
    drive.press("up", Math.max(0, y));
    drive.press("down", Math.max(0, -y));
  };
  const end = () => {
    touch = null;
    knob.style.transform = "";
    drive.release();
  };
  element.addEventListener("pointerdown", (event) => {
    touch = event.pointerId;
    element.setPointerCapture(touch);
    move(event);
  });
  element.addEventListener("pointermove", (event) => event.pointerId === touch && move(event));
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(name, end);
}
