"""The discrete variables of a model: they change only at events."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks
from mbcore.model.interface.named_records import NamedRecords
from mbcore.model.variables import Discrete, Kind, Value, Visibility


class Discretes(NamedRecords[Discrete]):
    """Records of the discrete variables, by name."""

    kind = "discrete variable"

    def add(
        self,
        name: str,
        start: Value = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        nominal: float | None = None,
    ) -> ca.SX:
        """Add a variable that changes only at events, and return its symbol.

        Parameters
        ----------
        name, description : str
            Name of the variable, and its description in one line.
        start : number or str
            Value at the start, in ``unit``, an SI unit.
        unit : str
            SI unit.
        kind : {"real", "integer", "boolean"}
            Type of the variable.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        self.refuse_name(name, unit)
        first = checks.real(f"discrete variable {name}", "start", start, unit=unit)
        if nominal is not None:
            nominal = checks.real(
                f"discrete variable {name}", "nominal", nominal, above=0, unit=unit
            )
        record = Discrete(
            name, ca.SX.sym(name), first, unit, description, kind, visibility, nominal=nominal
        )
        self._checked(record)
        return record.symbol
