"""Cost of the automatic choice of a method, beside its two methods.

Each model runs by the explicit method, the implicit one and the automatic choice, in C, and by
the implicit one that FMUs have. Costs are processor times of repeated runs, the least of three;
the aim is 1.5 times the better method.

    python benchmarks/simulation/stiffness.py
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mbcore import Body, Model, PlanarBeam, Result, SimulationError, simulate
from mbcore.equations.equations import Equations
from mbcore.examples.vibration.elastic_slider_crank import slider_crank
from mbcore.fmus import (
    bicycle,
    caster,
    caster_flexible,
    clearance_joint,
    rolling_disk,
    vehicle_grip,
)

METHODS = ("DOP853", "Rodas5P", "auto", "rosenbrock")
RUNS = 3
ASKED = 1.5


@dataclass(frozen=True)
class Case:
    """A model, and how it runs."""

    make: Callable[[], Model]
    until: float
    options: dict[str, Any] = field(default_factory=dict)


def van_der_pol(damping: float) -> Model:
    """Return van der Pol's oscillator."""
    model = Model("van der Pol")
    point = model.point("mass")
    point.y.fix()
    x = point.x.dof("x", "v", start=2.0)
    model.add(Body("body", point, mass=1))
    x.law(x.value - damping * (1 - x.value**2) * x.rate)
    return model


def row_of_dampers(count: int, spread: float) -> Model:
    """Return masses on springs and dampers whose rates spread over a ratio."""
    model = Model("row of dampers")
    for i in range(count):
        point = model.point(f"mass {i}", (i, 0))
        point.y.fix()
        rate = spread ** (i / (count - 1))
        point.x.dof(f"x{i}", start=i + 0.1).spring(10 * rate, 6 * rate, rest=float(i))
        model.add(Body(f"body {i}", point, mass=1))
    return model


def cantilever(elements: int, damping: float) -> Model:
    """Return a cantilever of steel with a sudden load at its end."""
    model = Model("cantilever")
    points = [model.point("clamp", (0, 0), fixed=True)]
    angles = [model.angle("section 0", fixed=True)]
    for i in range(1, elements + 1):
        points.append(model.point(f"place {i}", (i / elements, 0)))
        angles.append(model.angle(f"section {i}"))
        beam = model.add(
            PlanarBeam(
                f"beam {i}", points[-2], angles[-2], points[-1], angles[-1],
                axial_stiffness=2e7, bending_stiffness=200, damping=damping, mass_per_length=0.8,
                rotary_inertia=1e-5,
            )
        )  # fmt: skip
        beam.elongation.release()
        for bending in (beam.bending_p, beam.bending_q):
            bending.release()
        points[-1].x.dof(f"x{i}", start=i / elements)
        points[-1].y.dof(f"y{i}")
        angles[-1].angle.dof(f"angle{i}")
    model.load(-20.0, points[-1].y.rate)
    return model


def servo(stiffness: float) -> Model:
    """Return a pendulum that a stiff servo drives."""
    model = Model("servo")
    motor, arm = model.angle("motor"), model.angle("arm")
    centre = model.point("centre", fixed=True)
    motor.angle.dof("motor")
    arm.angle.dof("arm")
    model.add(Body("rotor", centre, motor, mass=1, inertia=1e-4))
    model.add(Body("arm", centre, arm, mass=1, inertia=0.1))
    twist = motor.angle.value - arm.angle.value
    motor.angle.law(stiffness * twist + 0.02 * stiffness * (motor.angle.rate - arm.angle.rate))
    arm.angle.law(-stiffness * twist - 0.02 * stiffness * (motor.angle.rate - arm.angle.rate))
    model.load(0.1 * ca.sin(3 * model.time), motor.angle.rate)
    return model


def crank(elements: int) -> Model:
    """Return the slider-crank of the texts with an elastic rod."""
    found = slider_crank("crank", elements=elements)
    found.crank.angle.prescribe(150.0 * found.model.time)
    return found.model


PERIOD = 2 * np.pi / 150
CASES = {
    "van der Pol, 1": Case(lambda: van_der_pol(1.0), 20.0),
    "van der Pol, 100": Case(lambda: van_der_pol(100.0), 300.0),
    "van der Pol, 1000": Case(lambda: van_der_pol(1000.0), 2000.0),
    "dampers, 1 to 10": Case(lambda: row_of_dampers(5, 10.0), 5.0),
    "dampers, 1 to 1e4": Case(lambda: row_of_dampers(5, 1e4), 5.0),
    "dampers, 1 to 1e6": Case(lambda: row_of_dampers(10, 1e6), 1.0),
    "stiff servo": Case(lambda: servo(1e4), 2.0),
    "soft servo": Case(lambda: servo(10.0), 2.0),
    "cantilever of 4, damped": Case(lambda: cantilever(4, 1e-4), 0.05),
    "cantilever of 10, damped": Case(lambda: cantilever(10, 1e-4), 0.05),
    "cantilever of 4, free": Case(lambda: cantilever(4, 0.0), 0.05),
    "crank of 4": Case(lambda: crank(4), PERIOD),
    "crank of 10": Case(lambda: crank(10), PERIOD),
    "sliding vehicle": Case(vehicle_grip.model, 10.0),
    "vehicle that brakes to rest": Case(
        vehicle_grip.model, 20.0, {"inputs": {"brake.force": 3000.0}}
    ),
    "caster": Case(caster.model, 40.0),
    "flexible caster": Case(caster_flexible.model, 60.0),
    "rattling joint": Case(clearance_joint.model, 0.012),
    "bicycle": Case(bicycle.model, 10.0),
    "rolling disk": Case(rolling_disk.model, 87.0),
}


def measured(equations: Equations, case: Case, method: str) -> tuple[float, Result | None]:
    """Return the least processor time of repeated runs, s, and the last result."""
    least, result = np.inf, None
    for _ in range(RUNS):
        began = process_time()
        try:
            result = simulate(
                equations, case.until, method=method, backend="c", samples=11, progress=False,
                **case.options,
            )  # fmt: skip
        except SimulationError:
            return np.inf, None
        least = min(least, process_time() - began)
        if least > 5:
            break
    return least, result


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="parts of the models' names")
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    print(f"{'':28}" + "".join(f"{m:>12}" for m in METHODS) + f"{'of better':>11}  methods")
    for name, case in CASES.items():
        if only and not any(part in name for part in only):
            continue
        equations = case.make().equations()
        found = {method: measured(equations, case, method) for method in METHODS}
        times = {method: time for method, (time, _) in found.items()}
        share = times["auto"] / min(times["DOP853"], times["Rodas5P"])
        result = found["auto"][1]
        used = [] if result is None else [f"{m} from {t:.3g}" for t, m in result.steps[:4]]
        print(
            f"{name:28}" + "".join(f"{1e3 * t:9.1f} ms" for t in times.values())
            + f"{share:10.2f}{' ' if share <= ASKED else '!'}  {', '.join(used)}",
            flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
