"""The table from changed files to tests: each room is in it, and each test is called for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.rooms import ROOMS, ROOT, TESTS, concerned, definitions, naming, row_of


def rooms() -> list[str]:
    """Return what lies in the library, and the folders and files beside it."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no git checkout here")
    listed = ["git", "ls-files"]
    ran = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in ran.stdout.splitlines() if not line.startswith("tests/")]


def test_each_file_has_a_row() -> None:
    assert [path for path in rooms() if row_of(path) is None] == []


def test_each_room_of_the_library_has_its_own_row() -> None:
    library = {str(Path(*Path(path).parts[:2])) for path in rooms() if path.startswith("mbcore/")}
    assert library <= set(ROOMS)


def test_each_row_is_of_something_and_names_tests() -> None:
    assert [row for row in ROOMS if not (ROOT / row).exists()] == []
    names = {name for tests in ROOMS.values() for name in tests.split()}
    assert [name for name in sorted(names) if not (TESTS / name).exists()] == []


def test_each_folder_of_tests_is_called_for() -> None:
    called = {name.partition("/")[0] for tests in ROOMS.values() for name in tests.split()}
    folders = {file.parent.name for file in TESTS.glob("*/__init__.py")}
    assert folders - called == set()


def test_a_room_s_own_tests_are_called_for() -> None:
    own = {row.partition("/")[2] for row in ROOMS if row.startswith("mbcore/")}
    for name in own:
        if (TESTS / name).is_dir():
            found = concerned([f"mbcore/{name}/new.py"])
            assert {name, name.partition("/")[0]} & set(found), name


def test_an_fmu_calls_for_the_tests_that_name_it() -> None:
    assert {"clearance_joint", "iltis", "vehicle"} <= definitions()
    assert "fmu_src/test_fmu_impact.py" in naming("clearance_joint")
    found = concerned(["fmu_src/clearance_joint.py"])
    assert {"fmu_src", "fmi/calls"} <= set(found)


def test_tests_call_for_themselves_and_for_those_that_share_them() -> None:
    assert concerned(["tests/model/test_parts.py"]) == ["model/test_parts.py"]
    assert "linear" in concerned(["tests/linear/shared.py"])
    assert all("test_" in name for name in concerned(["tests/oscillators.py"]))


def test_a_file_of_no_room_is_refused() -> None:
    with pytest.raises(KeyError, match=r"elsewhere/new.py: no row of tests/rooms.py has it"):
        concerned(["elsewhere/new.py"])
