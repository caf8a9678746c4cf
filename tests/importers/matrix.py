"""Runs all clients on all FMUs and judges what they give against the reference."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.cover import cover, numbered

from .client import CS, ME, Client
from .experiments import EXPERIMENTS, Experiment
from .faults import behind, worked_around
from .references import equations_of, linear, reference
from .runner import CLIENTS, load

ROOT = Path(__file__).parents[2]
LONGEST = 600
"""Seconds that one job may take."""
Archives = Mapping[tuple[str, str], Path]
"""FMUs by name and major FMI version."""
Reference = tuple[dict[str, list[float]], dict[str, Any] | None]
"""What our equations give for an experiment, and their Jacobian at its start."""


@dataclass
class Cell:
    """What came of one job.

    ``status`` is "ok", "differs" (from the reference), "fault" (the client's own, named), "fails"
    (an error that nobody has named), "crashes" or "lacks".
    """

    job: dict[str, Any]
    title: str
    status: str
    message: str = ""
    error: float = 0.0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0
    figure: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing is wrong on our side, as far as is known."""
        return self.status in ("ok", "lacks", "fault")

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        job = self.job
        return (
            f"{job['experiment']}, FMI {job['fmi']}, {job['kind']}, {job['client']}, {job['task']}"
        )


def installed(names: Iterable[str] = CLIENTS) -> tuple[dict[str, Client], dict[str, str]]:
    """Return the clients that can be loaded, and for the others why not.

    Each is tried in a process of its own, for a client's library may crash where it is loaded.
    """
    found, missing = {}, {}
    for name in names:
        code = f"from tests.importers.runner import load; load({name!r})"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
        )
        if done.returncode:
            missing[name] = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        else:
            found[name] = load(name)
    return found, missing


def jobs_of(name: str, client: Client, archives: Archives) -> Iterator[dict[str, Any]]:
    """Yield all jobs of a client."""
    for fmi, kind in client.kinds:
        for experiment, case in EXPERIMENTS.items():
            for task in ("run", *client.checks):
                yield {
                    "client": name, "fmi": fmi, "kind": kind, "experiment": experiment,
                    "task": task, "archive": str(archives[case.fmu, fmi]),
                }  # fmt: skip
    if client.example:
        yield {
            "client": name, "fmi": client.example_fmi, "kind": CS, "experiment": "vehicle",
            "task": "example", "archive": str(archives["vehicle", client.example_fmi]),
        }  # fmt: skip


