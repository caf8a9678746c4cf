// A scene in three dimensions from its description and one flat vector of numbers for each moment.
//
//   const scene = makeScene(container, description, { shadows: true });
//   scene.survey(values, frames, stride);    choose camera, ground and arrows from these frames
//   scene.record(values, frames, stride);    the trails of a recording; otherwise they grow live
//   scene.update(values, offset, frame);     numbers of one moment; with a recording, which frame it is
//   scene.trace(values);                     a point more of live trails, between two updates
//   scene.render();                          draw it
//   scene.follow(name | true | null, { turn: true });   go along with a shape, or with all that travels
//   scene.view("oblique" | "behind" | "front" | "back" | "left" | "right" | "top" | [azimuth, elevation] | "fit");
//   scene.labels(true); scene.clearTrails(); scene.place(name); scene.dispose();
//
// `description` is {name, planar, up, shapes: [{kind, name, colour, first, ...}]}; lengths are in metres.
// `update` and `render` allocate nothing that grows with the scene.

import { Color, DirectionalLight, HemisphereLight, Scene, Vector3, WebGLRenderer } from "three";
import { Triad, Viewer } from "./camera.js";
import { planeOf, survey, union } from "./extents.js";
import { Ground, Surface } from "./ground.js";
import { SOLIDS, Solids } from "./solids.js";
import { Dots, Lines, Trail } from "./strokes.js";

const THEMES = {
  light: { behind: "linear-gradient(#dfe8f1, #fbfcfd)", ground: "#5a6b7d", text: "#1c2733", edge: "#ffffff", sky: 2 },
  dark: { behind: "linear-gradient(#161b22, #232a33)", ground: "#93a4b8", text: "#dde5ee", edge: "#11151a", sky: 2.2 },
};
const KINDS = ["line", "tube", "disc", "box", "ball", "dot", "surface", "arrow"];
const AHEAD = 3; // sizes of what is driven in the plane that are seen
const LEFT = 0.02, LOST = 5; // by how many sizes things leave what is looked at until it widens, and until they are gone
const WIDER = 0.2; // sizes by which it then widens beyond them
const ARROW = 0.15; // the longest arrow, as a part of the scene

export function makeScene(container, description, { shadows = true } = {}) {
  for (const { kind, name } of description.shapes) {
    if (!KINDS.includes(kind)) throw new Error(`shape ${name}: its kind "${kind}" is none of ${KINDS.join(", ")}`);
  }
  container.style.position ||= "relative";
  try {
    return new View(container, description, shadows);
  } catch (reason) {
    return refusal(container, reason);
  }
}

function refusal(container, reason) {
  // Without WebGL the page still works: it says so where the picture would be.
  const note = document.createElement("p");
  note.className = "no-webgl";
  note.style.cssText = "margin:auto;padding:2em;max-width:36em;font:16px system-ui,sans-serif";
  note.textContent =
    "This browser shows no 3D graphics (WebGL 2 is missing or switched off), so there is no picture here. " +
    `It said: ${reason.message ?? reason}`;
  container.append(note);
  const nothing = () => {};
  const names = Object.getOwnPropertyNames(View.prototype).filter((name) => name !== "constructor");
  const methods = Object.fromEntries(names.map((name) => [name, nothing]));
  return { ...methods, failed: note.textContent, place: () => null, travels: false };
}

function newRenderer(canvas) {
  // three.js writes to the console before it throws; asking first keeps the message in the page.
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL 2 context");
  return new WebGLRenderer({ canvas, antialias: true, alpha: true });
}

class View {
  constructor(container, description, shadows) {
    this.container = container;
    this.description = description;
    this.shapes = description.shapes;
    const canvas = document.createElement("canvas");
    canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%;display:block;touch-action:none";
    this.renderer = newRenderer(canvas);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    container.append(canvas);
    this.shadows = shadows && !description.planar;
    this.scene = new Scene();
    this.scale = { force: 0, moment: 0, motion: 0, size: 1 };
    this.largest = { force: 0, moment: 0, motion: 0 };
    this.makeShapes();
    this.viewer = new Viewer(canvas, description, () => this.redraw());
    this.ground = new Ground(this.shadows);
    this.scene.add(...this.ground.objects);
    this.makeLight();
    this.triad = new Triad(container, this.viewer.planar);
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.paint();
    this.dark.addEventListener("change", this.repaint);
    this.sized = new ResizeObserver(() => this.resize());
    this.sized.observe(container);
    this.point = new Vector3();
    this.names = [];
    this.paint();
    this.resize();
  }

