"""Parameters of a model, and choices by those that are numbers of items."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_declared, named
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import Item, Number, Parameter, Value


class Parameters:
    """The parameters of a model."""

    def __init__(self) -> None:
        super().__init__()
        self.parameters: dict[str, Parameter] = {}

    def parameter(
        self,
        name: str,
        value: Value,
        *,
        unit: str = "1",
        description: str = "",
        minimum: Value | None = None,
        maximum: Value | None = None,
        positive: bool = False,
        tunable: bool = True,
        display_unit: str | None = None,
    ) -> ca.SX:
        """Add a parameter and return its symbol.

        Numbers are in ``unit``, an SI unit; texts have their own: ``value="30 deg"``.

        Parameters
        ----------
        name : str
            Name outside, unique among the model's variables.
        value : number or str
            Value at the start.
        unit, description : str
            SI unit, ``"1"`` for none, and one line of what it is.
        minimum, maximum : number or str, optional
            Ends of the range, which belong to it.
        positive : bool
            Whether it must be above zero.
        tunable : bool
            Whether it may change during a run.
        display_unit : str, optional
            What tools show it in, such as ``"deg"``, while all values stay in ``unit``.

        Raises
        ------
        ModelError
            If the name is in use, the value is outside of the range, or a unit is unknown.
        """
        named("parameter", name, self._names(), unit, display_unit)
        if positive and minimum is None:
            minimum = 0.0
        return self._parameter(
            Parameter(
                name,
                ca.SX.sym(checks.text("parameter", name)),
                checks.scalar(f"parameter {name}", value, unit, display_unit),
                unit,
                description,
                0.0
                if positive and minimum is None
                else end_of_range(name, "minimum", minimum, unit),
                end_of_range(name, "maximum", maximum, unit),
                positive,
                tunable,
                display_unit,
            )
        )

    def enumeration(
        self, name: str, items: Sequence[Item | str], *, value: int = 1, description: str = ""
    ) -> ca.SX:
        """Add a parameter that chooses among items; its symbol is the item's number, from 1.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what is chosen.
        items : sequence of Item or str
            What there is to choose from.
        value : int
            Number of the item at the start.

        Raises
        ------
        ModelError
            If there are no items, or none has that number.
        """
        if (
            not isinstance(items, list | tuple)
            or not items
            or not all(isinstance(i, Item | str) for i in items)
        ):
            raise ModelError(f"parameter {name}: items = {items!r}; give names, as in ['a', 'b']")
        named("parameter", name, self._names())
        records = tuple(i if isinstance(i, Item) else Item(i) for i in items)
        return self._parameter(
            Parameter(
                name,
                ca.SX.sym(checks.text("parameter", name)),
                checks.scalar(f"parameter {name}", value),
                description=description,
                minimum=1.0,
                maximum=float(len(records)),
                tunable=False,
                items=records,
            )
        )

    def _parameter(self, parameter: Parameter) -> ca.SX:
        check_declared("parameter", parameter)
        checked_values("parameter", (parameter,), {parameter.name: parameter.value})
        self.parameters[parameter.name] = parameter
        return parameter.symbol

    def _names(self) -> dict[str, object]:
        """Return all that has a name outside, which others must not have."""
        return {**self.parameters}

    def select(self, number: ca.SX, *choices: Number) -> ca.SX:
        """Return that of the ``choices`` whose number, from 1, ``number`` is: for enumerations.

        Raises
        ------
        ModelError
            If there are no choices.
        """
        if not choices:
            raise ModelError("select: there is nothing to choose from; give one choice or more")
        number = checks.expression("select", "number", number)
        given = [checks.expression("select", f"choice {i + 1}", c) for i, c in enumerate(choices)]
        result = given[-1]
        for i in range(len(given) - 1, 0, -1):
            result = ca.if_else(ca.eq(number, i), given[i - 1], result)
        return result


def end_of_range(name: str, what: str, end: Value | None, unit: str) -> float | None:
    """Return an end of a range, of a text the number in the variable's unit."""
    if end is None:
        return None
    return checks.scalar(f"{name}: {what}", end, unit)
