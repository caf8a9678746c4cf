"""Consequences of redundant constraints: they must stay satisfied; their forces are not unique."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from mbcore.equations.roles.redundancy import Released
from mbcore.model.errors import warn_user
from mbcore.model.quantities import Deformation, Quantity
from mbcore.model.variables import Output, Requirement

HELD = 1e-6
"""Tolerable violation of a released constraint, in sizes of the mechanism (a slip: per second)."""


def stay_met(redundant: Released) -> tuple[Requirement, ...]:
    """Return the requirements that released constraints stay satisfied.

    A wrong choice, or a mechanism that is redundant only where it starts, is thus an error while it
    moves, and never a wrong result.
    """
    found = []
    for q in redundant.released:
        tolerance = HELD * (redundant.size if q.unit in ("m", "m/s") else 1.0)
        off = q.value - q.target if isinstance(q, Deformation) else q.rate
        message = (
            "a constraint that seemed redundant is violated: the mechanism is not redundant "
            "everywhere, or its parts do not fit; give the constraint a law, or mend the model"
        )
        found.append(Requirement(f"{q.name}.redundant", tolerance - ca.fabs(off), message, off))
    return tuple(found)


def warn_of_forces(name: str, redundant: Released, outputs: Iterable[Output]) -> None:
    """Warn once of outputs with forces that are not unique."""
    duals: dict[int, Quantity] = {q.dual.element_hash(): q for q in redundant.involved}
    shown: dict[str, list[str]] = {}
    for output in outputs:
        for symbol in ca.symvar(output.expression):
            q = duals.get(symbol.element_hash())
            if q is not None:
                shown.setdefault(output.name, []).append(q.name)
    if shown:
        which = "; ".join(f"{output} shows that of {', '.join(of)}" for output, of in shown.items())
        warn_user(
            f"{name}: forces of redundant constraints are not unique, what is shown is one choice "
            f"of many ({which}); let one of them give way, with a law, to find out how they share"
        )
