// Strokes of constant width on the screen: lines, the paths that points leave behind, and dots.

import {
  BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Points, ShaderMaterial,
} from "three";
import { LineMaterial } from "./LineMaterial.js";
import { LineSegments2 } from "./LineSegments2.js";
import { LineSegmentsGeometry } from "./LineSegmentsGeometry.js";

function segments(count, material) {
  // Room for so many separate segments, six numbers each; none is shown yet.
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(new Float32Array(6 * Math.max(count, 1)));
  const buffer = geometry.attributes.instanceStart.data.setUsage(DynamicDrawUsage);
  geometry.instanceCount = 0;
  const mesh = new LineSegments2(geometry, material);
  mesh.frustumCulled = false;
  return { mesh, geometry, buffer, array: buffer.array };
}

function discard({ mesh }) {
  mesh.geometry.dispose();
  mesh.material.dispose();
}

export class Lines {
  // All lines of the scene in one draw call.
  constructor(shapes) {
    this.shapes = shapes;
    const spans = (shape) => (shape.closed ? shape.points : shape.points - 1);
    this.count = shapes.reduce((sum, shape) => sum + spans(shape), 0);
    this.lines = segments(this.count, new LineMaterial({ linewidth: 2, vertexColors: true }));
    this.lines.geometry.setColors(new Float32Array(6 * Math.max(this.count, 1)));
    this.lines.geometry.instanceCount = this.count;
    this.object = this.lines.mesh;
  }

  paint(shown) {
    const data = this.lines.geometry.attributes.instanceColorStart.data;
    let at = 0;
    for (const shape of this.shapes) {
      const { r, g, b } = shown(shape.colour);
      const end = at + 6 * (shape.closed ? shape.points : shape.points - 1);
      for (; at < end; at += 3) data.array.set([r, g, b], at);
    }
    data.needsUpdate = true;
  }

  update(values, offset) {
    const array = this.lines.array;
    let at = 0;
    for (let s = 0; s < this.shapes.length; s++) {
      const { first, points, closed } = this.shapes[s];
      const spans = closed ? points : points - 1;
      for (let i = 0; i < spans; i++) {
        const p = offset + first + 3 * i, q = offset + first + 3 * ((i + 1) % points);
        for (let k = 0; k < 3; k++) {
          array[at + k] = values[p + k];
          array[at + 3 + k] = values[q + k];
        }
        at += 6;
      }
    }
    if (at) this.lines.buffer.needsUpdate = true;
  }

  dispose() {
    discard(this.lines);
  }
}

const LIVE = 3000; // segments of a live trail; the oldest give way

export class Trail {
  // The path of a shape's first point: of a recording, shown up to a moment, or growing live.
  constructor(shape) {
    this.shape = shape;
    this.material = new LineMaterial({ linewidth: 1.6, transparent: true, opacity: 0.75 });
    this.parent = null;
    this.set(segments(LIVE, this.material));
    this.frames = 0;
    this.clear();
  }

  set(strokes) {
    if (this.strokes) {
      this.parent?.remove(this.strokes.mesh);
      this.strokes.geometry.dispose();
    }
    this.strokes = strokes;
    this.parent?.add(strokes.mesh);
  }

  addTo(scene) {
    this.parent = scene;
    scene.add(this.strokes.mesh);
  }

  paint(shown) {
    this.material.color.copy(shown(this.shape.colour));
  }

  clear() {
    this.written = 0;
    this.begun = false;
    this.strokes.geometry.instanceCount = 0;
  }

  record(values, frames, stride) {
    // Keep the whole path of a recording; of long ones every so many-th frame.
    this.frames = frames;
    this.every = Math.max(1, Math.ceil(frames / 6000));
    const count = Math.ceil((frames - 1) / this.every);
    const strokes = segments(count + 1, this.material);
    for (let i = 0; i < count; i++) {
      const from = i * this.every * stride + this.shape.first;
      const to = Math.min((i + 1) * this.every, frames - 1) * stride + this.shape.first;
      for (let k = 0; k < 3; k++) {
        strokes.array[6 * i + k] = values[from + k];
        strokes.array[6 * i + 3 + k] = values[to + k];
      }
    }
    if (!count) values.subarray(this.shape.first, this.shape.first + 3).forEach((x, k) => (strokes.array[k] = x));
    this.path = strokes.array.slice();
    this.set(strokes);
  }

