"""Conditions on expressions of parameters, which are checked where these have values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.model.checks.ranges import Range
from mbcore.model.errors import ModelError


@dataclass(frozen=True)
class Check:
    """A condition on an expression of parameters; ``refuse`` gets its value in its own shape.

    If it is a ``range``, parameters that are set later must meet it as well.
    """

    expression: ca.SX
    refuse: Callable[[np.ndarray], None]
    range: Range | None = None


def refuse_at_start(checks: Sequence[Check], symbols: ca.SX, values: Sequence[float]) -> None:
    """Make the checks at the start values of the parameters that they depend on.

    Parameters
    ----------
    checks : sequence of Check
        Those that depend on anything but ``symbols`` are skipped.
    symbols : SX
        The parameters.
    values : sequence of float
        Their start values.

    Raises
    ------
    ModelError
        A check fails; its message is that of the check.
    """
    known = {symbol.element_hash() for symbol in ca.symvar(symbols)}
    found = [c for c in checks if all(s.element_hash() in known for s in ca.symvar(c.expression))]
    if not found:
        return
    # One function for all checks, because making functions is what takes time.
    evaluate = ca.Function("checks", [symbols], [ca.densify(c.expression) for c in found])
    for check, value in zip(found, evaluate.call([ca.DM(list(values))]), strict=True):
        try:
            check.refuse(np.array(value.full()))
        except ModelError as error:
            raise ModelError(f"{error} (parameters at their start values)") from None
