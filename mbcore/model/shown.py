"""Short descriptions of objects: a line for terminals, small tables for notebooks, near misses."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

MOST_NAMES = 6
"""Names or values that a line lists."""
MOST_KNOWN = 20
"""Names that an error lists."""
MOST_ROWS = 12
"""Rows of a table."""
LIKE, MUCH_LIKE = 0.7, 0.1
"""Likeness of a name that may have been meant, and how far it may be behind the best."""
MOST_LETTERS = 60
"""Of a text in a line or a cell."""
STYLE = "text-align:left;padding:0 0.8em 0 0"


class Table(NamedTuple):
    """Cells under headings, texts and numbers in any mixture."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class Shown:
    """What says in one line what it is, and more in a notebook.

    Those who inherit state a title and facts, which are cheap, and perhaps tables; as dataclasses
    they are made with ``repr=False``.
    """

    def _title(self) -> str:
        raise NotImplementedError

    def _facts(self) -> list[str]:
        raise NotImplementedError

    def _tables(self) -> list[Table]:
        return []

    def _picture(self) -> str:
        """Return a picture as an element of HTML, empty for none."""
        return ""

    def __repr__(self) -> str:
        return f"<{shortened(self._title())}: {'; '.join(f for f in self._facts() if f)}>"

    def _repr_html_(self) -> str:
        facts = "; ".join(fact for fact in self._facts() if fact)
        tables = "".join(_html(table) for table in self._tables() if table.rows)
        title = escape(shortened(self._title()))
        return f"<div><p><b>{title}</b>: {escape(facts)}</p>{self._picture()}{tables}</div>"


class Expressions(Shown):
    """A dataclass of expressions, which are too long to be shown: their names stand for them."""

    def _title(self) -> str:
        return type(self).__name__

    def _facts(self) -> list[str]:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return [listed(names, MOST_ROWS)]


def count(number: int, what: str) -> str:
    """Return ``"1 node"``, ``"2 nodes"``, ``"2 degrees of freedom"``."""
    first, of, last = what.partition(" of ")
    return f"{number} {first}{'' if number == 1 else 's'}{of}{last}"


def listed(names: Iterable[object], most: int = MOST_NAMES) -> str:
    """Return names behind each other, so many at most, and how many more there are."""
    texts = [shortened(str(name)) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def quantities(
    values: Mapping[str, object], units: Mapping[str, str] | None = None, most: int = MOST_NAMES
) -> str:
    """Return ``"x = 1 m, v = 0.5 m/s"``, so many at most, and how many more there are."""
    known = {name: f" {unit}" for name, unit in (units or {}).items() if unit != "1"}
    first = [
        f"{shortened(name)} = {formatted(value)}{known.get(name, '')}"
        for name, value in [*values.items()][:most]
    ]
    more = len(values) - most
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")


def units_of(*groups: Iterable[Any]) -> dict[str, str]:
    """Return the units of variables by their names."""
    return {record.name: record.unit for group in groups for record in group}


def eigenvalues(values: Iterable[complex], most: int = MOST_NAMES) -> str:
    """Return numbers in the complex plane, pairs as one: ``"-1, -0.2 ± 3i"``."""
    found = [complex(value) for value in values]
    kept = [v for v in found if v.imag >= 0 or not np.any(np.isclose(found, v.conjugate()))]
    pairs = [
        f"{v.real:.4g} ± {v.imag:.4g}i"
        if v.imag > 0 and np.any(np.isclose(found, v.conjugate()))
        else formatted(v)
        for v in kept
    ]
    return listed(pairs, most)


def formatted(value: object) -> str:
    """Return a number with its first digits, or a text that is not too long."""
    if isinstance(value, bool | np.bool_ | str) or value is None:
        return shortened(str(value))
    if isinstance(value, complex | np.complexfloating):
        value = complex(value)
        return formatted(value.real) if not value.imag else f"{value.real:.4g}{value.imag:+.4g}i"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return f"{value + 0.0:.6g}"  # no -0
    return shortened(str(value))


def shortened(text: str) -> str:
    """Return a text in one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 3]}..."


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Return what to say of a name that is not known, with those that are near.

    Parameters
    ----------
    what : str
        What it should be the name of: ``"result"``, ``"input"``.
    name : object
        What was given.
    known : iterable of str
        The names that there are.
    """
    names = list(known)
    close = near(name, names)
    asked = f"did you mean {' or '.join(map(repr, close))}? There" if close else "there"
    known_ones = listed(names, MOST_KNOWN) if names else "none"
    return f"no {what} {name!r}; {asked} is {known_ones}"


def near(name: object, known: Sequence[str], most: int = 3) -> list[str]:
    """Return the names that a misspelt or shortened one may stand for, the best first."""
    asked = str(name).casefold()
    folded = {other.casefold(): other for other in reversed(known)}
    ratio = {o: difflib.SequenceMatcher(None, asked, o).ratio() for o in folded}
    least = max(LIKE, max(ratio.values(), default=0.0) - MUCH_LIKE)
    close = sorted((o for o in folded if ratio[o] >= least), key=lambda o: -ratio[o])
    ends = [o for o in folded if asked and (o.endswith(f".{asked}") or o.startswith(f"{asked}."))]
    return [folded[other] for other in dict.fromkeys([*close, *reversed(ends)])][:most]


def records(*groups: tuple[str, Iterable[Any], str | None]) -> list[Table]:
    """Return a table for each group of variables: title, records, and which field is the value."""
    return [
        Table(
            title,
            ("name", "unit", *([value] if value else []), "description"),
            [(r.name, r.unit, *([getattr(r, value)] if value else []), r.description) for r in of],
        )
        for title, of, value in groups
    ]


def _html(table: Table) -> str:
    more = len(table.rows) - MOST_ROWS
    rows = [table.head, *table.rows[:MOST_ROWS]]
    if more > 0:
        rows.append([f"and {more} more", *[""] * (len(table.head) - 1)])
    tags = ["th", *["td"] * (len(rows) - 1)]
    cells = "".join(
        "<tr>"
        + "".join(f'<{tag} style="{STYLE}">{escape(formatted(v))}</{tag}>' for v in row)
        + "</tr>"
        for tag, row in zip(tags, rows, strict=True)
    )
    title = f'<caption style="{STYLE}">{escape(table.title)}</caption>'
    return f'<table style="margin:0.6em 0">{title}{cells}</table>'