  show(values, offset, frame) {
    // Up to a frame, which may lie between two: the last segment ends at the point itself.
    const whole = Math.floor(Math.min(frame, this.frames - 1) / this.every);
    const { array, buffer, geometry } = this.strokes;
    const last = this.last ?? 0;
    buffer.clearUpdateRanges();
    if (last !== whole) {
      for (let k = 0; k < 6; k++) array[6 * last + k] = this.path[6 * last + k];
      buffer.addUpdateRange(6 * last, 6);
    }
    const at = offset + this.shape.first, from = 6 * whole;
    for (let k = 0; k < 3; k++) {
      array[from + k] = whole ? this.path[from - 3 + k] : this.path[k];
      array[from + 3 + k] = values[at + k];
    }
    buffer.addUpdateRange(from, 6);
    buffer.needsUpdate = true;
    this.last = whole;
    geometry.instanceCount = whole + 1;
  }

  append(values, offset, step) {
    // Live: one segment more wherever the point has moved on far enough.
    const at = offset + this.shape.first;
    const x = values[at], y = values[at + 1], z = values[at + 2];
    if (!this.begun) {
      this.begun = true;
      this.x = x;
      this.y = y;
      this.z = z;
    }
    const dx = x - this.x, dy = y - this.y, dz = z - this.z;
    if (dx * dx + dy * dy + dz * dz < step * step) return;
    const { array, buffer, geometry } = this.strokes, slot = 6 * (this.written % LIVE);
    array[slot] = this.x;
    array[slot + 1] = this.y;
    array[slot + 2] = this.z;
    array[slot + 3] = this.x = x;
    array[slot + 4] = this.y = y;
    array[slot + 5] = this.z = z;
    this.written += 1;
    geometry.instanceCount = Math.min(this.written, LIVE);
    buffer.addUpdateRange(slot, 6);
    buffer.needsUpdate = true;
  }

  dispose() {
    discard(this.strokes);
  }
}

const CROWD = 15; // dots that are drawn smaller
const DOT = {
  vertexShader: `
    attribute vec3 tint;
    uniform float size;
    varying vec3 colour;
    void main() {
      colour = tint;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      gl_PointSize = size;
    }`,
  fragmentShader: `
    uniform vec3 edge;
    varying vec3 colour;
    void main() {
      float r = 2.0 * length(gl_PointCoord - 0.5);
      if (r > 1.0) discard;
      gl_FragColor = linearToOutputTexel(vec4(r > 0.68 ? edge : colour, 1.0));
    }`,
};

export class Dots {
  // Points that are seen through everything, for hinges lie inside of what they join.
  constructor(shapes) {
    this.shapes = shapes;
    const geometry = new BufferGeometry();
    this.places = new BufferAttribute(new Float32Array(3 * shapes.length), 3).setUsage(DynamicDrawUsage);
    this.tints = new BufferAttribute(new Float32Array(3 * shapes.length), 3);
    geometry.setAttribute("position", this.places);
    geometry.setAttribute("tint", this.tints);
    // many of them would hide what they join
    const size = (shapes.length > CROWD ? 6 : 10) * Math.min(window.devicePixelRatio || 1, 2);
    const uniforms = { size: { value: size }, edge: { value: new Color("white") } };
    this.material = new ShaderMaterial({ ...DOT, uniforms, depthTest: false, transparent: true });
    this.object = new Points(geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 4;
  }

  paint(shown, edge) {
    this.material.uniforms.edge.value.set(edge);
    this.shapes.forEach((shape, i) => shown(shape.colour).toArray(this.tints.array, 3 * i));
    this.tints.needsUpdate = true;
  }

  update(values, offset) {
    const array = this.places.array;
    for (let i = 0; i < this.shapes.length; i++) {
      const at = offset + this.shapes[i].first;
      for (let k = 0; k < 3; k++) array[3 * i + k] = values[at + k];
    }
    if (array.length) this.places.needsUpdate = true;
  }

  dispose() {
    this.object.geometry.dispose();
    this.material.dispose();
  }
}
