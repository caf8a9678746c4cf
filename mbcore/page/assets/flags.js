// What the model says of itself by yes and no: names of what holds now, and what holds no longer.

const GOOD = "valid"; // holds where nothing is wrong

export class Flags {
  constructor(element, model, simulation) {
    this.simulation = simulation;
    this.list = model.variables.filter(({ role, type, visible }) => role === "output" && type === "boolean" && visible);
    this.chips = this.list.map(({ name, description }) => {
      const chip = document.createElement("span"), good = name === GOOD || name.endsWith(`.${GOOD}`);
      chip.className = good ? "flag bad" : "flag";
      chip.textContent = good ? `not ${name}: violated is "${description}"` : name;
      chip.title = `${name}: ${description}`;
      chip.hidden = true;
      return { name, good, chip };
    });
    element.append(...this.chips.map(({ chip }) => chip));
  }

  draw() {
    for (const { name, good, chip } of this.chips) chip.hidden = Boolean(this.simulation.shown(name)) === good;
  }
}
