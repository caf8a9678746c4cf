"""Total time derivatives by the chain rule, and rates that are not given."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.couplings import related
from mbcore.equations.sides import within
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.kinks import jtimes
from mbcore.model.tables import derivatives


class Rates:
    """Total time derivatives by the chain rule; a rate that is not given becomes a marker.

    An error is raised only where a marker is left in the result, so that a rate is not needed
    where it cancels or acts on no mass.
    """

    def __init__(self, assembly: Assembly, accelerations: ca.SX) -> None:
        A = assembly
        self._signals, self._sides = A.signals, within(A.model)
        self.missing: list[tuple[ca.SX, str]] = []
        markers: list[ca.SX] = []
        inputs = [
            i.rate.acting if i.rate else self._marker(f"the rate of input {i.name}", markers)
            for i in A.model.inputs.values()
        ]
        given, unknown = column(markers[::2]), column(markers[1::2])
        auxiliary = [A.resolve(derivative) for _, derivative in A.model.states.values()]
        kinematic = [A.kinematic_rates()]
        self.z_rates = column(auxiliary)
        self._of = column(
            [
                A.model.time,
                A.u,
                A.z,
                A.dof_values,
                A.dof_rates,
                A.kinematic_values,
                A.placed,
                *A.winding.values(),
                A.v,
                accelerations,
                given,
            ]
        )
        # Rates of v and of q̈ are not known here; those of v are given to each call, where needed.
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
                A.placed_change,
                A.rates([q for name in A.winding for q in A.coupled if q.name == name]),
                self._unknown,
                unknown,
            ]
        )

    @property
    def of_signals(self) -> tuple[ca.SX, ca.SX]:
        """Symbols of the rates of signals, and their expressions, shapes (k, 1)."""
        given = column(s.symbol for s in self._signals)
        rates = column(s.rate for s in self._signals)
        return rates, self(given)

    def _marker(self, what: str, markers: list[ca.SX]) -> ca.SX:
        """Return a marker, whose rate is another one, and add both."""
        marker, change = ca.SX.sym(what), ca.SX.sym(f"change of {what}")
        self.missing += [(marker, what), (change, what)]
        markers += [marker, change]
        return marker

    def __call__(self, expression: ca.SX, a: ca.SX | None = None) -> ca.SX:
        """Return the total time derivative of an expression; velocities change with ``a``."""
        if expression.numel() == 0:
            return ca.SX(0, 1)
        change = self._change
        if a is not None:
            change = ca.densify(replace(change, self._unknown[: a.numel()], a))
        return jtimes(expression, self._of, change, self._sides)


def rate_use(assembly: Assembly, felt: Sequence[int], known: ca.SX) -> ca.SX:
    """Return for each input how much motions and forces change with its rate, shape (nu, 1).

    It is zero where the rate has no effect, as in a choice of parameters that does not use it.
    Symbols that are not ``known`` are set to 1, since only zero or not matters. Accelerations of
    the motions ``felt`` act on a mass.
    """
    A = assembly
    use = ca.SX.zeros(A.u.numel())
    inputs = list(A.model.inputs.values())
    rate_of = Rates(A, ca.SX.sym("accelerations", len(A.independent)))
    first = rate_of(A.place(column(q.target for q in A.prescribed)))
    forces = A.resolve(column(force for _, force in A.actions()))
    second = rate_of(first)
    affected = column([first, *(second[k] for k in felt), forces, rate_of.z_rates])
    for k, record in enumerate(inputs):
        if record.rate is not None:
            use[k] = ca.sum1(ca.fabs(derivatives.jacobian(affected, record.rate.symbol)))
    use = A.in_coordinates(use)
    others = column(s for s in ca.symvar(use) if not depends(known, s))
    return replace(use, others, ca.SX.ones(others.numel()))


def refuse_missing(
    expression: ca.SX, what: str, assembly: Assembly, missing: Sequence[tuple[ca.SX, str]]
) -> None:
    """Refuse an expression that needs a rate which is not given, by name.

    Raises
    ------
    ModelError
        Naming the rate, the motions and what to do.
    """
    if not depends(expression, column(marker for marker, _ in missing)):
        return  # one search instead of one for each marker
    for marker, name in missing:
        if depends(expression, marker):
            signals = column(s.symbol for s in assembly.signals)
            timed = [q for q in related(assembly.model) if depends(ca.SX(q.relation), signals)]
            moved = ", ".join(q.name for q in [*assembly.prescribed, *timed])
            purpose = f" for the prescribed motion of {moved}" if moved else ""
            raise ModelError(
                f"{what}: {name} is needed{purpose}; give the input its rate (Model.input(..., "
                "rate=...)), let a filter give it (Model.filtered(name, time_constant)), or make "
                "the motion an auxiliary state"
            )
