"""The FMI profiles' rows, shown on our FMUs; and that they find what is not there."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Archive, Archives
from tests.fmi.calls.fmi_profile import PROFILES, examine, lacking, main

BINARIES = "binaries for desktop platforms"
"""What an FMU built for the tests, for this machine alone, lacks."""
START = {
    "clearance": {
        "journal.x": 5.1e-4,
        "journal.y_rate": 0.1,
        "friction.coefficient": 0.2,
        "friction.static": 0.3,
    },
    "journal_bearing": {"journal.x": 1e-4, "journal.speed": 10.0},
    "vehicle_grip": {"rear.slip_velocity": 0.5},
}
"""Where the own start does not show a row: a film at rest has no force, which its viscosity could
change; without contact there is none; straight on the friction ratios, amounts of forces that
vanish, have no derivative."""


@pytest.mark.heavy
def test_every_row_that_applies_is_shown_on_every_fmu(archive: Archive) -> None:
    found = examine(archive.path, START.get(archive.description.modelName))
    assert {f.row.feature for f in found if f.verdict == "no"} <= {BINARIES}
    for profile in PROFILES:
        assert set(lacking(found, profile)) <= {BINARIES}


def _edited(archive: Archive, folder: Path, pattern: str, by: str, count: int = 0) -> Path:
    """Copy an FMU with another model description."""
    copy = folder / archive.path.name
    with zipfile.ZipFile(archive.path) as source, zipfile.ZipFile(copy, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "modelDescription.xml":
                text = content.decode()
                assert re.search(pattern, text)
                content = re.sub(pattern, by, text, count=count).encode()
            target.writestr(name, content)
    return copy


def _seen(path: Path, feature: str) -> tuple[str, str]:
    return next((f.verdict, f.seen) for f in examine(path) if f.row.feature == feature)


def test_a_hidden_dependency_is_found(archives: Archives, tmp_path: Path) -> None:
    pattern = r'(<ContinuousStateDerivative valueReference="\d+" dependencies=")\d[^"]*"'
    path = _edited(archives["rolling_disk", "3.0"], tmp_path, pattern + r"[^/]*", r'\1" ')
    verdict, seen = _seen(path, "dependencies of rates and outputs")
    assert verdict == "no"
    assert "hides it" in seen


def test_a_capability_that_is_not_claimed_counts_as_missing(
    archives: Archives, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _edited(archives["rolling_disk", "2.0"], tmp_path, ' canGetAndSetFMUstate="true"', "")
    assert main([str(path)]) == 1
    assert "canGetAndSetFMUState is not claimed" in capsys.readouterr().out
