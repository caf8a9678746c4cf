"""Coefficients of an explicit Runge-Kutta method, and their order conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from mbcore.model.errors import ModelError

Number = int | float | str | Fraction
"""A coefficient; a text is an exact fraction, as in ``"1/6"``."""
EXACT = 2**53
"""Whole numbers up to this are exact as floats."""
ROUNDING = 1e-12
"""Largest residual of a condition, for rounded coefficients."""


@dataclass(frozen=True)
class Interpolant:
    """Coefficients of Hairer's interpolant of a step, for the part x of it that has been gone.

    It is s + x (d[0] + (1 - x) (d[1] + x (d[2] + (1 - x) (d[3] + ...)))). The first three terms are
    Hermite's; the others are h times weighted sums of rates.

    Parameters
    ----------
    a : sequence of sequence of number
        A row for each further stage: weights of the stages of the step, of the rate at its end, and
        of the further stages before.
    c : sequence of number
        Places of these stages.
    weights : sequence of sequence of number
        A row for each term from the fourth on: for the stages, the rate at the end, and the further
        stages.
    order : int
        Highest power of the time that it keeps.
    """

    a: Sequence[Sequence[Number]]
    c: Sequence[Number]
    weights: Sequence[Sequence[Number]]
    order: int

    def __post_init__(self) -> None:
        for name in ("a", "weights"):
            rows = tuple(_exact(f"dense.{name}", row) for row in getattr(self, name))
            object.__setattr__(self, name, rows)
        object.__setattr__(self, "c", _exact("dense.c", self.c))

    @property
    def terms(self) -> int:
        """Number of terms; the first three are Hermite's."""
        return 3 + len(self.weights)

    def check(self, places: np.ndarray) -> None:
        """Refuse coefficients that do not fit to stages at ``places``, (n,), the end behind them.

        Raises
        ------
        ModelError
            Naming the coefficients that do not fit, or the power of time that is missed.
        """
        own, known = len(self.a), len(places)
        found = [len(row) for row in self.a], [len(row) for row in self.weights], len(self.c)
        wanted = [known + k for k in range(own)], [known + own] * len(self.weights), own
        if found != wanted:
            raise ModelError(
                f"tableau: dense has rows of {found[0]} and {found[1]} numbers and {found[2]} "
                f"places; here are rows of {wanted[0]} and {wanted[1]}, and {wanted[2]} places"
            )
        times, at = np.append(places, floats(self.c)), np.array([0.25, 0.5, 0.75])
        for i, row in enumerate(self.a):
            total, place = float(floats(row).sum()), times[known + i]
            if abs(total - place) > ROUNDING:
                raise ModelError(
                    f"tableau: row {i} of dense.a adds up to {total:.9g}, and its c is "
                    f"{place:.9g}; make them equal"
                )
        for k in range(self.order):  # y' = t^k
            rates = times**k
            moved, begin, end = 1 / (k + 1), rates[0], rates[known - 1]
            terms = [moved, begin - moved, 2 * moved - end - begin]
            terms += [float(floats(row) @ rates) for row in self.weights]
            value = np.zeros(at.size)
            for i, term in reversed(list(enumerate(terms))):
                value = (value + term) * (1 - at if i % 2 else at)
            if np.abs(value - at ** (k + 1) * moved).max() > ROUNDING:
                raise ModelError(
                    f"tableau: dense misses t^{k + 1}, which order {self.order} has; correct its "
                    f"weights, or let its order be {k}"
                )


