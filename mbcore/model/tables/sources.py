"""Curves of SciPy, CasADi and pandas as points and polynomials of a table.

Used by `mbcore.model.tables.table` alone; it stands apart because it knows others' classes.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
import scipy

from mbcore.model.errors import ModelError
from mbcore.model.wording import shortened


class Converted(NamedTuple):
    """Points of a curve, and its polynomials; none where the points alone are known."""

    x: np.ndarray
    y: np.ndarray
    inner: np.ndarray | None
    beyond: str = "continue"
    periodic: bool = False


def converted(owner: str, curve: Any) -> Converted:
    """Return the points and polynomials of a curve.

    Raises
    ------
    ModelError
        If it is not a curve that is known, or one of several variables.
    """
    if isinstance(curve, ca.Function):
        return _of_interpolant(owner, curve)
    if isinstance(curve, scipy.interpolate.PPoly):
        return _of_polynomial(owner, curve, curve)
    if isinstance(curve, scipy.interpolate.BSpline):
        if np.ndim(curve.c) != 1:
            raise _of_several(owner, curve)
        return _of_polynomial(owner, scipy.interpolate.PPoly.from_spline(curve), curve)
    if hasattr(curve, "index") and hasattr(curve, "to_numpy") and np.ndim(curve) == 1:
        return Converted(np.asarray(curve.index), curve.to_numpy(), None)
    if isinstance(curve, scipy.interpolate.RegularGridInterpolator) or np.ndim(curve) == 2:
        raise _of_several(owner, curve)
    raise ModelError(
        f"{owner}: {shortened(repr(curve), 60)} is not a curve that a table takes; give SciPy's "
        "CubicSpline, PchipInterpolator, Akima1DInterpolator or make_interp_spline, CasADi's "
        "interpolant or a pandas Series, or the points: Table(x, y)"
    )


def _of_polynomial(owner: str, polynomial: scipy.interpolate.PPoly, curve: Any) -> Converted:
    if polynomial.c.ndim != 2 or np.iscomplexobj(polynomial.c):
        raise _of_several(owner, curve)
    lengths = np.diff(polynomial.x)
    if (lengths < 0).any():
        raise ModelError(f"{owner}: {type(curve).__name__} has knots that fall; give rising ones")
    kept = np.flatnonzero(lengths > 0)  # a spline's outer knots are repeated
    knots = np.append(polynomial.x[kept], polynomial.x[kept[-1] + 1])
    inner = np.array(polynomial.c[::-1, kept].T, float)
    if inner.shape[1] == 1:
        inner = np.column_stack([inner, np.zeros(len(inner))])
    last = float(np.polyval(inner[-1][::-1], knots[-1] - knots[-2]))
    extrapolates = curve.extrapolate
    periodic = isinstance(extrapolates, str) and extrapolates == "periodic"
    if periodic:
        last = float(inner[0, 0])
    beyond = "continue" if extrapolates else "refuse"
    return Converted(knots, np.append(inner[:, 0], last), inner, beyond, periodic)


def _of_interpolant(owner: str, function: ca.Function) -> Converted:
    """Return those of CasADi's interpolant, whose numbers are in the C that CasADi writes."""
    kind = function.class_name()
    if kind not in ("LinearInterpolant", "BSplineInterpolant") or function.n_in() != 1:
        raise ModelError(
            f"{owner}: {function} is a function of CasADi, but no interpolant of numbers; call a "
            "Table(x, y), or expand the function"
        )
    if function.numel_in(0) != 1 or function.numel_out(0) != 1:
        raise _of_several(owner, function)
    generator = ca.CodeGenerator("interpolant.c")
    generator.add(function)
    arrays = [
        np.array([float(number) for number in text.split(",")])
        for text in re.findall(r"casadi_real casadi_c\d+\[\d+\] =\s*\{([^}]*)\}", generator.dump())
    ]
    if kind == "LinearInterpolant":
        y, x = arrays
        inner = np.column_stack([y[:-1], np.diff(y) / np.diff(x)])
        return Converted(x, y, inner, "continue")
    knots, coefficients = arrays
    degree = len(knots) - len(coefficients) - 1
    spline = scipy.interpolate.BSpline(knots, coefficients, degree, extrapolate=False)
    return _of_polynomial(owner, scipy.interpolate.PPoly.from_spline(spline), spline)


def _of_several(owner: str, curve: Any) -> ModelError:
    return ModelError(
        f"{owner}: {type(curve).__name__} gives several values, or takes several; a table is one "
        "real curve over one variable: give one component, or Table2D.of a surface"
    )
