"""Summary of an object: a line in a terminal, tables and a picture in a notebook."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from mbcore.model.near_names import Suggesting
from mbcore.model.wording import formatted, listed, shortened

MOST_ROWS = 12
"""Rows of a table."""
STYLE = "text-align:left;padding:0 0.8em 0 0"


class Table(NamedTuple):
    """Cells under headings, texts and numbers in any mixture."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class Summarized(Suggesting):
    """Base of objects with a summary.

    A subclass gives a title and facts, which must be cheap because debuggers ask for them, and
    perhaps tables. Dataclasses are made with ``repr=False``, or they would get another ``repr``.
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


class SummarizedExpressions(Summarized):
    """A dataclass of expressions; these are too long to be printed, so it lists their names."""

    def _title(self) -> str:
        return type(self).__name__

    def _facts(self) -> list[str]:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return [listed(names, MOST_ROWS)]


def variable_tables(*groups: tuple[str, Iterable[Any], str | None]) -> list[Table]:
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
