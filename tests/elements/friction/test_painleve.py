"""Painlevé's rod: friction that has no solution, or two, where a rod's tip slides on a surface."""

from __future__ import annotations

from math import atan, cos, sin

import numpy as np
import pytest

from mbcore import Model, simulate
from mbcore.elements import Body, Friction, RigidLink, Slide
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, SimulationError

MASS, HALF, GRAVITY = 1.3, 0.4, 9.81


def rod(coefficient: float | None = None, angle: float = 1.0) -> Equations:
    """A uniform rod at an angle to the surface, on which its tip slides."""
    model = Model("rod", gravity=(0, -GRAVITY))
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    tip, turned = model.point("tip", (0, 0)), model.angle("turned", angle)
    middle = model.point("middle", (HALF * cos(angle), HALF * sin(angle)))
    model.add(RigidLink("half", tip, turned, middle, offset=(HALF, 0)))
    model.add(Body("rod", middle, turned, mass=MASS, inertia=MASS * HALF**2 / 3))
    surface = model.add(Slide("surface", origin, bed, tip, axis=(1, 0)))
    surface.displacement.dof("x", "v")
    turned.angle.dof("angle", "rate")
    given = coefficient or model.parameter("coefficient", 0.0, minimum=0.0)
    model.output("load", model.add(Friction("tip friction", surface, coefficient=given)).load)
    return model.equations()


def normal(angle: float, rate: float, coefficient: float, way: float) -> float:
    """The normal force by Newton and Euler, with friction against ``way``."""
    c, s = cos(angle), sin(angle)
    # The centre is at a (c, s) from the tip, whose height stays zero: N/m - g = a (c w' - s w²).
    # About the centre, a m w'/3 = F s - N c with F = -way μ N.
    share = 1 + 3 * c * (c + way * coefficient * s)
    return MASS * (GRAVITY - HALF * s * rate**2) / share


@pytest.fixture(scope="module")
def evaluated() -> Evaluation:
    return Evaluation(rod())


def test_determinant_vanishes_where_painleve_says(evaluated: Evaluation) -> None:
    """At μ = (1 + 3 cos²θ)/(3 sin θ cos θ), at least 4/3, where the tip leads."""
    point = evaluated
    for angle in np.linspace(0.1, 1.5, 8):
        limit = (1 + 3 * cos(angle) ** 2) / (3 * sin(angle) * cos(angle))
        assert limit >= 4 / 3
        for part in (0.0, 0.3, 0.9, 0.999):
            point.renew()
            point.p[0] = part * limit
            for way in (1.0, -1.0):
                point.renew()
                point.p[0] = part * limit
                point.start({"angle": float(angle), "v": way, "rate": 0.3})
                expected = 1 + way * part
                assert point.conditioning_measures()[-1] == pytest.approx(expected, abs=1e-9)
                load = normal(float(angle), 0.3, part * limit, way)
                assert point.output()[0] == pytest.approx(abs(load), rel=1e-9)
        point.renew()
        point.p[0] = 1.001 * limit
        with pytest.raises(ConfigurationError, match="friction tip friction of slide surface"):
            point.start({"angle": float(angle), "v": -1.0, "rate": 0.3})
    angle = atan(2)
    assert (1 + 3 * cos(angle) ** 2) / (3 * sin(angle) * cos(angle)) == pytest.approx(4 / 3)


@pytest.mark.parametrize("backend", ["python", "c"])
@pytest.mark.parametrize(("angle", "rate"), [(1.35, -3.0), (1.35, -1.0), (0.6, 6.0)])
def test_a_motion_ends_before_it(backend: str, angle: float, rate: float) -> None:
    """With a coefficient of 1.6, between 0.822 and 1.308 rad, from both sides."""
    start = {"angle": angle, "rate": rate, "v": 8.0}
    with pytest.raises((ConfigurationError, SimulationError), match=r"coefficient 1\.6") as found:
        simulate(rod(1.6), 1.0, start=start, rtol=1e-9, backend=backend)  # type: ignore[arg-type]
    assert "friction tip friction of slide surface" in str(found.value)
