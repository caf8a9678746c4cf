// Curves over time, drawn by uPlot, which is a script of its own before this one.

import { digits, unitName } from "./controls.js";

const COLOURS = ["#3b7ddd", "#d0661f", "#2fa36b", "#c0508f", "#8a6fd1", "#967d0c"];
const POINTS = 1200; // in a window
const ROUNDING = 1e-8; // in natural sizes, below which a reading is none

class Plot {
  constructor(place, names, simulation, removed) {
    this.variables = names.map((name) => simulation.variable(name));
    this.fmu = simulation.fmu;
    this.clear();
    this.box = document.createElement("figure");
    const close = Object.assign(document.createElement("button"), { type: "button", textContent: "×", title: "remove this plot" });
    close.addEventListener("click", () => removed(this));
    const head = document.createElement("figcaption");
    const unit = unitName(this.variables[0].shown);
    this.readings = this.variables.map((variable, i) => {
      const reading = document.createElement("span");
      reading.style.setProperty("--curve", COLOURS[i % COLOURS.length]);
      reading.title = variable.description;
      const value = document.createElement("b"), whole = document.createElement("span");
      whole.append(value, unit === "°" ? unit : ` ${unit}`);
      reading.append(`${variable.name} `, whole); // a line may end between both
      head.append(reading);
      return value;
    });
    head.append(close);
    this.box.append(head);
    place.append(this.box);
    this.chart = new window.uPlot(this.options(), this.data, this.box);
    this.sized = new ResizeObserver(() => this.resize());
    this.sized.observe(this.box);
  }

  options() {
    const ink = () => getComputedStyle(this.box).getPropertyValue("--faint");
    const grid = { stroke: () => getComputedStyle(this.box).getPropertyValue("--grid"), width: 1 };
    const axis = { stroke: ink, grid, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const range = (chart, low, high) => {
      // some room about a constant; rounding is none, but small things are seen
      const natural = this.variables[0].nominal * this.variables[0].factor;
      const known = Math.max(high - low, 1e-3 * Math.max(Math.abs(high), Math.abs(low)));
      const size = known > 1e-7 * natural ? known : 0.02 * natural;
      const rest = high - low < size ? size : 0;
      return [low - 0.06 * size - rest, high + 0.06 * size + rest];
    };
    const numbers = (chart, values) => values.map((value) => digits(value, 4));
    return {
      width: 300,
      height: 130,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 5 } },
      padding: [8, 12, 0, 0],
      scales: { x: { time: false, range: () => this.window }, y: { range } },
      axes: [
        { ...axis, values: (chart, values) => values.map((value) => `${digits(value, 4)} s`), size: 24, gap: 4, space: 70 },
        { ...axis, values: numbers, size: 56, gap: 4, space: 28 },
      ],
      series: [{}, ...this.variables.map((_, i) => ({ stroke: COLOURS[i % COLOURS.length], width: 1.6, points: { show: false } }))],
    };
  }

  clear() {
    this.data = [[], ...this.variables.map(() => [])];
    this.window = [0, 1];
  }

  note(time) {
    const [times] = this.data;
    if (times.length && time <= times[times.length - 1]) return;
    if (times.length > 2 * POINTS) for (const column of this.data) column.splice(0, POINTS);
    times.push(time);
    for (let i = 0; i < this.variables.length; i++) {
      const variable = this.variables[i];
      this.data[i + 1].push(this.fmu.get(variable) * variable.factor);
    }
  }

  draw(time, start, span) {
    const first = Math.max(start, time - span);
    this.window = [first, first + span];
    this.chart.setData(this.data);
    this.readings.forEach((reading, i) => {
      const { nominal, factor } = this.variables[i];
      const value = this.data[i + 1].at(-1) ?? NaN;
      reading.textContent = digits(Math.abs(value) < ROUNDING * Math.abs(nominal * factor) ? 0 : value, 4);
    });
  }

  resize() {
    const width = Math.floor(this.box.clientWidth);
    if (width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: 130 });
  }

  dispose() {
    this.sized.disconnect();
    this.chart.destroy();
    this.box.remove();
  }
}

export class Plots {
  constructor(place, chooser, model, simulation, changed) {
    Object.assign(this, { place, model, simulation, changed });
    this.list = [];
    const seen = model.variables.filter((variable) => variable.role !== "parameter");
    chooser.append(new Option("add a plot …", ""), ...seen.map(({ name }) => new Option(name, name)));
    chooser.addEventListener("change", () => {
      if (chooser.value) this.add([chooser.value]);
      chooser.value = "";
      chooser.blur();
      this.changed();
    });
  }

  get names() {
    return this.list.map((plot) => plot.variables.map(({ name }) => name).join("+")).join(",");
  }

  add(names) {
    const plot = new Plot(this.place, names, this.simulation, (gone) => {
      this.list.splice(this.list.indexOf(gone), 1);
      gone.dispose();
      this.changed();
    });
    this.list.push(plot);
  }

  // Lists of names, or the text of a link; what is unknown is left out.
  replace(wanted) {
    for (const plot of this.list.splice(0)) plot.dispose();
    const lists = typeof wanted === "string" ? wanted.split(",").filter(Boolean).map((part) => part.split("+")) : wanted;
    for (const names of lists) if (names.every((name) => this.simulation.variables.has(name))) this.add(names);
  }

  clear() {
    for (const plot of this.list) plot.clear();
  }

  note(time) {
    for (const plot of this.list) plot.note(time);
  }

  draw(time, span) {
    for (const plot of this.list) plot.draw(time, this.model.start, span);
  }
}
