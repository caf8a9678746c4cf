"""Cost and accuracy of twenty columns: derivatives of a motion by parameters.

Runs of a driven chain of ten pendulums (masses and dampers, 20 states) and of the Iltis (39), by
our equations in C and by their compiled FMUs: processor time with 20 columns over that without,
both at the same tolerance, and the largest difference of some columns from differences of eighth
order of runs at 1e-12, in parts of the largest value of the column.

    python -m benchmarks.analyses.columns
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import mbcore
from mbcore import Body, Model, PlanarHinge, RigidLink
from mbcore.drivers.driver import Driver
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.fmi import export
from mbcore.fmus import iltis

LINKS, COLUMNS, CHECKED = 10, 20, 3
MOST, AGREED = 6.0, 1e-9
"""Goals: cost in simulations, difference in parts of a column's largest value."""
TOLERANCE, FINE = 1e-8, 1e-12
EIGHTH = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""Weights of differences of eighth order by distance in steps, for the side ahead."""
STEP = 1e-2
"""Of differences, in parts of the parameter."""


def chain() -> Model:
    """Return pendulums that hang from each other; the first one is driven."""
    model = Model("chain", gravity=(0, -9.81))
    above, before = model.point("pivot", (0, 0), fixed=True), model.angle("frame", fixed=True)
    for k in range(LINKS):
        mass = model.parameter(f"mass{k}", 1.0 + 0.1 * k, unit="kg")
        damping = model.parameter(f"damping{k}", 0.2 + 0.02 * k, unit="N.m.s/rad")
        arm, bob = model.angle(f"arm{k}"), model.point(f"bob{k}", (0, -0.3 * (k + 1)))
        hinge = model.add(PlanarHinge(f"hinge{k}", before, arm))
        drive = 2.0 * ca.cos(3 * model.time) if k == 0 else 0.0
        hinge.angle.dof(f"angle{k}", f"rate{k}").law(damping * hinge.angle.rate - drive)
        model.add(RigidLink(f"rod{k}", above, arm, bob))
        model.add(Body(f"body{k}", bob, mass=mass))
        above, before = bob, arm
    model.output("tip", above.position[0], unit="m")
    return model


@dataclass(frozen=True)
class Case:
    """A motion: the definition, parameters of columns, times and what `simulate` is given."""

    system: Any
    columns: tuple[str, ...]
    times: np.ndarray
    given: Mapping[str, Any] = field(default_factory=dict)


def cases() -> dict[str, Case]:
    """Return the motions."""
    masses = [f"{kind}{k}" for kind in ("mass", "damping") for k in range(LINKS)]
    vehicle = iltis.component()
    names = [record.name for record in vehicle.equations.parameters if record.tunable]
    return {
        "chain": Case(chain().equations(), tuple(masses), np.linspace(0.0, 2.0, 41)),
        "iltis": Case(
            vehicle,
            tuple(names[:COLUMNS]),
            np.linspace(0.0, 1.0, 21),
            {"inputs": {"rear_left.drive_torque": 100.0, "rack.displacement": 0.002}},
        ),
    }


def spent(driver: Driver) -> float:
    """Return the processor time of this process, and of the FMU's, s."""
    if not isinstance(driver, FmuDriver):
        return time.process_time()
    process = driver.process._process
    assert process is not None
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + time.process_time()


def cost(driver: Driver, case: Case, columns: Sequence[str], runs: int) -> float:
    """Return the processor time of a run, s, of several in a row, the least of three such rows."""
    taken = []
    for _ in range(3):
        begun = spent(driver)
        for _ in range(runs):
            driver.simulate(case.times, columns=columns, tolerance=TOLERANCE, **case.given)
        taken.append((spent(driver) - begun) / runs)
    return min(taken)


def compared(driver: Driver, case: Case) -> float:
    """Return by how much columns differ from differences of eighth order at most, relatively."""
    checked = case.columns[:: COLUMNS // CHECKED][:CHECKED]
    found = driver.simulate(case.times, columns=checked, tolerance=FINE, **case.given)
    worst = 0.0
    for k, name in enumerate(checked):
        value = driver.start(name)
        step, change = STEP * abs(value), np.zeros(found.states.shape)
        for at, weight in EIGHTH.items():
            for side in (1, -1):
                run = driver.simulate(
                    case.times,
                    parameters={name: value + side * at * step},
                    tolerance=FINE,
                    **case.given,
                )
                change += side * weight * run.states / step
        apart = np.abs(found.state_columns[:, :, k] - change).max() / np.abs(change).max()
        worst = max(worst, float(apart))
    return worst


def main() -> int:
    """Print cost and accuracy; return how many miss their goal."""
    missed = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, case in cases().items():
            (file,) = export(case.system, folder, fmi="3.0")
            own = mbcore.driver(case.system, backend="c")
            for kind, driver in (("equations", own), ("FMU", mbcore.driver(file))):
                runs = 5 if driver is own else 1
                driver.simulate(case.times, columns=case.columns, tolerance=1e-4, **case.given)
                alone = cost(driver, case, (), runs)
                ratio = cost(driver, case, case.columns, runs) / alone
                apart = compared(driver, case)
                missed += not (ratio <= MOST and apart <= AGREED)
                print(
                    f"{name}, {kind}: {ratio:.2f} simulations of {alone:.3g} s for "
                    f"{len(case.columns)} columns, {apart:.2g} from differences",
                    flush=True,
                )
                driver.close()
    return missed


if __name__ == "__main__":
    sys.exit(main())
