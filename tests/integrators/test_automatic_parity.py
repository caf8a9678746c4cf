"""Python and C choose explicit and implicit steps alike, at awkward starts as well.

Their implicit methods are different ones. The same must be which parts of a motion have explicit
steps, and when that changes, to a few of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, revolute, simulate
from mbcore.equations.equations import Equations
from mbcore.equations.tolerances import CONFIRMED, LEAST_WAIT
from mbcore.host.backend import Backend
from tests.integrators.test_automatic import RATES, root, row

FAST = RATES[1]
"""Decay of the stiff parts, 1/s."""
LONGEST = 6 / FAST
"""Length of stable explicit steps, s."""
HALF_PERIOD = 0.001
"""Of a clock, s: four steps, of which the last is cut short."""
BACKENDS: tuple[Backend, ...] = ("python", "c")
NEVER = np.inf


def mass(law: Callable[[Any, Any, ca.SX], ca.SX], start: float = 0.0) -> Model:
    """Return a mass of 1 kg held by a law of x, its rate and time, N."""
    model = Model("mass")
    point = model.point("point", (0, 0))
    point.y.fix()
    x = point.x.dof("x", start=start)
    model.add(Body("body", point, mass=1))
    x.law(law(x.value, x.rate, model.time))
    return model


def spring(x: Any, v: Any) -> ca.SX:
    """Return a force, N, with which a mass decays by 4 and by `FAST`."""
    return 4 * FAST * x + (4 + FAST) * v


def thickens(begins: float) -> Model:
    """Return a mass that decays by 4, 1/s, in what thickens within 2 ms.

    Without a force of time: Rodas5P, the implicit method in C, has its order where nothing stiff is
    forced, and there alone it pays as Radau's does.
    """

    def law(x: Any, v: Any, t: ca.SX) -> ca.SX:
        return (6 + FAST / 2 * (1 + ca.tanh((t - begins) / 0.002))) * (v + 4 * x)

    return mass(law, 0.1)


def pushed(begins: float) -> Model:
    """Return a mass at rest that a force pushes from a time on."""
    return mass(lambda x, v, t: spring(x, v) - FAST * ca.fmax(t - begins, 0))


def ticking() -> Model:
    """Return a mass beside a clock; each half of its periods ends with an event."""
    model = mass(lambda x, v, t: spring(x, v), 0.1)
    ticks = model.discrete("ticks", kind="integer")
    model.event("tick", ca.sin(ca.pi / HALF_PERIOD * model.time), rising={"ticks": ticks + 1})
    return model


def pendulum() -> Model:
    """Return a rod of 1 m that swings as 1.5 g/l, without friction."""
    model = Model("pendulum", gravity=(0, -9.81))
    place, turn = model.point("place", (0, 0)), model.angle("turn")
    rod = model.add(Body("rod", place, turn, mass=1, inertia=1 / 12, offset=(0.5, 0)))
    revolute("joint", model, rod, at=(0, 0)).angle.dof("angle", "rate")
    return model


MODELS: dict[str, tuple[Callable[[], Equations], float, float]] = {
    "stiff from the start": (row, 0.1, 0.0),
    "stiff in mid-run": (lambda: thickens(0.3).equations(), 0.5, 0.3),
    "at rest": (lambda: pushed(NEVER).equations(), 0.5, NEVER),
    "pushed out of rest": (lambda: pushed(0.3).equations(), 0.5, 0.3),
    "events at each fourth step": (lambda: ticking().equations(), 0.05, 0.0),
    "no Jacobian": (root, 0.05, NEVER),
}
"""What moves, for how long, and from when on it is stiff, s."""


@pytest.mark.heavy
@pytest.mark.parametrize("name", MODELS)
def test_python_and_c_choose_alike(name: str) -> None:
    make, until, stiff_from = MODELS[name]
    equations = make()
    python, c = (simulate(equations, until, samples=3, backend=b) for b in BACKENDS)
    methods = [[method for _, method in run.steps] for run in (python, c)]
    if stiff_from == NEVER:
        assert methods == [["DOP853"], ["DOP853"]]
    else:
        assert methods == [["DOP853", "Radau"], ["DOP853", "Rodas5P"]]
        times = [run.steps[1][0] for run in (python, c)]
        # as many steps as are waited for, and those that grow to the bound or lead to an event
        least = LEAST_WAIT + CONFIRMED - 1
        assert all(0 < t - stiff_from < 2 * least * LONGEST for t in times)
        # steps that an event cuts short do not count, so that each may cost one of them a step
        cut = max(times) // HALF_PERIOD if equations.events else 0
        assert abs(times[1] - times[0]) < (5 + cut) * LONGEST
    for state in equations.states:
        assert c[state.name] == pytest.approx(python[state.name], rel=1e-6, abs=1e-8)


@pytest.mark.heavy
def test_loose_tolerances_make_no_pendulum_stiff() -> None:
    """Two of these motions became implicit for a while, where single trials succeeded."""
    equations = pendulum().equations()
    for rtol in (1e-2, 1e-3):
        for angle in np.linspace(-1.5, 3.0, 10):
            run = simulate(
                equations, 300.0, start={"angle": angle}, rtol=rtol, samples=2, backend="c"
            )
            assert run.steps == ((0.0, "DOP853"),)
