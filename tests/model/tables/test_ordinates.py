"""Tables whose ordinates are parameters: in Python, C and FMUs, with derivatives by them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from mbcore import Body, Equations, Model, ModelError, Table, simulate, simulations, sweep
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import export
from tests.conftest import OK, VERSIONS, Archive, Instance
from tests.fmi.calls.test_fmu_derivatives import derivative, references

X = np.linspace(-1, 1, 9)
Y = X + X**3
KINDS = ("linear", "smooth")


def oscillator(kind: Any, parameter: bool = True, **options: Any) -> Equations:
    """Return the equations of 1 kg on a spring by a table."""
    model = Model("oscillator")
    place = model.point("place", (0, 0))
    place.y.fix()
    options = {"name": "spring.force", "units": ("m", "N"), **options}
    table = Table(X, Y, interpolation=kind, parameter=parameter, **options)
    place.x.dof("x", "v", start=0.3).spring(table)
    model.add(Body("mass", place, mass=1.0))
    model.output("force", table(place.x.value), unit="N")
    model.output("stiffness", table.derivative(place.x.value), unit="N/m")
    model.output("energy", table.integral(place.x.value), unit="J")
    return model.equations()


def expected(kind: str, y: np.ndarray, x: float) -> np.ndarray:
    """Return ordinate, slope and integral from the first point, by SciPy."""
    if kind == "smooth":
        spline = CubicSpline(X, y)
        return np.array([spline(x), spline(x, 1), spline.integrate(X[0], x)])
    i = int(np.searchsorted(X, x, side="right")) - 1
    knots = np.append(X[: i + 1], x)
    values = np.interp(knots, X, y)
    return np.array(
        [values[-1], (y[i + 1] - y[i]) / (X[i + 1] - X[i]), np.trapezoid(values, knots)]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_new_ordinates_are_those_of_a_new_table(kind: str) -> None:
    """All at once by the table's name, or one of them; SciPy has the values."""
    equations, other = oscillator(kind), np.cos(X)
    for given, y in (
        (None, Y),
        ({"spring.force": other}, other),
        ({"spring.force[3]": 7.0}, np.where(np.arange(9) == 2, 7.0, Y)),
    ):
        point = Evaluation(equations, parameters=given)
        for x in (-0.99, 0.3, 0.5, 0.97):
            point.s[:] = [0.0, x]
            point.configure()
            assert point.output()[:3] == pytest.approx(expected(kind, y, x), rel=1e-14, abs=1e-14)
    records = equations.parameters
    assert [r.name for r in records] == [f"spring.force[{i}]" for i in range(1, 10)]
    assert {(r.unit, r.tunable) for r in records} == {("N", kind == "smooth")}


@pytest.mark.parametrize("beyond", ["hold", "linear", "continue"])
def test_beyond_the_ends_and_integrals_follow_the_ordinates(beyond: Any) -> None:
    """The same as a table of these ordinates as numbers."""
    y, places = np.exp(X), (-1.5, -1.0, 1.0, 1.7)
    own, fixed = (
        oscillator("smooth", beyond=beyond),
        Table(X, y, interpolation="smooth", beyond=beyond),
    )
    point = Evaluation(own, parameters={"spring.force": y})
    for x in places:
        point.s[:] = [0.0, x]
        point.configure()
        values = [fixed(x), fixed.derivative(x), fixed.integral(x)]
        assert point.output()[:3] == pytest.approx(values, rel=1e-13, abs=1e-13)


def test_a_periodic_table_has_one_ordinate_less() -> None:
    """Its integral grows by a turn's at each turn: of 1 + cos, 2 pi."""
    import casadi as ca

    angle = np.linspace(0, 2 * np.pi, 13)
    y = 1 + np.cos(angle)
    table = Table(
        angle,
        y,
        interpolation="smooth",
        periodic=True,
        parameter=True,
        name="cam",
        units=("rad", "m"),
    )
    x = ca.SX.sym("x")
    symbols = ca.vertcat(*(s for s in ca.symvar(table.integral(x)) if s.name() != "x"))
    assert symbols.numel() == 12
    f = ca.Function("f", [x, symbols], [table(x), table.integral(x)])
    by_name = {f"cam[{i + 1}]": value for i, value in enumerate(y[:-1])}
    values = [by_name[s.name()] for s in ca.vertsplit(symbols)]
    for turns in (0, 2):
        height, whole = f(1.0 + turns * 2 * np.pi, values)
        assert float(height) == pytest.approx(table(1.0), abs=1e-13)
        assert float(whole) - float(f(1.0, values)[1]) == pytest.approx(
            2 * np.pi * turns, abs=1e-12
        )


@pytest.mark.parametrize(
    ("kwargs", "says"),
    [
        ({"name": "table"}, r"its ordinates are parameters, which need a name; give one"),
        (
            {"interpolation": "monotone"},
            r"'monotone' follows from signs .* give 'smooth' or 'linear'",
        ),
        ({"parameter": "yes"}, r"parameter = 'yes'; give True or False"),
        (
            {"x": np.arange(101), "y": np.arange(101)},
            r"101 ordinates are too many for parameters, .* give 100 at most",
        ),
    ],
)
def test_what_cannot_be_parameters_is_refused(kwargs: Any, says: str) -> None:
    given = {"x": X, "y": Y, "name": "force", "parameter": True, **kwargs}
    with pytest.raises(ModelError, match=says):
        Table(**given)


