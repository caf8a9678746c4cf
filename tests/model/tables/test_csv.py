"""Tables from CSV files as loggers and spreadsheets write them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbcore import ModelError, ModelWarning, Table, Table2D
from mbcore.model.tables.text_table import parted


@pytest.mark.parametrize(
    "text",
    [
        "travel [mm],force [kN]\n-20,-0.5\n0,0\n40,1.6\n",
        "travel (mm);force (kN)\n-20;-0,5\n0;0\n40;1,6\n",
        "sep=;\nn;force / kN;travel / mm\n1;-0,5;-20\n2;0;0\n3;1,6;40\n",
        "\ufefftravel [mm]\tforce [kN]\t\n-20\t-0.5\t\n\n0\t0\t\n40\t16e-1\t\n",
    ],
)
def test_columns_are_converted_from_their_units(text: str, tmp_path: Path) -> None:
    """Half way from 0 to 1.6 kN."""
    file = tmp_path / "strut.csv"
    file.write_text(text, encoding="utf-8")
    table = Table.from_csv(file, "travel", "force", beyond="linear")
    assert (table.name, table.units) == ("force", ("m", "N"))
    assert table.x == pytest.approx([-0.02, 0, 0.04])
    assert table(0.02) == pytest.approx(800)


def test_columns_by_place_and_by_whole_headers(tmp_path: Path) -> None:
    file = tmp_path / "two.csv"
    file.write_text("h;F front [N];F rear [kN]\n0;0;0\n1;200;0,3\n")
    given = ("", "")
    assert Table.from_csv(file, "h", "F front", units=given)(0.5) == pytest.approx(100)
    table = Table.from_csv(file, "h", "F rear [kN]", units=given, name="rear")
    assert table(0.5) == pytest.approx(150) and table.name == "rear"


def test_windows_1252_is_read_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "gemessen.csv"
    file.write_bytes("Länge [mm];Kraft [N]\n0;0\n10;5,5\n".encode("cp1252"))
    with pytest.warns(ModelWarning, match=r"gemessen\.csv is not UTF-8: read as Windows-1252"):
        assert Table.from_csv(file, "Länge", "Kraft")(0.01) == pytest.approx(5.5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x [m],F [N]\n0,1\n1,two\n", r"bad\.csv, line 3: F = 'two'; give a finite number"),
        ("x [m],F [N]\n0,1\n1,\n", r"line 3: F = ''; give a finite"),
        ("x [m],F [N]\n0,1\n2,2\n\n1,3\n", r"line 5: x = 1 falls after 2; sort the lines by x"),
        ("x [m],F [N]\n0,1\n0,2\n", r"line 3: x = 0 is repeated after 0; sort"),
        ("x [m],F [N]\n0,1\n1\n", r"line 3: 1 value for 2 columns; give 2 values in each line"),
        ("x [m],F [N]\n0,1\n1,2,5\n", r"line 3: 3 values for 2 columns; decimals with commas"),
        ("x [m],Force [N]\n0,1\n1,2\n", r"bad\.csv: .*'F'.* x \[m\], Force \[N\]"),
        (
            "x [m],F (front)\n0,1\n1,2\n",
            r"header = 'F \(front\)': .*'front' is unknown.*append the unit",
        ),
        ("x [m],F [kN]\n0,1\n1,2\n", None),
        ("0,1\n1,2\n", r"its first line, '0,1', holds numbers alone; begin with a header"),
        ("x,F\n", r"bad\.csv has one line alone, 'x,F'; give a header and rows"),
        ("", r"bad\.csv has nothing in it"),
    ],
)
def test_files_are_refused_with_line_and_value(text: str, says: str | None, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text)
    if says is None:
        says = r"column 'F \[N\]' is 'F \[kN\]' there; give it as it is"
        with pytest.raises(ModelError, match=says):
            Table.from_csv(file, "x", "F [N]")
        return
    with pytest.raises(ModelError, match=says):
        Table.from_csv(file, "x", "F")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "strut.csv").write_text("x,F\n0,0\n1,1\n")
    with pytest.raises(ModelError, match=r"no file .*strutt\.csv; did you mean .*strut\.csv"):
        Table.from_csv(tmp_path / "strutt.csv")


def test_a_map_is_a_grid_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "motor.csv"
    file.write_text("rpm \\ pedal;0;0,5;1\n0;0;45;90\n2000;0;80;160\n")
    table = Table2D.from_csv(file, units=("rpm", "1", "N.m"))
    with pytest.warns(ModelWarning, match=r"x, y, z without a unit: taken in SI units"):
        assert Table2D.from_csv(file)(1000, 0.75) == pytest.approx((45 + 90 + 80 + 160) / 4)
    file.write_text(file.read_text().replace("rpm \\ pedal", "n [rpm] \\ pedal [1] \\ M [Nm]"))
    read = Table2D.from_csv(file)
    assert (read.units, *read.x) == (table.units, *table.x)
    assert table.name == "motor"
    assert table(1000 * 2 * 3.141592653589793 / 60, 0.75) == pytest.approx((45 + 90 + 80 + 160) / 4)
    file.write_text("rpm,0,1\n0,0,90\n2000,0,x\n")
    with pytest.raises(ModelError, match=r"motor\.csv, line 3: column 3 = 'x'; give a finite"):
        Table2D.from_csv(file)


@pytest.mark.parametrize("header", ["speed km/h", "force N/mm"])
def test_a_unit_with_a_slash_stands_in_brackets(header: str, tmp_path: Path) -> None:
    file = tmp_path / "drive.csv"
    file.write_text(f"time / s,{header}\n0,1\n1,2\n")
    name, unit = header.split()
    with pytest.raises(ModelError, match=rf"write its unit in brackets, '{name} \[{unit}\]'"):
        Table.from_csv(file)
    file.write_text(f"time / s,{name} / ({unit})\n0,1\n1,2\n")
    assert Table.from_csv(file, "time", name)(0.0) > 0
    file.write_text(f"time / s,x [m],{header}\n0,1,1\n1,2,1\n")
    assert Table.from_csv(file, "time", "x")(1.0) == 2


@pytest.mark.parametrize(("unit", "factor"), [("°", 0.017453292519943295), ("µm", 1e-6), ("Nm", 1)])
def test_units_are_read_as_people_write_them(unit: str, factor: float, tmp_path: Path) -> None:
    """Pi / 180 to a degree; both letters that look like a micro sign."""
    file = tmp_path / "measured.csv"
    for text in {unit, unit.replace("\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}")}:
        file.write_text(f"a [{text}],F [N]\n0,0\n2,1\n", encoding="utf-8")
        assert Table.from_csv(file).x[1] == pytest.approx(2 * factor, rel=1e-15)
        assert Table([0, 2], [0, 1], units=(text, "N")).x[1] == Table.from_csv(file).x[1]


def test_a_header_without_units_is_told_once_or_given_them(tmp_path: Path) -> None:
    file = tmp_path / "strut.csv"
    file.write_text("travel,force [N]\n0,0\n10,4\n")
    with pytest.warns(ModelWarning, match=r"strut\.csv: travel without a unit: ta") as told:
        assert Table.from_csv(file)(5) == 2
    assert len(told) == 1
    assert Table.from_csv(file, units=("mm", ""))(0.005) == pytest.approx(2)
    with pytest.raises(ModelError, match=r"units has 'kN' for the column 'force \[N\]'; "):
        Table.from_csv(file, units=("mm", "kN"))


@pytest.mark.parametrize(
    ("header", "written", "units"),
    [
        ("travel [mm],force", "force [N]", "('mm', 'N')"),
        ("travel,force [kN]", "travel [m]", "('m', 'kN')"),
        ("travel,force", "travel [m]", "('m', 'N')"),
    ],
)
def test_the_units_proposed_keep_that_of_the_header(
    header: str, written: str, units: str, tmp_path: Path
) -> None:
    file = tmp_path / "strut.csv"
    file.write_text(f"{header}\n0,0\n10,4\n")
    says = f"header, as in '{written}', or give them, as in units={units}; "
    with pytest.warns(ModelWarning, match=re.escape(says)):
        Table.from_csv(file)


@pytest.mark.parametrize(
    ("text", "asked", "says"),
    [
        ("n,t,x,F\n1,0,0,1\n", (), r"4 columns: n, t, x, F; name two of them, as in f"),
        ("n,t,x,F\n1,0,0,1\n", ("x",), r"4 columns.*name two"),
        ("x,F\n0,1\n", ("x", "x"), r"'x' is asked for twice"),
        ("x,F,F\n0,1,2\n", ("x", "F"), r"two columns are headed 'F'; rename one"),
        ("x,F [N],F [kN]\n0,1,2\n", ("x", "F"), r"two columns are called F; give the who"),
        ("x,v km/h\n0,1\n", ("x", "v"), r"write its unit in brackets, 'v \[km/h\]'"),
        ("x;F\n0;0,5\n1;1.5\n", ("x", "F"), r"line 3: F = '1\.5'; decimals of other"),
        ("x;F\n0;1.500\n1;1,5\n", ("x", "F"), r"line 2: F = '1\.500'; decimals of"),
    ],
)
def test_nothing_is_guessed(text: str, asked: tuple[str, ...], says: str, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(ModelError, match=says):
        Table.from_csv(file, *asked, units=("", ""))


def test_unknown_arguments_are_told_with_similar_ones(tmp_path: Path) -> None:
    file = tmp_path / "units.csv"
    file.write_text("x [m],F [N]\n0,1\n1,3\n")
    says = r"^Table\.from_csv: no argument 'endsteps'; did you mean 'end_steps'\? There is path, "
    with pytest.raises(TypeError, match=says):
        Table.from_csv(file, endsteps=True)
    with pytest.raises(TypeError, match=r"^Table2D\.from_csv: .* did you mean 'interpolation'\?"):
        Table2D.from_csv(file, interpolate="smooth")
    assert Table.from_csv(file, end_steps=True).end_steps


def test_one_name_leaves_the_other_column(tmp_path: Path) -> None:
    file = tmp_path / "turned.csv"
    file.write_text("F [N],x [m]\n1,0\n3,1\n")
    assert Table.from_csv(file, "x")(0.5) == 2
    assert Table.from_csv(file, y="F")(0.5) == 2


@pytest.mark.parametrize(
    ("cell", "known", "expected"),
    [
        ("force [ N ]", (), ("force", "N")),
        ("force ( kN )", (), ("force", "kN")),
        ("force / (kN)", (), ("force", "kN")),
        ("rate (1/(N.s))", (), ("rate", "1/(N.s)")),
        ("force", (), ("force", "")),
        ("[ms]", (), ("[ms]", "")),
        ("[ms]", ("",), ("", "ms")),
        ("load (left)", ("load (left)",), ("load (left)", "")),
        ("load (left) [kN]", ("load (left)",), ("load (left)", "kN")),
        ("flow / m3 (dry)", ("flow",), ("flow", "m3 (dry)")),
        ("flow / m3 (dry)", (), ("flow / m3", "dry")),
    ],
)
def test_a_header_is_parted_into_name_and_unit(
    cell: str, known: tuple[str, ...], expected: tuple[str, str]
) -> None:
    """Names that are known keep brackets and slashes of their own, as those of inputs may have."""
    assert parted(cell, known) == expected
