"""The parameters of a model: constants with a value, a unit and a range; enumerations."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column
from mbcore.model.interface.declared import check_declared, end_of_range
from mbcore.model.interface.kinds import chosen, items_of, kind_of, start_of
from mbcore.model.interface.named_records import NamedRecords, by_element
from mbcore.model.interface.values import checked_values
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import Array, Item, Kind, Parameter, Value, Values


class Parameters(NamedRecords[Parameter]):
    """Records of the parameters, by name."""

    kind = "parameter"

    @property
    def symbols(self) -> ca.SX:
        """All symbols, shape (np, 1)."""
        return column(record.symbol for record in self.values())

    @property
    def start_values(self) -> list[float]:
        """All values at the start."""
        return [record.value for record in self.values()]

    def usual(self, expression: ca.SX) -> float | None:
        """Value of an expression at the start values; None if it is not of parameters alone."""
        value = ca.substitute(expression, self.symbols, ca.DM(self.start_values))
        return float(value) if value.is_constant() else None

    @by_element("value")
    def add(
        self,
        name: str,
        value: Value | Values,
        *,
        unit: str | Units = "1",
        description: str = "",
        minimum: Value | None = None,
        maximum: Value | None = None,
        positive: bool = False,
        tunable: bool | None = None,
        kind: Kind | None = None,
    ) -> ca.SX:
        """Add a parameter and return its symbol.

        A list or a NumPy array makes it an array with that shape: the symbol is a column or a
        matrix, and each element a parameter ``name[1]`` or ``name[1,2]``.

        Numbers are in ``unit``, an SI unit; texts have their own: ``value="30 deg"``. One that is
        True or False is Boolean: 1 or 0 in formulas, as in ``casadi.if_else(symbol, a, b)``.

        Parameters
        ----------
        name : str
            Name of the variable, unique among the model's variables.
        value : number, bool, str or array of these
            Value at the start.
        unit : str or Units
            SI unit, ``"1"`` for none; or this and what tools show it in: ``Units("rad", "deg")``.
        description : str
            Description in one line.
        minimum, maximum : number or str, optional
            Ends of the range, which belong to it; elements of an array share it.
        positive : bool
            Whether it must be above zero.
        tunable : bool, optional
            Whether it may change during a run. Real ones may by default; others choose between
            formulas, and never do.
        kind : {"real", "integer", "boolean"}, optional
            Type of the variable: boolean for True and False, else real by default. A whole number
            is real unless this is ``"integer"``.

        Raises
        ------
        ModelError
            If the name is in use, the value is outside of the range or of another type, an array is
            empty, ragged or of more than two dimensions, or a unit is unknown.
        """
        units = as_units(unit)
        self.refuse_name(name, units.si, units.display)
        owner = f"parameter {name}"
        of = kind_of(owner, value, kind, units.si)
        if of == "boolean" and (positive or minimum is not None or maximum is not None):
            raise ModelError(f"{owner} is True or False, so it has no range; leave that out")
        if tunable and of != "real":
            raise ModelError(
                f"{owner}: tunable = True; one that is {of} chooses between formulas and is fixed: "
                "leave that out, or make it an input"
            )
        if positive and minimum is None:
            minimum = 0.0  # FMI has no open ends of ranges; Python and C refuse zero by themselves
        return self._add(
            Parameter(
                name,
                ca.SX.sym(checks.text("parameter", name)),
                start_of(owner, value, of, units),
                units.si,
                description,
                end_of_range(name, "minimum", minimum, units.si),
                end_of_range(name, "maximum", maximum, units.si),
                positive,
                of == "real" if tunable is None else tunable,
                units.display,
                kind=of,
            )
        )

    def add_enumeration(
        self,
        name: str,
        items: Sequence[Item | str],
        *,
        start: str | int | None = None,
        value: int = 1,
        description: str = "",
    ) -> ca.SX:
        """Add a parameter that chooses among items; its symbol is the item's number, from 1.

        ``model.select(symbol, a, b, ...)`` is what each item chooses.

        Parameters
        ----------
        name, description : str
            Name of the variable, and its description in one line.
        items : sequence of Item or str
            The choices.
        start : str or int, optional
            The item at the start, its name or its number; the first one where absent.
        value : int
            The same as a number.

        Raises
        ------
        ModelError
            If there are no items, or none has that name or number.
        """
        records = items_of(f"parameter {name}", items)
        self.refuse_name(name)
        return self._add(
            Parameter(
                name,
                ca.SX.sym(checks.text("parameter", name)),
                chosen(f"parameter {name}", records, value if start is None else start),
                description=description,
                minimum=1.0,
                maximum=float(len(records)),
                tunable=False,
                items=records,
            )
        )

    def take(self, array: Array, records: Sequence[Parameter]) -> None:
        """Add an array whose records exist already, a table's ordinates, if it is not here yet.

        Raises
        ------
        ModelError
            If another variable has the name of one.
        """
        if all(self.get(record.name) is record for record in records):
            return

        def take_one(name: str, record: Parameter) -> None:
            self.refuse_name(name, record.unit)
            self._add(record)

        self.add_array(array.name, (array.shape, list(records)), take_one, array.description)

    def _add(self, record: Parameter) -> ca.SX:
        check_declared(self.kind, record)
        checked_values(self.kind, (record,), {record.name: record.value})
        self[record.name] = record
        return record.symbol
