"""Tyre property files: what is read, and what is refused with file, line and remedy."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import ROAD_CAR_TYRE, MagicFormula, ModelError, ModelWarning, TyreContact
from mbcore.elements.tyres.coefficients import DEFAULTS, NEW_SCALING, SCALING, VERTICAL
from mbcore.elements.tyres.tir_file import MOST_BYTES, read_tir
from tests.elements.tyres.tyre_files import text, write


def made(folder: Path, data: str | bytes) -> Path:
    path = folder / "tyre.tir"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_values_comments_tables_and_fortran_exponents(tmp_path: Path) -> None:
    file = read_tir(write(tmp_path, PHX1="-2.5d-04", PVX2="+.5"))
    assert file.numbers["FNOMIN"] == 4000
    assert file.numbers["PHX1"] == -2.5e-4
    assert file.numbers["PVX2"] == 0.5
    assert file.texts["TYRESIDE"] == "LEFT"
    assert file.numbers["MASS"] == 9.5  # also the name of a unit
    assert file.range("slip angle") == (-1.1, 1.2)


def test_units_become_si(tmp_path: Path) -> None:
    data = text().replace("'meter'", "'mm'").replace("= 0.32", "= 320")
    data = data.replace("'newton'", "'kN'").replace("4.0D3", "4").replace("16.0", "16000")
    data = data.replace("FZMIN = 200", "FZMIN = 0.2").replace("FZMAX = 9000", "FZMAX = 9")
    data = data.replace("240000.0", "0.00000024").replace("220000.0", "0.00000022")
    file = read_tir(made(tmp_path, data))
    assert file.numbers["UNLOADED_RADIUS"] == pytest.approx(0.32, rel=1e-15)
    assert file.numbers["FNOMIN"] == 4000
    assert file.numbers["LONGVL"] == pytest.approx(16, rel=1e-15)
    assert file.numbers["INFLPRES"] == pytest.approx(240, rel=1e-12)
    assert file.range("load") == (200, 9000)


@pytest.mark.parametrize(
    ("units", "pressure"),
    [
        ("PRESSURE = 'bar'", 2.2),
        ("PRESSURE = 'pascal'", 2.2e5),
        ("PRESSURE = 'kPa'", 220),
        ("", 0.22),
    ],
)
def test_pressures_have_their_own_unit_or_that_of_a_force_over_an_area(
    tmp_path: Path, units: str, pressure: float
) -> None:
    """N/mm² is 1e6 Pa."""
    data = text(NOMPRES=pressure).replace("LENGTH = 'meter'", f"LENGTH = 'mm'\n{units}")
    assert read_tir(made(tmp_path, data)).numbers["NOMPRES"] == pytest.approx(2.2e5, rel=1e-12)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = made(tmp_path, ("! Reifen für Übung\r\n" + text()).encode(encoding))
    assert read_tir(path).numbers["PCX1"] == 1.62


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("FNOMIN = 4.0D3", "FNOMIN = nan", r"line 26: FNOMIN = 'nan' is not a finite number"),
        ("FNOMIN = 4.0D3", "FNOMIN = 1e999", r"line 26: FNOMIN = '1e999' is too large"),
        ("FNOMIN = 4.0D3", "FNOMIN = 4000 N", r"line 26: FNOMIN = '4000 N' is not a finite number"),
        ("FNOMIN = 4.0D3", "FNOMIN = -1", r"line 26: FNOMIN = -1; it must be positive"),
        ("FNOMIN = 4.0D3", "FNOMIN = 'big'", r"line 26: FNOMIN = 'big'; give it a number"),
        ("FNOMIN = 4.0D3", "FNOMIN", r"line 26: 'FNOMIN' is not a statement; write KEY = value"),
        ("FNOMIN = 4.0D3", "", r"FNOMIN missing, so the file is not a Magic Formula tyre"),
        ("PDX1 = 1.12", "PDX1 = 1\nPDX1 = 2", r"PDX1 stands in line \d+ with another value"),
        ("'meter'", "'furlong'", r"LENGTH = 'furlong' is not known; convert the file to"),
        ("'radians'", "'degrees'", r"ANGLE = 'degrees' is not known; convert the file to rad"),
        ("TYRESIDE = 'LEFT'", "TYRESIDE = 'LEFT", r"TYRESIDE = \"'LEFT\" has no closing quote"),
        ("TYRESIDE = 'LEFT'", "TYRESIDE = 'UP'", r"TYRESIDE = 'UP'; give LEFT or RIGHT"),
        ("FZMAX = 9000", "FZMAX = 100", r"range of the load is empty, FZMIN = 200 and FZMAX = 100"),
        ("ALPMIN = -1.1", "ALPMIN = 0.1", r"range of the slip angle is without zero, ALPMIN = 0.1"),
        ("PDX1 = 1.12", "PDX1 = 1\nLMUX = -1", r"LMUX = -1; it must not be negative"),
        ("FZMIN = 200", "FZMIN = -1", r"FZMIN = -1; a tyre does not pull"),
        ("PCX1 = 1.62", "PCX1 = 0", r"PCX1 = 0; it must be positive"),
        ("PKX1 = 22", "PKX1 = 0", r"PKX1 = 0, so that the tyre has no force"),
        ("PKY2 = 1.9", "PKY2 = 0", r"PKY2 = 0, so that the tyre has no force"),
        ("FITTYP   = 61", "FITTYP = 7", r"FITTYP = 7 is not known; there are 5, 6"),
        ("FITTYP   = 61", "FITTYP = MF61", r"line 16: FITTYP = 'MF61'; give 6 .* 61 or 62"),
        ("'meter'", "'mm'", r"UNLOADED_RADIUS = 0.00032 m is not that of a tyre, .* or LENGTH in"),
        ("'newton'", "'kN'", r"line 26: FNOMIN = 4e[+]06 N is not that of a tyre, .* or FORCE in"),
        ("FITTYP   = 61", "", r"neither FITTYP nor PROPERTY_FILE_FORMAT says which"),
        ("FNOMIN = 4.0D3", "FNOMIN =", r"tyre.tir: FNOMIN \(empty in line 26\) missing.*; add it$"),
        (
            "LONGVL   = 16.0",
            "LONGVL = 0.016",
            r"line 18: LONGVL = 0.016 m/s is not .* LENGTH in",
        ),
        (
            "NOMPRES = 220000.0",
            "NOMPRES = 2.2",
            r"NOMPRES = 2.2 Pa is not that of a tyre, .* or PRESSURE in",
        ),
        (
            "UNLOADED_RADIUS = 0.32",
            "UNLOADED_RADIUS = 0.32\nRIM_RADIUS = 0.4\nBOTTOM_STIFF = 1e6",
            r"line 21: RIM_RADIUS = 0.4 m is not below UNLOADED_RADIUS = 0.32 m; correct one",
        ),
        ("LENGTH = 'meter'", "LENGTH = 1", r"line 10: LENGTH = 1 is not a unit; give 'meter'"),
        (
            "FITTYP   = 61",
            "FITTYP = 61\nPROPERTY_FILE_FORMAT = 'PAC2002'",
            r"FITTYP = 61 contradicts PROPERTY_FILE_FORMAT = 'PAC2002'",
        ),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    data = text()
    assert old in data
    with pytest.raises(ModelError, match=message):
        MagicFormula.from_tir(made(tmp_path, data.replace(old, new)), side="left")


def test_a_tyre_measured_without_longitudinal_slip_has_side_forces_alone(tmp_path: Path) -> None:
    """Those at no slip ratio of the same tyre with a longitudinal force; said once."""
    none = dict.fromkeys(("PCX1", "PDX1", "PDX2", "PKX1", "PKX2", "PVX1", "PVX2"), 0)
    with pytest.warns(ModelWarning, match=r"no longitudinal force \(PCX1, PDX1, PKX1 are zero\)"):
        alone = MagicFormula.from_tir(write(tmp_path, **none), side="left")
    given = TyreContact(ca.SX(0.1), ca.SX(0), ca.SX(0.02), ca.SX(3000.0), ca.SX(1))
    found = alone.forces(given)
    assert float(ca.evalf(found.longitudinal)) == 0
    full = MagicFormula.from_tir(write(tmp_path, PVX1=0, PVX2=0, PHX1=0, PHX2=0), side="left")
    expected = full.forces(given)
    for name in ("lateral", "aligning_moment"):
        ours, theirs = (float(ca.evalf(getattr(each, name))) for each in (found, expected))
        assert ours == pytest.approx(theirs, rel=1e-9)
    # a deflection along the wheel costs nothing, so that side forces relax as before
    relaxing = alone.relaxation(given)
    assert float(ca.evalf(ca.SX(relaxing.peaks[0]))) > 1e3
    assert float(ca.evalf(ca.SX(relaxing.times[0]))) < 1


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"PKY1": 19.5}, "side forces act along"),
        ({"LKY": -1}, "side forces act along"),
        ({"PKY1": 19.5, "PKY4": -2}, None),
        ({"PKX1": -22.0}, "longitudinal forces act along"),
        ({"LKX": -1}, "longitudinal forces act along"),
        ({"QSY1": -0.01}, "drives the wheel"),
        ({}, None),
    ],
)
def test_forces_that_drive_are_told(
    tmp_path: Path, changed: dict[str, float], told: str | None
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MagicFormula.from_tir(write(tmp_path, **changed), side="left")
    for words in ("side forces act along", "longitudinal forces act along", "drives the wheel"):
        assert any(words in str(each.message) for each in caught) == (words == told)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"PDY1": 105, "PKY1": -2000},
            r"a side force of up to 105 times the nominal load \(PDY1 = 105\)",
        ),
        ({"PDX1": -6}, r"a longitudinal force of up to 6 times .* \(PDX1 = -6\)"),
        ({"PDY1": 2, "LMUY": 3}, r"up to 6 times .* \(PDY1 = 2, LMUY = 3\)"),
        ({"PDY1": 0.0105}, "up to 0.0105 times"),
        ({"PDX1": 2.9, "PDY1": -2.9}, None),  # of racing tyres on a belt
        ({"LMUX": 0.05, "LMUY": 0.05}, None),  # of wet ice
    ],
)
def test_friction_beyond_that_of_tyres_is_told(
    tmp_path: Path, changed: dict[str, float], told: str | None
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        law = MagicFormula.from_tir(write(tmp_path, **changed), side="left")
    said = [str(each.message) for each in caught if "the nominal load (" in str(each.message)]
    assert len(said) == (told is not None)
    assert told is None or re.search(told, said[0])
    if "PKY1" in changed:  # stiff enough to reach its peak: what the law makes of it
        load, slip = law.coefficients["FNOMIN"], ca.SX.sym("slip")
        force = law.forces(TyreContact(slip, ca.SX(0), ca.SX(0), ca.SX(load), ca.SX(1))).lateral
        forces = np.array(ca.Function("F", [slip], [force])(np.linspace(-1, 1, 201).reshape(1, -1)))
        assert np.abs(forces).max() == pytest.approx(105 * load, rel=0.02)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no value in it"),
        (b"PK\x03\x04\0\0\0", "no text file"),
        (b"x" * (MOST_BYTES + 1), f"longer than {MOST_BYTES} bytes"),
        (b"<html><body>404</body></html>\n", "line 1: .* is not a statement"),
        (b"import os; os.remove('x')\n", "line 1: .* is not a statement"),
    ],
)
def test_foreign_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_tir(made(tmp_path, data))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path / "none.tir", tmp_path, "a\0b"):
        with pytest.raises(ModelError, match="cannot be read"):
            read_tir(path)


def test_a_million_lines_take_bounded_time(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="longer than"):
        read_tir(made(tmp_path, "A = 1\n" * 1_000_000))


@pytest.mark.parametrize(
    "line", ["QSX3 = " + "1" * 200_000 + "x", "1" * 200_000 + "x", "X" * 200_000]
)
def test_long_lines_take_bounded_time(tmp_path: Path, line: str) -> None:
    with pytest.raises(ModelError, match=r"not a finite number|not a statement") as caught:
        MagicFormula.from_tir(made(tmp_path, text(QSX3=None) + line + "\n"), side="left")
    assert len(str(caught.value)) < 500


def test_what_a_file_lacks_is_named_once(tmp_path: Path) -> None:
    path = write(tmp_path, 61, **{**ONES, "PEX4": None, "QSX1": None, "PHY3": 0.1})
    with pytest.warns(ModelWarning, match="has no PEX4, QSX1.*has PHY3, which MF 6.1") as caught:
        MagicFormula.from_tir(path, side="left")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MagicFormula.from_tir(write(tmp_path, 62, **ONES), side="left")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (r"^Q_RE0 .*\n", "", "has no Q_RE0, so it has its default$"),
        (r"^QBZ1 .*", "QBZ1 =", r"has no QBZ1 \(empty in line 195\), so it has its default$"),
        (r"^KPUMAX .*\n", "", "has no KPUMAX, so that ranges have no end there$"),
        (r"^PRESMIN .*\n", "", "has no PRESMIN, so that ranges have no end there$"),
        (r"^\[UNITS\]\n([A-Z].*\n)+", "", "has no section UNITS, so its numbers are"),
        (r"^TIME = .*\n", "", "has no unit of TIME, so that of SI is taken$"),
        (
            r"^TIME = .*",
            r"\g<0>\nSPEED = 'kmh'",
            r"has SPEED \(line 14\) in its section UNITS",
        ),
    ],
)
def test_one_word_of_what_the_shipped_file_is_made_to_lack(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    data, changed = re.subn(old, new, ROAD_CAR_TYRE.read_text(), flags=re.MULTILINE)
    assert changed == 1
    with pytest.warns(ModelWarning, match=told) as caught:
        MagicFormula.from_tir(made(tmp_path, data), side="left")
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("0 0", r"has 1 row; give 2 to 200 rows of a deflection and a load"),
        ("0 0\n1e-3 2 5", r"has 3 numbers in its row 2; give 2 to 200 rows"),
    ],
)
def test_curves_that_are_none(tmp_path: Path, rows: str, message: str) -> None:
    data = f"{text()}[DEFLECTION_LOAD_CURVE]\n{{pen fz}}\n{rows}\n"
    with pytest.raises(ModelError, match=rf"line \d+: DEFLECTION_LOAD_CURVE {message}"):
        read_tir(made(tmp_path, data))


def test_a_file_cut_between_its_sections_is_refused_or_named(tmp_path: Path) -> None:
    """The shipped file has all sections, and no word is said of it; without its end there is."""
    whole = ROAD_CAR_TYRE.read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MagicFormula.from_tir(made(tmp_path, whole), side="left")
    cuts = [found.start() for found in re.finditer(r"^\[", whole, re.MULTILINE)][1:]
    for cut in cuts:
        path = made(tmp_path, whole[:cut])
        with pytest.raises((ModelError, ModelWarning)), warnings.catch_warnings():
            warnings.simplefilter("error")
            MagicFormula.from_tir(path, side="left")
    with pytest.warns(ModelWarning, match=r"has no turn slip \(PDXP1 to QDRP2\), perhaps trunc"):
        MagicFormula.from_tir(made(tmp_path, whole[: cuts[-1]]), side="left")


@pytest.mark.parametrize("end", ["PD", "[LATERAL_COEF", "PDX1 = 1e", "PDX1 = 1.2e-", "X = 'a"])
def test_a_file_cut_within_a_line_is_perhaps_truncated(tmp_path: Path, end: str) -> None:
    whole = text()
    last = whole.count("\n") + 1
    with pytest.raises(ModelError, match=rf"line {last}: .*so it is perhaps truncated"):
        read_tir(made(tmp_path, whole + end))
    with pytest.raises((ModelError, ModelWarning)) as caught, warnings.catch_warnings():
        warnings.simplefilter("error")
        MagicFormula.from_tir(made(tmp_path, whole + end + "\nLGAX = 1\n"), side="left")
    assert "truncated" not in str(caught.value)


@pytest.mark.parametrize(
    "end", ["PDX1 = nan", "PDX1 = 3", "PDX2 = 4 N", "PDX1 = 1e\n", "1 2 is no row", "PKX1 = 'a\n"]
)
def test_other_mistakes_in_the_last_line_are_no_truncation(tmp_path: Path, end: str) -> None:
    with pytest.raises(ModelError, match=rf"line {text().count(chr(10)) + 1}: ") as caught:
        MagicFormula.from_tir(made(tmp_path, text() + end), side="left")
    assert "truncated" not in str(caught.value)


def remarks(path: Path) -> str:
    """Return the words of the one warning of a file."""
    with pytest.warns(ModelWarning, match="tyre property file") as caught:
        MagicFormula.from_tir(path, side="left")
    assert len(caught) == 1
    return str(caught[0].message)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("MANUFACTURER = Hoosier Racing Tire", r"MANUFACTURER \(line 249\), neither a number nor"),
        ("MANUFACTURER = 'Hoosier", r"MANUFACTURER \(line 249\), neither a number nor a word"),
        ("TEST_RUN = 12\nTEST_RUN = 13", r"TEST_RUN \(line 250\), .*or given twice; nothing"),
        ("TEST_SPEED = 1e30", r"TEST_SPEED = 1e[+]30, beyond any tyre"),
        ("RIM_WIDTH = 1e999", r"RIM_WIDTH \(line 249\), neither"),
        ("BELT_IXX = nan", r"BELT_IXX \(line 249\), neither"),
        ("$ fitted from runs\n12 and 13 of the rig", r"without a sign in line 250, taken as the"),
        ("X = 1 $ fitted\nfrom runs\nof a rig", r"has words without a sign in line 250, 251, "),
        ("Q_FCX = 0.1", r"has Q_FCX, by which forces .* the radial spring, which is not modelled"),
        ("QFCX1=0.1\nQFCY1=0.2\nQFCG1=0.3\nX=1", r"has QFCX1, QFCY1, QFCG1, by which forces in"),
        ("LMUV = 0.1", r"has LMUV, by which friction falls with the speed of sliding"),
    ],
)
def test_what_nothing_needs_is_told_and_never_refused(tmp_path: Path, line: str, told: str) -> None:
    """Forces are those of the file without the line."""
    data = ROAD_CAR_TYRE.read_text()
    assert data.count("\n") == 248
    path = made(tmp_path, f"{data}{line}\n")
    assert re.search(told, remarks(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        law = MagicFormula.from_tir(path, side="left")
    assert law.coefficients == MagicFormula.from_tir(ROAD_CAR_TYRE, side="left").coefficients


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (r"^MASS = 'kg'", "MASS = 'stone'", r"has a unit of MASS, 'stone', that is not known"),
        (r"^RIM_RADIUS .*", "RIM_RADIUS = 0.4", r"has RIM_RADIUS = 0.4, not below UNLOADED"),
        (r"^RIM_RADIUS .*", "RIM_RADIUS = 1e30", r"has RIM_RADIUS = 1e[+]30, beyond any tyre"),
        (r"^RIM_RADIUS .*", "RIM_RADIUS = 8 inch", r"has RIM_RADIUS \(line \d+\), neither"),
        (r"^QDRP2 .*", "QDRP2 = 1e30", r"has QDRP2 = 1e[+]30, beyond any tyre"),
        (r"^MASS = \d.*", "MASS = kg", None),
    ],
)
def test_placeholders_of_what_nothing_needs(
    tmp_path: Path, old: str, new: str, told: str | None
) -> None:
    data = re.sub(r"^BOTTOM_STIFF .*", "BOTTOM_STIFF = 0", ROAD_CAR_TYRE.read_text(), flags=re.M)
    changed, times = re.subn(old, new, data, flags=re.M)
    assert times == 1
    path = made(tmp_path, changed)
    if told is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            MagicFormula.from_tir(path, side="left")
    else:
        assert re.search(told, remarks(path))


def test_pressures_count_only_where_a_formula_has_them(tmp_path: Path) -> None:
    """MF 5.2 has none; a zero for one is refused in a file of PAC2002 alone."""
    path = write(tmp_path, 6, INFLPRES=0)
    MagicFormula.from_tir(path, side="left")
    path.write_text(path.read_text() + "PROPERTY_FILE_FORMAT = 'PAC2002'\n")
    with pytest.raises(ModelError, match="INFLPRES = 0; it must be positive"):
        MagicFormula.from_tir(path, side="left")


@pytest.mark.parametrize("line", ["PDX7", "PDX7 1.2", "PDX7: 1.2 $ of a fit", "<html>"])
def test_keys_without_equals_sign_are_no_wrapped_comment(tmp_path: Path, line: str) -> None:
    before = "" if line == "<html>" else "$ a comment\n"
    with pytest.raises(ModelError, match="is not a statement"):
        read_tir(made(tmp_path, f"{text()}{before}{line}\nX = 1\n"))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PDX1", "1e300", "PDX1 = 1e[+]300 is beyond what a tyre can have"),
        ("UNLOADED_RADIUS", "-1e13", "UNLOADED_RADIUS = -1e[+]13 is beyond"),
        ("PDY2", "1e11", r"PDY2 = 1e[+]11 gives forces that are not finite, or beyond"),
        ("PTX3", "-1e6", r"PTX3 = -1e[+]06 gives forces that are not finite"),
        ("RVY3", "nan", "RVY3 = 'nan' is not a finite number"),
    ],
)
def test_numbers_that_end_in_infinity_are_refused(
    tmp_path: Path, name: str, value: str, message: str
) -> None:
    data = re.sub(rf"^{name} = .*$", "", text(52, PTX1=1), flags=re.MULTILINE)
    path = made(tmp_path, f"{data}{name} = {value}\n")
    with pytest.raises(ModelError, match=rf"line \d+: {message}"):
        MagicFormula.from_tir(path, side="left")


def test_unknown_keys_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, 61, **{**ONES, "PDX7": 1, "BELT_MASS": 5, "Q_FCX": 0.1})
    with pytest.warns(ModelWarning, match="has PDX7, which no Magic Formula knows; ignored"):
        MagicFormula.from_tir(path, side="left")


def test_values_outside_the_file_s_own_ranges_are_told(tmp_path: Path) -> None:
    data = text(61, **ONES, PEX4=0, PRESMAX=230000).replace("FZMAX = 9000", "FZMAX = 500")
    told = (
        r"FNOMIN = 4000 outside .* load, 200 to 500; has INFLPRES = 240000 outside .* to 230000; "
    )
    with pytest.warns(ModelWarning, match=told):
        MagicFormula.from_tir(made(tmp_path, data), side="left")


def test_foreign_tyres_are_no_magic_formula(tmp_path: Path) -> None:
    data = "[MODEL]\nPROPERTY_FILE_FORMAT = 'USER'\nRATED_LOAD = 1662\n"
    with pytest.raises(ModelError, match=r"neither FITTYP nor PCX1, .*FORMAT = .USER.\); give"):
        MagicFormula.from_tir(made(tmp_path, data), side="left")


def test_later_editions_of_pac2002_have_more(tmp_path: Path) -> None:
    """Pressure and the overturning moment, whose names MF 5.2 has not."""
    more = {"PPY3": -0.1, "QSX4": 0.02, "IP": 2.4e5, "IP_NOM": 2.2e5}
    path = write(tmp_path, 6, **more)
    with pytest.warns(ModelWarning, match="has PPY3, QSX4, which MF 5.2 does not know"):
        plain = MagicFormula.from_tir(path, side="left")
    path.write_text(path.read_text() + "PROPERTY_FILE_FORMAT = 'PAC2002'\n")
    law = MagicFormula.from_tir(path, side="left")
    assert (plain.coefficients["PPY3"], law.coefficients["PPY3"]) == (0.0, -0.1)
    assert law.coefficients["QSX4"] == 0.02
    assert (law.pressure, law.coefficients["NOMPRES"]) == (2.4e5, 2.2e5)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"QDRP1": 0}, "QDRP1 = 0, and the moment"), ({"PECP1": 1}, "PECP1 = 1, and turn slip")],
)
def test_turn_slip_that_divides_by_zero(
    tmp_path: Path, changed: dict[str, float], message: str
) -> None:
    path = write(tmp_path, 61, **changed)
    MagicFormula.from_tir(path, side="left")
    with pytest.raises(ModelError, match=message):
        MagicFormula.from_tir(path, side="left", turn_slip=True)


ONES: dict[str, object] = dict.fromkeys((*SCALING, *NEW_SCALING), 1) | {
    name: DEFAULTS.get(name, 0) for name in VERTICAL
}
"""What has its default in a file, and is in it."""
