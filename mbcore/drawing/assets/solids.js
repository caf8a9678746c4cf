// Solids: many copies of few meshes. A shape reserves copies ("slots") of unit meshes when the scene
// is made; each frame writes their 4 x 4 matrices (column after column, as WebGL wants them) into one
// array per mesh, so that hundreds of shapes cost a handful of draw calls and no allocation.

import {
  BufferAttribute, BufferGeometry, BoxGeometry, Color, ConeGeometry, CylinderGeometry,
  DynamicDrawUsage, GreaterDepth, InstancedMesh, LatheGeometry, MeshStandardMaterial, SphereGeometry, Vector2,
} from "three";

// Unit meshes: tubes and cones go from 0 to 1 along z, everything else is centred.

function painted(geometry, tint) {
  // One colour for all vertices, or a function of the centre of each triangle.
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const points = plain.attributes.position.array;
  const colours = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 9) {
    const centre = [0, 1, 2].map((k) => (points[i + k] + points[i + 3 + k] + points[i + 6 + k]) / 3);
    colours.fill(typeof tint === "function" ? tint(...centre) : tint, i, i + 9);
  }
  plain.setAttribute("color", new BufferAttribute(colours, 3));
  return plain;
}

function joined(parts) {
  const whole = new BufferGeometry();
  for (const name of ["position", "normal", "color"]) {
    const arrays = parts.map((part) => part.attributes[name].array);
    const all = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
    let at = 0;
    for (const array of arrays) {
      all.set(array, at);
      at += array.length;
    }
    whole.setAttribute(name, new BufferAttribute(all, 3));
  }
  return whole;
}

function turned(profile, tint) {
  // A body of revolution about z of a profile (radius, height); normals lie to its right.
  const points = profile.map(([radius, height]) => new Vector2(radius, height));
  return painted(new LatheGeometry(points, 48).rotateX(Math.PI / 2), tint);
}

function wheel() {
  // Radius 1 and width 1: a tyre, a hub and spokes, one of them darker, so that turning is seen.
  const inner = 0.84;
  const parts = [
    turned([[inner, -0.5], [0.96, -0.5]], 0.85),
    turned([[0.96, -0.5], [1, -0.36], [1, 0.36], [0.96, 0.5]], 0.75),
    turned([[0.96, 0.5], [inner, 0.5]], 0.85),
    turned([[inner, 0.5], [inner, -0.5]], 0.7),
    turned([[0, -0.5], [0.13, -0.5]], 1.2),
    turned([[0.13, -0.5], [0.13, 0.5]], 1.2),
    turned([[0.13, 0.5], [0, 0.5]], 1.2),
  ];
  for (let spoke = 0; spoke < 6; spoke++) {
    const bar = new BoxGeometry(inner - 0.1, 0.085, 0.5).translate((inner + 0.1) / 2, 0, 0);
    parts.push(painted(bar.rotateZ((spoke * Math.PI) / 3), spoke ? 1.3 : 0.4));
  }
  return joined(parts);
}

function drum() {
  // Radius 1 and width 1, full; quarters of two tones, so that turning is seen.
  const quarters = (x, y) => (x * y > 0 ? 1 : 0.55);
  return joined([
    turned([[0, -0.5], [1, -0.5]], quarters),
    turned([[1, -0.5], [1, 0.5]], 0.8),
    turned([[1, 0.5], [0, 0.5]], quarters),
  ]);
}

const MESHES = {
  tube: () => painted(new CylinderGeometry(1, 1, 1, 20, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5), 1),
  knob: () => painted(new SphereGeometry(1, 16, 8), 1),
  shaft: () => MESHES.tube(),
  cone: () => painted(new ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5), 1),
  box: () => painted(new BoxGeometry(1, 1, 1), 1),
  disc: wheel,
  drum,
  ball: () => painted(new SphereGeometry(1, 32, 24), (x, y, z) => (x * y * z > 0 ? 1 : 0.55)),
};

// One mesh with all its copies of one opacity.
class Batch {
  constructor(kind, opacity) {
    this.kind = kind;
    this.opacity = opacity;
    this.colours = [];
    this.array = null;
  }

  reserve(count, colour) {
    const first = this.colours.length;
    for (let i = 0; i < count; i++) this.colours.push(colour);
    return first;
  }

