"""The subcommand ``example``: a list, and copies that run away from the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.site import gallery_examples
from mbcore.cli.commands.example import examples
from mbcore.cli.program import main


def test_all_examples_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["example"]) == 0
    printed = capsys.readouterr().out
    assert list(examples()) and set(examples()) == set(gallery_examples.names())
    assert all(f"  {name} " in printed for name in gallery_examples.names())
    assert "Kinematic shimmy of a caster wheel" in printed


def test_a_copy_is_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["example", "planimeter", "--folder", str(tmp_path), "--copy-only"]) == 0
    copy = tmp_path / "planimeter.py"
    assert copy.read_bytes() == gallery_examples.source("planimeter").read_bytes()
    assert f"python {copy}" in capsys.readouterr().out
    assert main(["example", "planimeter", "--folder", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.heavy
def test_a_copy_runs(tmp_path: Path) -> None:
    assert main(["example", "planimeter", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "figures" / "planimeter.png").is_file()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["planimetre"], "did you mean 'planimeter'?"),
        (["planimeter", "--folder", "nowhere"], "there is no such folder"),
    ],
)
def test_wrong_calls_are_named(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["example", *given]) == 2
    assert said in capsys.readouterr().err


def test_examples_import_like_anything_else() -> None:
    """None changes where modules are found, so that a copy needs only the installed library."""
    files = gallery_examples.EXAMPLES.rglob("*.py")
    assert [file.name for file in files if "sys.path" in file.read_text("utf-8")] == []
