"""Prepares docstrings for Sphinx: the library writes plain text, not reStructuredText.

A Sphinx extension. Attributes that share a description (``stiffness, damping : float``) get an
entry each, as parameters do. Signs that reStructuredText would take for markup (``|x|``, a name
that ends in an underscore, a lone asterisk) are escaped, so that docstrings stay readable as they
are in Python. Formulas, which are set apart like code but without ``::``, become MathML.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

from docs.site.formulas import restructured

_CODE = re.compile(r"(``.+?``|:\w+:`[^`]+`|`[^`]+`)")
_SHARED = re.compile(r"(\s*)(\w+(?:, \w+)+) : (.+)")
_LITERAL = re.compile(r"::( html)?\s*$")
_ENUMERATOR = re.compile(r"^(\s*)(?=[A-Za-z]\.(\s|$))")
"""A unit or a symbol that ends a sentence would begin a list."""
_SIGNS = re.compile(r"([|*])|(?<=\w)_(?![\w`])")


def split_attributes(
    app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]
) -> None:
    """Give each of several attributes with one description an entry of its own."""
    begin = next(
        (i + 2 for i, line in enumerate(lines[:-1]) if line.strip() == "Attributes"), len(lines)
    )
    end = next(
        (i for i in range(begin, len(lines) - 1) if lines[i + 1].strip().startswith("---")),
        len(lines),
    )
    entries: list[str] = []
    for entry in _entries(lines[begin:end]):
        shared = _SHARED.match(entry[0])
        heads = [entry[0]]
        if shared:
            heads = [f"{shared[1]}{one} : {shared[3]}" for one in shared[2].split(", ")]
        entries += [line for head in heads for line in (head, *entry[1:])]
    lines[begin:end] = entries


def _entries(lines: list[str]) -> list[list[str]]:
    """Return the lines of a section in groups that begin at its indentation."""
    indent = min((len(s) - len(s.lstrip()) for s in lines if s.strip()), default=0)
    groups: list[list[str]] = []
    for line in lines:
        if not groups or (line.strip() and len(line) - len(line.lstrip()) == indent):
            groups.append([])
        groups[-1].append(line)
    return groups


def typeset(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Draw the formulas of a docstring."""
    restructured(lines)


def escape(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Escape what is not markup in the lines of a docstring, outside of literal blocks."""
    depth: int | None = None
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip() and indent <= depth:
            depth = None
        if depth is None:
            lines[i] = "".join(
                part if k % 2 else _SIGNS.sub(_escaped, part)
                for k, part in enumerate(_CODE.split(line))
            )
            lines[i] = _ENUMERATOR.sub(r"\1\\", lines[i])
            if _LITERAL.search(line):
                depth = indent


def _escaped(match: re.Match[str]) -> str:
    return "\\" + match.group(0)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension, before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", typeset, priority=80)
    app.connect("autodoc-process-docstring", split_attributes, priority=90)
    app.connect("autodoc-process-docstring", escape, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
