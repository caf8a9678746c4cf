"""Links whose joints come to rest together, against all modes enumerated by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Model, Result, simulate
from mbcore.elements import Body, Friction, PlanarHinge, RigidLink
from mbcore.fmi import export
from tests.conftest import VERSIONS, Tools
from tests.elements.friction.links import Links

MASS, INERTIA, LENGTH, RADIUS, COEFFICIENT = 1.0, 0.1, 0.5, 0.2, 0.6
RATES = (2.0, -2.0, -1.0, 4.0)


def chain(radius: float = RADIUS, absolute: bool = False) -> Model:
    """Four links that lie straight along x, on pins that rub."""
    model = Model("chain", gravity=(0, -9.81))
    before, place = model.angle("frame", fixed=True), model.point("fixed", (0, 0), fixed=True)
    for k in range(4):
        turned, end = model.angle(f"link{k}_angle"), model.point(f"end{k}", (LENGTH * (k + 1), 0))
        model.add(RigidLink(f"rod{k}", place, turned, end, offset=(LENGTH, 0)))
        model.add(Body(f"mass{k}", end, turned, mass=MASS, inertia=INERTIA))
        hinge = model.add(PlanarHinge(f"hinge{k}", before, turned))
        (turned.quantities[0] if absolute else hinge.angle).dof(f"link{k}.angle", f"link{k}.rate")
        pin = {"radius": radius, "coefficient": COEFFICIENT}
        model.add(Friction(f"pin{k}", hinge, at=place, **pin))
        before, place = turned, end
    return model


def judged(until: float) -> tuple[np.ndarray, np.ndarray, list[tuple[float, tuple[int, ...]]]]:
    """What the chain does by hand."""
    four = np.ones(4)
    links = Links(MASS * four, INERTIA * four, LENGTH * four, COEFFICIENT * RADIUS * four)
    return links.run(np.zeros(4), np.cumsum(RATES), until)


def moved(until: float, backend: str) -> Result:
    start = {f"link{k}.rate": rate for k, rate in enumerate(RATES)}
    equations = chain().equations()
    return simulate(equations, until, start=start, backend=backend, rtol=1e-11, atol=1e-13)


def assert_equal(result: Result, until: float) -> None:
    angles, rates, seen = judged(until)
    for k in range(4):
        assert result.final(f"link{k}.angle") == pytest.approx(angles[k], rel=1e-8)
        assert result.final(f"link{k}.rate") == pytest.approx(rates[k], abs=1e-8)
        assert result.final(f"pin{k}.sticks") == (seen[-1][1][k] == 0)
    assert result.events[-1][0] == pytest.approx(seen[-1][0], abs=1e-9)


@pytest.mark.heavy
def test_three_joints_of_which_one_stays_and_two_slide() -> None:
    """At 0.5813 s the last joint stops, all three that rest exceed their limits, one stays."""
    assert_equal(moved(0.6, "python"), 0.6)


@pytest.mark.heavy
@pytest.mark.parametrize("backend", ["c", "python"])
def test_four_links_come_to_rest(backend: str) -> None:
    """They do so after 6.834 s and 52 changes of their modes."""
    assert_equal(moved(10.0, backend), 10.0)


@pytest.mark.heavy
def test_fmus_of_four_links(tmp_path: Path, tools: Tools) -> None:
    angles, _, _ = judged(10.0)
    for fmu in export(chain().equations(), tmp_path, VERSIONS, tools=tools):
        rows = simulate_fmu(
            fmu,
            stop_time=8.0,
            output_interval=0.5,
            relative_tolerance=1e-10,
            start_values={f"link{k}.rate": rate for k, rate in enumerate(RATES)},
            output=[f"link{k}.angle" for k in range(4)],
        )
        reached = [rows[f"link{k}.angle"][-1] for k in range(4)]
        assert reached == pytest.approx(angles, rel=1e-7), fmu


@pytest.mark.heavy
def test_a_chain_of_absolute_angles_does_not_creep() -> None:
    """Each joint's rate is a difference of two, of which none is held alone."""
    result = simulate(chain(9.0, absolute=True).equations(), 1e6, samples=5)
    for k in range(4):
        assert (result[f"link{k}.angle"] == 0).all()
        assert (result[f"pin{k}.sticks"] == 1).all()
