"""Notebooks of the examples: the text, the code in cells, and the figures."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

SHOWN = """from IPython.display import Image, display

for figure in sorted(Path("figures").glob("*.png")):
    display(Image(figure))"""
"""Code of the last cell."""


def notebook(file: Path) -> str:
    """Return an example as a notebook of the format 4.5."""
    text = file.read_text(encoding="utf-8")
    said, *parts = cells(text)
    title, _, about = said.partition("\n")
    written = [_cell(0, "markdown", f"# {title}\n{about}")]
    call = f'import sys\nfrom pathlib import Path\n\nsys.argv = ["{file.name}"]\nmain()'
    for i, code in enumerate((*parts, call, SHOWN), start=1):
        written.append(_cell(i, "code", code))
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    whole = {"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def cells(text: str) -> list[str]:
    """Return the docstring of a module, its beginning, and each class and function of it.

    The statement that calls ``main`` where the module is run is left out.
    """
    tree = ast.parse(text)
    lines = text.split("\n")
    found = [ast.get_docstring(tree) or "", ""]
    end = tree.body[0].end_lineno or 0
    for node in tree.body[1:]:
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            continue
        code = "\n".join(lines[end : node.end_lineno]).strip("\n")
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(code)
        else:
            found[-1] = f"{found[-1]}\n{code}".strip("\n")
        end = node.end_lineno or end
    return found


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": text.splitlines(keepends=True)}
