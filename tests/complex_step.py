"""Derivatives of the equations by a complex step, which knows nothing of differentiation.

The functions' operations are done on complex numbers, with an imaginary part so small that its
square vanishes beside one; the imaginary part of the result is the derivative to the last digits.
The configuration follows by Newton steps on complex numbers. A column of an array is a direction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore import Equations

STEP = 1e-40
NEWTON_STEPS = 5


def _where_true(condition: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where(condition.real != 0, value, 0)


def _angle(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The angle of a plane vector of complex components, with the real parts' quadrant."""
    square = x.real**2 + y.real**2
    turn = (x.real * y.imag - y.real * x.imag) / np.where(square > 0, square, np.nan)
    return np.arctan2(y.real, x.real) + 1j * turn


def _amount(a: np.ndarray) -> np.ndarray:
    """The amount; where it vanishes with slope zero, the mean of both sides.

    So a function of several amounts that vanish has the mean of its slopes on both sides, which is
    its derivative where it has one: |x| - |-x| has none of a slope of 1 for each.
    """
    return np.where(a.real == 0, 0, np.where(a.real < 0, -a, a))


def _compared(compare: Callable) -> Callable:
    return lambda a, b: compare(a.real, b.real).astype(complex)


_OPERATIONS: dict[int, Callable] = {
    ca.OP_ASSIGN: lambda a: a,
    ca.OP_ADD: np.add,
    ca.OP_SUB: np.subtract,
    ca.OP_MUL: np.multiply,
    ca.OP_DIV: np.divide,
    ca.OP_NEG: np.negative,
    ca.OP_SQ: np.square,
    ca.OP_TWICE: lambda a: 2 * a,
    ca.OP_INV: lambda a: 1 / a,
    ca.OP_EXP: np.exp,
    ca.OP_LOG: np.log,
    ca.OP_SQRT: np.sqrt,
    ca.OP_POW: lambda a, b: np.where(b == 0, 1, np.power(a, b)),
    ca.OP_CONSTPOW: lambda a, b: np.where(b == 0, 1, np.power(a, b)),
    ca.OP_SIN: np.sin,
    ca.OP_COS: np.cos,
    ca.OP_TAN: np.tan,
    ca.OP_ASIN: np.arcsin,
    ca.OP_ACOS: np.arccos,
    ca.OP_ATAN: np.arctan,
    ca.OP_SINH: np.sinh,
    ca.OP_COSH: np.cosh,
    ca.OP_TANH: np.tanh,
    ca.OP_ATAN2: _angle,
    ca.OP_FABS: _amount,
    ca.OP_SIGN: lambda a: np.sign(a.real).astype(complex),
    ca.OP_FMIN: lambda a, b: np.where(a.real <= b.real, a, b),
    ca.OP_FMAX: lambda a, b: np.where(a.real >= b.real, a, b),
    ca.OP_LT: _compared(np.less),
    ca.OP_LE: _compared(np.less_equal),
    ca.OP_EQ: _compared(np.equal),
    ca.OP_NE: _compared(np.not_equal),
    ca.OP_AND: _compared(np.logical_and),
    ca.OP_OR: _compared(np.logical_or),
    ca.OP_NOT: lambda a: (a.real == 0).astype(complex),
    ca.OP_IF_ELSE_ZERO: _where_true,
}


def on_complex(function: ca.Function, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Do a function's operations on complex columns; return its results as columns."""
    columns = arguments[0].shape[1]
    results = [np.zeros((function.numel_out(i), columns), complex) for i in range(function.n_out())]
    work: list[np.ndarray] = [np.zeros(columns, complex)] * function.sz_w()
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        taken, given = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            results[given[0]][given[1]] = work[taken[0]]
        elif code == ca.OP_INPUT:
            work[given[0]] = arguments[taken[0]][taken[1]]
        elif code == ca.OP_CONST:
            work[given[0]] = np.full(columns, function.instruction_constant(k), complex)
        else:
            work[given[0]] = _OPERATIONS[code](*(work[i] for i in taken))
    return results


def changes(
    equations: Equations,
    names: Sequence[str],
    point: Sequence[np.ndarray],
    directions: np.ndarray,
) -> list[np.ndarray]:
    """Return how the first results of functions change at a point, x following.

    Parameters
    ----------
    names : sequence of str
        Of the functions.
    point : sequence of array
        t, s, d, u, p and the configuration x that belongs to them.
    directions : array (ns + 1 + nu + np, n)
        Changes of (s, t, u, p).
    """
    t, s, d, u, p, x = (np.atleast_1d(np.asarray(a, float)) for a in point)
    ends = np.cumsum([len(s), 1, len(u), len(p)])
    ds, dt, du, dp, _ = np.split(directions, ends)
    still = np.zeros((len(d), directions.shape[1]))
    with np.errstate(all="ignore"):
        known = [
            value[:, None] + 1j * STEP * change
            for value, change in ((t, dt), (s, ds), (d, still), (u, du), (p, dp))
        ]
        following = np.repeat(x[:, None].astype(complex), directions.shape[1], axis=1)
        for _ in range(NEWTON_STEPS):
            following = on_complex(equations.functions["newton"], [*known, following])[0]
        return [
            on_complex(equations.functions[name], [*known, following])[0].imag / STEP
            for name in names
        ]
