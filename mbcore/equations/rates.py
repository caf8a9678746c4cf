"""Total time derivatives by the chain rule, and rates that nobody gives."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.equations.assembly import Assembly
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace


class Rates:
    """Total time derivatives by the chain rule; a rate that nobody gives becomes a marker."""

    def __init__(self, assembly: Assembly, accelerations: ca.SX) -> None:
        A = assembly
        self.missing: list[tuple[ca.SX, str]] = []
        inputs = [
            i.rate.symbol if i.rate else self._marker(f"the rate of input {i.name}")
            for i in A.model.inputs.values()
        ]
        auxiliary = [A.resolve(derivative) for _, derivative in A.model.states.values()]
        kinematic = [A.rates(A.kinematic)]
        self.z_rates = column(auxiliary)
        self._of = column(
            [
                A.model.time,
                A.u,
                A.z,
                A.dof_values,
                A.dof_rates,
                A.kinematic_values,
                A.changing,
                A.v,
                accelerations,
            ]
        )
        self._unknown = ca.SX.sym("further", A.v.numel() + accelerations.numel())
        self.missing.append((self._unknown, "a higher derivative of the state"))
        self._change = column(
            [
                ca.SX(1),
                *inputs,
                self.z_rates,
                A.value_rates,
                accelerations,
                *kinematic,
                A.change,
                self._unknown,
            ]
        )

    def _marker(self, what: str) -> ca.SX:
        marker = ca.SX.sym(what)
        self.missing.append((marker, what))
        return marker

    def __call__(self, expression: ca.SX, a: ca.SX | None = None) -> ca.SX:
        """Return the total time derivative of an expression; velocities change with ``a``."""
        change = self._change
        if a is not None:
            change = ca.densify(replace(change, self._unknown[: a.numel()], a))
        return ca.jtimes(expression, self._of, change)


def refuse_missing(
    expression: ca.SX, what: str, assembly: Assembly, missing: Sequence[tuple[ca.SX, str]]
) -> None:
    """Refuse an expression that needs a rate which nobody gives, by name.

    Raises
    ------
    ModelError
        Naming the rate, the motions and what to do.
    """
    for marker, name in missing:
        if depends(expression, marker):
            moved = ", ".join(q.name for q in assembly.prescribed)
            purpose = f" for the prescribed motion of {moved}" if moved else ""
            raise ModelError(
                f"{what}: {name} is needed{purpose}; give the input its rate "
                "(Model.input(..., rate=...)), or make the motion an auxiliary state"
            )
