// Shapes of which the model knows a speed and no angle: the page adds up how far they have turned.

const AXES = 3; // numbers of a shape before its frame, whose third column is the axle

export class Spins {
  constructor(model, simulation) {
    this.simulation = simulation;
    this.list = model.spins.map((spin) => ({ ...spin, angle: 0 }));
  }

  clear() {
    for (const spin of this.list) spin.angle = 0;
  }

  // After a step of some seconds.
  turn(span) {
    for (const spin of this.list) spin.angle += this.simulation.shown(spin.rate) * span;
  }

  // Turn the frames in the numbers of a scene, in place.
  apply(numbers) {
    for (const { first, angle } of this.list) {
      const cosine = Math.cos(angle), sine = Math.sin(angle);
      for (let k = first + AXES; k < first + AXES + 3; k++) {
        const x = numbers[k], y = numbers[k + 3];
        numbers[k] = cosine * x + sine * y;
        numbers[k + 3] = cosine * y - sine * x;
      }
    }
  }
}
