"""Held slips in FMUs: as in Python, consistent from the start on, and refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Model, simulate
from mbcore.fmi import export
from tests.conftest import ERROR, OK, VERSIONS, Archive, Instance, Tools
from tests.equations.test_switched_constraints import EXACT, rink, sleigh, stopped, two_blades

pytestmark = pytest.mark.heavy


def test_fmus_hold_as_python_does(tmp_path: Path, tools: Tools) -> None:
    """Start values are projected, and so are the states where the blade leaves the ice."""
    equations = rink(Model("rink")).equations()
    names = ("x", "y", "psi", "v", "w", "u", "side", "slip")
    run = simulate(equations, 1.0, **EXACT)
    for version, path in zip(VERSIONS, export(equations, tmp_path, tools=tools), strict=True):
        for interface in ("CoSimulation", "ModelExchange"):
            rows = simulate_fmu(
                str(path),
                fmi_type=interface,
                stop_time=1.0,
                output_interval=0.05,
                start_values={"solver.tolerance": 1e-11},
                relative_tolerance=1e-11,
                output=[*names, "blade.lateral.held.active"],
            )
            exact = 1e-9 if interface == "CoSimulation" else 1e-6
            off = max(abs(rows[name][-1] - run.final(name)) for name in names)
            assert off < exact, (version, interface)
            held = rows["blade.lateral.held.active"].astype(bool)
            assert 0 < np.sum(~held) < held.size - 2
            assert np.abs(rows["slip"][held]).max() < exact
            assert rows["v"][0] == pytest.approx(stopped(2.0, 0.4, 0.7)[0], rel=1e-13)


def exported(model: Model, folder: Path, tools: Tools) -> list[Archive]:
    """Return its FMUs in both versions."""
    paths = export(model.equations(), folder, tools=tools)
    return [Archive.of(p, folder / v) for v, p in zip(VERSIONS, paths, strict=True)]


def test_start_values_of_an_fmu_do_not_depend_on_their_order(tmp_path: Path, tools: Tools) -> None:
    for archive in exported(sleigh(), tmp_path, tools):
        with Instance(archive) as fmu:
            fmu.enter_initialization()
            v, w = stopped(2.0, 0.4, 0.7)
            assert fmu.values(["v", "w"]) == pytest.approx([v, w], rel=1e-14)
            assert not any("the start is changed" in told.text for told in fmu.messages)
            assert fmu.set({"u": 0.0}) == OK
            assert list(fmu.values(["v", "w"])) == [2.0, 0.7]
            assert fmu.set({"w": 0.1}) == OK
            assert fmu.get("slip") == 0.0
            assert fmu.set({"u": -0.3}) == OK
            v, w = stopped(2.0, -0.3, 0.1)
            assert fmu.values(["v", "w"]) == pytest.approx([v, w], rel=1e-14)
            assert fmu.get("slip") == pytest.approx(0.0, abs=1e-15)
            assert fmu.call("ExitInitializationMode") == OK
            (said,) = [told.text for told in fmu.messages if "the start is changed" in told.text]
            assert f"closed contacts or held slips: w from 0.1 to {w:.9g}, and 2 more; give" in said


@pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
def test_slips_that_follow_from_others_are_named_by_an_fmu(tmp_path: Path, tools: Tools) -> None:
    for archive in exported(two_blades(), tmp_path, tools):
        with Instance(archive) as fmu:
            assert fmu.initialize() == ERROR
            assert "inner.lateral, outer.lateral, some of which follow" in fmu.said
