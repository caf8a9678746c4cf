"""Units that tables need to be in where something takes them."""

from __future__ import annotations

from typing import Protocol

from mbcore.model.errors import ModelError
from mbcore.model.units.units import parse


class _WithUnits(Protocol):
    """A table over one variable or two, whose modules import SciPy."""

    @property
    def units(self) -> tuple[str, ...]: ...


def refuse_units(table: _WithUnits, owner: str, *wanted: str) -> None:
    """Refuse a table where abscissae or ordinates in other units are needed.

    Parameters
    ----------
    table : Table or Table2D
        The table.
    owner : str
        Owner that needs it.
    *wanted : str
        What abscissae, of each axis, and ordinates have to be in; empty for any unit.

    Raises
    ------
    ModelError
        A unit was given that measures another quantity.
    """
    axes = ("abscissae",) if len(wanted) == 2 else ("x", "y")
    for what, own, unit in zip((*axes, "ordinates"), table.units, wanted, strict=True):
        if own and unit and parse(own).exponents != parse(unit).exponents:
            raise ModelError(
                f"{owner}: the {what} of {table!r} are in {own}, and {unit} is needed; give a "
                f"table in it, units={wanted!r}"
            )
