"""Every shipped FMU in every importer that is installed, against our equations in Python."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from conftest import Archives as Built
from conftest import Tools
from filelock import FileLock

from mbcore.fmi import export
from tests.importers.experiments import EXPERIMENTS
from tests.importers.matrix import Archives, installed, judge, performed, run_all
from tests.importers.page import table
from tests.importers.runner import CLIENTS


@pytest.fixture(scope="module")
def fmus(archives: Built, tools: Tools, shared: Path) -> Archives:
    """All FMUs by name and major version: those that the tests share, and the others."""
    out, complete = shared / "other_fmus", shared / "other_fmus.complete"
    found = {(name, version[0]): built.path for (name, version), built in archives.items()}
    others = sorted({case.fmu for case in EXPERIMENTS.values()} - {name for name, _ in found})
    with FileLock(shared / "other_fmus.lock"):
        if not complete.exists():
            for name in others:
                module = importlib.import_module(f"mbcore.fmus.{name}")
                export(module.component(), out, tools=tools)
            complete.touch()
    return found | {(n, fmi): out / f"fmi{fmi}" / f"{n}.fmu" for n in others for fmi in "23"}


@pytest.mark.heavy
@pytest.mark.parametrize("name", CLIENTS)
def test_every_fmu_runs(name: str, fmus: Archives) -> None:
    found, missing = installed([name])
    if missing:
        pytest.skip(f"{name} is not installed: {missing[name]}")
    cells = run_all(fmus, found)
    print(table(cells))
    wrong = [f"{cell.status}: {cell.place}: {cell.message}" for cell in cells if not cell.good]
    assert not wrong, "\n".join(wrong)
    compared = [c for c in cells if c.job["task"] == "run" and c.status == "ok"]
    assert {c.job["fmi"] for c in compared} == {fmi for fmi, _ in found[name].kinds}


def test_a_difference_is_seen() -> None:
    """A client whose values are a little off is told, and so is one that knows no outputs."""
    job = {
        "client": "host", "experiment": "vehicle", "fmi": "2", "kind": "CoSimulation",
        "task": "run", "archive": "",
    }  # fmt: skip
    expected = {"x": [1.0, 2.0, 3.0, 3.0]}
    for values, status in (
        ({"x": [1.0, 2.0, 3.0]}, "ok"),
        ({"x": [1.0, 2.0, 3.0 + 4e-6]}, "differs"),
        ({"x": [1.0, 2.0, float("nan")]}, "differs"),
        ({"y": [1.0, 2.0, 3.0]}, "differs"),
    ):
        assert judge(job, "", {"status": "ok", "values": values}, expected).status == status


@pytest.mark.heavy
def test_a_client_that_crashes_takes_nothing_with_it(tmp_path: Path) -> None:
    absent = str(tmp_path / "absent.fmu")
    job = {
        "client": "fmpy", "experiment": "vehicle", "fmi": "2", "kind": "CoSimulation",
        "task": "run", "archive": absent,
    }  # fmt: skip
    first, second, third = performed([job, {**job, "task": "crash"}, job], {})
    assert first["status"] == third["status"] == "fails"
    assert second["status"] == "crashes" and "SIGABRT" in second["message"]