def performed(jobs: list[dict[str, Any]], linears: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Do the jobs of one client; begin anew behind one that crashes or takes too long."""
    results: list[dict[str, Any]] = []
    full = [{**job, "linear": linears.get(job["experiment"])} for job in jobs]
    with tempfile.TemporaryDirectory() as base:
        given, written, said = (Path(base) / name for name in ("jobs", "results", "said"))
        while len(results) < len(jobs):
            rest = full[len(results) :]
            given.write_text(json.dumps(rest))
            written.write_text("")
            code = _run(given, written, said, len(rest))
            lines = [json.loads(line) for line in written.read_text().splitlines()]
            results += lines
            if len(lines) < len(rest):
                tail = said.read_text(errors="replace").strip()[-300:]
                results.append({"status": "crashes", "message": f"{_ending(code)}; {tail}"})
    return results


def _run(given: Path, written: Path, said: Path, count: int) -> int | None:
    """Run the runner; return its exit status, None where it took too long."""
    line = [sys.executable, "-m", "tests.importers.runner", str(given), str(written)]
    with said.open("w") as out:
        process = subprocess.Popen(
            line, cwd=ROOT, stdout=out, stderr=out, env=os.environ | {"OMP_NUM_THREADS": "1"}
        )
        done, waited = 0, 0
        while True:
            try:
                return process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                now = written.read_text().count("\n")
                waited = waited + 5 if now == done else 0
                done = now
                if waited > LONGEST:
                    process.kill()
                    process.wait()
                    return None


def _ending(code: int | None) -> str:
    if code is None:
        return f"no end within {LONGEST} s"
    return signal.Signals(-code).name if code < 0 else f"exit {code}"


def judge(
    job: dict[str, Any], title: str, result: dict[str, Any], expected: dict[str, list[float]]
) -> Cell:
    """Compare a result with the reference; name the client's faults."""
    client, case = job["client"], EXPERIMENTS[job["experiment"]]
    message = result.get("message", "")
    cell = Cell(job, title, result["status"], message, seconds=result.get("seconds", 0.0))
    cell.figure = result.get("figure", "")
    for what in result.get("faults", ()):
        fault = worked_around(client, what)
        cell.faults.append(fault.key if fault else f"{what}?")
    if job["task"] == "run" and cell.status == "ok":
        _compare(cell, result["values"], expected, case)
    if cell.status in ("fails", "crashes", "differs"):
        fault = behind(client, cell.message)
        if fault:
            cell.status = "fault"
            cell.faults.append(fault.key)
    return cell


def _compare(
    cell: Cell, values: dict[str, list[float]], expected: dict[str, list[float]], case: Experiment
) -> None:
    """Find the largest difference of quantities that both have."""
    both = [name for name in values if name in expected]
    if values and len(both) < 0.5 * len(values):
        cell.status, cell.message = "differs", f"only {len(both)} of {len(values)} outputs known"
    # PathSim locates state events less sharply than its integrators' tolerance
    loose = cell.job["client"] == "pathsim" and cell.job["kind"] == ME and case.events
    within = case.within * (100 if loose else 1)
    for name in both:
        *samples, size = expected[name]
        for time, got, wanted in zip(case.samples, values[name], samples, strict=True):
            error = abs(got - wanted) / (size + 1e-6)
            if not error <= cell.error:
                cell.error = error
                if not error <= within:
                    cell.status = "differs"
                    cell.message = f"{name} at {time:g} s is {got:.12g}, expected {wanted:.12g}"


ON_REQUEST = {("dompc", "car", "predictive control")}
"""Client, experiment and task of what takes seven seconds beside the like of it: the plan of the
iltis, which has all kinds of parts of the car."""


def covered(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return jobs with all pairs of FMI version, interface, experiment and task of a client."""
    faces = ("fmi", "kind", "experiment", "task")
    asked = ("client", "experiment", "task")
    jobs = [job for job in jobs if tuple(job[face] for face in asked) not in ON_REQUEST]
    chosen = cover(numbered([{face: job[face] for face in faces} for job in jobs]))
    return [job for i, job in enumerate(jobs) if i in chosen]


@cache
def references(name: str) -> Reference:
    """Return what our equations give for an experiment, and their Jacobian at its start."""
    case = EXPERIMENTS[name]
    equations = equations_of(case)
    return reference(case, equations), linear(case, equations)


def run_all(
    archives: Archives,
    clients: Mapping[str, Client],
    tell: Callable[[str], None] = print,
    chosen: Iterable[str] = EXPERIMENTS,
    known: Mapping[str, Reference] | None = None,
    whole: bool = True,
) -> list[Cell]:
    """Run every client on every experiment, or on a cover of pairs; return all cells.

    References that are known are not calculated.
    """
    chosen = set(chosen)
    found = known or {name: references(name) for name in chosen}
    expected = {name: values for name, (values, _) in found.items()}
    linears = {name: matrix for name, (_, matrix) in found.items()}
    cells = []
    for name, client in clients.items():
        jobs = [job for job in jobs_of(name, client, archives) if job["experiment"] in chosen]
        if not whole:
            jobs = covered(jobs)
        linear_of = linears if name == "casadi" else {}
        for job, result in zip(jobs, performed(jobs, linear_of), strict=True):
            cells.append(judge(job, client.name, result, expected[job["experiment"]]))
        bad = sum(not cell.good for cell in cells if cell.job["client"] == name)
        seconds = sum(cell.seconds for cell in cells if cell.job["client"] == name)
        tell(f"{client.name}: {len(jobs)} jobs, {bad} wrong, {seconds:.1f} s")
    return cells


KINDS = {CS: "CS", ME: "ME"}
"""Short names of the kinds."""