  build() {
    const material = new MeshStandardMaterial({
      vertexColors: true, roughness: 0.55, metalness: 0.08,
      transparent: this.opacity < 1, opacity: this.opacity, depthWrite: this.opacity === 1,
    });
    this.mesh = new InstancedMesh(MESHES[this.kind](), material, this.colours.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.opacity === 1;
    this.mesh.renderOrder = this.opacity < 1 ? 2 : 0;
    this.colours.forEach((colour, i) => this.mesh.setColorAt(i, new Color(colour)));
    this.array = this.mesh.instanceMatrix.array;
    return this.mesh;
  }

  raise() {
    // In the plane, forces lie over what they act on.
    this.mesh.material.depthTest = false;
    this.mesh.material.transparent = true; // drawn after the others
    this.mesh.renderOrder = 3;
  }

  ghost() {
    // What is inside of or behind something else, faintly: forces often act there.
    const { mesh } = this;
    const material = mesh.material.clone();
    Object.assign(material, { depthFunc: GreaterDepth, depthWrite: false, transparent: true, opacity: 0.4 });
    this.hidden = new InstancedMesh(mesh.geometry, material, mesh.count);
    this.hidden.instanceMatrix = mesh.instanceMatrix;
    this.hidden.instanceColor = mesh.instanceColor;
    this.hidden.frustumCulled = false;
    this.hidden.renderOrder = 3;
    return this.hidden;
  }
}

export class Solids {
  constructor(planar) {
    this.planar = planar;
    this.batches = new Map();
  }

  batch(kind, opacity) {
    const key = `${kind} ${opacity}`;
    if (!this.batches.has(key)) this.batches.set(key, new Batch(kind, opacity));
    return this.batches.get(key);
  }

  build(scene) {
    for (const batch of this.batches.values()) {
      scene.add(batch.build());
      if (batch.kind !== "shaft" && batch.kind !== "cone") continue;
      if (this.planar) batch.raise();
      else scene.add(batch.ghost());
    }
  }

