"""Parameter sets in JSON and TOML, where tables stand for the parts of names.

Used by `mbcore.model.parameter_files.read` alone; it stands apart because it knows two formats.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mbcore.model.errors import ModelError
from mbcore.model.parameter_sets.parameter_set import REAL, TRUTH, WHOLE, Given, ParameterSet
from mbcore.model.variables import Value
from mbcore.model.wording import shortened

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEY = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?', re.DOTALL)
"""A text in JSON, and the colon that makes it a name."""


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON as it stands there, names that come twice included."""


def read_json(path: Path) -> ParameterSet:
    """Return the values of a JSON object; objects in it are parts of names.

    Raises
    ------
    ModelError
        It is not JSON or no object, a name comes twice, or a value is a list or nothing.
    """
    text = _text(path)
    try:
        made = json.loads(text, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        raise ModelError(
            f"{path}, line {error.lineno}: this is not valid JSON ({error.msg}); correct that, as "
            "in "
            '{"chassis.mass": "1300 kg"}'
        ) from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(made, _Pairs):
        raise ModelError(f'{path}: give values by name, as in {{"chassis.mass": "1300 kg"}}')
    keys = [match for match in _KEY.finditer(text) if match[1]]
    lines = iter([text.count("\n", 0, match.start()) + 1 for match in keys])
    return ParameterSet(path, _collected(path, _of_pairs(made, "", lines)))


def _of_pairs(pairs: _Pairs, prefix: str, lines: Iterator[int]) -> Iterator[tuple[str, Any, int]]:
    """Give names with dots, values and lines; names stand in a file as they are gone through."""
    for name, value in pairs:
        line = next(lines)
        if isinstance(value, _Pairs):
            yield from _of_pairs(value, f"{prefix}{name}.", lines)
        else:
            yield f"{prefix}{name}", value, line


def read_toml(path: Path) -> ParameterSet:
    """Return the values of a TOML file; tables are parts of names.

    Raises
    ------
    ModelError
        It is not TOML, a name comes twice, or a value is a list or a date.
    """
    text = _text(path)
    try:
        made = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        at = re.search(r"\(at line (\d+), column \d+\)", said)
        where = f"{path}, line {at[1]}" if at else str(path)
        raise ModelError(
            f"{where}: this is not valid TOML ({said.partition(' (at')[0]}); correct that, as in "
            "chassis.mass = '1300 kg'"
        ) from None
    except RecursionError as error:
        raise ModelError(f"{path} cannot be read as TOML: {error}") from None
    found = _collected(path, ((name, value, None) for name, value in _of_table(made, "")))
    return ParameterSet(path, found, partial(_toml_line, text))


def _of_table(table: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _of_table(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _toml_line(text: str, name: str) -> int | None:
    """Return the line with which a name begins to be there; its parser keeps none."""
    lines = text.splitlines(keepends=True)
    for count in range(1, len(lines) + 1):
        try:
            part = tomllib.loads("".join(lines[:count]))
        except tomllib.TOMLDecodeError:  # within a value of several lines
            continue
        if name in dict(_of_table(part, "")):
            return count
    return None


def _collected(path: Path, found: Any) -> dict[str, Given]:
    """Return values with lines and types.

    Raises
    ------
    ModelError
        A name comes twice, or a value is none of a parameter.
    """
    given: dict[str, Given] = {}
    for name, value, line in found:
        where = str(path) if line is None else f"{path}, line {line}"
        if name in given:
            before = given[name]
            raise ModelError(
                f"{where}: {name} is given twice, as {before.value!r} and as {value!r}; leave one "
                "out"
            )
        given[name] = _one(where, name, value, line)
    return given


def _one(where: str, name: str, value: Any, line: int | None) -> Given:
    types = {bool: (TRUTH, "true or false"), int: (WHOLE, "a number"), float: (REAL, "a number")}
    if isinstance(value, str):
        return Given(value, line)
    if isinstance(value, list) and value:
        return _array(where, name, value, line)
    if type(value) not in types:
        raise ModelError(
            f"{where}: {name} = {shortened(str(value))}; give a number, a text with its unit, as "
            "in '1300 kg', an item's name, or true or false"
        )
    known: Value = value
    return Given(known, line, *types[type(value)])


def _array(where: str, name: str, values: list[Any], line: int | None) -> Given:
    """Return the value of an array, whose type is that which takes all of its elements."""
    each = [_one(where, f"{name}[{i}]", value, line) for i, value in enumerate(values, start=1)]
    of = {(one.type, one.said) for one in each}
    type_, said = of.pop() if len(of) == 1 else (None, None)
    if {one.type for one in each} == {REAL, WHOLE}:
        type_, said = REAL, "numbers"
    known: Any = [one.value for one in each]
    return Given(known, line, type_, said)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is not text in UTF-8 ({error}); save it as UTF-8") from None
