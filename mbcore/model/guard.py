"""Expressions that say themselves that they are not numbers: methods of CasADi's class.

CasADi turns a symbolic expression into NaN where ``math.sin`` needs a number, and reports a line of
its C++ where ``max`` or ``if`` need to know whether a comparison is true. Both happen before any
function of this library is called, so three methods are wrapped. Expressions with a constant value
keep it. A fourth one is wrapped because an expression is pickled with all that shares its symbols
only, and CasADi's error does not say that models are. A fifth one is for curves of SciPy and of
pandas.

CasADi's calls have one name for numbers, expressions and graphs. To find which are meant, it first
asks of each argument whether it can be a matrix of numbers: by the argument's method ``__DM__``
where it has one, else by functions in Python that look for arrays of NumPy and of SciPy. SX has no
such method, and half of the time of a sum or a product of expressions goes into a question whose
answer is known: it gets one. Most of the other half goes into further questions, as whether it is
an array of NumPy with one element. They are not asked by ``SX.binary``, which has no other
arguments than expressions and which these sums and products of two expressions call in the end.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any

import casadi as ca

from mbcore.model.errors import ExpressionError
from mbcore.model.wording import MOST_OF_EXPRESSION, shortened

_number = ca.SX.__float__
_whole = ca.SX.__int__
_truth = ca.SX.__bool__
_state = ca.SX.__getstate__
_array = ca.SX.__array__
_CURVES = {
    "scipy.interpolate": "a curve of SciPy",
    "pandas.core.construction": "a series of pandas",
}
"""Modules whose errors would be of arrays of objects, or of recursion, and what they make."""
_OPERATIONS = {
    "__add__": ca.OP_ADD,
    "__sub__": ca.OP_SUB,
    "__mul__": ca.OP_MUL,
    "__truediv__": ca.OP_DIV,
}
"""Operators, and what ``SX.binary`` calls them."""
_BETWEEN = "scipy._lib"
"""Where SciPy's curves have arrays made."""


def install() -> None:
    """Wrap and add the methods, unless that has been done."""
    ca.SX.__float__ = _refuse_number
    ca.SX.__int__ = _refuse_whole_number
    ca.SX.__bool__ = _refuse_truth
    ca.SX.__getstate__ = _refuse_pickle
    ca.SX.__array__ = _refuse_curve
    if not hasattr(ca.SX, "__DM__"):
        ca.SX.__DM__ = _no_numbers
        for name, operation in _OPERATIONS.items():
            setattr(ca.SX, name, _of_two_expressions(getattr(ca.SX, name), operation))


def _of_two_expressions(
    operator: Callable[[Any, Any], Any], operation: int
) -> Callable[[Any, Any], Any]:
    """Return an operator that asks nothing of a second expression, and calls CasADi's else."""
    binary, expression = ca.SX.binary, ca.SX

    @wraps(operator)
    def quick(x: Any, y: Any) -> Any:
        return binary(operation, x, y) if type(y) is expression else operator(x, y)

    return quick


def _no_numbers(self: ca.SX) -> None:
    """Return nothing: no matrix of numbers stands for an expression."""


def _refuse_number(self: Any, *arguments: Any) -> float:
    number = float(_number(self, *arguments))
    # A constant expression may be NaN by itself; checks refuse that with the argument's name.
    if math.isnan(number) and not self.is_constant():
        raise _no_number(self)
    return number


def _refuse_whole_number(self: Any, *arguments: Any) -> int:
    try:
        return int(_whole(self, *arguments))
    except RuntimeError:
        raise _no_number(self) from None


def _no_number(expression: ca.SX) -> ExpressionError:
    return ExpressionError(
        f"{_short(expression)} is an expression and has no number yet: functions of math, float "
        "and int do not take it; use those of casadi (casadi.sin, casadi.sqrt)"
    )


def _refuse_truth(self: Any) -> bool:
    try:
        return bool(_truth(self))
    except RuntimeError:
        raise ExpressionError(
            f"{_short(self)} is an expression and neither true nor false yet: if, and, or, max and "
            "min do not take it; use casadi.if_else, casadi.logic_and, casadi.fmax, casadi.fmin"
        ) from None


def _refuse_curve(self: Any, *args: Any, **kwargs: Any) -> Any:
    curve = _curve_that_asks()
    if curve and not self.is_constant():
        raise ExpressionError(
            f"{_short(self)} is an expression, and {curve} takes numbers; make a table of it, "
            "which takes both: mbcore.Table.of(curve)"
        )
    return _array(self, *args, **kwargs)


def _curve_that_asks() -> str | None:
    """Return what asks for an array of an expression, if it is a curve."""
    frame: FrameType | None = sys._getframe(2)
    caller = ""
    while frame is not None and (not caller or caller.startswith(_BETWEEN)):
        caller = frame.f_globals.get("__name__", "")
        frame = frame.f_back
    return next((curve for name, curve in _CURVES.items() if caller.startswith(name)), None)


def _refuse_pickle(self: Any) -> Any:
    try:
        return _state(self)
    except Exception:  # CasADi has no other class for it
        raise ExpressionError(
            f"{_short(self)} is an expression, which is pickled with its model only: pickle the "
            "Model, take parts from what is read and make equations anew; or pickle all that "
            "belongs together in one call within casadi.global_pickle_context()"
        ) from None


def _short(expression: ca.SX) -> str:
    return shortened(str(expression), MOST_OF_EXPRESSION)
