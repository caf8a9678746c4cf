"""Formulas of docstrings as MathML: paragraphs that are set apart by an indentation.

Code is set apart in the same way, with ``::`` before it, and stays what it is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from mbcore.formulas import paragraph


class Formula(NamedTuple):
    """A displayed formula in a docstring: its first line, the line behind it, and its text."""

    begin: int
    end: int
    indent: int
    """Of the text that it stands in."""
    text: str


def formulas(lines: list[str]) -> Iterator[Formula]:
    """Give the displayed formulas of a docstring."""
    indent, literal = 0, None
    i = 0
    while i < len(lines):
        line = lines[i]
        depth = len(line) - len(line.lstrip())
        if not line.strip():
            i += 1
            continue
        if literal is not None and depth <= literal:
            literal = None
        end = next((k for k in range(i, len(lines)) if not lines[k].strip()), len(lines))
        apart = i > 0 and not lines[i - 1].strip() and depth > indent
        if apart and literal is None:
            yield Formula(i, end, indent, textwrap.dedent("\n".join(lines[i:end])))
            i = end
            continue
        if literal is None:
            indent = depth
            if line.rstrip().endswith("::"):
                literal = depth
        i += 1


def restructured(lines: list[str]) -> None:
    """Replace the formulas of a docstring by MathML in directives of reStructuredText."""
    for formula in reversed(list(formulas(lines))):
        html = [".. raw:: html", "", *("   " + s for s in paragraph(formula.text).splitlines())]
        lines[formula.begin : formula.end] = [" " * formula.indent + line for line in html]


def markdown(text: str) -> str:
    """Return a docstring whose formulas are MathML in directives of Markdown."""
    lines = text.split("\n")
    for formula in reversed(list(formulas(lines))):
        html = ["```{raw} html", paragraph(formula.text).strip(), "```"]
        lines[formula.begin : formula.end] = html
    return "\n".join(lines)