@dataclass(frozen=True)
class Tableau:
    """Coefficients of an explicit Runge-Kutta method (Butcher's array).

    Stage i is taken at t + c[i] h and s + h (a[i][0] k[0] + ... + a[i][i-1] k[i-1]), and the step
    leads to s + h (b[0] k[0] + ...). All are kept as exact fractions.

    Parameters
    ----------
    a : sequence of sequence of number
        A row for each stage behind the first: one number, two numbers, ...
    b : sequence of number
        Weights of the stages in the step.
    c : sequence of number, optional
        Places of the stages; the sums of the rows where absent.
    errors : sequence of sequence of number
        Weights of none, one or two estimates of the error, for the stages and, last, for the rate
        at the end of the step. Two are combined as those of DOP853: E₁² / √(E₁² + 0.01 E₂²).
    error_order : int
        The estimate's own order: it grows with the step to the power of ``error_order + 1``.
    dense : Interpolant, optional
        Of the method's own order, between the ends of steps. C takes a cubic where there is none,
        but for RK45 and RODAS.

    Raises
    ------
    ModelError
        Naming the coefficients that do not fit together.
    """

    a: Sequence[Sequence[Number]]
    b: Sequence[Number]
    c: Sequence[Number] = ()
    errors: Sequence[Sequence[Number]] = ()
    error_order: int = 0
    dense: Interpolant | None = None

    def __post_init__(self) -> None:
        rows = tuple(_exact("a", row) for row in self.a)
        b, errors = _exact("b", self.b), tuple(_exact("errors", row) for row in self.errors)
        sums = (Fraction(0), *(sum(row, Fraction(0)) for row in rows))
        c = _exact("c", self.c) if len(self.c) else sums
        _check_shapes(rows, b, c, errors)
        for i, (place, total) in enumerate(zip(c, sums, strict=True)):
            if abs(float(place - total)) > ROUNDING:
                raise ModelError(
                    f"tableau: c[{i}] = {float(place):.9g}, but row {i} of a adds up to "
                    f"{float(total):.9g}; make them equal"
                )
        for name, value in {"a": rows, "b": b, "c": c, "errors": errors}.items():
            object.__setattr__(self, name, value)
        self._check_errors()
        if self.dense is not None:
            self.dense.check(np.append(floats(c), 1.0))

    @property
    def stages(self) -> int:
        """Number of evaluations in a step."""
        return len(self.b)

    def array(self) -> np.ndarray:
        """Return a, shape (stages, stages), with zeros."""
        full = np.zeros((self.stages, self.stages))
        for i, row in enumerate(self.a, 1):
            full[i, :i] = floats(row)
        return full

    def check_order(self, order: int) -> None:
        """Refuse an order that a method with these coefficients does not have.

        Up to order 4 all conditions are looked at, above it those for y' = f(t) alone.

        Raises
        ------
        ModelError
            Naming the condition that is missed.
        """
        a, b, c = self.array(), floats(self.b), floats(self.c)
        trees = [("b a c", a @ c, 3)]
        trees += [("b (c a c)", c * (a @ c), 4), ("b a c²", a @ c**2, 4), ("b a a c", a @ a @ c, 4)]
        values = {"b a c": 1 / 6, "b (c a c)": 1 / 8, "b a c²": 1 / 12}
        conditions = [(f"b c^{k - 1}", b @ c ** (k - 1), 1 / k, k) for k in range(1, order + 1)]
        conditions += [(name, b @ v, values.get(name, 1 / 24), of) for name, v, of in trees]
        for name, value, right, of in sorted(conditions, key=lambda item: item[-1]):
            if of <= order and not abs(value - right) <= ROUNDING:
                raise ModelError(
                    f"tableau: order {order} needs {name} = {right:.9g}, and it is {value:.9g}; "
                    f"correct a coefficient, or let the order be {of - 1}"
                )

    def _check_errors(self) -> None:
        places = np.append(floats(self.c), 1.0)
        highest = self.error_order if len(self.errors) == 1 else 1
        for row in self.errors:
            for k in range(highest):
                if abs(miss := floats(row) @ places**k) > ROUNDING:
                    raise ModelError(
                        f"tableau: an estimate of order {self.error_order} is 0 for t^{k}, and its "
                        f"weights give {miss:.9g}; correct errors, or error_order"
                    )
        if bool(self.errors) != (self.error_order > 0):
            raise ModelError(
                f"tableau: {len(self.errors)} estimates of errors with error_order = "
                f"{self.error_order}; give both, or for equal steps neither"
            )


def floats(row: Sequence[Number]) -> np.ndarray:
    """Return exact numbers rounded to the nearest floats."""
    return np.array([float(x) for x in row])


def scaled(row: Sequence[Number]) -> tuple[float, tuple[float, ...]]:
    """Return a divisor and whole numbers for fractions, so that nothing is rounded before a sum.

    Where there is no such divisor among the floats, it is 1, and the fractions are rounded.
    """
    exact = [Fraction(x) for x in row]
    divisor = lcm(*(x.denominator for x in exact))
    if divisor <= EXACT and all(abs(x * divisor) <= EXACT for x in exact):
        return float(divisor), tuple(float(x * divisor) for x in exact)
    return 1.0, tuple(float(x) for x in exact)


def _exact(name: str, row: Sequence[Number]) -> tuple[Fraction, ...]:
    if isinstance(row, str | int | float | Fraction):
        raise ModelError(f"tableau: {name} holds {row!r}; give a row of numbers, ({row!r},)")
    try:
        return tuple(Fraction(x) for x in row)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
        raise ModelError(
            f"tableau: {name} = {row!r} has something in it that is not a finite number ({error}); "
            'give numbers, or fractions as in "1/6"'
        ) from error


def _check_shapes(
    a: Sequence[Sequence[Fraction]],
    b: Sequence[Fraction],
    c: Sequence[Fraction],
    errors: Sequence[Sequence[Fraction]],
) -> None:
    n = len(b)
    for i, row in enumerate(a, 1):
        if len(row) != i or not any(row):
            raise ModelError(
                f"tableau: row {i} of a is for stage {i}: give {i} numbers that are not all 0, "
                f"not {len(row)} of which {sum(map(bool, row))} are"
            )
    if n == 0 or len(a) != n - 1 or len(c) != n or not any(b):
        raise ModelError(
            f"tableau: {len(a)} rows in a, {n} weights in b, {len(c)} nodes in c; n stages have "
            "n - 1 rows, n weights, not all of them 0, and n nodes"
        )
    if len(errors) > 2 or any(len(row) != n + 1 or not any(row) for row in errors):
        raise ModelError(
            f"tableau: errors have {[len(row) for row in errors]} weights; give one estimate "
            f"or two with {n + 1}, for {n} stages and the rate at the end, not all of them 0"
        )
