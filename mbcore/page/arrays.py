"""Arrays of a component for its page: which variables are folded, and which are a curve.

Used by `mbcore.page.write` alone; it stands apart from `mbcore.page.table`, because it alone knows
of ordinates.
"""

from __future__ import annotations

from typing import Any

from mbcore.codegen.rows import Table
from mbcore.equations.equations import Equations
from mbcore.model.expressions import column
from mbcore.model.tables.ordinates import Ordinates


def add_arrays(found: list[dict[str, Any]], rows: Table, equations: Equations) -> None:
    """Add its array to each element, and its abscissa to each ordinate of a table.

    Parameters
    ----------
    found : list of dict
        Records of the variables.
    rows : Table
        All variables of the component.
    equations : Equations
        Its equations.
    """
    names = {row.reference: row.name for row in rows.rows}
    of = {names[i]: array.name for array in rows.arrays for i in array.elements}
    symbols = [parameter.symbol for parameter in equations.parameters]
    at = {
        record.name: (float(x), table.across)
        for table in Ordinates.found_in(column(symbols))
        for record, x in zip(table.records, table.abscissae, strict=True)
    }
    for variable in found:
        if variable["name"] in of:
            variable["array"] = of[variable["name"]]
        if variable["name"] in at:
            variable["at"], variable["across"] = at[variable["name"]]