  makeShapes() {
    const of = (kind) => this.shapes.filter((shape) => shape.kind === kind);
    this.solids = new Solids(this.description.planar);
    this.writers = this.shapes
      .filter(({ kind }) => kind in SOLIDS)
      .map((shape) => SOLIDS[shape.kind](this.solids, shape, shape.opacity ?? 1, this.scale));
    this.solids.build(this.scene);
    this.lines = new Lines(of("line"));
    this.dots = new Dots(of("dot"));
    // the first ground is the grid without end; further ones are sheets
    this.flat = this.shapes.find(({ kind, ground }) => kind === "surface" && ground);
    this.surfaces = of("surface").filter((shape) => shape !== this.flat).map((shape) => new Surface(shape));
    this.trails = this.shapes.filter(({ trail }) => trail).map((shape) => new Trail(shape));
    this.scene.add(this.lines.object, this.dots.object);
    for (const surface of this.surfaces) this.scene.add(...surface.objects);
    for (const trail of this.trails) trail.addTo(this.scene);
  }

  makeLight() {
    this.sky = new HemisphereLight("#ffffff", "#8d8676", 1.5);
    this.sky.position.copy(this.viewer.up);
    this.sun = new DirectionalLight("#fff6e8", 2.4);
    this.sunward = new Vector3(-0.5, -0.25, 0).addScaledVector(this.viewer.up, 1.1);
    if (this.viewer.planar) this.sunward.set(0.4, 0.6, 1.2);
    this.scene.add(this.sky, this.sun, this.sun.target);
    if (!this.shadows) return;
    this.renderer.shadowMap.enabled = true;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.intensity = 0.8;
  }

  // What it looks like

  paint() {
    const theme = THEMES[this.dark.matches ? "dark" : "light"];
    const shown = (colour) => legible(new Color(colour), this.dark.matches);
    this.container.style.background = theme.behind;
    this.container.style.color = theme.text;
    this.ground.paint(theme.ground);
    this.sky.intensity = theme.sky;
    this.lines.paint(shown);
    this.dots.paint(shown, theme.edge);
    for (const trail of this.trails) trail.paint(shown);
    this.redraw();
  }

  survey(values, frames = 1, stride = 0, offset = 0) {
    const seen = survey(this.shapes, offset ? values.subarray(offset) : values, frames, stride);
    this.seen = seen;
    this.scale.size = seen.size;
    Object.assign(this.largest, seen.largest);
    this.rescale();
    // a motion much longer than the mechanism is better followed
    const { low, high } = seen.motion;
    this.travels = Math.hypot(...[0, 1, 2].map((k) => high[k] - low[k])) > 2.5 * seen.size;
    this.layGround(values, offset);
    this.view("oblique");
    this.shine();
  }

  // Where things leave what is looked at, look at more; who has moved the camera keeps the view.
  widen(values) {
    const { viewer, seen } = this;
    if (!seen || viewer.followed || viewer.byHand) return;
    const now = survey(this.shapes, values, 1, 0).motion, axes = [0, 1, 2];
    const left = Math.max(...axes.flatMap((k) => [seen.motion.low[k] - now.low[k], now.high[k] - seen.motion.high[k]])) / seen.size;
    if (!(left > LEFT && left < LOST)) return;
    // at once by some more, so that the picture does not shrink with each frame
    const more = (k, end, sign) => now[end][k] + (sign * (now[end][k] - seen.motion[end][k]) > 0 ? sign * WIDER * seen.size : 0);
    seen.boxes.push({ low: axes.map((k) => more(k, "low", -1)), high: axes.map((k) => more(k, "high", 1)) });
    seen.motion = union(seen.boxes);
    this.view("fit");
  }

