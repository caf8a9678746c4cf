"""Prepares docstrings for Sphinx: the library writes plain text, not reStructuredText.

A Sphinx extension. Signs that reStructuredText would take for markup (``|x|``, a name that ends in
an underscore, a lone asterisk) are escaped, so that docstrings stay readable as they are in Python.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_CODE = re.compile(r"(``.+?``|:\w+:`[^`]+`|`[^`]+`)")
_LITERAL = re.compile(r"::\s*$")
_SIGNS = re.compile(r"([|*])|(?<=\w)_(?![\w`])")


def escape(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Escape what is no markup in the lines of a docstring, outside of literal blocks."""
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
            if _LITERAL.search(line):
                depth = indent


def _escaped(match: re.Match[str]) -> str:
    return "\\" + match.group(0)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension, before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", escape, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
