"""Couplings: any relation of deformations and coordinates as a constraint with its force."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, replace
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.statements import Strain
from mbcore.model.strangers import refuse_strangers
from mbcore.model.system import is_system
from mbcore.model.variables import Number


class Coupling(Element):
    """A holonomic relation Φ = 0 between deformations and coordinates, with its force.

    Φ is an expression of symbols: ``value`` of deformations and of coordinates, positions of nodes,
    parameters; it may contain time, inputs and auxiliary states as well. Gears, racks, screws,
    differentials and cams are such relations. The generalized force ``stress`` does power on the
    rate of Φ: on a deformation ε it acts as ∂Φ/∂ε times ``stress``, so no power is lost. (A motion
    prescribed as a function of a degree of freedom, a servo, has no such force.)

        Φ(ε, x, t) = 0,   σ_i = σ ∂Φ/∂ε_i

    Its one deformation ``deviation`` is the value of Φ. It is rigid by default; released, with a
    law, it is an elastic transmission. Angles of hinges may wind.

    Parameters
    ----------
    expression : SX
        Φ, such as ``a.value + 2 * b.value``, whose deformations belong to the model already.
    unit : str
        Unit of Φ.

    Raises
    ------
    ModelError
        When it is added: if Φ contains a rate, a force, a discrete variable or a symbol of another
        model, or no moving quantity.

    Examples
    --------
    >>> gear = model.add(Coupling("gear", a.angle.value + 2 * b.angle.value, unit="rad"))
    >>> model.output("moment", gear.stress, unit="N.m")
    """

    kind = "coupling"
    unseen = "it ties values of others, and has no place"

    def __init__(self, name: str, expression: Number, *, unit: str = "m") -> None:
        super().__init__(name)
        if isinstance(expression, bool):
            raise ModelError(f"coupling {name}: expression = {expression}; give an expression")
        self.expression = checks.matrix(f"coupling {name}", "expression", expression)
        self.unit = unit
        if self.expression.numel() != 1:
            raise ModelError(
                f"coupling {name}: a relation is one number, got shape {self.expression.shape}; "
                "add one coupling for each"
            )

    @property
    def stress(self) -> ca.SX:
        """Symbol of the force on Φ: a constraint force, or that of a law."""
        return self.deformations["deviation"].stress

    def strains(self) -> dict[str, Strain]:
        """Return Φ over the nodes."""
        return {"deviation": Strain(self._in_nodes, self.unit)}

    def make_quantities(self) -> None:
        """Make the deformation, whose symbols must belong to the model.

        Raises
        ------
        ModelError
            As for the class.
        """
        assert is_system(self.model)
        symbols = self.model.symbols
        contained = symbols.values_in(self.expression)
        values = column(q.value for q in contained)
        self._refuse_velocities(symbols)
        if not contained and not symbols.places_in(self.expression):
            raise ModelError(
                f"coupling {self.name}: {self.expression} contains no moving quantity of this "
                "model; write it in values of deformations or coordinates that were added before"
            )
        refuse_strangers(f"coupling {self.name}", self.expression, values, self.model)
        self._in_nodes = replace(self.expression, values, column(q.expression for q in contained))
        super().make_quantities()
        self.deformations["deviation"].relation = self.expression

    def _refuse_velocities(self, symbols: SymbolRegistry) -> None:
        found = [q.rate for q in symbols.rates_in(self.expression)]
        found += [s.velocity for s in symbols.velocities_in(self.expression)]
        found += symbols.speeds_in(self.expression)
        if found:
            raise ModelError(
                f"coupling {self.name}: its relation contains the velocity {found[0]}; use "
                "RollingCoupling for a relation of velocities"
            )