def test_wrong_values_are_refused_by_name() -> None:
    equations = oscillator("smooth")
    for wrong in (np.zeros(8), 1.0, "1 N", np.zeros((3, 3))):
        with pytest.raises(
            ModelError,
            match=r"spring\.force = .*; spring\.force has 9 values, spring\.force\[1\] to",
        ):
            Evaluation(equations, parameters={"spring.force": wrong})
    with pytest.raises(ModelError, match=r"spring\.force\[2\] = nan: must be a finite number"):
        Evaluation(equations, parameters={"spring.force": [0, np.nan, *range(7)]})
    with pytest.raises(ModelError, match=r"no parameter 'spring\.farce'"):
        Evaluation(equations, parameters={"spring.farce": Y})


def test_all_ordinates_and_one_of_them_are_given_twice() -> None:
    """In either order."""
    equations = oscillator("smooth")
    both: dict[str, Any] = {"spring.force": Y, "spring.force[2]": -100.0}
    for given in (both, dict(reversed(both.items()))):
        first, last = map(re.escape, map(repr, given))
        says = rf"spring\.force\[2\] is given twice, by {first} and by {last}; leave one"
        with pytest.raises(ModelError, match=says):
            Evaluation(equations, parameters=given)


def test_tables_of_one_name_are_told_to_differ() -> None:
    model = Model("two")
    place = model.point("place", (0, 0))
    model.add(Body("mass", place, mass=1.0))
    for component in (place.x, place.y):
        component.dof().spring(Table(X, Y, name="force", parameter=True))
    says = r"parameter 'force' exists already; .*; give another name= to a table 'force', "
    with pytest.raises(ModelError, match=says):
        model.equations()


def test_a_swept_ordinate_takes_its_place_among_all() -> None:
    equations = oscillator("smooth")
    given = {"spring.force": 2 * Y}
    task = simulations(
        equations, 0.01, parameters=given, outputs=["force"], samples=2, backend="python"
    )
    found = sweep(task, {"spring.force[2]": [-3.0, -4.0]}, workers=1, progress=False)
    for value, force in zip((-3.0, -4.0), found["force"].values, strict=True):
        y = np.where(np.arange(9) == 1, value, 2 * Y)
        assert force[0] == pytest.approx(expected("smooth", y, 0.3)[0], rel=1e-13)


def test_runs_differ_by_their_ordinates_in_c() -> None:
    """Twice the ordinates as with a table of twice these; the same energy of the spring."""
    y = 2 * Y
    run = simulate(oscillator("smooth"), 2.0, parameters={"spring.force": y}, backend="python")
    model = Model("plain")
    place = model.point("place", (0, 0))
    place.y.fix()
    place.x.dof("x", "v", start=0.3).spring(Table(X, y, interpolation="smooth", units=("m", "N")))
    model.add(Body("mass", place, mass=1.0))
    plain = simulate(model.equations(), 2.0, backend="python")
    assert run["x"][-1] == pytest.approx(plain["x"][-1], abs=1e-12)


@pytest.mark.heavy
@pytest.mark.parametrize("kind", KINDS)
def test_fmus_have_the_ordinates_as_parameters(kind: str, tmp_path: Path) -> None:
    """Values and directional derivatives by x and by all ordinates, of SciPy's curve."""
    export(oscillator(kind), tmp_path, arrays=False)
    y = np.sin(2 * X)
    names = [f"spring.force[{i}]" for i in range(1, 10)]
    for version in VERSIONS:
        archive = Archive.of(tmp_path / f"fmi{version[0]}" / "oscillator.fmu")
        with Instance(archive, "ModelExchange") as fmu:
            assert fmu.set(dict(zip(names, y, strict=True))) == OK
            assert fmu.initialize() == OK, fmu.said
            assert fmu.set({"x": 0.4}) == OK
            assert fmu.values(["force", "stiffness", "energy"]) == pytest.approx(
                expected(kind, y, 0.4), rel=1e-13
            )
            [force] = references(fmu, ["force"])
            status, by_x = derivative(fmu, [force], references(fmu, ["x"]), [1.0])
            assert (status, *by_x) == (OK, pytest.approx(expected(kind, y, 0.4)[1], rel=1e-13))
            cardinal = np.array([expected(kind, one, 0.4)[0] for one in np.eye(9)])
            for i, known in enumerate(references(fmu, names) if kind == "smooth" else []):
                status, by_y = derivative(fmu, [force], [known], [1.0])
                assert (status, *by_y) == (OK, pytest.approx(cardinal[i], abs=1e-13))
            tuned = fmu.set({names[5]: 3.0})
            assert (tuned == OK) == (kind == "smooth")
