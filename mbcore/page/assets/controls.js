// Sliders, fields and lists for all that can be set, grouped by the first part of their names.

import { Curve } from "./curve.js";

const GROUPS = { input: "Inputs", state: "Start values" };
const ALIKE = 4; // inputs of one kind, as of a car's wheels, that are folded together

export function digits(value, places = 5) {
  // A number as people write it, without trailing zeros.
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(places - 1).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(places)));
}

export function unitName(unit) {
  const signs = { deg: "°", "1": "", rad: "rad" };
  if (unit in signs) return signs[unit];
  return unit.replace(/(?<=[A-Za-z])-?\d/g, (power) => power.replace("-", "⁻").replace(/\d/, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])).replace(/\./g, "·");
}

function element(kind, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(kind), attributes);
  made.append(...children);
  return made;
}

function details(title, size, rows, how) {
  const count = element("span", { className: "count", textContent: size });
  return element("details", how, element("summary", { textContent: title }, count), ...rows);
}

export class Controls {
  // `changed(name, value)` returns whether the value was taken.
  constructor(panel, model, simulation, changed) {
    this.simulation = simulation;
    this.changed = changed;
    this.usedWith = model.usedWith;
    this.rows = new Map();
    this.curves = new Map();
    const groups = new Map();
    for (const variable of model.variables) {
      if (variable.start === undefined) continue;
      const title = GROUPS[variable.role] ?? groupOf(variable.name);
      if (!groups.has(title)) groups.set(title, []);
      groups.get(title).push(variable);
    }
    // Inputs of keys come first, in the order of the keys: steering, then driving and braking.
    const driven = [...new Set(Object.values(model.keys).flatMap((effect) => Object.keys(effect)))];
    const turn = ({ name }) => (driven.includes(name) ? driven.indexOf(name) : driven.length);
    groups.get(GROUPS.input)?.sort((a, b) => turn(a) - turn(b));
    const order = [...groups].sort(([a], [b]) => place(a) - place(b));
    for (const [title, variables] of order) panel.append(this.group(title, variables));
    this.inputs = [...panel.children].find((group) => group.firstChild.firstChild.data === GROUPS.input);
    this.asGiven = [...(this.inputs?.children ?? [])].slice(1);
    this.refresh();
  }

  group(title, variables) {
    const open = title === "Inputs" || (title !== "Solver" && variables.length <= 6 && place(title) === 1);
    return details(title, variables.length, this.folded(variables, title), { open });
  }

  // Rows of variables; those of an array are folded together, and inputs of at least ALIKE parts with the same last name.
  folded(variables, title) {
    return [...grouped(variables, title)].flatMap(([kind, alike]) => {
      const rows = alike.map((variable) => this.row(variable, title));
      if (!alike[0].array && alike.length < ALIKE) return rows;
      if (alike.length > 1 && alike.every(({ at, range }) => at !== undefined && range)) rows.unshift(this.curve(alike));
      return [details(kind, alike.length, rows, { className: "alike" })];
    });
  }

  curve(variables) {
    const curve = new Curve(variables, {
      get: (name) => this.simulation.get(name),
      give: (variable, value) => this.give(variable, value),
      said: ({ at, across, factor, shown }, value) =>
        `${digits(value * factor)} ${unitName(shown)} at ${digits(at)} ${unitName(across)}`,
    });
    for (const { name } of variables) this.curves.set(name, curve);
    return curve.element;
  }

  row(variable, title) {
    const id = `set ${variable.name}`;
    const own = GROUPS[variable.role] ? variable.name : variable.name.slice(variable.name.indexOf(".") + 1);
    const label = element("label", { htmlFor: id, textContent: own });
    const later = variable.tunable ? "" : variable.role === "state" ? "" : " (from the next reset on)";
    const row = element("div", { className: "row", title: `${variable.name}: ${variable.description}${later}` }, label);
    row.dataset.name = variable.name;
    const make = variable.items ? this.list : variable.type === "boolean" ? this.box : this.slider;
    const set = make.call(this, variable, row, id);
    this.rows.set(variable.name, { row, set, variable });
    return row;
  }

  list(variable, row, id) {
    const select = element("select", { id });
    variable.items.forEach(({ name, available, description }, i) => {
      select.append(element("option", { value: i + 1, textContent: name, disabled: !available, title: description }));
    });
    select.addEventListener("change", () => this.give(variable, Number(select.value)));
    row.classList.add("list");
    row.append(select);
    return (value) => (select.value = value);
  }

