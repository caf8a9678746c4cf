"""The table of faults names what there is, and the command tells which faults tests notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.__main__ import ROOT, noticed
from tests.faults.table import FAULTS, Fault


def test_each_fault_changes_a_file_and_names_tests() -> None:
    """Whether its text still stands there, the command says, which runs seldom."""
    for fault in FAULTS:
        assert fault.old != fault.new
        assert (ROOT / fault.file).is_file(), fault.file
        named = [word for word in fault.tests.split() if word.startswith("tests/")]
        assert named and all((ROOT / name).exists() for name in named), fault.tests


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("asserted", "said"),
    [("three() == 3", "noticed: FAILED test_three.py::test_three"), ("three() > 0", "NOT NOTICED")],
)
def test_a_fault_is_noticed_by_a_test_that_fails(tmp_path: Path, asserted: str, said: str) -> None:
    """The mark is registered, so that pytest may choose by it."""
    source = "def three():\n    return 1 + 2\n"
    (tmp_path / "three.py").write_text(source)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = heavy\npythonpath = .\n")
    text = f"from three import three\n\ndef test_three():\n    assert {asserted}\n"
    (tmp_path / "test_three.py").write_text(text)
    fault = Fault("three.py", "1 + 2", "1 + 3", "test_three.py")
    assert noticed(fault, tmp_path).startswith(said)
    assert (tmp_path / "three.py").read_text() == source
