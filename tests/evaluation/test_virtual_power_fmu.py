"""FMUs whose accelerations do not obey virtual power refuse a step, unless exported unchecked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mbcore import Equations, simulate
from mbcore.evaluation.virtual_power import LostAccelerationsError
from mbcore.fmi import export
from mbcore.fmi.component import Component
from tests.conftest import DISCARD, OK, Archive, Instance
from tests.evaluation.test_virtual_power import arm, corrupted

SHARE = 1e-6
"""By which accelerations are wrong."""
FOLDERS = {"2.0": "fmi2", "3.0": "fmi3"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool, str], Archive]:
    """Return the FMU of wrong accelerations, checked or not, of a version of FMI."""
    made: dict[bool, Path] = {}

    def archive(checked: bool, version: str) -> Archive:
        if checked not in made:
            made[checked] = tmp_path_factory.mktemp("checked" if checked else "unchecked")
            equations = corrupted(arm(True, 0.5).equations(), SHARE)
            export(Component("arm", "an arm", equations), made[checked], checked=checked)
        return Archive.of(made[checked] / FOLDERS[version] / "arm.fmu")

    return archive


def names_the_error(said: str) -> None:
    """Hold that a message has the time, the error, what is left over, and the degrees of freedom.

    Inertia forces of the rods are between a hundredth and all of what the terms add up to.
    """
    found = re.search(
        r"at t = [\d.e-]+ s have lost .* about ([\d.e-]+) of the largest one, and "
        r"([\d.e-]+) of the virtual power",
        said,
    )
    assert found is not None, said
    assert float(found[1]) == pytest.approx(SHARE, rel=0.1)
    assert 0.01 * SHARE < float(found[2]) < SHARE
    assert "rate0, rate1, rate2" in said


@pytest.mark.heavy
@pytest.mark.parametrize("version", FOLDERS)
def test_a_step_is_refused_in_both_interfaces(exported, version: str) -> None:
    archive = exported(True, version)
    for method in (1, 2, 3):  # explicit, implicit, equal steps
        with Instance(archive) as fmu:
            assert fmu.initialize({"solver.method": method}) == OK
            assert fmu.step(0.1) == DISCARD
            names_the_error(fmu.said)
            assert fmu.get("angle0") == 0.3  # nothing has moved
    with Instance(archive, "ModelExchange") as fmu:
        assert fmu.initialize() == OK
        states = np.array([fmu.get(name) for name in fmu.states])
        rates = np.frombuffer(fmu.rates())
        assert fmu.move(1e-3, states + 1e-3 * rates) == OK
        with pytest.raises(Exception, match="ompleted"):
            fmu.completed_step()
        names_the_error(fmu.said)


@pytest.mark.heavy
@pytest.mark.parametrize("version", FOLDERS)
def test_an_unchecked_fmu_goes_on_and_says_that_it_is(exported, version: str) -> None:
    archive = exported(False, version)
    with Instance(archive) as fmu:
        assert fmu.initialize() == OK and fmu.step(0.1) == OK
    [page] = Path(archive.folder, "documentation").glob("*.html")
    assert "without the check of its accelerations" in page.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_runs_in_c_end_as_those_in_python_do() -> None:
    def wrong() -> Equations:
        return corrupted(arm(True, 0.5).equations(), SHARE)

    for backend in ("python", "c"):
        with pytest.raises(LostAccelerationsError, match=r"hinge 0\.angle, hinge 1\.angle"):
            simulate(wrong(), 0.1, progress=False, backend=backend)
