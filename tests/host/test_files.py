"""Files that cannot be written are named, with what to do."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mbcore import ModelError
from mbcore.host.files import writing


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "run.csv"
    with (
        pytest.raises(ModelError, match=r"cannot be written: .*; make the folder .*gone, or give"),
        writing("to_csv", path),
        path.open("w"),
    ):
        pass


def test_a_full_disk_needs_room(tmp_path: Path) -> None:
    with (
        pytest.raises(ModelError, match=r"to_csv: .*run\.csv cannot be written: full; make room"),
        writing("to_csv", tmp_path / "run.csv"),
    ):
        raise OSError(errno.ENOSPC, "full")
