"""Parameter sets in CSV files: a name, a value and a unit in each line.

Used by `mbcore.model.parameter_files.read` alone; it stands apart because it knows spreadsheets.
"""

from __future__ import annotations

from pathlib import Path

from mbcore.model.errors import ModelError
from mbcore.model.parameter_sets.parameter_set import Given, ParameterSet
from mbcore.model.tables.text_table import read_text_table

COLUMNS = ("name", "value", "unit")
_EXAMPLE = "'name,value,unit' over lines as 'chassis.mass,1300,kg'"


def read_csv(path: Path) -> ParameterSet:
    """Return the values of a file with the columns ``name``, ``value`` and, optionally, ``unit``.

    Raises
    ------
    ModelError
        A column is missing or unknown, a name is empty or comes twice, or a value is missing.
    """
    read = read_text_table(path)
    header = [cell.lower() for cell in read.header]
    wrong = [cell for cell in read.header if cell.lower() not in COLUMNS]
    if wrong or header.count("name") != 1 or header.count("value") != 1 or header.count("unit") > 1:
        found = ", ".join(map(repr, read.header)) or "nothing"
        raise ModelError(f"{path}, line 1: its columns are {found}; begin with {_EXAMPLE}")
    places = [header.index(name) if name in header else None for name in COLUMNS]
    found_values: dict[str, Given] = {}
    for line, row in read.rows:
        where = f"{path}, line {line}"
        cells = read.values([*row, *[""] * (len(header) - len(row))], where)
        name, text, unit = ("" if at is None else cells[at].strip() for at in places)
        if not name or not text:
            raise ModelError(f"{where}: {name or 'a name'} has no value; give both")
        if name in found_values:
            before = found_values[name]
            raise ModelError(
                f"{where}: {name} is given twice, in line {before.line} as {before.value!r} and "
                f"here as {text!r}; leave one out"
            )
        number = read.number(text)
        if number != number:
            if unit:
                raise ModelError(
                    f"{where}: {name} = {text!r} is not a number, but has the unit {unit!r}; leave "
                    "the unit out, or give a number"
                )
            found_values[name] = Given(text, line)
        else:
            found_values[name] = Given(f"{number!r} {unit}" if unit else number, line)
    return ParameterSet(path, found_values)
