"""Values that are set on the command line: ``--set "chassis.speed=50 km/h"``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mbcore.cli.wrong_call import refusing_calls
from mbcore.equations.equations import Equations
from mbcore.model import checks
from mbcore.model.arrays.elements import elements_named
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values
from mbcore.model.near_names import unknown
from mbcore.model.parameter_sets.parameter_set import SETTABLE, origin, some_of
from mbcore.model.units.text_units import plain_number, value_in
from mbcore.model.variables import Value

MOST_ROWS = 10**7
"""Largest number of rows of a run."""


_PLACES = {"state": 0, "parameter": 1, "input": 2}
"""Of kinds of variables among settings."""


class Settings(NamedTuple):
    """Values by name, sorted by kind of variable."""

    start: Mapping[str, Value]
    parameters: Mapping[str, Value]
    inputs: Mapping[str, Value]


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--set``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar='"NAME=VALUE"',
        help="a parameter, an input or a state's start value, with its unit, as in "
        '"chassis.speed=50 km/h", or in SI units without; may be given several times',
    )


@refusing_calls()
def given_values(option: str, settings: Iterable[str]) -> dict[str, Any]:
    """Return values by name: numbers without a unit as such, arrays as lists, others as texts.

    Raises
    ------
    WrongCallError
        One has no name or no value, or a name comes twice.
    """
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not (name and equals and text):
            raise ModelError(
                f'{option} {setting!r}: give NAME=VALUE, as in "chassis.speed=50 km/h"'
            )
        if name in found:
            raise ModelError(f"{option}: {name} is set twice, to {found[name]!r} and {text!r}")
        owner = f"{option}: {name}"
        found[name] = _array(owner, text) if _is_array(text) else plain(owner, text)
    return found


def _array(owner: str, text: str) -> list[Any]:
    """Return the elements of an array in brackets, rows as arrays of their own.

    Raises
    ------
    ModelError
        Brackets do not pair, or an element is empty.
    """
    parts, depth = [""], 0
    for sign in text[1:-1]:
        depth += {"[": 1, "]": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    parts = [part.strip() for part in parts]
    if depth or not all(parts):
        raise ModelError(f"{owner} = {text!r}: give elements with commas, as in [1, 2, 3]")
    return [_array(owner, p) if _is_array(p) else plain(owner, p) for p in parts]


def _is_array(text: str) -> bool:
    return text.startswith("[") and text.endswith("]")


def plain(owner: str, text: str) -> Value:
    """Return a number without a unit as one, another text as it is."""
    number = plain_number(owner, text)
    return text if number is None else number


def _names(records: Iterable[Any]) -> Iterator[str]:
    return (record.name for record in records)


@refusing_calls()
def sorted_values(equations: Equations, given: Mapping[str, Value]) -> Settings:
    """Return values by kind of variable.

    Raises
    ------
    WrongCallError
        A name is unknown, or is that of something calculated; a value is out of its range.
    """
    homes = {
        **{record.name: 0 for record in equations.states},
        **{record.name: 1 for record in equations.parameters},
        **{record.name: 2 for record in equations.inputs},
        **{a.name: _PLACES[a.kind] for a in equations.arrays if a.kind in _PLACES},
    }
    calculated = {*_names(equations.outputs), *_names(equations.discretes)}
    calculated |= {*_names(equations.arrays)}
    names: list[set[str]] = [set(), set(), set()]
    for name in given:
        if name not in homes:
            where = origin(given, name, "--set")
            if name in calculated:
                raise ModelError(
                    f"{where}: {name} is calculated; set the variables that determine it"
                )
            raise ModelError(f"{where}: {unknown(SETTABLE, name, homes)}")
        names[homes[name]].add(name)
    found = Settings(*(some_of(given, chosen) for chosen in names))
    checks.values("start value", found.start, equations.states)
    checked_values("parameter", equations.parameters, found.parameters)
    checked_values("input", equations.inputs, found.inputs)
    return found


@refusing_calls()
def time_in_seconds(option: str, text: str | None) -> float | None:
    """Return a time, s, from a text with its unit or a plain number of seconds; None for None.

    Raises
    ------
    WrongCallError
        It is not a positive time.
    """
    if text is None:
        return None
    value = plain(option, text)
    seconds = value_in(option, value, "s") if isinstance(value, str) else value
    if not 0 < seconds < float("inf"):
        raise ModelError(f"{option} = {text!r}: give a positive time, as in '10 s'")
    return seconds


@refusing_calls()
def check_rows(until: float, step: float) -> None:
    """Refuse more rows than fit into memory.

    Raises
    ------
    WrongCallError
        There would be too many.
    """
    if until / step > MOST_ROWS:
        raise ModelError(
            f"--step = {step:g} s makes {until / step:.3g} rows until {until:g} s; give a step of "
            f"at least {until / MOST_ROWS:.3g} s"
        )


def names_in(text: str) -> list[str]:
    """Return the names in a list with commas; those in brackets are parts of a name."""
    return [name.strip() for name in re.split(r",(?![^\[]*\])", text) if name.strip()]


@refusing_calls()
def chosen_names(
    option: str, text: str | None, known: Sequence[str], otherwise: Sequence[str]
) -> list[str]:
    """Return the names in a list with commas, of an array those of its elements; others for None.

    Raises
    ------
    WrongCallError
        One is unknown.
    """
    if text is None:
        return list(otherwise)
    asked = names_in(text)
    names = [*dict.fromkeys(one for name in asked for one in elements_named(name, known))]
    for name in names:
        if name not in known:
            raise ModelError(f"{option}: {unknown('variable', name, known)}")
    if not names:
        raise ModelError(f"{option} = {text!r}: give names, as in {','.join(known[:2])}")
    return names


@refusing_calls()
def checked_path(option: str, text: str, endings: Sequence[str]) -> Path:
    """Return the path of a file to write.

    Raises
    ------
    WrongCallError
        Its folder does not exist, it cannot be written, or its name ends in another way.
    """
    path = Path(text)
    if path.suffix.lower() not in endings:
        raise ModelError(f"{option} {text!r}: give a file name that ends in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise ModelError(f"{option} {text!r}: there is no folder {path.parent}; make it first")
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        raise ModelError(
            f"{option} {text!r} cannot be written: {error.strerror}; give another place"
        ) from error
    return path


def table(rows: Sequence[Sequence[Any]], right: Sequence[int] = ()) -> str:
    """Return rows as aligned columns; those in ``right`` end below each other."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in texts
    ]
    return "\n".join(lines)
