"""The core of continuation on plain functions whose curves are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore.continuation.arclength import Curve, LostError
from mbcore.continuation.branching import other_direction
from mbcore.continuation.crossings import Node
from mbcore.continuation.curve_tracer import CurveTracer, Steps

Residual = Callable[[np.ndarray, float], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""F(x, λ), its derivatives by x, shape (n, n), and by λ, shape (n,)."""


@dataclass(frozen=True)
class PlainFamily:
    """Solutions of a plain function; eigenvalues of its Jacobian are exponents where dynamic."""

    function: Residual
    scale: np.ndarray
    dynamic: bool = False
    accuracy: float = 1e-13

    def residual(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.function(unknowns, value)

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        if not self.dynamic:
            return np.zeros(0, complex)
        return np.linalg.eigvals(self.function(unknowns, value)[1]).astype(complex)

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        return "hopf" if exponent.imag else ""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Take no note."""


def tracer_of(
    function: Residual, n: int, low: float, high: float, dynamic: bool = False, **steps: float
) -> CurveTracer:
    curve = Curve(PlainFamily(function, np.ones(n), dynamic), high - low)
    return CurveTracer(curve, low, high, Steps(**steps))  # type: ignore[arg-type]


def trace(
    tracer: CurveTracer, start: list[float], value: float, towards: float = 1.0
) -> list[Node]:
    first = tracer.start(np.array(start), value, towards)
    return [first, *tracer.follow(first)]


def events(nodes: list[Node]) -> list[tuple[str, float]]:
    return [(node.event, node.value) for node in nodes if node.event]


def polynomial(value: str, by_x: str, by_value: str) -> Residual:
    """Return a residual of one unknown x and the value v from formulas."""
    f, f_x, f_v = (eval(f"lambda x, v: {text}") for text in (value, by_x, by_value))

    def residual(x: np.ndarray, v: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (
            np.array([f(x[0], v)]),
            np.array([[f_x(x[0], v)]], float),
            np.array([f_v(x[0], v)], float),
        )

    return residual


CIRCLE = polynomial("x**2 + v**2 - 1", "2 * x", "2 * v")
PITCHFORK = polynomial("v * x - x**3", "v - 3 * x**2", "x")
TRANSCRITICAL = polynomial("v * x - x**2", "v - 2 * x", "x")
CUSP = polynomial("v + 0.75 * x - x**3", "0.75 - 3 * x**2", "1.0")


def test_a_circle_closes_with_two_folds() -> None:
    tracer = tracer_of(CIRCLE, 1, -2.0, 2.0)
    nodes = trace(tracer, [0.9], 0.0)
    assert tracer.ended == "it came back to where it began"
    places = np.array([node.y for node in nodes])
    assert np.hypot(*places.T) == pytest.approx(1, abs=1e-12)
    assert places[-1] == pytest.approx(places[0], abs=1e-12)
    turns = np.unwrap(np.arctan2(places[:, 1], places[:, 0]))
    assert np.all(np.diff(turns) > 0) and turns[-1] - turns[0] == pytest.approx(2 * np.pi)
    assert [kind for kind, _ in events(nodes)] == ["fold", "fold"]
    assert [value for _, value in events(nodes)] == pytest.approx([1, -1], abs=1e-11)


def test_folds_of_a_cusp() -> None:
    nodes = trace(tracer_of(CUSP, 1, -1.0, 1.0, dynamic=True), [-1.2], -1.0)
    # v = x³ - 3/4 x has its extremes at x = ∓1/2, where v = ±1/4; between them it is unstable
    assert events(nodes) == [("fold", pytest.approx(0.25)), ("fold", pytest.approx(-0.25))]
    found = [node for node in nodes if node.event]
    assert found[0].y[0] == pytest.approx(-0.5, abs=1e-9)
    unstable = [node.y[0] for node in nodes if node.unstable]
    assert max(np.abs(unstable)) < 0.5 < min(abs(n.y[0]) for n in nodes if not n.unstable) + 1e-9
    assert nodes[-1].value == 1.0


def bratu(n: int) -> Residual:
    """u'' + λ exp u = 0, u(0) = u(1) = 0, by collocation at n + 1 Chebyshev points."""
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2, np.ones(n - 1), 2] * (-1.0) ** np.arange(n + 1)
    apart = x[:, None] - x + np.eye(n + 1)
    D = np.outer(c, 1 / c) / apart
    D -= np.diag(D.sum(axis=1))
    second = 4 * (D @ D)[1:-1, 1:-1]

    def residual(u: np.ndarray, value: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        grown = np.exp(u)
        return second @ u + value * grown, second + value * np.diag(grown), grown

    return residual


def test_fold_of_bratus_equation() -> None:
    """With u = 2 log(cosh(θ/4) / cosh((x - 1/2) θ/2)), λ = θ²/2 / cosh²(θ/4), largest at coth."""
    θ = brentq(lambda t: t / 4 * np.tanh(t / 4) - 1, 1, 10, xtol=1e-14)
    largest = θ**2 / 2 / np.cosh(θ / 4) ** 2
    assert largest == pytest.approx(3.513830719, abs=1e-9)
    tracer = tracer_of(bratu(20), 19, 0.0, 4.0, points=80)
    nodes = trace(tracer, [0.0] * 19, 0.0)
    assert events(nodes) == [("fold", pytest.approx(largest, abs=1e-9))]
    assert nodes[-1].value < 3.4 and tracer.ended == "80 points"


@pytest.mark.parametrize(
    ("function", "other"),
    [(PITCHFORK, lambda x: x**2), (TRANSCRITICAL, lambda x: x)],
    ids=["pitchfork", "transcritical"],
)
def test_the_other_curve_through_a_branch_point(function: Residual, other: object) -> None:
    tracer = tracer_of(function, 1, -1.0, 1.0, dynamic=True)
    nodes = trace(tracer, [0.0], -1.0)
    assert events(nodes) == [("branch", pytest.approx(0, abs=1e-12))]
    assert all(abs(n.y[0]) < 1e-12 for n in nodes)
    assert [n.unstable for n in nodes if not n.event] == [
        int(n.value > 0) for n in nodes if not n.event
    ]
    crossing = next(n for n in nodes if n.event)
    direction = other_direction(tracer.curve, crossing)
    for sense in (1, -1):
        way = list(tracer.follow(replace(crossing, direction=sense * direction)))
        x, value = np.array([n.y for n in way]).T
        assert value == pytest.approx(other(x), abs=1e-10)  # type: ignore[operator]
        assert abs(x[-1]) == pytest.approx(1) and np.all(np.diff(np.abs(x)) > 0)
        assert events(way) == []


def test_curves_that_do_not_cross_are_told() -> None:
    isolated = polynomial("x**2 + v**2", "2 * x", "2 * v")
    tracer = tracer_of(isolated, 1, -1.0, 1.0)
    flat = Node(np.zeros(2), np.array([0.0, 1.0]), 0.0, 0.0, np.zeros(0, complex))
    with pytest.raises(LostError, match="no other curve"):
        other_direction(tracer.curve, flat)


def rotor(x: np.ndarray, v: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x' = (v - 1/3) x - y - x³, y' = x + (v - 1/3) y - y³: exponents v - 1/3 ± i at the origin."""
    a = v - 1 / 3
    F = np.array([a * x[0] - x[1] - x[0] ** 3, x[0] + a * x[1] - x[1] ** 3])
    return F, np.array([[a - 3 * x[0] ** 2, -1], [1, a - 3 * x[1] ** 2]]), x.copy()


def test_hopf_bifurcation_on_the_way() -> None:
    nodes = trace(tracer_of(rotor, 2, -1.0, 1.0, dynamic=True), [0.0, 0.0], -1.0)
    assert events(nodes) == [("hopf", pytest.approx(1 / 3, abs=1e-10))]
    assert abs(next(n.critical for n in nodes if n.event)) == pytest.approx(1, abs=1e-9)


def test_pairs_that_leave_the_imaginary_axis() -> None:
    """λ⁴ + 2 λ² + v: two pairs on the axis for 0 < v < 1, which meet at ±i and then leave it."""

    def undamped(x: np.ndarray, v: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        J = np.eye(4, k=1)
        J[3] = [-v, 0, -2, 0]
        return J @ x, J, np.array([0, 0, 0, -x[0]])

    nodes = trace(tracer_of(undamped, 4, 0.5, 2.0, dynamic=True), [0.0] * 4, 0.5)
    assert events(nodes) == [("hopf", pytest.approx(1, abs=1e-9))]
    assert [n.unstable for n in nodes if not n.event] == [
        2 * (n.value > 1) for n in nodes if not n.event
    ]


def test_a_curve_that_ends_is_kept() -> None:
    """x = √(1 - v) is followed up to its end, beyond which the residual has no value."""

    def root(x: np.ndarray, v: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        under = 0.25 - v
        by_value = -0.5 / np.sqrt(under) if under > 0 else np.nan
        return x - np.sqrt(under), np.eye(1), np.array([-by_value])

    tracer = tracer_of(root, 1, 0.0, 1.0)
    nodes = trace(tracer, [0.5], 0.0)
    assert "not finite" in tracer.ended
    assert 0.24 < nodes[-1].value < 0.25 + 1e-8


def test_no_solution_at_the_start() -> None:
    with pytest.raises(LostError):
        trace(tracer_of(CIRCLE, 1, 1.5, 2.0), [0.3], 1.5)


def test_a_fold_in_a_branch_point_is_one_event() -> None:
    """x (λ - x²) = 0 along the bent branch, which turns back where the straight one crosses it."""
    nodes = trace(tracer_of(PITCHFORK, 1, -1.0, 1.5), [1.0], 1.0, towards=-1.0)
    assert events(nodes) == [("branch", pytest.approx(0.0, abs=1e-9))]
    assert nodes[-1].y[0] < -1.0


class _Maps(PlainFamily):
    """Two uncoupled oscillators alike, whose multipliers pass -1 together at λ = 0."""

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        return np.full(2, value + 1j * np.pi)

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        return "flip"


def test_two_flips_at_a_time_are_two_events() -> None:
    line = polynomial("x - v", "1", "-1")
    tracer = CurveTracer(Curve(_Maps(line, np.ones(1)), 2.0), -1.0, 1.0, Steps())
    nodes = trace(tracer, [-1.0], -1.0)
    assert events(nodes) == [("flip", pytest.approx(0.0, abs=1e-9))] * 2
