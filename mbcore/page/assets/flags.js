// What the model says of itself by yes and no: names of what holds now, and what holds no longer.

const GOOD = "valid"; // holds where nothing is wrong

export class Flags {
  constructor(element, model, simulation) {
    this.simulation = simulation;
    this.list = model.variables.filter(({ role, type, visible }) => role === "output" && type === "boolean" && visible);
    this.chips = this.list.map(({ name, description }) => {
      const chip = document.createElement("span"), good = name === GOOD || name.endsWith(`.${GOOD}`);
      chip.className = good ? "flag remark" : "flag";
      chip.textContent = name;
      chip.title = `${name}: ${description}`;
      chip.hidden = true;
      return { name, description, good, chip };
    });
    element.append(...this.chips.map(({ chip }) => chip));
  }

  draw() {
    for (const { name, description, good, chip } of this.chips) {
      const hidden = Boolean(this.simulation.shown(name)) === good;
      if (good && !hidden && chip.hidden) chip.textContent =
        `not ${name} since ${this.simulation.time.toFixed(2)} s: "${description}" does not hold; the motion goes on as before`;
      chip.hidden = hidden;
    }
  }
}
