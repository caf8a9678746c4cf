"""Inputs over time: a mass under lines and jumps, whose motion is a polynomial by the piece."""

from __future__ import annotations

import contextlib
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from mbcore import Body, InputTable, Model, ModelError, ModelWarning, read_inputs, simulate
from mbcore import simulate_many as many
from mbcore.equations.equations import Equations
from mbcore.evaluation.input_file import Column, read_table
from mbcore.evaluation.input_table import TimedInput

TABLE = {"force": [0.0, 10.0, -5.0, -5.0, 20.0]}
TIMES = [0.0, 1.0, 1.0, 2.5, 3.5]
"""N and s. By hand, with 2 kg: v(1) = 2.5, x(1) = 5/6; v(2.5) = -1.25, x(2.5) = 5/6 + 15/16;
then v = -1.25 - 2.5 t + 6.25 t^2 and x is its integral."""
V, X = 2.5, 5 / 6 + 15 / 16 - 1.25 - 1.25 + 6.25 / 3
SLACK = {"DOP853": 1e-13, "RK45": 1e-13, "Radau": 1e-13, "BDF": 1e-7, "LSODA": 1e-7}


@pytest.fixture(scope="module")
def cart() -> Equations:
    model = Model("cart")
    force, place = model.input("force", unit="N"), model.point("place", (0, 0))
    place.y.fix()
    place.x.dof("x", "v").law(-force)
    model.add(Body("body", place, mass=2.0))
    model.output("felt", 2 * force, unit="N")
    return model.equations()


@pytest.mark.parametrize("method", SLACK)
def test_lines_and_jumps_are_integrated_exactly(cart: Equations, method: str) -> None:
    run = simulate(cart, 3.5, inputs=InputTable(TIMES, TABLE), method=method, backend="python")
    assert (run.final("v"), run.final("x")) == pytest.approx((V, X), abs=SLACK[method])


def test_a_jump_has_a_row_on_each_side(cart: Equations) -> None:
    table = InputTable(TIMES, TABLE)
    run = simulate(cart, 3.5, inputs=table, backend="python")
    assert run["felt"][run.time == 1.0] == pytest.approx([20.0, -10.0])
    sampled = simulate(cart, 3.5, inputs=table, samples=[0, 1, 2.5, 3.5], backend="python")
    assert sampled["felt"] == pytest.approx([0.0, 20.0, -10.0, 40.0])


def test_functions_that_jump_have_the_value_before_at_their_breaks(cart: Equations) -> None:
    # 4 N until 1 s, -4 N then: at rest at 2 s, after 2 m
    run = simulate(
        cart, 2, inputs={"force": lambda t: 4.0 if t < 1 else -4.0}, breaks=[1], backend="python"
    )
    assert (run.final("v"), run.final("x")) == pytest.approx((0.0, 2.0), abs=1e-13)
    assert run["force"][run.time == 1.0] == pytest.approx([4.0, -4.0])


def test_values_are_held_at_the_ends_and_that_is_told_once(cart: Equations) -> None:
    table = InputTable([0.5, 1.0], {"force": [2.0, 4.0]})
    said = r"rows of force are from 0.5 s to 1 s, the run from 0 s to 2 s: before it the first"
    with pytest.warns(ModelWarning, match=said) as told:
        run = simulate(cart, 2, inputs=table, backend="python")
    assert len(told) == 1
    # (0.5 2 + 0.5 3 + 1 4) / 2
    assert run.final("v") == pytest.approx(3.25, abs=1e-13)


def test_rows_beside_the_run_are_refused_with_both_ranges(cart: Equations) -> None:
    log = InputTable([100, 103], {"force": [2.0, 2.0]})
    said = "from 100 s to 103 s, the run from 0 s to 3 s, and they have no time in common"
    with pytest.raises(ModelError, match=said):
        simulate(cart, 3, inputs=log)
    with pytest.raises(ModelError, match="from 100 s to 103 s, the run from 200 s to 203 s"):
        simulate(cart, 3, inputs=log.begun_at(200))
    run = simulate(cart, 3, inputs=log.begun_at(100), backend="python")
    assert run.final("v") == pytest.approx(3.0, abs=1e-13)
    early = InputTable([-1, 3], {"force": [2.0, 2.0]})
    with pytest.warns(ModelWarning, match="those before the run are not used"):
        simulate(cart, 1, inputs=early, backend="python")


