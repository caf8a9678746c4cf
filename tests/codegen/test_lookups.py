"""Tables in C: in FMUs with directional derivatives, compiled equations and lanes; the search."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CDLL, c_double
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline

from mbcore import Body, Model, Table, simulate, simulate_many
from mbcore.codegen.compiler import FLAGS, find_compiler
from mbcore.codegen.model_source.lookups import definitions
from mbcore.codegen.runtime import runtime_files
from mbcore.fmi import Component, export
from mbcore.model.tables.lookup import Lookup
from tests.conftest import OK, VERSIONS, Archive, Instance
from tests.curves import CLOSE, GRID, HEIGHTS, PARTIAL, Curve, curves, observed
from tests.fmi.calls.test_fmu_derivatives import derivative, jacobian, references

COUNT = 10_000
KINDS = curves()


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Archive]:
    """Return the FMU of all kinds by versions of FMI."""
    made = tmp_path_factory.mktemp("tables")
    export(Component("curves", "tables of all kinds", observed(KINDS).equations()), made)
    return {v: Archive.of(made / f"fmi{v[0]}" / "curves.fmu") for v in VERSIONS}


@pytest.mark.heavy
@pytest.mark.parametrize("version", VERSIONS)
def test_values_and_derivatives_in_an_fmu(archives: dict[str, Archive], version: str) -> None:
    """The first derivatives once more as directional ones: of ordinates and of slopes."""
    names = [f"{name}[{order}]" for name in KINDS for order in range(3)]
    with Instance(archives[version], "ModelExchange") as fmu:
        assert fmu.initialize() == OK, fmu.said
        unknowns, [known] = references(fmu, names), references(fmu, ["argument"])
        for name, curve in KINDS.items():
            at = _inside(curve)
            outputs, changes = np.empty((len(at), 3)), np.empty((len(at), 2))
            first = 3 * list(KINDS).index(name)
            for i, x in enumerate(at):
                assert fmu.set({"argument": x}) == OK
                outputs[i] = fmu.values(names[first : first + 3])
                status, changes[i] = derivative(fmu, unknowns[first : first + 2], [known], [1.0])
                assert status == OK, fmu.said
            for order in range(3):
                assert curve.error(outputs[:, order], at, order) < CLOSE
            for order in (1, 2):
                assert curve.error(changes[:, order - 1], at, order) < CLOSE


def _inside(curve: Curve) -> np.ndarray:
    """Return places within all tables, for one that refuses others is among them."""
    ends = KINDS["monotone"].table.x
    at = curve.places(COUNT)
    return at[(at >= ends[0]) & (at <= ends[-1])]


@pytest.mark.heavy
@pytest.mark.parametrize("version", VERSIONS)
def test_a_table_over_two_variables_in_an_fmu(archives: dict[str, Archive], version: str) -> None:
    spline = RectBivariateSpline(*GRID, HEIGHTS, s=0)
    random = np.random.default_rng(1)
    x, y = random.uniform(-1.9, 2.8, 1000), random.uniform(0, 2, 1000)
    names = [f"surface[{dx},{dy}]" for dx, dy in PARTIAL]
    wanted = np.column_stack([spline(x, y, dx=dx, dy=dy, grid=False) for dx, dy in PARTIAL])
    with Instance(archives[version], "ModelExchange") as fmu:
        assert fmu.initialize() == OK, fmu.said
        unknowns, knowns = references(fmu, names[:2]), references(fmu, ["argument", "other"])
        for i in range(len(x)):
            assert fmu.set({"argument": x[i], "other": y[i]}) == OK
            assert fmu.values(names) == pytest.approx(wanted[i], abs=1e-13)
            found = jacobian(fmu, unknowns, knowns)
            slopes = [[wanted[i, 1], wanted[i, 2]], [wanted[i, 3], wanted[i, 4]]]
            assert found == pytest.approx(np.array(slopes), abs=1e-13)


@pytest.mark.heavy
def test_values_do_not_depend_on_what_was_asked_before(archives: dict[str, Archive]) -> None:
    at = _inside(KINDS["monotone"])[:500]
    names = [f"{name}[{order}]" for name in KINDS for order in range(3)]
    found = []
    with Instance(archives["3.0"], "ModelExchange") as fmu:
        assert fmu.initialize() == OK
        for order in (np.arange(500), np.random.default_rng(0).permutation(500)):
            values = np.empty((500, len(names)))
            for i in order:
                assert fmu.set({"argument": at[i]}) == OK
                values[i] = fmu.values(names)
            found.append(values.tobytes())
    assert found[0] == found[1]


@pytest.mark.heavy
def test_a_table_that_refuses_is_told_by_an_fmu(archives: dict[str, Archive]) -> None:
    with Instance(archives["3.0"]) as fmu:
        assert fmu.initialize() == OK
        assert fmu.step(0.1) == OK
        assert fmu.set({"argument": 4.0}) == OK
        assert fmu.step(0.1) != OK or fmu.try_get("monotone[0]") != OK
        assert "table, argument: the points of this table are from -1.99255 to" in fmu.said
        assert "(it is 4 at t =" in fmu.said


@pytest.mark.heavy
def test_compiled_equations_and_lanes_go_where_those_in_python_go() -> None:
    model = Model("driven")
    mass = model.point("mass")
    model.add(Body("body", mass, mass=1.0))
    mass.y.fix()
    force = model.input("force", unit="N")
    mass.x.dof("x", "v").spring(Table([-2, -1, 0, 1, 2], [-9, -2, 0, 2, 9], interpolation="smooth"))
    model.load(force + KINDS["wave"].table(model.time), mass.x.rate)
    equations = model.equations()
    given: dict[str, Any] = {"until": 5.0, "rtol": 1e-11, "atol": 1e-13, "samples": 11}
    python = simulate(equations, inputs={"force": 0.5}, backend="python", **given)
    compiled = simulate(equations, inputs={"force": 0.5}, backend="c", **given)
    # a step over a knot has the order of the spline's smoothness
    assert compiled["x"] == pytest.approx(python["x"], abs=1e-7)
    many = simulate_many(equations, **given, inputs={"force": np.array([0.5, -0.5, 0.5])})
    assert many.x.values[0] == pytest.approx(python["x"], abs=1e-7)
    assert many.x.values[0].tobytes() == many.x.values[2].tobytes()


AXES = {
    "equal": np.linspace(-1, 1, 1000),
    "powers": 10.0 ** np.arange(-30, 30),
    "neighbours": np.concatenate([[0.0], np.nextafter(1, 2) + np.arange(9) * 2.0**-52, [1e9]]),
    "two": np.array([-1e300, 1e300]),
    "tiny": np.array([1.0, 2.0, 3.0]) * 5e-324,
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", AXES)
def test_a_search_in_c_is_that_of_numpy(name: str, tmp_path: Path) -> None:
    ends = AXES[name]
    lookup = Lookup(ends, np.arange(2.0 * len(ends) + 2).reshape(-1, 2))
    at = np.concatenate([ends, np.nextafter(ends, -np.inf), np.nextafter(ends, np.inf)])
    at = np.concatenate([at, (ends[1:] / 2 + ends[:-1] / 2), [-np.inf, np.inf]])
    found = _searched(lookup, tmp_path)
    assert [found(x) for x in at] == lookup.rows[lookup.place(at), 0].tolist()
    assert found(np.nan) == 0.0  # the first row, whose polynomial is NaN there


def _searched(lookup: Lookup, folder: Path) -> Callable[[float], float]:
    """Return the first number of the row of an argument, as C finds it."""
    row = f"{lookup.name}.row[(int)mb_piece(&{lookup.name}, x)]"
    source, target = folder / "lookup.c", folder / "lookup.so"
    text = [
        definitions([lookup]),
        "double found(double x);",
        f"double found(double x) {{ return {row}; }}",
    ]
    source.write_text("\n".join(text))
    compiler = find_compiler()
    flags = [flag for flag in FLAGS if "visibility" not in flag]
    places = {f"-I{file.parent}" for file in runtime_files("*.h")}
    compiler.run(*flags, "-O2", "-shared", *compiler.position_flags, *places, source, "-o", target)
    found = CDLL(str(target)).found
    found.restype, found.argtypes = c_double, [c_double]
    return found  # type: ignore[no-any-return]
