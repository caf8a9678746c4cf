"""The outputs of a model: quantities calculated for the outside."""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.kinds import items_of, refuse_other_kind
from mbcore.model.interface.named_records import NamedRecords, by_element
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import Item, Kind, Number, Output, Values, Visibility


class Outputs(NamedRecords[Output]):
    """Records of the outputs, by name."""

    kind = "output"

    @by_element("expression")
    def add(
        self,
        name: str,
        expression: Number | Values,
        *,
        unit: str | Units = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        nominal: float | None = None,
        items: Sequence[Item | str] = (),
    ) -> None:
        """Add an output; a column, a matrix or a list of expressions makes it an array.

        Parameters
        ----------
        name, description : str
            Name of the variable, and its description in one line.
        expression : number, expression or array of these
            Its value, in ``unit``; each element of an array is an output ``name[1]`` or
            ``name[1,2]``.
        unit : str or Units
            SI unit, or a pair with the unit that tools display.
        kind : {"real", "integer", "boolean"}
            Type of the variable; Boolean expressions are 1 or 0, as comparisons give them.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        items : sequence of Item or str
            Makes it an enumeration: its value is an item's number, from 1.

        Raises
        ------
        ModelError
            If the name is in use, a unit is unknown, a choice has a unit or another kind, a
            constant is none of the values of its kind, or an array is empty, ragged or of more
            than two dimensions.
        """
        units = as_units(unit)
        self.refuse_name(name, units.si, units.display)
        value = checks.expression(
            f"output {name}", "expression", expression, truth=kind == "boolean"
        )
        if nominal is not None:
            nominal = checks.real(f"output {name}", "nominal", nominal, above=0, unit=units.si)
        records = items_of(f"output {name}", items) if len(items) else ()
        if records and (units.si != "1" or kind != "real"):
            raise ModelError(
                f"output {name} is a choice among items, which has no unit and no other kind; "
                "leave them out"
            )
        if value.is_constant():
            refuse_other_kind(f"output {name}", float(value), kind, len(records))
        self._checked(
            Output(
                name,
                value,
                units.si,
                description,
                kind,
                visibility,
                units.display,
                nominal,
                records,
            )
        )