def test_many_take_a_table_as_one_does(cart: Equations) -> None:
    table = InputTable(TIMES, TABLE)
    start = {"x": np.array([0.0, 1.0])}
    found = many(cart, 3.5, start=start, inputs=table, backend="python", progress=False)
    assert found.v.values[:, -1] == pytest.approx([V, V], abs=1e-12)
    assert found.x.values[:, -1] == pytest.approx([X, X + 1], abs=1e-12)
    with pytest.warns(ModelWarning, match="after it the last row's values are held"):
        many(cart, 4, start=start, inputs=table, backend="python", progress=False)


def test_each_instance_may_have_a_table_of_its_own(cart: Equations) -> None:
    forces = [InputTable([0, 1], {"force": [0, 2 * k]})["force"] for k in (1, 2)]
    given = {"inputs": {"force": forces}, "backend": "python", "progress": False}
    found = many(cart, 1, **given)
    assert found.v.values[:, -1] == pytest.approx([0.5, 1.0], abs=1e-13)
    with pytest.warns(
        ModelWarning, match="rows of force are from 0 s to 1 s, the run from 0 s to 3"
    ):
        many(cart, 3, **given)


def test_what_is_no_real_number_is_held_from_row_to_row() -> None:
    gear = TimedInput(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]), holds=True)
    assert [gear(t) for t in (-1.0, 0.0, 0.99, 1.0, 1.99, 2.0, 9.0)] == [1, 1, 1, 3, 3, 2, 2]
    assert (gear.before(1.0), gear.slope(0.5)) == (1.0, 0.0)
    assert InputTable([0, 1], {"gear": [1, 2]}, holds=["gear"]).jumps == [0.0, 1.0]


def test_a_timed_input_is_a_piecewise_polynomial() -> None:
    force = InputTable(TIMES, TABLE)["force"]
    places = np.linspace(-1, 5, 61)
    assert [force(float(t)) for t in places] == pytest.approx(list(force(places)))
    assert force.integrate(0, 3.5) == pytest.approx(2 * V)
    assert (force.before(1.0), force(1.0), force.slope(1.0), force.slope(2.5)) == (10, -5, 0, 25)
    again = pickle.loads(pickle.dumps(force))
    assert (again(1.0), again.before(1.0)) == (-5.0, 10.0)


