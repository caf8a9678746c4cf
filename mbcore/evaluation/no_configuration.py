"""Errors where a point has no configuration, with the cause and the remedy.

Used by `mbcore.evaluation.position` alone; it stands apart because it solves nothing, and C has
messages of its own.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.tolerances import ASSEMBLED, BLAMED
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.model.errors import ConfigurationError


def singular_start(point: BoundPoint) -> ConfigurationError | None:
    """Return the error for a start that fits, but at which Newton's method fails; else None."""
    e, residual = point.equations, point.call("newton").results[1]
    measures = np.abs(point.call("conditioning").results[0].ravel())
    fits = bool(residual.size and measures.size and np.abs(residual).max() < ASSEMBLED)
    if not (fits and measures.min() < BLAMED):
        return None
    return ConfigurationError(
        f"{e.name}: the start at t = {point.t[0]:.9g} is a singular configuration in "
        f"{e.conditioning_names[int(np.argmin(measures))]} (conditioning "
        f"{measures.min():.2g} of 1); start beside it, or choose other degrees of freedom"
    )


def no_configuration(point: BoundPoint, law: str | None, why: str) -> ConfigurationError:
    """Return the error for a point to which no configuration belongs.

    Parameters
    ----------
    law : str or None
        Message of a law that has no forces there.
    why : str
        Words in brackets; none where empty.
    """
    name, at = point.equations.name, f"at t = {point.t[0]:.9g}"
    if not np.all(np.isfinite(point.s)):
        return ConfigurationError(
            f"{name}: the state is not finite {at}; the motion ran into a singular configuration "
            "before: choose other degrees of freedom, or end the run earlier"
        )
    if law is not None:
        return ConfigurationError(f"{name}: {at} {law}")
    residual = np.abs(point.call("newton").results[1][:, 0])
    if not residual.size:
        return ConfigurationError(
            f"{name}: no configuration {at}: a value is not finite; check states, inputs and "
            "parameters"
        )
    worst = int(np.argmax(np.nan_to_num(residual, nan=np.inf)))
    return ConfigurationError(
        f"{name}: no configuration {at}{f' ({why})' if why else ''}; "
        f"{point.equations.constraint_names[worst]} is violated most, by {residual[worst]:.6g}; "
        "change the start values, or the parameters that limit it"
    )
