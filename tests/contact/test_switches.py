"""Beginnings and ends of permanent contact are counted, also those by another impact."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np
import pytest

from mbcore import Body, Model, simulate, simulate_many
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.fmi import export
from mbcore.host.backend import Backend
from tests.conftest import Tools

FEET, UNTIL, TILTS = ("left", "right"), 0.9, (0.1, 0.3, -0.2)


def dropped_box(tilt: float = TILTS[0]) -> Model:
    """Return a tilted box that falls on its two feet: one rests until the other one's impact."""
    model = Model("box", gravity=(0, -9.81))
    centre, turned = model.point("centre", (0, 0.5)), model.angle("turned")
    model.add(Body("box", centre, turned, mass=1.0, inertia=0.1))
    centre.x.fix()
    centre.y.dof("y", "y_rate", 0.5)
    turned.angle.dof("tilt", "tilt_rate", tilt)
    y, angle = centre.y.value, turned.angle.value
    for name, side in zip(FEET, (-0.1, 0.1), strict=True):
        gap = y + side * ca.sin(angle) - 0.3 * ca.cos(angle)
        unilateral_contact(model, name, gap, Impact(0.3))
    return model


def check(switches: np.ndarray, closed: np.ndarray) -> None:
    """Compare with how often the mode, open at first, has changed so far."""
    changes = np.cumsum(np.abs(np.diff(closed, prepend=0)))
    assert switches.tolist() == changes.tolist()


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_each_change_of_the_mode_is_counted_at_once(backend: Backend) -> None:
    run = simulate(dropped_box().equations(), UNTIL, backend=backend)
    listed = Counter(name for _, name in run.events)
    for foot in FEET:
        check(run[f"{foot}.switches"], run[f"{foot}.closed.active"])
        assert listed[f"{foot}.closed"] == run.final(f"{foot}.switches")
    ended = np.flatnonzero(np.diff(run["right.closed.active"]) < 0)
    (at_once,) = run.time[ended]
    assert (at_once, "left.impact") in run.events  # the case that gives the test its point
    assert run.final("right.switches") == 2


@pytest.mark.heavy
def test_batches_and_fmus_count_as_python_does(tmp_path: Path, tools: Tools) -> None:
    equations = dropped_box().equations()
    many = simulate_many(equations, 1.5, start={"tilt": list(TILTS)}, samples=151)
    for i, tilt in enumerate(TILTS):
        alone = simulate(equations, 1.5, start={"tilt": tilt}, backend="python")
        for foot in FEET:
            switches = many[f"{foot}.switches"].to_numpy()[i]
            assert (switches % 2 == many[f"{foot}.closed.active"].to_numpy()[i]).all()
            assert switches[-1] == alone.final(f"{foot}.switches") > 0
    names = [f"{foot}.{what}" for foot in FEET for what in ("switches", "closed.active")]
    for fmi in ("2.0", "3.0"):
        (path,) = export(equations, tmp_path, fmi=fmi, tools=tools)
        for interface in ("ModelExchange", "CoSimulation"):
            rows = fmpy.simulate_fmu(
                str(path), stop_time=UNTIL, fmi_type=interface, output=names,
                output_interval=1e-3, relative_tolerance=1e-8,
            )  # fmt: skip
            for foot in FEET:
                assert (rows[f"{foot}.switches"] % 2 == rows[f"{foot}.closed.active"]).all()
            assert rows["right.switches"][-1] == 2