  layGround(values, offset) {
    // In a ground's own plane; else under all that moves, or behind it in the plane.
    const { up, planar } = this.viewer, { size, motion } = this.seen;
    const normal = planar ? new Vector3(0, 0, 1) : up.clone();
    let height = Infinity;
    for (let corner = 0; corner < 8; corner++) {
      const p = [0, 1, 2].map((k) => ((corner >> k) & 1 ? motion.high : motion.low)[k]);
      height = Math.min(height, normal.dot(this.point.set(...p)));
    }
    const plane = this.flat && !planar ? planeOf(this.flat, values, offset, up) : { normal, height };
    const middle = [0, 1, 2].map((k) => (motion.low[k] + motion.high[k]) / 2);
    if (this.flat && this.point.set(...middle).dot(plane.normal) < plane.height) {
      // things stand on their ground, whatever was said to be upwards
      plane.normal.negate();
      plane.height *= -1;
      this.viewer.stand(up.clone().negate());
      this.sky.position.copy(this.viewer.up);
      this.sunward.addScaledVector(this.viewer.up, 2.2);
    }
    this.ground.lie(plane.normal, plane.height - (planar ? 0.2 : 0.002) * size);
    this.ground.grid.visible = Boolean(this.flat) || !this.surfaces.length;
  }

  shine() {
    // the light and its shadow go along with what is looked at
    const size = 1.2 * (this.viewer.followed ? this.scale.size : this.viewer.reach ?? 1);
    this.sun.position.copy(this.sunward).normalize().multiplyScalar(3 * size).add(this.viewer.target);
    this.sun.target.position.copy(this.viewer.target);
    const eye = this.sun.shadow.camera;
    if (!this.shadows || eye.right === size) return;
    Object.assign(eye, { left: -size, right: size, top: size, bottom: -size, near: 0.5 * size, far: 6 * size });
    eye.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.bias = -0.0005;
  }

  rescale() {
    for (const of in this.largest) {
      this.scale[of] = this.largest[of] > 0 ? (ARROW * this.scale.size) / this.largest[of] : 0;
    }
  }

  grow(values, offset) {
    // live, arrows have the scale of the largest seen so far
    let grown = false;
    for (let i = 0; i < this.shapes.length; i++) {
      const shape = this.shapes[i];
      if (shape.kind !== "arrow") continue;
      const k = offset + shape.first + 3, of = shape.of || "force";
      const length = Math.sqrt(values[k] ** 2 + values[k + 1] ** 2 + values[k + 2] ** 2);
      if (!(length > this.largest[of])) continue;
      this.largest[of] = length;
      grown = true;
    }
    if (grown) this.rescale();
  }

  record(values, frames, stride) {
    this.recorded = frames;
    for (const trail of this.trails) trail.record(values, frames, stride);
    this.paint();
  }

  clearTrails() {
    for (const trail of this.trails) trail.clear();
  }

  // One moment

  update(values, offset = 0, frame = 0) {
    if (!this.seen) this.survey(values, 1, 0, offset);
    if (!this.recorded) this.grow(values, offset);
    for (let i = 0; i < this.writers.length; i++) this.writers[i](values, offset);
    this.solids.upload();
    this.lines.update(values, offset);
    this.dots.update(values, offset);
    for (let i = 0; i < this.surfaces.length; i++) this.surfaces[i].update(values, offset);
    if (this.recorded) for (const trail of this.trails) trail.show(values, offset, frame);
    else this.trace(values, offset);
    this.viewer.update(values, offset);
    this.latest = values;
    this.latestOffset = offset;
    this.stale = true;
  }

  trace(values, offset = 0) {
    // Live: a point more of each path, wherever there is one.
    const step = 0.004 * this.scale.size;
    for (let i = 0; i < this.trails.length; i++) this.trails[i].append(values, offset, step);
  }

  render() {
    const { viewer } = this;
    this.stale = false;
    viewer.clip();
    this.ground.place(viewer.target, viewer.distance);
    this.shine();
    this.renderer.render(this.scene, viewer.camera);
    this.triad.update(viewer.camera);
    if (this.names.length) this.placeLabels();
  }

  redraw() {
    // after the mouse or the window has changed something, when nobody else draws
    if (this.stale) return;
    this.stale = true;
    requestAnimationFrame(() => this.stale && !this.gone && this.render());
  }

  // What is looked at

