// The page that plays a recording: buttons, slider and keys around the scene.

import { bytesOf, unpacked } from "./frames.js";
import { makeScene } from "./scene.js";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export function nearestSpeed(duration) {
  // As it is, where that takes between two seconds and half a minute; else so that it takes about eight.
  if (duration >= 2 && duration <= 30) return 1;
  const wanted = Math.log(Math.max(duration, 1e-9) / 8);
  const off = (speed) => Math.abs(Math.log(speed) - wanted);
  return SPEEDS.reduce((best, speed) => (off(speed) < off(best) ? speed : best));
}

export class Player {
  constructor(page, { description, times, frames, size, options }) {
    this.page = page;
    this.times = times;
    this.count = times.length;
    this.size = size;
    this.frames = frames;
    this.moment = new Float64Array(size);
    this.options = options;
    this.scene = makeScene(page.querySelector("#view"), description);
    this.scene.survey(this.frames, this.count, size);
    this.scene.record(this.frames, this.count, size);
    this.begin = this.times[0];
    this.end = this.times[this.count - 1];
    this.digits = digitsFor(this.times);
    this.index = 0;
    this.connect();
    this.follow(this.options.follow ?? this.scene.travels);
    this.seek(this.times[0]);
    this.scene.view(this.options.view ?? "oblique");
    page.body.classList.toggle("still", this.begin === this.end);
    this.play(this.begin < this.end && this.options.autoplay);
  }

  part(name) {
    return this.page.querySelector(`#${name}`);
  }

  connect() {
    const on = (name, event, action) => this.part(name).addEventListener(event, action);
    this.slider = this.part("slider");
    this.clock = this.part("clock");
    const speed = this.options.speed ?? nearestSpeed(this.times[this.count - 1] - this.times[0]);
    const speeds = [...new Set([...SPEEDS, speed])].sort((a, b) => a - b);
    this.part("speed").append(...speeds.map((value) => new Option(`× ${value}`, value, value === speed, value === speed)));
    this.speed = speed;
    this.loop = this.options.loop;
    this.part("loop").setAttribute("aria-pressed", this.loop);
    on("play", "click", () => this.play(!this.playing));
    on("slider", "input", () => {
      this.play(false);
      this.seek(this.begin + this.slider.value * (this.end - this.begin));
    });
    on("speed", "change", (event) => {
      this.speed = Number(event.target.value);
      event.target.blur(); // so that keys mean what they meant
    });
    on("loop", "click", (event) => event.target.setAttribute("aria-pressed", (this.loop = !this.loop)));
    on("follow", "click", () => {
      this.follow(!this.following);
      this.seek(this.time);
      this.scene.view("fit");
    });
    on("names", "click", (event) => {
      this.named = !this.named;
      event.target.setAttribute("aria-pressed", this.named);
      this.scene.labels(this.named);
    });
    for (const button of this.page.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => this.scene.view(button.dataset.view));
    }
    window.addEventListener("keydown", (event) => this.key(event));
    // the button that was pressed last takes no space that was meant for the motion
    window.addEventListener("keyup", (event) => event.key === " " && event.target.tagName === "BUTTON" && event.preventDefault());
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
    const step = (this.end - this.begin) / (event.shiftKey ? 10 : 100);
    const actions = {
      " ": () => this.play(!this.playing),
      ArrowRight: () => this.step(step),
      ArrowLeft: () => this.step(-step),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      l: () => this.part("loop").click(),
      f: () => this.part("follow").click(),
      n: () => this.part("names").click(),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  step(by) {
    this.play(false);
    this.seek(Math.min(Math.max(this.time + by, this.begin), this.end));
  }

  follow(name) {
    this.following = Boolean(name);
    this.part("follow").setAttribute("aria-pressed", this.following);
    this.scene.follow(name === true ? this.options.follow ?? true : name || null);
  }

  play(playing) {
    this.playing = playing;
    this.part("play").textContent = playing ? "❚❚" : "▶";
    this.part("play").setAttribute("aria-label", playing ? "pause" : "play");
    if (!playing) return;
    if (this.time >= this.end) this.seek(this.begin);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    if (!this.playing) return;
    let time = this.time + (this.speed * Math.max(now - this.last, 0)) / 1000;
    this.last = now;
    if (time > this.end) {
      if (this.loop) time = this.begin + ((time - this.begin) % (this.end - this.begin || 1));
      else {
        this.seek(this.end);
        return this.play(false);
      }
    }
    this.seek(time);
    requestAnimationFrame((next) => this.tick(next));
  }

  seek(time) {
    // Between two frames all numbers go on evenly.
    this.time = time;
    const { times, count, size, frames, moment } = this;
    if (this.index > count - 2 || times[this.index] > time) this.index = 0;
    while (this.index < count - 2 && times[this.index + 1] <= time) this.index += 1;
    const i = this.index, j = Math.min(i + 1, count - 1);
    const gap = times[j] - times[i], part = gap > 0 ? Math.min((time - times[i]) / gap, 1) : j - i;
    const a = i * size, b = j * size;
    for (let k = 0; k < size; k++) moment[k] = frames[a + k] + part * (frames[b + k] - frames[a + k]);
    const started = performance.now();
    this.scene.update(moment, 0, i + part);
    this.updateTime = performance.now() - started;
    this.scene.render();
    const span = times[count - 1] - times[0];
    this.slider.value = span > 0 ? (time - times[0]) / span : 0;
    this.clock.textContent = `${time.toFixed(this.digits)} ${this.options.unit}`;
  }
}

function digitsFor(times) {
  const span = times[times.length - 1] - times[0] || 1;
  return Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span))));
}

export async function start() {
  const read = (name) => document.getElementById(name).textContent.trim();
  try {
    const frames = await unpacked(JSON.parse(read("frames")));
    const times = new Float64Array(bytesOf(read("times")).buffer);
    window.player = new Player(document, { ...JSON.parse(read("recording")), times, frames });
  } catch (reason) {
    document.getElementById("view").append(`This motion cannot be shown: ${reason.message}`);
    throw reason;
  }
}
