// How large things are: boxes around shapes, from which camera, ground and arrows are chosen.

import { Vector3 } from "three";

const SAMPLES = 240; // frames of a recording that are looked at

export function newBox() {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

function include(box, k, value, reach) {
  // what is not a number yet (a force before the motion) is nowhere
  if (value - reach < box.low[k]) box.low[k] = value - reach;
  if (value + reach > box.high[k]) box.high[k] = value + reach;
}

function includePoints(box, values, start, count, reach) {
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) include(box, k, values[start + 3 * i + k], reach);
  }
}

// How far a body reaches from its origin along axis k; its frame's columns begin at `frame`.
const REACH = {
  disc(values, frame, k) {
    const axle = values[frame + 6 + k];
    const across = Math.sqrt(Math.max(0, 1 - axle * axle));
    return values[frame + 9] * across + (values[frame + 10] / 2) * Math.abs(axle);
  },
  box(values, frame, k) {
    let reach = 0;
    for (let j = 0; j < 3; j++) reach += Math.abs(values[frame + 3 * j + k] * values[frame + 9 + j]) / 2;
    return reach;
  },
  ball(values, frame, k) {
    let square = 0;
    for (let j = 0; j < 3; j++) square += (values[frame + 3 * j + k] * values[frame + 9 + j]) ** 2;
    return Math.sqrt(square);
  },
};

export function includeShape(box, shape, values, offset) {
  const start = offset + shape.first;
  if (shape.kind === "line") return includePoints(box, values, start, shape.points, 0);
  if (shape.kind === "tube") {
    return includePoints(box, values, start, shape.points, values[start + 3 * shape.points]);
  }
  if (shape.kind === "surface") return includePoints(box, values, start, shape.rows * shape.columns, 0);
  const reach = REACH[shape.kind];
  for (let k = 0; k < 3; k++) include(box, k, values[start + k], reach ? reach(values, start + 3, k) : 0);
}

export function diagonal({ low, high }) {
  const length = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  return Number.isFinite(length) ? length : 0;
}

export function survey(shapes, values, frames, stride) {
  // Look through a recording: the boxes that shapes sweep, that of them all (`motion`), the largest
  // of a single moment (`size`), the largest arrow of each sort, and which shapes travel.
  const bodies = shapes.filter(({ kind }) => kind !== "surface" && kind !== "arrow");
  const boxes = bodies.map(newBox), paths = bodies.map(newBox), largest = {};
  let size = 0;
  const every = Math.max(1, Math.floor(frames / SAMPLES));
  for (let frame = 0; frame < frames; frame += every) {
    const offset = frame * stride, now = newBox();
    bodies.forEach((shape, i) => {
      includeShape(now, shape, values, offset);
      includeShape(boxes[i], shape, values, offset);
      includePoints(paths[i], values, offset + shape.first, 1, 0);
    });
    size = Math.max(size, diagonal(now));
  }
  for (const { kind, first, of = "force" } of shapes) {
    for (let frame = 0; kind === "arrow" && frame < frames; frame++) {
      const k = frame * stride + first + 3, length = Math.hypot(values[k], values[k + 1], values[k + 2]);
      if (length > (largest[of] ?? 0)) largest[of] = length;
    }
  }
  const known = [...boxes, ...sheets(shapes, values, boxes, size)].filter(({ low }) => low.every(Number.isFinite));
  const motion = union(known), travels = paths.map(diagonal), far = Math.max(...travels, 0);
  const movers = bodies.filter((_, i) => travels[i] >= 0.5 * far);
  return { boxes: known, motion, size: size || diagonal(motion) || 1, largest, movers };
}

export function union(boxes) {
  const all = newBox();
  for (const { low, high } of boxes) {
    for (let k = 0; k < 3; k++) {
      all.low[k] = Math.min(all.low[k], low[k]);
      all.high[k] = Math.max(all.high[k], high[k]);
    }
  }
  return all;
}

function sheets(shapes, values, boxes, size) {
  // A dish belongs to the picture, a long road does not.
  const found = shapes.filter(({ kind, ground }) => kind === "surface" && !ground).map((shape) => {
    const box = newBox();
    includeShape(box, shape, values, 0);
    return box;
  });
  const most = 4 * Math.max(size, diagonal(union(boxes)));
  return size ? found.filter((box) => diagonal(box) <= most) : found;
}

export function planeOf(shape, values, offset, up) {
  // A ground's plane: its normal, as far upwards as it may be, and its height along that.
  const p = offset + shape.first, q = p + 3 * (shape.columns - 1), r = p + 3 * shape.columns * (shape.rows - 1);
  const [a, b, c] = [p, q, r].map((k) => new Vector3(values[k], values[k + 1], values[k + 2]));
  const normal = b.sub(a).cross(c.sub(a)).normalize();
  if (normal.dot(up) < 0) normal.negate();
  return { normal, height: normal.dot(a) };
}
