"""Notebooks of the examples: all of their code, in cells that run one after another."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from docs.site import gallery_examples
from docs.site.notebooks import SHOWN, notebook


def sources(name: str, kind: str) -> list[str]:
    cells = json.loads(notebook(gallery_examples.source(name)))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


@pytest.mark.parametrize("name", gallery_examples.names())
def test_notebooks_have_all_of_the_code(name: str) -> None:
    given = ast.parse(gallery_examples.source(name).read_text(encoding="utf-8"))
    *code, call, shown = sources(name, "code")
    there = ast.parse("\n\n".join(code))
    assert ast.dump(there) == ast.dump(ast.Module(given.body[1:-1], []))
    assert call.endswith("main()") and shown == SHOWN
    [text] = sources(name, "markdown")
    assert text.startswith("# ") and (ast.get_docstring(given) or "") in text


@pytest.mark.heavy
def test_a_notebook_runs(tmp_path: Path) -> None:
    *code, _ = sources("planimeter", "code")
    done = subprocess.run(
        [sys.executable, "-c", "\n\n".join(code), "-f", "kernel.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figures" / "planimeter.png").is_file()
