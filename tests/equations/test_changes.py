"""Changes of rates and outputs through solved systems, against differences at solved points."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, Model, RigidLink, Slide, Truss
from mbcore.equations.equations import Equations
from mbcore.fmus import bicycle, rolling_disk
from tests.equations.test_switched_constraints import sleigh

STEP = 1e-5


def loop_on_a_free_body() -> Equations:
    """A closed loop that hangs on a free rotation, with stresses and accelerations shown."""
    model = Model("loop", gravity=(0, 0, -9.81))
    place, body, arm = (
        model.point("place", (0, 0, 0)),
        model.rotation("body"),
        model.rotation("arm"),
    )
    body.free()
    place.x.dof("x", "vx")
    place.y.dof("y", "vy")
    place.z.dof("z", "vz")
    frame = model.add(Body("frame", place, body, mass=2.0, inertia=(0.3, 0.2, 0.4)))
    crank = model.add(Hinge("crank", body, arm, axis=(0, 1, 0)))
    crank.angle.dof("angle", "rate", 0.4)
    tip, anchor = model.point("tip", (1, 0, 0)), frame.point("anchor", (2.0, 0, 0.3))
    model.add(RigidLink("arm", place, arm, tip))
    rocker = model.rotation("rocker")
    hinge = model.add(Hinge("rocker", body, rocker, axis=(0, 1, 0)))
    end = model.point("end", (2.0, 0, 1.0))
    model.add(RigidLink("rocker arm", anchor, rocker, end))
    rod = model.add(Truss("rod", tip, end))
    mass = model.parameter("mass", 0.7, unit="kg")
    model.add(Body("end mass", end, rocker, mass=mass, inertia=(0.01, 0.02, 0.03)))
    hinge.angle.law(0.3 * hinge.angle.rate)
    model.output("rod", rod.elongation.stress, unit="N")
    model.output("tip", end.acceleration[2], unit="m/s2")
    return model.equations()


def rubbing_ladder() -> Equations:
    """A ladder whose friction on the floor is the larger one of two, by the floor's force."""
    model = Model("ladder", gravity=(0, -9.81))
    corner, level = model.point("corner", (0, 0), fixed=True), model.angle("level", fixed=True)
    foot, top, angle = model.point("foot", (1, 0)), model.point("top", (0, 1)), model.angle("angle")
    model.add(RigidLink("ladder", foot, angle, top))
    middle = model.point("middle", (0.5, 0.5))
    model.add(RigidLink("half", foot, angle, middle))
    model.add(Body("mass", middle, angle, mass=2.0, inertia=0.3))
    angle.angle.dof("angle", "rate", rate_start=0.5)
    top.x.fix()
    floor = model.add(Slide("floor", corner, level, foot, axis=(1, 0), offset=(0, 0)))
    load = floor.deformations["sideways_y"].stress
    size = ca.fmax(0.3 * ca.fabs(load), 0.1 * load**2 / 9.81)
    floor.deformations["displacement"].law(size * ca.tanh(floor.deformations["displacement"].rate))
    model.output("load", load, unit="N")
    return model.equations()


def point(equations: Equations, z: np.ndarray) -> list[object]:
    """Return the functions' arguments at (s, t, u, p), with the configuration solved for."""
    E = equations
    s, t, u, p = np.split(z, np.cumsum([len(E.states), 1, len(E.inputs)]))
    # events are active: what is held is held
    d = [1.0] * len(E.events) + [record.start for record in E.discretes[len(E.events) :]]
    given = [float(t[0]), s, d, u, p]
    x = E.functions["start"](*given, np.zeros(len(E.coordinate_names)))[0]
    for _ in range(20):
        x = E.functions["newton"](*given, x)[0]
    return [*given, x]


def both(equations: Equations, z: np.ndarray) -> np.ndarray:
    """Return rates and outputs."""
    at = point(equations, z)
    found = [equations.functions[name](*at) for name in ("derivative", "output")]
    return np.concatenate([np.array(part).ravel() for part in found])


@pytest.mark.parametrize(
    "make",
    [
        loop_on_a_free_body,
        lambda: sleigh().equations(),
        pytest.param(lambda: bicycle.model().equations(), marks=pytest.mark.heavy),
        lambda: rolling_disk.model().equations(),
        rubbing_ladder,
    ],
    ids=["loop on a free body", "held slip", "bicycle", "disk", "kink by a constraint force"],
)
def test_changes_are_those_of_rates_and_outputs(make: Callable[[], Equations]) -> None:
    E = make()
    random = np.random.default_rng(3)
    z = np.array([*(s.start for s in E.states), 0.0, *(i.start for i in E.inputs)], float)
    z = z + 0.1 * random.standard_normal(z.size)
    z = np.concatenate([z, [parameter.value for parameter in E.parameters]])
    change, at = E.functions["change"], point(E, z)
    for _ in range(3):
        way = random.standard_normal(z.size) * np.maximum(np.abs(z), 0.1)
        found = np.concatenate([np.array(part).ravel() for part in change(*at, way)])
        far = both(E, z + STEP * way) - both(E, z - STEP * way)
        near = both(E, z + STEP / 2 * way) - both(E, z - STEP / 2 * way)
        difference = (8 * near - far) / (6 * STEP)
        scale = np.abs(difference) + 1e-3 * np.abs(difference).max() + 1e-3
        assert np.max(np.abs(found - difference) / scale) < 1e-6
        seeds = random.standard_normal(found.size)
        ns = len(E.states)
        back = np.array(E.functions["adjoint_change"](*at, seeds[:ns], seeds[ns:])).ravel()
        assert back @ way == pytest.approx(seeds @ found, rel=1e-9)