  box(variable, row, id) {
    const box = element("input", { id, type: "checkbox" });
    box.addEventListener("change", () => this.give(variable, box.checked ? 1 : 0));
    row.classList.add("list");
    row.append(box);
    return (value) => (box.checked = value !== 0);
  }

  slider(variable, row, id) {
    const { factor, range } = variable;
    const [low, high] = range.map((value) => value * factor);
    const slider = element("input", { type: "range", min: low, max: high, step: "any", ariaLabel: variable.name });
    const field = element("input", { id, type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false });
    const unit = element("span", { className: "unit", textContent: unitName(variable.shown) });
    slider.addEventListener("input", () => this.give(variable, this.snapped(slider, low, high) / factor, slider));
    slider.addEventListener("change", () => slider.blur());
    field.addEventListener("change", () => this.typed(variable, field));
    field.addEventListener("keydown", (event) => event.key === "Escape" && (this.show(variable.name), field.blur()));
    row.append(slider, field, unit);
    return (value) => {
      if (document.activeElement !== slider) slider.value = value * factor;
      field.value = digits(value * factor, 6);
    };
  }

  snapped(slider, low, high) {
    // To hundredths of the range, as round numbers, so that zero can be found again.
    const step = 10 ** Math.floor(Math.log10((high - low) / 100));
    const value = Math.round(Number(slider.value) / step) * step;
    return Number(Math.min(high, Math.max(low, value)).toPrecision(12));
  }

  typed(variable, field) {
    const text = field.value.trim().replace(",", ".").replace("−", "-");
    const value = text === "" ? NaN : Number(text);
    if (Number.isNaN(value)) {
      this.changed(variable.name, NaN, `${variable.name}: "${field.value}" is not a number`);
      this.show(variable.name);
    } else this.give(variable, value / variable.factor);
    field.blur();
  }

  give(variable, given) {
    const value = variable.type === "integer" ? Math.round(given) : given;
    const taken = this.changed(variable.name, value);
    this.rows.get(variable.name).row.classList.toggle("refused", !taken);
    this.show(variable.name);
  }

  // Dim inputs that do not act with the value that a list has.
  dim() {
    for (const [name, { list, number, value }] of Object.entries(this.usedWith)) {
      const { row } = this.rows.get(name) ?? {}, unused = this.simulation.get(list) !== number;
      if (!row) continue;
      row.classList.toggle("unused", unused);
      row.title = row.title.replace(/ \(without effect.*\)$/, "") + (unused ? ` (without effect: it acts with ${list} = ${value})` : "");
    }
    this.raise();
  }

  // Put inputs that act above those that do not.
  raise() {
    const idle = (part) => part.matches(".unused") || (part.matches(".alike") && !part.querySelector(".row:not(.unused)"));
    const order = [...this.asGiven].sort((a, b) => idle(a) - idle(b));
    if (order.some((part, i) => this.inputs.children[i + 1] !== part)) this.inputs.append(...order);
  }

  show(name) {
    const { row, set, variable } = this.rows.get(name);
    const value = this.simulation.get(name);
    set(value);
    row.classList.toggle("chosen", this.simulation.isChosen(name));
    this.curves.get(name)?.draw();
    if (variable.items) this.dim();
  }

  // Let sliders and fields of inputs that are held show what is in effect.
  follow(inEffect) {
    for (const [name, { row, set }] of this.rows) {
      if (inEffect.has(name)) set(inEffect.get(name));
      else if (row.classList.contains("held")) this.show(name);
      row.classList.toggle("held", inEffect.has(name));
    }
  }

  refresh() {
    for (const [name, { row }] of this.rows) {
      row.classList.remove("refused");
      this.show(name);
    }
  }
}

const kindOf = ({ name }) => (name.includes(".") ? name.slice(name.indexOf(".") + 1) : name);

function grouped(variables, title) {
  const found = new Map();
  for (const variable of variables) {
    const kind = variable.array ?? (title === GROUPS.input ? kindOf(variable) : variable.name);
    found.set(kind, [...(found.get(kind) ?? []), variable]);
  }
  return found;
}

function groupOf(name) {
  const dot = name.indexOf(".");
  if (dot < 0) return "Model";
  const first = name.slice(0, dot).replace(/_/g, " ");
  return first[0].toUpperCase() + first.slice(1);
}

function place(title) {
  return { Inputs: 0, "Start values": 2, Solver: 3 }[title] ?? 1;
}
