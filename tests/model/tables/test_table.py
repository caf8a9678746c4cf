"""Tables: values, derivatives and integrals, in numbers and in expressions, and what is refused."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import casadi as ca
import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import (
    Akima1DInterpolator,
    BSpline,
    CubicSpline,
    PchipInterpolator,
    PPoly,
    RegularGridInterpolator,
    interp1d,
    make_interp_spline,
)

import mbcore
from mbcore import (
    Body,
    Equations,
    ExpressionError,
    Model,
    ModelError,
    SimulationError,
    Table,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.expressions import column
from mbcore.model.tables.lookup import without_slopes
from tests.curves import CLOSE, TURN, WAVE, Curve, X, Y, curves

KINDS = curves()


def in_expressions(table: Table, at: np.ndarray) -> np.ndarray:
    """Return ordinates and two derivatives, these by CasADi, shape (3, n)."""
    x = ca.SX.sym("x")
    y = table(x)
    slope = ca.jacobian(y, x)
    results = [without_slopes(e) for e in (y, slope, ca.jacobian(slope, x))]
    function = ca.Function("f", [x], [column(results)])
    return np.array(function.map(len(at))(ca.DM(at).T))


@pytest.mark.parametrize("name", KINDS)
def test_values_and_derivatives_are_those_of_scipy(name: str) -> None:
    curve = KINDS[name]
    at = curve.places(1000)
    found = in_expressions(curve.table, at)
    for order in range(3):
        assert curve.error(found[order], at, order) < CLOSE
        assert curve.error(curve.table.derivative(at, order), at, order) < CLOSE


@pytest.mark.parametrize("kind", ["forward", "reverse"])
def test_second_derivatives_have_no_part_of_the_search(kind: str) -> None:
    """Of sin by a spline with 400 points, whose error is below h^2 = 3e-4 in y''."""
    x = np.linspace(0, 6, 401)
    table = Table(x, np.sin(x), interpolation="smooth")
    h, w = ca.SX.sym("h"), ca.SX.sym("w")
    y = table(h * w) * w
    both = ca.vertcat(h, w)
    if kind == "reverse":
        hessian = ca.hessian(y, both)[0]
    else:
        slope = ca.vertcat(*(ca.jtimes(y, both, ca.DM([i == 0, i == 1])) for i in range(2)))
        hessian = ca.horzcat(*(ca.jtimes(slope, both, ca.DM([i == 0, i == 1])) for i in range(2)))
    found = np.array(ca.Function("H", [h, w], [hessian])(1.5, 2.0))
    s, c = np.sin(3), np.cos(3)
    # of w sin(h w): -w^3 s, 2 w c - h w^2 s, 2 h c - h^2 w s
    wanted = [[-8 * s, 4 * c - 6 * s], [4 * c - 6 * s, 3 * c - 4.5 * s]]
    assert found == pytest.approx(np.array(wanted), abs=5e-3)


def test_what_depends_on_the_piece_alone_depends_on_the_argument() -> None:
    x = ca.SX.sym("x")
    slope = without_slopes(ca.jacobian(Table(X, Y)(x), x))
    assert ca.Function("slope", [x], [slope]).jac_sparsity(0, 0).nnz() == 1


@pytest.mark.parametrize(
    ("beyond", "values", "slopes", "second"),
    [
        ("hold", (1, 5), (0, 0), (0, 0)),
        ("linear", (1, 7), (0, 4), (0, 0)),
        ("continue", (1.25, 7.25), (-1, 5), (2, 2)),
    ],
)
def test_beyond_the_ends(beyond: Any, values: Any, slopes: Any, second: Any) -> None:
    """Of 1 + x^2 from 0 to 2, in two pieces, at -0.5 and 2.5."""
    parabola = PPoly([[1, 1], [0, 2], [1, 2]], [0, 1, 2])
    table, at = Table.of(parabola, beyond=beyond), np.array([-0.5, 2.5])
    wanted = np.array([values, slopes, second])
    assert in_expressions(table, at) == pytest.approx(wanted, abs=1e-15)
    for order in range(3):
        assert table.derivative(at, order) == pytest.approx(wanted[order], abs=1e-15)


def test_the_last_point_has_the_derivative_of_the_piece_before() -> None:
    table = Table([0, 1, 3], [0, 1, 5], beyond="hold")
    assert in_expressions(table, np.array([0.0, 1.0, 3.0])).tolist()[:2] == [[0, 1, 5], [1, 2, 2]]


@pytest.mark.parametrize("name", ["monotone", "smooth", "akima"])
def test_integrals_are_those_of_scipy(name: str) -> None:
    curve = KINDS[name]
    at = curve.places(200)
    made = {
        "monotone": PchipInterpolator,
        "smooth": CubicSpline,
        "akima": Akima1DInterpolator,
    }[name](X, Y)
    whole = made.antiderivative()(at) - made.antiderivative()(X[0])
    size = np.max(abs(whole))
    assert curve.table.integral(at) == pytest.approx(whole, abs=1e-14 * size)


def test_an_integral_goes_on_with_every_turn() -> None:
    mean = 0.25
    table = Table(TURN, mean + WAVE, interpolation="smooth", periodic=True)
    whole = CubicSpline(TURN, mean + WAVE, bc_type="periodic").antiderivative()
    turn = float(whole(2 * np.pi))
    for turns in (-3, 0, 5):
        at = 1.3 + turns * 2 * np.pi
        assert table.integral(at) == pytest.approx(turns * turn + whole(1.3), rel=1e-13)
        x = ca.SX.sym("x")
        found = float(ca.Function("f", [x], [table.integral(x)])(at))
        assert found == table.integral(at)


@pytest.mark.parametrize("plugin", ["linear", "bspline"])
def test_an_interpolant_of_casadi_has_the_same_values_and_slopes(plugin: str) -> None:
    function = ca.interpolant("given", plugin, [X.tolist()], Y.tolist())
    table, slopes = Table.of(function), function.jacobian()
    at = KINDS["smooth"].places(300)
    values = np.array([float(function(x)) for x in at])
    derivatives = np.array([float(slopes(x, 0)) for x in at])
    # the sum of a B-spline's terms, which are larger than it, rounds differently
    assert np.max(abs(table(at) - values)) < 3e-14 * np.max(abs(values))
    inner = ~np.isin(at, X)  # CasADi takes the piece to the left of a knot
    error = abs(table.derivative(at) - derivatives)[inner]
    assert np.max(error) < 3e-14 * np.max(abs(derivatives))


def test_a_spline_of_order_five_and_a_series() -> None:
    spline = make_interp_spline(TURN, WAVE, 5)
    at = np.linspace(0, 6, 50)
    assert Table.of(spline)(at) == pytest.approx(spline(at), abs=1e-13)
    series = pd.Series(Y, index=X)
    assert Table.of(series)(at / 10) == pytest.approx(np.interp(at / 10, X, Y), abs=1e-14)


def oscillator(table: Table, **kwargs: Any) -> Equations:
    """Return a mass of 2 kg on a spring."""
    model = Model("oscillator")
    mass = model.point("mass")
    model.add(Body("body", mass, mass=2.0))
    mass.y.fix()
    mass.x.dof("x", "v", start=0.5).spring(table)
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model.equations(**kwargs)


@pytest.mark.parametrize("kind", ["linear", "monotone", "smooth"])
def test_a_spring_by_a_table_keeps_its_energy(kind: Any) -> None:
    x = np.linspace(-1, 1, 21)
    table = Table(1e3 * x, 40 * np.sinh(x), interpolation=kind, units=("mm", "N"))
    run = simulate(oscillator(table), until=3.0, rtol=1e-11, atol=1e-13, backend="python")
    work = table.integral(0.5) - table.integral(0.0)
    assert run["energy"] == pytest.approx(work, rel=1e-7)


def test_a_table_that_refuses_is_a_requirement() -> None:
    equations = oscillator(Table([-0.6, 0, 0.6], [-5, 0, 5], name="strut force"))
    assert [r.name for r in equations.requirements] == ["strut force, argument"]
    simulate(equations, until=1.0, backend="python")
    with pytest.raises(
        SimulationError, match=r"strut force, argument = 0\.[6-9]\d* at t = .* -0\.6 to"
    ):
        simulate(equations, until=1.0, start={"v": 2.0}, backend="python")


def test_a_model_with_a_table_is_pickled() -> None:
    model = Model("pickled")
    angle = model.input("angle")
    model.output("force", KINDS["wave"].table(angle))
    model.state("clock", 1.0, visibility="output")
    copy = pickle.loads(pickle.dumps(model))
    [one, other] = (
        made.equations().functions["output"](0, 0, [], 9.0, [], []) for made in (model, copy)
    )
    assert float(one) == float(other) == KINDS["wave"].table(9.0)


@pytest.mark.heavy
@pytest.mark.parametrize("kind, drift", [("smooth", 2e-12), ("monotone", 3e-8), ("linear", 6e-6)])
def test_energy_drifts_over_8500_periods_as_the_limits_say(kind: Any, drift: float) -> None:
    """Steps of equal length do not end at the points, where derivatives jump."""
    x = np.linspace(-1, 1, 41)
    model, period = Model("oscillator"), 5.2  # of 1 kg on x + x³ N that swings by 0.8 m, about
    place = model.point("place", (0, 0))
    place.y.fix()
    place.x.dof("x", "v", start=0.8).spring(
        Table(x, x + x**3, units=("m", "N"), interpolation=kind)
    )
    model.add(Body("mass", place, mass=1.0))
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    end = 8500 * period
    equal = {"method": "DOP853", "max_step": period / 160, "rtol": 0.5, "atol": 1.0}
    run = simulate(model.equations(), end, samples=[0.0, end], backend="c", **equal)
    assert abs(run["energy"][-1] / run["energy"][0] - 1) == pytest.approx(drift, rel=0.5)


@pytest.mark.parametrize(
    ("x", "y", "kwargs", "says"),
    [
        ([0, 1, 1, 2], [0, 1, 2, 3], {}, r"x\[2\] = 1 is repeated after x\[1\] = 1; give each"),
        ([0, 2, 1], [0, 1, 2], {}, r"x\[2\] = 1 falls after x\[1\] = 2; sort"),
        ([0, np.nan, 1], [0, 1, 2], {}, r"x\[1\] = nan is not a finite number; leave"),
        ([0, 1], [0, np.inf], {}, r"y\[1\] = inf is not a finite number"),
        ([0], [1], {}, "1 point for interpolation 'linear'; give 2 at least"),
        ([0, 1, 2], [0, 1, 2], {"interpolation": "smooth"}, "3 points .* give 4 at least, or"),
        ([0, 1, 2], [0, 1], {}, "3 abscissae x and 2 ordinates y"),
        ([0, 1], ["a", 2], {}, "y holds 'a' at place 0; give numbers"),
        ([0, 1], "text", {}, "y is 'text'; give numbers"),
        (
            [0, 1],
            ["0,5", "1,5"],
            {},
            r"holds '0,5' .* pandas.read_csv\(\.\.\., decimal",
        ),
        ([0, 1, 2], np.ma.array([0, 999, 2], mask=[0, 1, 0]), {}, r"y\[1\] is masked; leave"),
        (np.array(["2026-01-01", "2026-01-02"], "M8[s]"), [0, 1], {}, "x has dates .* seconds"),
        ([0, 1], [0, 1j], {}, r"y holds 1j at place 1; give numbers"),
        ([0, 1, 2], [0, 1, 0], {"periodic": True, "beyond": "hold"}, "'hold' of a periodic table"),
        ([[0, 1], [2, 3]], [1, 2], {}, r"x has the shape \(2, 2\)"),
        ([0, 1], [0, 1], {"interpolation": "cubic"}, "'cubic' is unknown; give one of"),
        ([0, 1], [0, 1], {"beyond": "clip"}, "'clip' is unknown; give one of"),
        ([0, 1], [0, 1], {"units": ("furlog", "")}, "furlog"),
        ([0, 1, 2], [0, 1, 2], {"periodic": True}, "begins with 0 at x = 0 and ends with 2 at"),
        (np.broadcast_to(0.0, 10**8), [0], {}, "100000000 points, and a table may have 200000"),
        ([0, ca.SX.sym("h")], [0, 1], {}, "x .* give numbers"),
    ],
)
def test_wrong_points_are_refused(x: Any, y: Any, kwargs: Any, says: str) -> None:
    with pytest.raises(ModelError, match=f"table.*{says}"):
        Table(x, y, **kwargs)


def test_wrong_arguments_are_refused() -> None:
    table = Table([0, 1], [0, 1], name="road")
    with pytest.raises(ModelError, match=r"^table 'road': its argument is nan; give a finite"):
        table(np.nan)
    with pytest.raises(ModelError, match=r"argument is 1\.5, outside of its points from 0 to 1; "):
        table([0.5, 1.5])
    with pytest.raises(ModelError, match="road"):
        table("half")
    mass = Model("m").point("mass")
    with pytest.raises(ModelError, match=r"mass.x.value for a component"):
        table(mass)
    with pytest.raises(ModelError, match=r"in rad, and m is needed"):
        mass.x.dof().spring(Table([0, 1], [0, 1], units=("deg", "N.m")))
    with pytest.raises(ModelError, match=r"call it with an expression, table\(x\)"):
        mass.y.law(table)


def test_tables_of_one_name_have_their_own_ranges() -> None:
    model = Model("both")
    given = model.input("given")
    wide, narrow = Table([0, 9], [0, 1]), Table([0, 3], [0, 1])
    model.output("sum", wide(given) + narrow(given) + narrow.integral(given))
    model.state("clock", 1.0, visibility="output")
    found = model.equations().requirements
    assert [record.name for record in found] == ["table, argument", "table, argument of call 2"]


def test_a_damper_by_a_table_is_its_force_over_the_rate() -> None:
    model = Model("damped")
    place = model.point("place", (0, 0))
    model.add(Body("mass", place, mass=2.0))
    place.y.fix()
    force = Table([-1, 0, 1], [-3, 0, 5], units=("m/s", "kN"), name="damper")
    place.x.dof("x", "v", rate_start=0.5).spring(8.0, damping=force)
    point = Evaluation(model.equations())
    point.start({"x": 0.25, "v": 0.5})
    assert point.derivative()[0] == pytest.approx(-(8 * 0.25 + 2500.0) / 2)
    with pytest.raises(ModelError, match="in m, and m/s is needed"):
        model.point("other").x.dof().spring(1.0, damping=Table([0, 1], [0, 1], units=("m", "")))


def test_motions_along_straight_lines_are_warned_of() -> None:
    """A body of 40 kg whose speed jumps from 1 to -1 m/s takes 80 N.s that no force contains."""
    for kind, count in (("linear", 1), ("monotone", 0)):
        model = Model("driven")
        table = Table([0, 1, 2], [0, 1, 0], interpolation=kind, name="lift")  # type: ignore
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.point("place", (0, 0)).y.prescribe(table(model.time))
        assert len(told) == count
        for warning in told:
            assert re.search("straight lines of lift, .* impulses", str(warning.message))


def test_a_series_takes_an_interpolation_and_curves_have_theirs() -> None:
    table = Table.of(pd.Series(Y, index=X), interpolation="monotone")
    middle = 0.5 * (X[0] + X[1])
    assert table(middle) == pytest.approx(float(PchipInterpolator(X, Y)(middle)), rel=1e-14)
    with pytest.raises(ModelError, match="CubicSpline has its own; leave it out"):
        Table.of(CubicSpline(X, Y), interpolation="linear")


def test_curves_of_others_that_are_called_with_expressions_name_tables() -> None:
    h = ca.SX.sym("h")
    with pytest.raises(ExpressionError, match=r"mbcore\.Table"):
        CubicSpline(X, Y)(h)
    with pytest.raises(ExpressionError, match=r"mbcore\.Table"):
        BSpline([0, 0, 1, 1], [0, 1], 1)(h)
    with pytest.raises(ExpressionError, match=r"mbcore\.Table"):
        interp1d(X, Y)(h)
    for read in (pd.Series(Y, index=X), pd.Series(Y, index=X).loc):
        with pytest.raises(ExpressionError, match=r"a series of pandas .* mbcore\.Table"):
            read[h]
    model = Model("called")
    given = model.input("given")
    model.output("y", ca.interpolant("curve", "linear", [X.tolist()], Y.tolist())(given))
    model.state("clock", 1.0, visibility="output")
    with pytest.raises(ModelError, match=r"calls curve, .*Table\.of\(function\)"):
        model.equations()
    with pytest.raises(ModelError, match="give SciPy's CubicSpline"):
        Table.of(object())
    surface = RegularGridInterpolator((X, X), np.outer(Y, Y))
    with pytest.raises(ModelError, match=r"takes several; .* or Table2D\.of a surface"):
        Table.of(surface)
    with pytest.raises(ModelError, match="one real curve"):
        Table.of(CubicSpline(X, np.column_stack([Y, Y])))


def test_public() -> None:
    assert mbcore.Table is Table and isinstance(KINDS["linear"], Curve)
