// Points of a table that are parameters, drawn as a curve whose points are dragged up and down.

const WIDTH = 300, HEIGHT = 130, EDGE = 12, FINE = 100; // FINE: presses of a key over the range

function drawn(kind, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export class Curve {
  // `get(name)` returns a value, `give(variable, value)` sets it; `said(variable, value)` is its text.
  constructor(variables, { get, give, said }) {
    Object.assign(this, { variables, get, give });
    const places = variables.map(({ at }) => at);
    this.x = [Math.min(...places), Math.max(...places)];
    this.y = [0, 1].map((end) => Math[end ? "max" : "min"](...variables.map(({ range }) => range[end])));
    this.line = drawn("polyline", { class: "line" });
    this.points = variables.map((variable, i) => this.point(variable, i, said));
    this.element = drawn("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, this.line, ...this.points);
  }

  point(variable, i, said) {
    const title = drawn("title", {});
    const point = drawn("circle", { r: 5, tabindex: 0, role: "slider", "aria-label": variable.name }, title);
    point.said = () => (title.textContent = `${variable.name}: ${said(variable, this.get(variable.name))}`);
    point.addEventListener("pointerdown", (event) => {
      point.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    point.addEventListener("pointermove", (event) => {
      if (point.hasPointerCapture(event.pointerId)) this.give(variable, this.valueAt(event.clientY));
    });
    point.addEventListener("keydown", (event) => {
      const turn = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!turn) return;
      event.preventDefault();
      event.stopPropagation();
      this.give(variable, this.bounded(this.get(variable.name) + (turn * (this.y[1] - this.y[0])) / FINE));
    });
    return point;
  }

  valueAt(clientY) {
    const { top, height } = this.element.getBoundingClientRect();
    const part = 1 - (((clientY - top) / height) * HEIGHT - EDGE) / (HEIGHT - 2 * EDGE);
    return this.bounded(Number((this.y[0] + part * (this.y[1] - this.y[0])).toPrecision(4)));
  }

  bounded(value) {
    return Math.min(this.y[1], Math.max(this.y[0], value));
  }

  draw() {
    const across = (at) => EDGE + ((at - this.x[0]) / (this.x[1] - this.x[0])) * (WIDTH - 2 * EDGE);
    const up = (value) => HEIGHT - EDGE - ((value - this.y[0]) / (this.y[1] - this.y[0])) * (HEIGHT - 2 * EDGE);
    const places = this.variables.map(({ name, at }) => [across(at), up(this.get(name))]);
    this.line.setAttribute("points", places.map((place) => place.join(",")).join(" "));
    places.forEach(([cx, cy], i) => {
      this.points[i].setAttribute("cx", cx);
      this.points[i].setAttribute("cy", cy);
      this.points[i].said();
    });
  }
}
