"""Tables over two variables: values and derivatives as SciPy has them, and what is refused."""

from __future__ import annotations

import re
import zipfile
from ast import literal_eval
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest
import xarray as xr
from scipy.interpolate import RectBivariateSpline, RegularGridInterpolator

from mbcore import Model, ModelError, ModelWarning, SimulationError, Table2D, simulate
from mbcore.codegen.libraries import code_size
from mbcore.codegen.model_source.lookups import definitions
from mbcore.codegen.program import program
from mbcore.fmi import export
from mbcore.fmi.export import _worth_sources
from mbcore.model.expressions import column
from mbcore.model.tables.common_formulas import common_once
from mbcore.model.tables.lookup import Lookup, without_slopes

ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
_random = np.random.default_rng(5)
X = np.sort(_random.uniform(-1, 2, 9))
Y = np.sort(_random.uniform(0, 3, 12))
Z = np.sin(2 * X)[:, None] * np.cos(Y) + 0.1 * _random.standard_normal((9, 12))
AT = (_random.uniform(X[0], X[-1], 400), _random.uniform(Y[0], Y[-1], 400))


def in_expressions(table: Table2D, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return ordinates and derivatives by CasADi, in the order of ``ORDERS``."""
    a, b = ca.SX.sym("x"), ca.SX.sym("y")
    z, both = table(a, b), ca.vertcat(a, b)
    hessian, slope = ca.hessian(z, both)
    results = (z, slope[0], slope[1], hessian[0, 0], hessian[0, 1], hessian[1, 1])
    function = ca.Function("f", [a, b], [column(map(without_slopes, results))])
    return np.array(function.map(len(x))(ca.DM(x).T, ca.DM(y).T))


def test_a_smooth_table_is_a_spline_of_scipy() -> None:
    table, spline = Table2D(X, Y, Z, interpolation="smooth"), RectBivariateSpline(X, Y, Z, s=0)
    found = in_expressions(table, *AT)
    for i, (dx, dy) in enumerate(ORDERS):
        wanted = spline(*AT, dx=dx, dy=dy, grid=False)
        # two ways to solve for a spline round differently, where lines of the grid are near
        size = 1e-12 * np.max(abs(wanted))
        assert found[i] == pytest.approx(wanted, abs=size)
        assert table.derivative(*AT, dx, dy) == pytest.approx(wanted, abs=size)


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_linear_table_is_that_of_scipy(goes_on: bool) -> None:
    options: dict[str, Any] = {"bounds_error": False, "fill_value": None} if goes_on else {}
    surface = RegularGridInterpolator((X, Y), Z, **options)
    table = Table2D.of(surface)
    x, y = AT
    if goes_on:
        x, y = np.concatenate([x - 1, x + 1]), np.concatenate([y, y - 2])
    wanted = surface(np.column_stack([x, y]))
    assert table.beyond == ("continue" if goes_on else "refuse")
    assert table(x, y) == pytest.approx(wanted, abs=1e-14 * np.max(abs(wanted)))
    assert in_expressions(table, x, y)[0].tolist() == table(x, y).tolist()


def test_the_cell_to_the_right_of_a_line_and_the_last_one_at_the_end() -> None:
    table = Table2D([0, 1, 2], [0, 1], [[0, 0], [1, 3], [5, 5]], beyond="hold")
    slopes = in_expressions(table, np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))[1:3]
    assert slopes.tolist() == [[2, 2, 0], [2, 0, 0]]
    assert table(3, 0.5) == 5.0 and table(0.5, -7) == 0.5


def test_c_has_each_ordinate_of_a_linear_table_once() -> None:
    a, b = ca.SX.sym("x"), ca.SX.sym("y")
    grid = np.arange(6000.0).reshape(60, 100)
    surface = Table2D(np.arange(60), np.arange(100), grid, beyond="hold")(a, b)
    made = program({"f": (ca.Function("f", [a, b], [surface]), (0, 1))}, [a, b])
    assert sum(lookup.rows.size == grid.size for lookup in made.lookups) == 1
    assert sum(lookup.rows.size + lookup.ends.size for lookup in made.lookups) < 1.2 * grid.size
    text = definitions(made.lookups)
    assert text.count("2345.0") == 1


def test_an_fmu_of_a_large_table_needs_no_sources(tmp_path: Path) -> None:
    model = Model("mapped")
    throttle = model.input("throttle", start=0.5)
    model.output("torque", Table2D([0, 1], [0, 1], [[0, 1], [2, 3]])(model.time, throttle))
    equations = model.equations()
    sizes = {}
    for sources in (True, False):
        made = export(equations, tmp_path, tools=[], sources=sources)
        for path in made:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                assert any(name.startswith("sources/") for name in names) is sources
                text = archive.read("modelDescription.xml").decode()
                assert ("SourceFiles" in text) is (sources and "fmi2" in path.parts)
        sizes[sources] = made[0].stat().st_size
    assert sizes[False] < sizes[True]


def test_fmus_of_large_tables_have_sources_where_there_is_nothing_else() -> None:
    large, tool = SimpleNamespace(numbers=250_001), SimpleNamespace()
    says = "mapped has no C sources, in which 250001 numbers .* second time; give sources=True"
    with pytest.warns(ModelWarning, match=says):
        assert not _worth_sources("mapped", large, [tool])  # type: ignore[arg-type, list-item]
    assert _worth_sources("mapped", large, [])  # type: ignore[arg-type]
    assert _worth_sources("mapped", SimpleNamespace(numbers=250_000), [tool])  # type: ignore[arg-type, list-item]


def test_c_has_the_digits_of_long_tables() -> None:
    rows = np.random.default_rng(0).standard_normal((20_001, 2))
    text = definitions([Lookup(np.arange(20_000.0), rows)])
    size, body = re.findall(r"\[(\d+)\]; } \w+_row = \{\{(.*?)\}\};", text, re.DOTALL)[0]
    # texts in C have the escapes of Python's bytes
    parts = [literal_eval(f"b{part}") for part in body.strip().split(",\n")]
    assert all(len(part) == 4088 for part in parts) and "??" not in body
    numbers = np.frombuffer(b"".join(parts), "<f8")
    assert len(numbers) == int(size) and not numbers[rows.size :].any()
    assert numbers[: rows.size].tolist() == rows.ravel().tolist()


def test_data_of_tables_do_not_make_compilers_optimize_less(tmp_path: Path) -> None:
    file, sizes = tmp_path / "tables.c", []
    for count in (50, 4_000, 40_000):  # as numbers, as bytes, more than code may be for -O2
        lookup = Lookup(np.arange(count), np.ones((count + 1, 5)) / 3)
        file.write_text(definitions([lookup]))
        sizes.append((code_size(file), file.stat().st_size))
    assert max(code for code, _ in sizes) < 2_000
    assert sizes[-1][1] > 2_000_000


def test_equal_formulas_of_a_large_table_are_found_without_its_numbers() -> None:
    """CasADi's search finds the same, from texts that hold all numbers."""
    a, b = ca.SX.sym("x"), ca.SX.sym("y")
    numbers = np.random.default_rng(0).standard_normal((150, 150))
    surface = Table2D(np.arange(150), np.arange(150), numbers, beyond="hold")
    value = surface(a, b) + surface(a, b) * surface(a + b, b)
    given = [without_slopes(ca.gradient(value, a)), ca.vertcat(value, 0, b).T, ca.SX(2, 3)]
    found = [ca.Function("f", [a, b], list(how(given))) for how in (common_once, ca.cse)]
    at = np.random.default_rng(1).uniform(0, 70, (20, 2))
    pairs = [(ours.n_instructions(), [ours(*one) for one in at]) for ours in found]
    assert pairs[0][0] == pairs[1][0] < ca.Function("f", [a, b], given).n_instructions()
    for ours, theirs in zip(pairs[0][1], pairs[1][1], strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one.sparsity() == other.sparsity() and one.nonzeros() == other.nonzeros()


def test_derivatives_depend_on_both_arguments() -> None:
    a, b = ca.SX.sym("x"), ca.SX.sym("y")
    for interpolation, order in (("linear", (1, 0)), ("smooth", (3, 0)), ("smooth", (0, 3))):
        slope = Table2D(X, Y, Z, interpolation=interpolation).derivative(a, b, *order)
        sparsity = ca.Function("f", [a, b], [slope])
        assert [sparsity.jac_sparsity(0, i).nnz() for i in range(2)] == [1, 1]


def test_a_table_of_xarray_and_units() -> None:
    grid = xr.DataArray(Z, coords={"speed": X, "load": Y}, dims=("speed", "load"))
    table = Table2D.of(grid, units=("mm", "1", "kN"), interpolation="smooth")
    assert table.units == ("m", "1", "N")
    assert table(X[3] * 1e-3, Y[4]) == pytest.approx(1e3 * Z[3, 4], rel=1e-13)


def test_a_table_that_refuses_is_a_requirement_for_each_argument() -> None:
    model = Model("map")
    throttle = model.input("throttle", start=0.5)
    model.output("z", Table2D([0, 1], [0, 1], [[0, 1], [2, 3]], name="map")(model.time, throttle))
    model.state("clock", 1.0, visibility="output")
    equations = model.equations()
    assert [r.name for r in equations.requirements] == ["map x, argument", "map y, argument"]
    assert simulate(equations, until=0.5, backend="python")["z"][-1] == pytest.approx(1.5)
    with pytest.raises(SimulationError, match=r"map x, argument = 1.* from 0 to 1"):
        simulate(equations, until=1.5, backend="python")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (([0, 1], [0, 1], [[0, 1]]), r"z has the shape \(1, 2\) for 2 x and 2 y; give a row"),
        (([0, 1], [1, 1], np.zeros((2, 2))), r"y\[1\] = 1 is repeated"),
        (([0, 1], [0, 1], [[0, 1], [np.nan, 1]]), r"z\[1, 0\] = nan is not a finite number"),
        (([0, 1], [0, 1], [[0, 1], [1]]), "z has 2 numbers in row 0 and 1 in row 1"),
        (([0], [0, 1], [[0, 1]]), "1 point for interpolation 'linear'"),
        (
            (range(1100), range(1000), np.zeros((1100, 1000))),
            "z has 1100000 points, and a table may have 1050000",
        ),
    ],
)
def test_wrong_grids_are_refused(given: Any, says: str) -> None:
    with pytest.raises(ModelError, match=f"^table 'map': {says}"):
        Table2D(*given, name="map")


def test_wrong_arguments_are_refused() -> None:
    table = Table2D([0, 1], [0, 1], [[0, 1], [2, 3]])
    with pytest.raises(ModelError, match="y is 2, outside of its points from 0 to 1; give"):
        table(0.5, 2)
    with pytest.raises(AttributeError, match=r"over one variable has it: Table\(x, y\)"):
        table.integral  # noqa: B018
    with pytest.raises(ModelError, match="'monotone' is for tables over one variable; give"):
        Table2D([0, 1], [0, 1], [[0, 1], [2, 3]], interpolation="monotone")
    with pytest.raises(ModelError, match=r"units = 'm'; give 3 texts, as in \('rpm', "):
        Table2D([0, 1], [0, 1], [[0, 1], [2, 3]], units="m")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"^table: x is nan; give a finite number"):
        table(np.nan, 0)
    with pytest.raises(ModelError, match=r"^table: y is inf; give a finite number"):
        table(0, np.inf)
    with pytest.raises(ModelError, match="RegularGridInterpolator"):
        Table2D.of(RegularGridInterpolator((X, Y), Z, method="cubic"))