  named(name) {
    const shape = this.shapes.find((one) => one.name === name);
    if (shape) return shape;
    throw new Error(`no shape is named "${name}"; there are ${this.shapes.map((one) => one.name).join(", ")}`);
  }

  follow(name, { turn = false } = {}) {
    const shapes = name === true ? this.seen?.movers ?? [] : name ? [this.named(name)] : null;
    this.viewer.follow(shapes, turn && ["disc", "box", "ball"].includes(shapes?.[0]?.kind));
  }

  view(name) {
    // the whole motion, or what is followed as it is now
    const now = this.viewer.followed && this.latest;
    const seen = now ? survey(this.shapes, this.latest.subarray(this.latestOffset), 1, 0) : this.seen;
    if (seen.boxes.length) this.viewer.boxes = seen.boxes;
    // who drives sees where to, and from above one wants to see some way ahead
    const ahead = this.viewer.planar ? AHEAD : 1.5;
    this.viewer.room = now ? (this.recorded ? 1.2 : ahead) : 1;
    if (name === "oblique" && this.viewer.followed && !this.viewer.planar) this.viewer.look("behind");
    else if (name === "fit") this.viewer.refit();
    else this.viewer.look(name);
    this.redraw();
  }

  place(name) {
    // Where a shape's first point is seen: pixels from the upper left corner of the picture.
    const at = this.latestOffset + this.named(name).first;
    this.point.fromArray(this.latest, at).project(this.viewer.camera);
    return {
      x: ((this.point.x + 1) / 2) * this.viewer.width,
      y: ((1 - this.point.y) / 2) * this.viewer.height,
    };
  }

  labels(shown) {
    for (const { element } of this.names) element.remove();
    this.names = [];
    if (!shown) return this.redraw();
    const known = new Set();
    for (const shape of this.shapes) {
      // several shapes of one thing begin at the same place
      const at = this.latestOffset + shape.first;
      const key = `${shape.name} ${this.latest?.subarray(at, at + 3)}`;
      if (!shape.name || known.has(key)) continue;
      known.add(key);
      const element = document.createElement("span");
      element.textContent = shape.name;
      element.style.cssText =
        "position:absolute;left:0;top:0;font:12px system-ui,sans-serif;pointer-events:none;white-space:nowrap;" +
        "text-shadow:0 0 3px Canvas,0 0 3px Canvas,0 0 3px Canvas";
      this.container.append(element);
      this.names.push({ element, shape });
    }
    this.redraw();
  }

  placeLabels() {
    if (!this.latest) return;
    for (const { element, shape } of this.names) {
      const at = this.latestOffset + shape.first;
      this.point.set(this.latest[at], this.latest[at + 1], this.latest[at + 2]).project(this.viewer.camera);
      const x = ((this.point.x + 1) / 2) * this.viewer.width, y = ((1 - this.point.y) / 2) * this.viewer.height;
      element.style.transform = `translate(${x + 8}px, ${y - 6}px)`;
    }
  }

  resize() {
    const width = Math.max(this.container.clientWidth, 1), height = Math.max(this.container.clientHeight, 1);
    this.renderer.setSize(width, height, false);
    this.lines.lines.mesh.material.resolution.set(width, height);
    const touched = this.viewer.width !== width || this.viewer.height !== height;
    this.viewer.resize(width, height);
    if (touched && this.seen && !this.viewer.byHand) this.view("fit");
    this.redraw();
  }

  dispose() {
    this.gone = true;
    this.sized.disconnect();
    this.dark.removeEventListener("change", this.repaint);
    for (const part of [this.solids, this.lines, this.dots, this.ground, this.viewer, ...this.surfaces, ...this.trails]) {
      part.dispose();
    }
    this.renderer.dispose();
    this.container.replaceChildren();
  }
}

function legible(colour, dark) {
  // Thin strokes in dark colours would vanish on a dark background, and bright ones on a bright one.
  const bright = 0.21 * colour.r + 0.72 * colour.g + 0.07 * colour.b;
  if (dark && bright < 0.12) return colour.lerp(new Color("#ffffff"), 0.45);
  if (!dark && bright > 0.7) return colour.lerp(new Color("#000000"), 0.5);
  return colour;
}
