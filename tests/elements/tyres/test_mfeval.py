"""The Magic Formula beside values of MFeval 4.0, the field's reference, on files of `tyre_files`.

MFeval was run with its limits (mode 111: combined slip, no α*). Its ε of (4.E6a), 1e-6 m/s on the
speed of the contact, is in its aligning moment, and so is, in MF 5.2 at combined slip, a friction
of (4.E67) without camber.
"""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import MagicFormula, TyreContact
from tests.elements.tyres.tyre_files import write

FILE = Path(__file__).with_name("mfeval_4_0.csv")
ARGUMENTS = ("load", "slip_ratio", "slip_angle", "camber", "speed")
OLD = {"LGAX": 1, "LGAY": 1, "LGAZ": 1}
"""Scaling factors of MF 5.2 that MFeval has not."""
FORCES = (
    *("longitudinal", "lateral", "aligning_moment"),
    *("overturning_moment", "rolling_resistance"),
)


@pytest.mark.filterwarnings("ignore:tyre property file")
@pytest.mark.parametrize("version", [52, 61, 62])
def test_as_mfeval(tmp_path: Path, version: int) -> None:
    values = np.genfromtxt(FILE, delimiter=",", names=True)
    values = values[values["version"] == version]
    file = write(tmp_path, 6, **OLD) if version == 52 else write(tmp_path, version)
    law = MagicFormula.from_tir(file, side="left")
    symbols = {name: ca.SX.sym(name) for name in ARGUMENTS}
    found = law.forces(TyreContact(direction=ca.SX(1), **symbols))
    rows = ca.vertcat(*(getattr(found, name) for name in FORCES))
    function = ca.Function("forces", list(symbols.values()), [rows])
    ours = np.array(function.map(len(values))(*(values[name][None] for name in ARGUMENTS)))
    assert len(values) == 12
    for name, row in zip(FORCES, ours, strict=True):
        theirs, counts = values[name], np.ones(len(values), bool)
        size = np.abs(theirs).max()
        if version == 52 and name == "aligning_moment":
            counts = values["slip_ratio"] == 0
        accuracy = 3e-7 if name == "aligning_moment" else 1e-13
        assert np.abs(row - theirs)[counts].max() < accuracy * size, name
        assert size > 30