  upload() {
    for (const batch of this.batches.values()) batch.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose() {
    for (const { mesh, hidden } of this.batches.values()) {
      hidden?.material.dispose();
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}

// Matrices

function hide(array, slot) {
  array.fill(0, 16 * slot, 16 * slot + 16);
}

function columnScale(x, y, z, size) {
  // Columns of interpolated frames are a little short: they get the length they stand for.
  const length = Math.sqrt(x * x + y * y + z * z);
  return length > 1e-9 ? size / length : 0;
}

function putFrame(array, slot, values, k, sx, sy, sz) {
  const m = 16 * slot;
  const a = columnScale(values[k + 3], values[k + 4], values[k + 5], sx);
  const b = columnScale(values[k + 6], values[k + 7], values[k + 8], sy);
  const c = columnScale(values[k + 9], values[k + 10], values[k + 11], sz);
  for (let i = 0; i < 3; i++) {
    array[m + i] = a * values[k + 3 + i];
    array[m + 4 + i] = b * values[k + 6 + i];
    array[m + 8 + i] = c * values[k + 9 + i];
    array[m + 12 + i] = values[k + i];
  }
  array[m + 15] = 1;
}

function putKnob(array, slot, x, y, z, radius) {
  const m = 16 * slot;
  array.fill(0, m, m + 16);
  array[m] = array[m + 5] = array[m + 10] = radius;
  array[m + 12] = x;
  array[m + 13] = y;
  array[m + 14] = z;
  array[m + 15] = 1;
}

function putSpan(array, slot, x, y, z, dx, dy, dz, radius) {
  // z becomes the vector (dx, dy, dz); x and y any two normal to it.
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
  if (!(length > 1e-12)) return hide(array, slot);
  const m = 16 * slot;
  const p = dx / length, q = dy / length, r = dz / length;
  const sign = r < 0 ? -1 : 1;
  const a = -1 / (sign + r), b = p * q * a;
  array[m] = radius * (1 + sign * p * p * a);
  array[m + 1] = radius * sign * b;
  array[m + 2] = -radius * sign * p;
  array[m + 4] = radius * b;
  array[m + 5] = radius * (sign + q * q * a);
  array[m + 6] = -radius * q;
  array[m + 8] = dx;
  array[m + 9] = dy;
  array[m + 10] = dz;
  array[m + 12] = x;
  array[m + 13] = y;
  array[m + 14] = z;
  array[m + 3] = array[m + 7] = array[m + 11] = 0;
  array[m + 15] = 1;
}

function isStraight(values, k) {
  // Whether a path goes on from point k as it came, so nearly that no gap is seen there.
  const ax = values[k] - values[k - 3], ay = values[k + 1] - values[k - 2], az = values[k + 2] - values[k - 1];
  const bx = values[k + 3] - values[k], by = values[k + 4] - values[k + 1], bz = values[k + 5] - values[k + 2];
  const cosine = ax * bx + ay * by + az * bz;
  return cosine > 0 && cosine * cosine > 0.999 * (ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz);
}

// Shapes: each reserves its slots and returns what writes them from the numbers.

function tube(solids, shape, opacity) {
  const { first, points, colour, closed } = shape;
  const spans = closed ? points : points - 1;
  const body = solids.batch("tube", opacity), ends = solids.batch("knob", opacity);
  const bodySlot = body.reserve(spans, colour), endSlot = ends.reserve(points, colour);
  return (values, offset) => {
    const start = offset + first, radius = values[start + 3 * points];
    for (let i = 0; i < spans; i++) {
      const p = start + 3 * i, q = start + 3 * ((i + 1) % points);
      const x = values[p], y = values[p + 1], z = values[p + 2];
      putSpan(body.array, bodySlot + i, x, y, z, values[q] - x, values[q + 1] - y, values[q + 2] - z, radius);
      putKnob(ends.array, endSlot + i, x, y, z, i && isStraight(values, p) ? 0 : radius);
    }
    if (closed) return;
    const last = start + 3 * (points - 1);
    putKnob(ends.array, endSlot + points - 1, values[last], values[last + 1], values[last + 2], radius);
  };
}

function disc(solids, shape, opacity) {
  const batch = solids.batch(shape.solid ? "drum" : "disc", opacity), slot = batch.reserve(1, shape.colour);
  return (values, offset) => {
    const k = offset + shape.first, radius = values[k + 12];
    putFrame(batch.array, slot, values, k, radius, radius, Math.max(values[k + 13], 0.03 * radius));
  };
}

function sized(kind) {
  return (solids, shape, opacity, scales) => {
    const batch = solids.batch(kind, opacity), slot = batch.reserve(1, shape.colour);
    return (values, offset) => {
      const k = offset + shape.first;
      const thin = 0.002 * scales.size; // sheets without thickness would have no light on them
      putFrame(
        batch.array, slot, values, k,
        Math.max(values[k + 12], thin), Math.max(values[k + 13], thin), Math.max(values[k + 14], thin),
      );
    };
  };
}

function arrow(solids, shape, opacity, scales) {
  // The head ends at the tip; a moment's arrow has two heads.
  const of = shape.of || "force", heads = of === "moment" ? 2 : 1;
  const shaft = solids.batch("shaft", opacity), cone = solids.batch("cone", opacity);
  const shaftSlot = shaft.reserve(1, shape.colour), coneSlot = cone.reserve(heads, shape.colour);
  return (values, offset) => {
    const k = offset + shape.first, scale = scales[of];
    const dx = scale * values[k + 3], dy = scale * values[k + 4], dz = scale * values[k + 5];
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
    const head = Math.min(0.035 * scales.size, (0.6 / heads) * length);
    const radius = 0.32 * head, body = length > 0 ? 1 - (heads * head) / length : 0;
    const x = values[k], y = values[k + 1], z = values[k + 2];
    putSpan(shaft.array, shaftSlot, x, y, z, body * dx, body * dy, body * dz, 0.34 * radius);
    const part = length > 0 ? head / length : 0;
    for (let i = 0; i < heads; i++) {
      const at = body + i * part;
      putSpan(cone.array, coneSlot + i, x + at * dx, y + at * dy, z + at * dz, part * dx, part * dy, part * dz, radius);
    }
  };
}

export const SOLIDS = { tube, disc, box: sized("box"), ball: sized("ball"), arrow };
