"""The lines of the cheat sheet run, one after the other, and its commands are there."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest

from docs.site.gallery_examples import ROOT
from mbcore.cli.program import COMMANDS

SHEET = (ROOT / "docs" / "cheat_sheet.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| (.+?) \| `(.+)` \|$", SHEET, re.MULTILINE)


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
def test_the_lines_of_the_cheat_sheet_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    assert len(LINES) > 30
    for what, code in LINES:
        exec(compile(code, what, "exec"), names)
    assert {file.name for file in tmp_path.iterdir()} >= {"run.png", "run.gif", "run.html", "build"}


def test_the_commands_of_the_cheat_sheet_are_there() -> None:
    assert set(re.findall(r"`mbcore (\w+)", SHEET)) == set(COMMANDS)
