"""Runs jobs of one client in a process of its own: ``python -m tests.importers.runner JOBS OUT``.

JOBS is a JSON list; OUT gets one JSON object a line as soon as it is known, so that what a
crash takes with it is known too.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .client import Client, Lacks, Run
from .experiments import EXPERIMENTS

CLIENTS = ("fmpy", "casadi", "dompc", "pathsim", "ecos", "cosim", "fmuloader", "toolbox", "host")
"""Names of the clients' modules, in the order of the matrix."""


def load(name: str) -> Client:
    """Return a client; ImportError or OSError where it is not installed."""
    module = importlib.import_module(f"{__package__}.client_{name}")
    return module.CLIENT


def perform(job: dict[str, Any]) -> dict[str, Any]:
    """Do one job; return what to write of it."""
    client = load(job["client"])
    case = EXPERIMENTS[job["experiment"]]
    run = Run(Path(job["archive"]), job["fmi"], job["kind"], case, job.get("linear"))
    found: dict[str, Any] = {"status": "ok"}
    begin = time.process_time()
    try:
        if job["task"] == "crash":  # of the tests
            os.abort()
        elif job["task"] == "run":
            found["values"] = client.run(run)
        elif job["task"] == "example":
            with _inside(run.archive.parent):
                exec(compile(client.example, "example", "exec"), {"__name__": "example"})
        else:
            found["figure"] = client.checks[job["task"]](run)
    except Lacks as lacks:
        found = {"status": "lacks", "message": str(lacks)}
    except AssertionError as wrong:
        found = {"status": "differs", "message": str(wrong) or traceback.format_exc()[-300:]}
    except Exception as error:
        found = {"status": "fails", "message": f"{type(error).__name__}: {error}"[:600]}
    return found | {"faults": sorted(set(run.faults)), "seconds": time.process_time() - begin}


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main(jobs: str, results: str) -> None:
    """Do all jobs of a file."""
    with open(results, "a", encoding="utf-8") as out:
        for job in json.loads(Path(jobs).read_text()):
            print(json.dumps(perform(job)), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
