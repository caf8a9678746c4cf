"""Checks of the table: names, texts, numbers and aliases that a model description cannot have.

`mbcore.codegen.table` calls these for its rows, before anything is compiled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mbcore.codegen.rows import ArrayRow, Row
from mbcore.model.errors import ModelError
from mbcore.model.interface.fmu_names import wrong_part
from mbcore.model.variables import Array
from mbcore.model.wording import article

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def refuse_repeated(records: Sequence[Mapping[str, Any]]) -> None:
    """Refuse names that two variables have, of time and the solver's among them.

    Raises
    ------
    ModelError
        Naming the variable, what has its name already, and the remedy.
    """
    kinds: dict[str, str] = {}
    for record in records:
        name, kind = record["name"], record["kind"]
        if name in kinds:
            raise ModelError(
                f"two variables are called {name!r}: the {kind} has the name of "
                f"{article(kinds[name])} that every FMU of this model has; rename it"
            )
        kinds[name] = "parameter of the solver" if name.startswith("solver.") else kind


def check(rows: Sequence[Row]) -> None:
    """Refuse rows that no model description can hold.

    Raises
    ------
    ModelError
        Naming the variable, what is wrong with it, and the remedy.
    """
    seen: set[str] = set()
    for row in rows:
        for name in (row.name, *(alias.name for alias in row.aliases)):
            _check_name(name, seen)
            seen.add(name)
        for what, text in _texts(row):
            check_text(f"variable {row.name!r}", what, text)
        _check_numbers(row)
        _check_items(row)


def check_text(owner: str, what: str, text: str) -> None:
    """Refuse signs that XML has no place for: control characters, halves of surrogate pairs.

    Raises
    ------
    ModelError
        Naming the owner, the sign and where it stands.
    """
    found = _NOT_IN_XML.search(text)
    if found is not None:
        raise ModelError(
            f"{owner}: its {what} holds the sign U+{ord(found.group()):04X} at place "
            f"{found.start() + 1}, which no XML file can hold; take it out"
        )


def check_alias(name: str, row: Row | None, target: str, of: Row | None) -> None:
    """Refuse an alias that is not an output, or whose target is nothing that it could be.

    Raises
    ------
    ModelError
        Naming both, and what may be given.
    """
    said = f"alias {name!r} of {target!r}"
    if row is None or row.kind != "output" or row.type != "real":
        raise ModelError(f"{said}: there is no real output {name!r}; give an output's name")
    if of is None or of.kind not in ("state", "derivative"):
        raise ModelError(
            f"{said}: {target!r} is neither a state nor a derivative; give one, as in 'der(angle)'"
        )
    if of.aliases:
        raise ModelError(f"{said}: {target!r} has another name already, {of.aliases[0].name!r}")
    if row.unit != of.unit:
        raise ModelError(
            f"{said}: their units are {row.unit!r} and {of.unit!r}; only a display unit may differ"
        )


def refuse_aliased_elements(arrays: Sequence[Array], aliases: Mapping[str, str]) -> None:
    """Refuse elements of arrays among aliases and what these name: FMI 3.0 has them as a whole.

    Raises
    ------
    ModelError
        Naming the element and its array.
    """
    whole = {element: array.name for array in arrays for element in array.elements}
    for name, target in aliases.items():
        for one in (name, target.removeprefix("der(").removesuffix(")")):
            if one in whole:
                raise ModelError(
                    f"alias {name!r} of {target!r}: {one!r} is an element of the array "
                    f"{whole[one]!r}; arrays take no aliases, so leave this one out"
                )


def check_arrays(arrays: Sequence[ArrayRow], rows: Sequence[Row]) -> None:
    """Refuse an array whose name another variable has, and one whose elements differ in kind.

    Raises
    ------
    ModelError
        Naming the array, what its elements differ in, and the remedy.
    """
    names = {row.name for row in rows}
    for array in arrays:
        if array.name in names:
            raise ModelError(f"two variables are called {array.name!r}")
        own = [rows[reference] for reference in array.elements]
        for what in ("type", "unit", "display_unit", "visibility", "tunable", "positive"):
            if len({getattr(row, what) for row in own}) > 1:
                raise ModelError(f"array {array.name!r}: its elements differ in {what}")
        if len({row.start_input is None for row in own}) > 1:
            raise ModelError(
                f"array {array.name!r}: some elements start at an input's value and others do not; "
                "let all start at inputs, or none"
            )


def _check_name(name: str, seen: set[str]) -> None:
    wrong = wrong_part(name)
    if wrong is not None:
        raise ModelError(
            f"variable {name!r}: {wrong!r} is not a name that FMUs can have; rename that part of "
            "the model, with letters, digits, underscores and indices in brackets"
        )
    if name in seen:
        raise ModelError(f"two variables are called {name!r}")


def _texts(row: Row) -> Iterator[tuple[str, str]]:
    yield "description", row.description
    for alias in row.aliases:
        yield "alias' description", alias.description
    for item in row.items:
        yield "item's name", item.name
        yield "item's description", item.description


def _check_numbers(row: Row) -> None:
    if not (row.nominal > 0 and math.isfinite(row.nominal)):
        raise ModelError(
            f"variable {row.name!r}: nominal {row.nominal} is not positive and finite; give its "
            "natural size"
        )
    if row.start is not None and not math.isfinite(row.start):
        raise ModelError(
            f"variable {row.name!r}: its start value {row.start} is not a finite number; give one"
        )
    for what, bound in (("minimum", row.minimum), ("maximum", row.maximum)):
        if bound is not None and math.isnan(bound):
            raise ModelError(f"variable {row.name!r}: its {what} is not a number; leave it out")


def _check_items(row: Row) -> None:
    if not row.items:
        return
    if row.kind != "output" and not 1 <= (row.start or 0) <= len(row.items):
        raise ModelError(
            f"{row.kind} {row.name!r}: value {row.start} is none of its {len(row.items)} items"
        )
    names = [item.name for item in row.items]
    for name in names:
        if not name.strip():
            raise ModelError(f"{row.kind} {row.name!r}: an item has no name; give one")
        if names.count(name) > 1:
            raise ModelError(f"{row.kind} {row.name!r}: two items are called {name!r}")