@pytest.mark.parametrize(
    ("time", "columns", "says"),
    [
        ([0, 1], {}, "give values by the names of inputs"),
        ([0, 1], {"force": [1]}, "force has 1 value for 2 times"),
        ([0, 1], {"force": [1, np.nan]}, "force is nan in row 2"),
        ([], {"force": []}, "time has the shape"),
        ([1, 0], {"force": [1, 1]}, "time 0 s: the time goes back"),
        ([0, 1, 1, 1], {"force": [1, 1, 1, 1]}, "time 1 s: a third row of this time"),
    ],
)
def test_tables_are_refused_by_name(time: list[float], columns: dict, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        InputTable(time, columns)


FILES = [
    "time (s),force (kN)\n0,0\n1,0.01\n",
    "time / s;force / kN\n0;0\n1;0,01\n",
    "Time,force\n0,0\n1,10\n",
    "t,force,\n0,0,\n1,10,\n",
    "[s],force [N]\n0,0\n1,10\n",
    "sep=;\ntime;force\n0;0\n1;10\n",
    '"sep=;"\n"time [ms]";"force [N]"\n"0";"0"\n"1000";"10"\n',
    "\ufefftime\tforce\n0\t0\n1\t1,0e1\n\n",
    "TIME [min],force\n0,0\n0.016666666666666666,10\n,\n",
    "time,felt,force\n0,3,0\n1,5,10\n",
]


@pytest.mark.filterwarnings("ignore:.*felt. calculated, no input; not used")
@pytest.mark.parametrize("text", FILES)
def test_files_of_loggers_and_spreadsheets_are_read(
    cart: Equations, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text, encoding="utf-8")
    table = read_inputs(path, cart)
    assert list(table) == ["force"]
    assert table.time == pytest.approx([0.0, 1.0])
    assert table.columns["force"] == pytest.approx([0.0, 10.0])


HEAD = "time [µs];angle [°]\n0;0\n2000000;180\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_files_in_encodings_of_spreadsheets_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log.csv"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + HEAD.encode(encoding))
    told = pytest.warns(ModelWarning, match=r"read as Windows-1252, as in line 1, 'time \[µs\]")
    with told if encoding == "cp1252" else contextlib.nullcontext():
        table = read_table(path, {"angle": Column("rad")})
    assert table.time[1] == pytest.approx(2.0)
    assert table.columns["angle"][1] == pytest.approx(math.pi)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (HEAD.encode("utf-16-le"), "zero bytes.*CSV UTF-8"),
        (b"time,\x81\n0,0\n", "not text in UTF-8.*CSV UTF-8"),
        (b"\xff\xfet", "not text in UTF-8"),
    ],
    ids=["zeros", "neither", "half"],
)
def test_files_of_no_text_are_refused(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=says):
        read_table(path, {"angle": Column("rad")})


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (
            "time [m],force",
            r"the column 'time \[m\]' .* a length, where a time is wanted; write \[s\]",
        ),
        ("time,force [m]", r"the column 'force \[m\]' .* a length, where a force is wanted.*\[N\]"),
        ("time,force [foo]", r"header = 'force \[foo\]': the unit 'foo' is unknown"),
    ],
)
def test_units_of_headers_are_told_as_they_stand(
    cart: Equations, tmp_path: Path, header: str, says: str
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"{header}\n0,1\n1,2\n")
    with pytest.raises(ModelError, match=says):
        read_inputs(path, cart)


def test_a_call_without_equations_and_a_missing_file_name_what_python_users_can_do(
    cart: Equations, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match=r"equations is missing; call read_inputs\(path, equations"):
        read_inputs(tmp_path / "log.csv")  # type: ignore[call-arg]
    with pytest.raises(ModelError, match=r"there is no file .*; give the path of a CSV file"):
        read_inputs(tmp_path / "log.csv", cart)


def test_columns_that_are_not_used_are_told(cart: Equations, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(FILES[-1])
    with pytest.warns(ModelWarning, match="log.csv: felt: calculated, no input; not used"):
        read_inputs(path, cart)


def test_whole_numbers_truth_and_choices_are_held(tmp_path: Path) -> None:
    path = tmp_path / "switches.csv"
    path.write_text("time;gear;on;mode;force\n0;1;true;eco;0\n1;3;FALSE;sport;2\n")
    columns = {
        "gear": Column(kind="whole"),
        "on": Column(kind="truth"),
        "mode": Column(kind="whole", items={"eco": 1, "sport": 4}),
        "force": Column("N"),
    }
    table = read_table(path, columns)
    assert [table[name](0.5) for name in columns] == [1.0, 1.0, 1.0, 1.0]
    assert [table[name](1.0) for name in columns] == [3.0, 0.0, 4.0, 2.0]
    for cell, says in (
        ("2,5;true;eco;0", "gear = '2,5'; give a whole number"),
        ("2;yes;eco;0", "on = 'yes'; give true or false"),
        ("2;true;race;0", "mode = 'race'; give one of eco, sport"),
    ):
        path.write_text(f"time;gear;on;mode;force\n0;{cell}\n")
        with pytest.raises(ModelError, match=says):
            read_table(path, columns)
