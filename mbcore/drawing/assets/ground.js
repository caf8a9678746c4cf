// Surfaces (roads, dishes) and the grid that says where the ground is.

import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, LineBasicMaterial,
  LineSegments, Mesh, MeshStandardMaterial, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3,
} from "three";

export class Surface {
  // A translucent sheet with its grid lines; written again only where its numbers have changed.
  constructor(shape) {
    this.shape = shape;
    const { rows, columns, colour } = shape;
    const places = new BufferAttribute(new Float32Array(3 * rows * columns), 3).setUsage(DynamicDrawUsage);
    const faces = [], lines = [];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        const a = i * columns + j;
        if (j + 1 < columns) lines.push(a, a + 1);
        if (i + 1 < rows) lines.push(a, a + columns);
        if (i + 1 < rows && j + 1 < columns) {
          faces.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
        }
      }
    }
    const sheet = new BufferGeometry().setAttribute("position", places).setIndex(faces);
    const grid = new BufferGeometry().setAttribute("position", places).setIndex(lines);
    const look = { color: new Color(colour), transparent: true, depthWrite: false };
    const matter = { ...look, opacity: shape.opacity ?? 0.35, side: DoubleSide, roughness: 0.9 };
    this.sheet = new Mesh(sheet, new MeshStandardMaterial(matter));
    this.sheet.receiveShadow = true;
    this.grid = new LineSegments(grid, new LineBasicMaterial({ ...look, opacity: 0.35 }));
    this.objects = [this.sheet, this.grid];
    for (const object of this.objects) object.frustumCulled = false;
    this.places = places;
    this.known = new Float64Array(places.array.length).fill(NaN);
  }

  update(values, offset) {
    const start = offset + this.shape.first;
    let same = true;
    for (let i = 0; i < this.known.length; i++) {
      if (this.known[i] === values[start + i]) continue;
      this.known[i] = values[start + i];
      this.places.array[i] = this.known[i];
      same = false;
    }
    if (same) return;
    this.places.needsUpdate = true;
    this.sheet.geometry.computeVertexNormals();
  }

  dispose() {
    for (const object of this.objects) {
      object.geometry.dispose();
      object.material.dispose();
    }
  }
}

const GRID = {
  vertexShader: `
    varying vec2 place;
    void main() {
      place = position.xy;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`,
  fragmentShader: `
    uniform vec3 colour;
    uniform float cell;
    uniform float reach;
    uniform float finer;
    varying vec2 place;
    float lines(float size) {
      vec2 p = place / size;
      vec2 width = fwidth(p);
      vec2 near = abs(fract(p - 0.5) - 0.5) / width;
      return clamp(1.2 - min(near.x, near.y), 0.0, 1.0) * clamp(1.0 - 2.0 * max(width.x, width.y), 0.0, 1.0);
    }
    void main() {
      float shown = max(0.22 * finer * lines(cell), 0.34 * lines(10.0 * cell));
      shown *= 1.0 - smoothstep(0.35, 1.0, length(place) / reach);
      if (shown < 0.004) discard;
      gl_FragColor = linearToOutputTexel(vec4(colour, shown));
    }`,
};

export class Ground {
  // A grid without end: it goes along with what is looked at, by whole cells of ten.
  constructor(shadows) {
    this.uniforms = {
      colour: { value: new Color() }, cell: { value: 1 }, reach: { value: 1 }, finer: { value: 1 },
    };
    const look = { ...GRID, uniforms: this.uniforms, transparent: true, depthWrite: false, side: DoubleSide };
    const plane = new PlaneGeometry(2, 2);
    this.grid = new Mesh(plane, new ShaderMaterial(look));
    this.shade = new Mesh(plane, new ShadowMaterial({ opacity: 0.22, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.shade.visible = shadows;
    this.grid.renderOrder = -2;
    this.shade.renderOrder = -1;
    this.objects = [this.grid, this.shade];
    for (const object of this.objects) object.frustumCulled = false;
    this.across = new Vector3();
    this.along = new Vector3();
    this.lie(new Vector3(0, 0, 1), 0);
  }

  lie(normal, height) {
    // In the plane of all points whose product with the normal is the height.
    this.normal = normal;
    this.height = height;
    for (const object of this.objects) object.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    this.across.set(1, 0, 0).applyQuaternion(this.grid.quaternion);
    this.along.set(0, 1, 0).applyQuaternion(this.grid.quaternion);
  }

  paint(colour) {
    this.uniforms.colour.value.set(colour);
  }

  place(target, distance) {
    // Cells of 1, 10, 100 m and so on, the finer ones fading as they are seen from further away.
    const decade = Math.log10(Math.max(distance, 1e-6) / 12);
    const cell = 10 ** Math.floor(decade), reach = 9 * distance;
    this.uniforms.cell.value = cell;
    this.uniforms.finer.value = 1 - (decade - Math.floor(decade));
    this.uniforms.reach.value = reach;
    const step = 10 * cell;
    const a = step * Math.round(target.dot(this.across) / step);
    const b = step * Math.round(target.dot(this.along) / step);
    for (const object of this.objects) {
      object.position.copy(this.normal).multiplyScalar(this.height);
      object.position.addScaledVector(this.across, a).addScaledVector(this.along, b);
    }
    // the mesh is scaled through its vertices' places, for the pattern is in metres
    this.resize(reach);
  }

  resize(reach) {
    if (this.size && reach < 1.5 * this.size && reach > 0.5 * this.size) return;
    this.size = reach;
    const places = this.grid.geometry.attributes.position;
    [[-1, 1], [1, 1], [-1, -1], [1, -1]].forEach(([x, y], i) => places.setXY(i, 1.5 * reach * x, 1.5 * reach * y));
    places.needsUpdate = true;
  }

  dispose() {
    this.grid.geometry.dispose();
    for (const object of this.objects) object.material.dispose();
  }
}
