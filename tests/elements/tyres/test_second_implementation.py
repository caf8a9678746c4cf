"""The Magic Formula of the library beside a second one, written from the publications."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import MagicFormula, TyreContact
from tests.elements.tyres import second_magic_formula as second
from tests.elements.tyres.tyre_files import values, write

POINTS = 10_000
NAMES = ("longitudinal", "lateral", "aligning_moment", "overturning_moment", "rolling_resistance")
HEADER = {"FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.32, "LONGVL": 16.0}
PLAIN = """\
LCX LMUX LEX LKX LHX LVX LCY LMUY LEY LKY LHY LVY LTR LRES LXAL LYKA LVYKA LS LMX LMY LVMX LFZO"""
SCALING = {name: 0.8 + 0.013 * number for number, name in enumerate(PLAIN.split())}
NEW_SCALING = {"LKYC": 1.07, "LKZC": 0.87, "LMP": 0.93}

# Arguments as arrays, by their names in TyreContact, and the pressure
Arguments = dict[str, np.ndarray]


def scattered() -> Arguments:
    """Return points all over the ranges of a file, more of them at small slips."""
    at = np.random.default_rng(2010)
    return {
        "slip_angle": at.uniform(-1, 1, POINTS) ** 3,
        "slip_ratio": 1.2 * at.uniform(-1, 1, POINTS) ** 3,
        "camber": at.uniform(-0.2, 0.25, POINTS),
        "load": at.uniform(200, 9000, POINTS),
        "speed": at.uniform(1, 50, POINTS),
        "turn_slip": 0.5 * at.uniform(-1, 1, POINTS) ** 3,
        "pressure": at.uniform(1.6e5, 3e5, POINTS),
    }


def of_library(file: Path, side: str, spin: bool, at: Arguments) -> np.ndarray:
    """Return the forces of the library's law as rows."""
    given = {name: ca.SX.sym(name) for name in at}
    law = MagicFormula.from_tir(
        file, side=side, limits="free", pressure=given["pressure"], turn_slip=spin
    )
    contact = {name: symbol for name, symbol in given.items() if name != "pressure"}
    found = law.forces(TyreContact(direction=ca.SX(1), **contact))
    rows = ca.vertcat(*(getattr(found, name) for name in NAMES))
    function = ca.Function("forces", list(given.values()), [rows])
    return np.array(function.map(POINTS)(*(value[None] for value in at.values())))


def of_second(
    coefficients: dict[str, float], version: int, mirror: int, spin: bool, at: Arguments
) -> np.ndarray:
    """Return those of the second implementation; a mirrored tyre is seen in a mirror."""
    sides = {name: mirror * at[name] for name in ("slip_angle", "camber", "turn_slip")}
    if not spin:
        del sides["turn_slip"]
    alike = {name: at[name] for name in ("slip_ratio", "load", "speed", "pressure")}
    points = second.Points(second.Coefficients(coefficients), version, **alike, **sides)
    return second.forces(points) * np.array([1, mirror, mirror, mirror, 1])[:, None]


@pytest.mark.filterwarnings("ignore:tyre property file")
@pytest.mark.parametrize("spin", [False, True], ids=["", "turn slip"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("version", [52, 61, 62])
def test_as_a_second_implementation(tmp_path: Path, version: int, side: str, spin: bool) -> None:
    scaling = SCALING | (NEW_SCALING if version > 60 else {})
    at = scattered()
    file = write(tmp_path, 6 if version == 52 else version, **scaling)  # FITTYP
    found = of_library(file, side, spin, at)
    coefficients = values(version) | HEADER | scaling
    expected = of_second(coefficients, version, 1 if side == "left" else -1, spin, at)
    size = np.abs(expected).max(axis=1)
    assert np.all(size > 50)
    worst = np.abs(found - expected).max(axis=1) / size
    assert dict(zip(NAMES, worst, strict=True)) == pytest.approx(dict.fromkeys(NAMES, 0), abs=1e-12)
