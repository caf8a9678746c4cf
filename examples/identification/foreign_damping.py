r"""The damping of somebody else's FMU, from a record: nothing of it is known but its variables.

Somebody hands over the FMU of a seat's suspension, for Co-Simulation, without sources or
derivatives. It has a mass on a spring and a damper that pushes back with the square of the speed,

    m ẍ = -k (x - z) - c (ẋ - ż) |ẋ - ż|,                                                (seat)

where z is the floor's place. Here pythonfmu makes it from the class below, whose steps are of Runge
and Kutta: there is no code of mbcore in it. The seat was let go with the floor at rest, and its
place recorded with noise. `fit("seat.fmu", ...)` finds the damper, the stiffness and the first
place. It runs the FMU in a process of its own, and takes differences of whole runs as derivatives.

Nobody's measurement: the record is calculated by SciPy from (seat), with tight tolerances. The same
least squares are made by SciPy alone beside it, with that motion: values and deviations agree.

Run: python examples/identification/foreign_damping.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from pythonfmu import FmuBuilder
from scipy.integrate import solve_ivp
from scipy.optimize import curve_fit

from mbcore import Body, Fit, Model, Run, fit
from mbcore.drawing import box
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

SOURCE = '''
from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real


class Seat(Fmi2Slave):
    """A mass on a spring with a damper of squared speed, over a floor."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.mass, self.stiffness, self.damping = 60.0, 6000.0, 100.0
        self.floor, self.place, self.speed = 0.0, 0.0, 0.0
        fixed, exact = Fmi2Variability.fixed, Fmi2Initial.exact
        for name in ("mass", "stiffness", "damping"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=fixed))
        self.register_variable(Real("floor", causality=Fmi2Causality.input))
        for name in ("place", "speed"):
            self.register_variable(Real(name, causality=Fmi2Causality.output, initial=exact))

    def rates(self, x, v):
        pushed = self.stiffness * (x - self.floor) + self.damping * v * abs(v)
        return v, -pushed / self.mass

    def do_step(self, time, step):
        x, v, n = self.place, self.speed, max(1, round(step / 1e-3))
        h = step / n
        for _ in range(n):
            a = self.rates(x, v)
            b = self.rates(x + h / 2 * a[0], v + h / 2 * a[1])
            c = self.rates(x + h / 2 * b[0], v + h / 2 * b[1])
            d = self.rates(x + h * c[0], v + h * c[1])
            x += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
            v += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        self.place, self.speed = x, v
        return True
'''
"""Somebody else's."""
MASS = 60.0
"""kg; the FMU's own value."""
TRUE = {"damping": 260.0, "stiffness": 7400.0, "start of place": 0.09}
"""N.s2/m2, N/m and m: what made the record."""
FIRST = {"damping": 100.0, "stiffness": 6000.0, "start of place": 0.08}
"""The FMU's own values, and a guess."""
NOISE = 5e-4
"""Of the sensor, m."""
TIMES = np.linspace(0.0, 2.0, 201)
"""Of the samples, s."""


def by_hand(times: np.ndarray, damping: float, stiffness: float, place: float) -> np.ndarray:
    """Return the place by (seat), m."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -(stiffness * y[0] + damping * y[1] * abs(y[1])) / MASS]

    motion = solve_ivp(
        rates, (0.0, times[-1]), (place, 0.0), "DOP853", times, rtol=1e-11, atol=1e-13
    )
    return np.asarray(motion.y[0])


def built(folder: Path) -> Path:
    """Return the FMU."""
    source = folder / "seat.py"
    source.write_text(SOURCE, encoding="utf-8")
    return Path(FmuBuilder.build_FMU(source, dest=folder))


def seat() -> Model:
    """Return the seat as a model, for its picture."""
    model = Model("seat")
    mass = model.point("mass", (0, 0))
    mass.x.fix()
    mass.y.dof("place", "speed").spring(TRUE["stiffness"], TRUE["damping"])
    model.add(Body("rider", mass, mass=MASS)).visible = False
    for centre, sizes, colour in (
        ((0.0, 0.05), (0.5, 0.1, 0.45), "#4f6d8f"),
        ((-0.21, 0.38), (0.09, 0.56, 0.4), "#4f6d8f"),
        ((0.0, -0.015), (0.42, 0.03, 0.4), "#8d949c"),
    ):
        place = mass.position + ca.DM(centre)
        model.show(box(place, None, sizes, colour=colour))
    return model


def draw(result: Fit, values: Sequence[float], folder: Path) -> None:
    """Draw the record with the fit, what is left, and the motion with the FMU's own values."""
    figure = Figure(figsize=(9, 6.2), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    sensor = result.sensors["place"]
    top.plot(TIMES, 1e3 * sensor.measured[0], ".", color="0.65", markersize=4, label="measured")
    top.plot(TIMES, 1e3 * by_hand(TIMES, *FIRST.values()), color="C3", linestyle="--",
             label="the FMU as it came")  # fmt: skip
    top.plot(TIMES, 1e3 * sensor.simulated[0], color="C0", label="the FMU, fitted")
    top.plot(TIMES, 1e3 * by_hand(TIMES, *values), ":", color="black", label="SciPy alone")
    top.legend(frameon=False, loc="upper right", ncols=2)
    top.set_title("The seat, released", loc="left")
    plain(top, "", "place (mm)")
    bottom.plot(TIMES, 1e3 * sensor.residuals[0], color="C0", linewidth=0.8)
    for side in (-2e3, 2e3):
        bottom.axhline(side * sensor.deviation, color="0.3", linestyle=":", linewidth=1)
    bottom.set_title("Residuals, and ± twice the estimated noise", loc="left")
    plain(bottom, "time (s)", "residual (mm)")
    save(figure, folder, "foreign_damping")


def main() -> None:
    """Record, fit, compare and draw."""
    folder = figures_folder(__doc__)
    show(seat(), folder, "foreign_damping", "A seat on its suspension")
    noise = np.random.default_rng(2).normal(0.0, NOISE, TIMES.size)
    record = {"time": TIMES, "place": by_hand(TIMES, *TRUE.values()) + noise}
    run = Run(record, start={"place": (0.0, 0.2, FIRST["start of place"])})
    with tempfile.TemporaryDirectory() as kept:
        unknown = {"damping": (0.0, 1e3), "stiffness": (1e3, 2e4)}
        result = fit(str(built(Path(kept))), run, unknown)

    values, spread = curve_fit(by_hand, TIMES, record["place"], list(FIRST.values()), xtol=1e-12)
    spread = np.sqrt(np.diag(spread))
    rows = [(f"{name} (SciPy)", result.values[name], float(values[i]))
            for i, name in enumerate(TRUE)]  # fmt: skip
    rows += [(f"deviation of {name} (SciPy)", result.deviations[name], float(spread[i]))
             for i, name in enumerate(TRUE)]  # fmt: skip
    rows += [(f"{name}, estimated (true)", result.values[name], true)
             for name, true in TRUE.items()]  # fmt: skip
    print_comparison("The damping of somebody else's FMU", rows)
    verdict = "white" if result.sensors["place"].whiteness.white else "not white"
    print(f"{result.evaluations} evaluations, derivatives by {result.derivatives}; "
          f"residuals of {1e3 * result.sensors['place'].deviation:.3f} mm, {verdict}")  # fmt: skip
    draw(result, list(values), folder)


if __name__ == "__main__":
    main()
