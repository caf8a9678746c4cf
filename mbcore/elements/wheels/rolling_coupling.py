"""Rolling couplings: any relation of velocities as a non-holonomic constraint with its force."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.quantities import Deformation
from mbcore.model.speed import Speed
from mbcore.model.statements import SlipRate
from mbcore.model.system import is_system


class RollingCoupling(Speed):
    """A linear relation of velocities as a constraint, with its force on all of them.

    The expression is linear in ``rate`` of deformations and coordinates, ``velocity`` of slips and
    velocities of nodes; the factors may contain ``value`` of deformations, places and parameters.
    Examples are rolling, and a gear whose ratio depends on its position. If the relation can be
    integrated to one of values, a `Coupling` is better, because it enforces that as well.

    Its one slip ``slip`` is zero unless released, then with a law for its ``force``. The model has
    as many kinematic coordinates as zero slips.

        s = V(x) ẋ = 0

    Parameters
    ----------
    expression : SX
        Such as ``wheel.rate * radius - centre.x.rate``, of quantities of the model.
    unit : str
        Unit of the velocity.

    Raises
    ------
    ModelError
        When it is added: if the expression is not scalar or not linear in velocities, or a factor
        depends on an angle without its period.
    """

    kind = "rolling coupling"

    def __init__(self, name: str, expression: ca.SX, *, unit: str = "m/s") -> None:
        super().__init__(name, expression, unit=unit, zero=True)

    @property
    def force(self) -> ca.SX:
        """Symbol of the force on the velocity: a constraint force, or that of a law."""
        return self.slips["slip"].force

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the expression over velocities of nodes."""
        if self._over_nodes is not None:
            return super().slip_rates()
        assert is_system(self.model)
        written = self._expression
        for q in self.model.symbols.rates_in(written):
            self._refuse_timed(q)
        contained = self.model.symbols.values_in(written)
        values, there = column(q.value for q in contained), column(q.expression for q in contained)
        self._expression = replace(written, values, there)
        found = super().slip_rates()
        for q in contained:
            self._refuse_turns(written, q)
        return found

    def _refuse_turns(self, expression: ca.SX, q: Deformation) -> None:
        """Refuse a factor that differs after two turns, which D(x) does not distinguish."""
        if not q.winds:
            return
        later = replace(expression, q.value, q.value + 4 * ca.pi)
        symbols = column(ca.symvar(column([expression, later])))
        both = ca.Function("factor", [symbols], [expression, later])
        here, there = both(np.random.default_rng(0).uniform(0.5, 1.5, symbols.shape))
        if abs(float(here) - float(there)) > 1e-9 * (1 + abs(float(here))):
            raise ModelError(
                f"rolling coupling {self.name}: a factor in {expression} does not repeat "
                f"with the turns of {q.name}; write it in sines and cosines of that angle"
            )

    def _refuse_timed(self, q: Deformation) -> None:
        assert is_system(self.model)
        given = [self.model.time, *(i.symbol for i in self.model.inputs.values())]
        given += [record.symbol for record, _ in self.model.states.values()]
        if q.relation is not None and depends(q.relation, column(given)):
            raise ModelError(
                f"rolling coupling {self.name}: {q.name} holds time, inputs or auxiliary states; "
                "write the rates of the deformations in it"
            )
