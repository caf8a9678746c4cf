"""Cost of a step of 1 ms of three FMUs, of this checkout and of another one in the same run.

``do_step.c`` drives each FMU (FMI 2.0, Co-Simulation) with a slow sine in one input. The two
checkouts are timed in turn, so that what else the machine does falls on both.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from tqdm import tqdm

from benchmarks import common


@dataclass(frozen=True)
class Run:
    """One way of driving an FMU: the input that gets the sine, solver.method and its number."""

    name: str
    driven: str
    label: str
    method: int
    steps: int = 50_000


RUNS = (
    Run("vehicle", "steer.angle", "adaptive", 1),
    Run("vehicle", "steer.angle", "fixed_step", 3),
    Run("caster", "swivel.torque", "adaptive", 1),
    Run("caster", "swivel.torque", "fixed_step", 3),
    Run("clearance_joint", "slider.force", "adaptive", 1, steps=2_000),  # 160 turns of the crank
)


@dataclass(frozen=True)
class Checkout:
    """A checkout with its FMUs built."""

    label: str
    units: dict[str, common.Unit]


def compare(against: Path | None, rounds: int) -> None:
    """Measure and print; without another checkout this one alone.

    Raises
    ------
    RuntimeError
        The FMUs of a checkout cannot be built or run.
    """
    with common.folder() as where:
        checkouts = [_build("here", common.ROOT, where / "here")]
        if against is not None:
            checkouts.append(_build("there", against.resolve(), where / "against"))
        host = common.compile_host([common.HERE / "fmus" / "do_step.c"], where / "do_step")
        results = common.Table("doStep of 1 ms from C, an input before each")
        with tqdm(total=len(RUNS) * rounds * len(checkouts), unit="run") as bar:
            for run in RUNS:
                taken: dict[str, list[float]] = {c.label: [] for c in checkouts}
                for _ in range(rounds):
                    for checkout in checkouts:
                        taken[checkout.label].append(
                            seconds_of(host, checkout.units[run.name], run)
                        )
                        bar.update()
                for label, seconds in taken.items():
                    results.time(f"{run.name}, {run.label}, {label}", seconds, "us")
                if against is not None:
                    pairs = zip(*taken.values(), strict=True)
                    ratio = median(here / there for here, there in pairs)
                    results.number(f"{run.name}, {run.label}, here / there", ratio)
    results.print()


def _build(label: str, root: Path, out: Path) -> Checkout:
    """Build the FMUs of a checkout with its own sources."""
    script = root / "build_fmu.py"
    if not script.is_file():
        raise RuntimeError(f"{root} is no checkout of this project: it has no build_fmu.py")
    names = sorted({run.name for run in RUNS})
    command = [sys.executable, str(script), *names, "--fmi", "2", "--out", str(out)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script} failed:\n{done.stdout}{done.stderr}")
    return Checkout(label, {name: common.unpack(out / "fmi2" / f"{name}.fmu") for name in names})


def seconds_of(host: Path, unit: common.Unit, run: Run) -> float:
    """Return the mean seconds of a step in one run."""
    references = [unit.references[name] for name in ("solver.method", run.driven, run.driven)]
    said = common.run_host(host, unit.library, 2, unit.token, run.method, run.steps, *references)
    return mean(said["step"])
