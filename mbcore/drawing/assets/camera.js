// The camera: where it looks from, what it follows, and the small axes in the corner.

import { Box3, MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from "three";
import { OrbitControls } from "./OrbitControls.js";

const VIEWS = {
  oblique: [-58, 20], behind: [-128, 22],
  front: [0, 0], back: [180, 0], left: [90, 0], right: [-90, 0], top: [-90, 89.99],
};
const HALF = (16 * Math.PI) / 180; // half the angle of view

export class Viewer {
  constructor(canvas, description, changed) {
    this.planar = Boolean(description.planar);
    this.camera = this.planar ? new OrthographicCamera() : new PerspectiveCamera((360 * HALF) / Math.PI);
    this.up = new Vector3(...(description.up ?? (this.planar ? [0, 1, 0] : [0, 0, 1]))).normalize();
    if (this.planar && Math.abs(this.up.z) > 0.9) this.up.set(0, 1, 0);
    this.camera.up.copy(this.up);
    this.canvas = canvas;
    this.changed = changed;
    this.takeControl();
    this.boxes = [{ low: [-1, -1, -1], high: [1, 1, 1] }];
    this.direction = new Vector3();
    this.followed = null;
    this.byHand = false; // whether somebody has turned the camera
    this.room = 1; // as many times as far away as all could be seen
    this.anchor = new Vector3();
    this.moved = new Vector3();
    this.heading = new Vector3();
    this.width = this.height = 1;
  }

  takeControl() {
    // the controls know the upward direction from the moment when they are made
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = this.planar;
    this.controls.enableRotate = !this.planar;
    if (this.planar) {
      this.controls.mouseButtons.LEFT = MOUSE.PAN;
      this.controls.touches.ONE = TOUCH.PAN;
    }
    this.controls.addEventListener("change", this.changed);
    this.controls.addEventListener("start", () => (this.byHand = true));
    this.target = this.controls.target;
  }

  stand(up) {
    if (this.planar || this.up.equals(up)) return;
    this.up.copy(up);
    this.camera.up.copy(up);
    this.controls.dispose();
    this.takeControl();
  }

  get distance() {
    return this.planar
      ? (this.camera.top - this.camera.bottom) / this.camera.zoom / (2 * Math.tan(HALF))
      : this.camera.position.distanceTo(this.target);
  }

  // From where one looks: a name, or azimuth about the vertical from x and elevation, degrees.

  look(name) {
    const { up, planar } = this;
    const vertical = planar ? new Vector3(0, 0, 1) : up;
    const first = Math.abs(vertical.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    first.addScaledVector(vertical, -vertical.dot(first)).normalize();
    const second = new Vector3().crossVectors(vertical, first);
    const flat = planar && typeof name === "string";
    const [azimuth, elevation] = (flat ? VIEWS.top : VIEWS[name] ?? name).map((degrees) => (degrees * Math.PI) / 180);
    this.direction.set(0, 0, 0).addScaledVector(first, -Math.cos(elevation) * Math.cos(azimuth));
    this.direction.addScaledVector(second, -Math.cos(elevation) * Math.sin(azimuth));
    this.direction.addScaledVector(vertical, -Math.sin(elevation)).normalize();
    if (flat) this.direction.set(0, 0, -1);
    this.byHand = false;
    this.fit();
  }

  refit() {
    // from where one looks now
    this.camera.getWorldDirection(this.direction);
    this.fit();
  }

  fit() {
    // As near as all corners of the boxes allow, in the direction in which one looks now.
    const whole = new Box3();
    for (const { low, high } of this.boxes) whole.expandByPoint(new Vector3(...low)).expandByPoint(new Vector3(...high));
    const centre = whole.getCenter(new Vector3());
    const right = new Vector3().crossVectors(this.direction, this.up).normalize();
    const over = new Vector3().crossVectors(right, this.direction);
    const ratio = this.width / this.height, tan = Math.tan(HALF);
    let half = 1e-9, distance = 1e-9;
    const corners = this.boxes.flatMap(({ low, high }) => [...Array(8).keys()].map((corner) =>
      new Vector3(...[0, 1, 2].map((k) => ((corner >> k) & 1 ? high : low)[k])).sub(centre)));
    for (const p of corners) {
      half = Math.max(half, Math.abs(p.dot(right)) / ratio, Math.abs(p.dot(over)));
    }
    // in perspective the middle of what is seen is not that of the box: edge by edge instead
    const ends = (across, tangent) => {
      const [a, b] = [1, -1].map((sign) =>
        corners.reduce((most, p) => Math.max(most, sign * p.dot(across) - tangent * p.dot(this.direction)), -Infinity));
      distance = Math.max(distance, (a + b) / 2 / tangent);
      return (a - b) / 2;
    };
    const shift = [ends(right, tan * ratio), ends(over, tan)];
    this.reach = Math.max(whole.max.distanceTo(centre), 1e-9);
    this.half = 1.12 * this.room * half;
    if (!this.planar) centre.addScaledVector(right, shift[0]).addScaledVector(over, shift[1]);
    this.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(this.direction, -(this.planar ? 4 * this.reach : 1.14 * this.room * distance));
    this.camera.zoom = 1;
    this.resize(this.width, this.height);
    this.controls.update();
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    const camera = this.camera, ratio = width / height;
    if (this.planar) {
      const half = this.half ?? 1;
      Object.assign(camera, { left: -half * ratio, right: half * ratio, top: half, bottom: -half });
    } else {
      camera.aspect = ratio;
    }
    this.clip();
  }

  clip() {
    const distance = this.planar ? this.camera.position.distanceTo(this.target) : this.distance;
    this.camera.near = this.planar ? 0.01 * distance : distance / 100;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
  }

  // Following: the camera keeps its place relative to what it follows.

  follow(shapes, turning = false) {
    this.followed = shapes?.length ? shapes : null;
    this.turning = turning;
    this.started = false;
  }

  update(values, offset) {
    if (!this.followed) return;
    const anchor = this.moved.set(0, 0, 0), shapes = this.followed;
    for (let i = 0; i < shapes.length; i++) {
      const at = offset + shapes[i].first;
      anchor.x += values[at] / shapes.length;
      anchor.y += values[at + 1] / shapes.length;
      anchor.z += values[at + 2] / shapes.length;
    }
    const angle = this.turning ? this.headingOf(values, offset + shapes[0].first + 3) : 0;
    if (this.started) {
      const x = anchor.x - this.anchor.x, y = anchor.y - this.anchor.y, z = anchor.z - this.anchor.z;
      const { position } = this.camera;
      position.x += x;
      position.y += y;
      position.z += z;
      this.target.x += x;
      this.target.y += y;
      this.target.z += z;
      if (this.turning) this.swing(angle - this.angle);
    }
    this.anchor.copy(anchor);
    this.angle = angle;
    this.started = true;
    this.camera.lookAt(this.target);
  }

  headingOf(values, axis) {
    // The angle about the upward direction of a frame's first axis.
    const ahead = this.heading.set(values[axis], values[axis + 1], values[axis + 2]);
    const { x, y, z } = this.up;
    if (Math.abs(z) > 0.5) return Math.atan2(ahead.y * Math.sign(z), ahead.x);
    if (Math.abs(y) > 0.5) return Math.atan2(ahead.x * Math.sign(y), ahead.z);
    return Math.atan2(ahead.z * Math.sign(x), ahead.y);
  }

  swing(angle) {
    this.camera.position.sub(this.target).applyAxisAngle(this.up, angle).add(this.target);
  }

  dispose() {
    this.controls.dispose();
  }
}

const COLOURS = ["#d9303e", "#2f9e44", "#2f6fde"];

export class Triad {
  // The directions of x, y and z, drawn over the picture; y ahead of z where they overlap.
  constructor(container, planar) {
    const names = planar ? ["x", "y"] : ["x", "y", "z"];
    const parts = names.map(
      (name, i) => `<line x1="0" y1="0" stroke="${COLOURS[i]}" stroke-width="2.5" stroke-linecap="round"/>
        <text fill="${COLOURS[i]}" text-anchor="middle" dominant-baseline="central">${name}</text>`,
    );
    this.element = document.createElement("div");
    this.element.innerHTML = `<svg viewBox="-40 -40 80 80" width="80" height="80" font-size="14"
      font-family="system-ui, sans-serif" font-style="italic" aria-hidden="true">${parts.join("")}</svg>`;
    this.element.style.cssText = "position:absolute;left:8px;bottom:8px;pointer-events:none";
    container.append(this.element);
    this.lines = [...this.element.querySelectorAll("line")];
    this.texts = [...this.element.querySelectorAll("text")];
    this.known = new Float64Array(4).fill(NaN);
  }

  update(camera) {
    const { x, y, z, w } = camera.quaternion, known = this.known;
    if (known[0] === x && known[1] === y && known[2] === z && known[3] === w) return;
    known[0] = x;
    known[1] = y;
    known[2] = z;
    known[3] = w;
    const { elements } = camera.matrixWorldInverse;
    this.lines.forEach((line, i) => {
      const a = 26 * elements[4 * i], b = -26 * elements[4 * i + 1];
      line.setAttribute("x2", a);
      line.setAttribute("y2", b);
      this.texts[i].setAttribute("x", 1.35 * a);
      this.texts[i].setAttribute("y", 1.35 * b);
    });
  }
}
