"""Ranges of a property file that are refused: the time at which a wheel comes to their end."""

from __future__ import annotations

import re
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

from mbcore import (
    Equations,
    Hinge,
    MagicFormula,
    Model,
    ModelError,
    SimulationError,
    Tyre,
    Wheel,
    simulate,
)
from mbcore.fmi import export
from tests.built import Tools
from tests.conftest import DISCARD, OK, Archive, Instance
from tests.elements.tyres.tyre_files import write

SPEED, GROWTH, END = 16.0, 4.0, 0.1
"""Of the wheel ahead, m/s; of its speed to the left, m/s2; ALPMAX of the file, rad."""
REACHED = SPEED * np.tan(END) / GROWTH
"""Time at which the slip angle arctan(GROWTH t / SPEED) is ALPMAX."""
SAID = r"wheel: slip angle of the tyre = 0\.1\d* at t = .*: outside the range .* -1\.1 to 0\.1 rad"


def law(folder: Path, **options: str) -> MagicFormula:
    path = write(folder, LONGITUDINAL_STIFFNESS=3.5e5, LATERAL_STIFFNESS=1.6e5)
    path.write_text(re.sub(r"ALPMAX = .*", f"ALPMAX = {END}", path.read_text()))
    given = {"side": "left", "limits": "refuse"} | options
    return MagicFormula.from_tir(path, **given)  # type: ignore[arg-type]


def drifting(tyre: MagicFormula) -> Equations:
    """A wheel that rolls ahead, pressed on the road, and is moved aside faster and faster."""
    model = Model("drifting")
    fork, turning = model.rotation("fork", fixed=True), model.rotation("turning")
    centre = model.point("centre", (0, 0, 0.305))
    contact = model.point("contact", (0, 0, 0))
    centre.x.prescribe(SPEED * model.time)
    centre.y.prescribe(GROWTH * model.time**2 / 2)
    centre.z.fix()
    model.add(Hinge("axle", fork, turning, axis=(0, 1, 0))).angle.kinematic("spin")
    wheel = model.add(Wheel("wheel", centre, turning, contact, radius=0.32))
    wheel.radial.release()
    wheel.lateral.release()
    on = Tyre(wheel, tyre, radial_stiffness=2e5)
    model.output("slip_angle", on.contact.slip_angle, unit="rad")
    model.output("side_force", on.forces.lateral, unit="N")
    return model.equations()


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Equations:
    return drifting(law(tmp_path_factory.mktemp("tyre")))


def test_a_run_ends_where_its_range_does(refusing: Equations) -> None:
    with pytest.raises(SimulationError, match=SAID):
        simulate(refusing, 1.1 * REACHED, backend="python")
    run = simulate(refusing, 0.999 * REACHED, backend="python", samples=3)
    assert run["slip_angle"][-1] == pytest.approx(0.999 * END, rel=1e-3)


@pytest.mark.parametrize("limits", ["hold", "free"])
def test_others_go_on_with_the_same_forces_inside(
    refusing: Equations, tmp_path: Path, limits: str
) -> None:
    other = drifting(law(tmp_path, limits=limits))
    simulate(other, 1.1 * REACHED, backend="python", samples=2)
    inside, same = (
        simulate(each, 0.9 * REACHED, backend="python", samples=5) for each in (other, refusing)
    )
    np.testing.assert_allclose(inside["side_force"], same["side_force"], rtol=1e-12)


def test_a_mirrored_tyre_ends_at_the_other_end(tmp_path: Path) -> None:
    """Drifting to the left it comes to ALPMIN = -1.1 of the left tyre, later."""
    equations = drifting(law(tmp_path, side="right"))
    run = simulate(equations, 1.1 * REACHED, backend="python", samples=2)
    assert run.final("slip_angle") == pytest.approx(np.arctan(1.1 * np.tan(END)), rel=1e-9)


def test_pressure_is_refused_when_the_tyre_is_made(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text() + "PRESMIN = 100000\nPRESMAX = 300000\n")
    flat = MagicFormula.from_tir(path, side="left", limits="refuse", pressure=5e4)
    with pytest.raises(ModelError, match=r"its pressure of 50000 is outside the range .* Pa"):
        drifting(flat)


@pytest.mark.heavy
def test_c_and_fmus_refuse_the_same(
    refusing: Equations, tmp_path: Path, tools: Tools, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SimulationError, match=SAID):
        simulate(refusing, 1.1 * REACHED, backend="c")
    simulate(refusing, 0.999 * REACHED, backend="c")
    old, new = (str(archive) for archive in export(refusing, tmp_path, tools=tools))
    given = {"stop_time": 1.1 * REACHED, "fmi_type": "CoSimulation", "debug_logging": True}
    run = fmpy.simulate_fmu(old, **given)
    assert REACHED - 1e-3 < run["time"][-1] < REACHED  # FMPy keeps the steps before
    assert "DoStep: wheel: slip angle of the tyre: outside the range" in capsys.readouterr().out
    with pytest.raises(FMICallException, match="discard"):
        fmpy.simulate_fmu(new, **given)
    assert "DoStep: wheel: slip angle of the tyre: outside the range" in capsys.readouterr().out
    for path in (old, new):
        with Instance(Archive.of(Path(path))) as fmu:
            fmu.initialize()
            assert fmu.step(0.99 * REACHED) == OK, fmu.said
            before = fmu.bytes()
            for _ in range(2):
                assert fmu.step(0.02 * REACHED) == DISCARD
                assert "wheel: slip angle of the tyre: outside the range" in fmu.said
                assert fmu.bytes() == before
            assert fmu.step(0.005 * REACHED) == OK, fmu.said
