"""Cost of a step of 1 ms of three FMUs, of this checkout and of another one in the same run.

``do_step.c`` drives each FMU (FMI 2.0, Co-Simulation) with a slow sine in one input. The two
checkouts are timed in turn, so that what else the machine does falls on both.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import common
from tqdm import tqdm

STEPS = 50_000
RUNS = (
    # FMU, input that gets the sine, number of solver.method and its name
    ("vehicle", "steer.angle", 1, "adaptive"),
    ("vehicle", "steer.angle", 3, "fixed_step"),
    ("caster", "swivel.torque", 1, "adaptive"),
    ("caster", "swivel.torque", 3, "fixed_step"),
    ("clearance_joint", "slider.force", 1, "adaptive"),
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
            checkouts.append(_build(str(against), against.resolve(), where / "against"))
        host = common.compile_host([common.HERE / "do_step.c"], where / "do_step")
        results = common.Table("doStep of 1 ms from C, an input before each")
        with tqdm(total=len(RUNS) * rounds * len(checkouts), unit="run") as bar:
            for name, driven, method, label in RUNS:
                taken: dict[str, list[float]] = {c.label: [] for c in checkouts}
                for _ in range(rounds):
                    for checkout in checkouts:
                        unit = checkout.units[name]
                        taken[checkout.label].append(_seconds(host, unit, driven, method))
                        bar.update()
                for checkout in checkouts:
                    what = f"{name}, {label}, {checkout.label}"
                    results.time(what, taken[checkout.label], "us")
                if against is not None:
                    pairs = zip(*taken.values(), strict=True)
                    ratio = median(here / there for here, there in pairs)
                    results.number(f"{name}, {label}, here / there", ratio)
    results.print()


def _build(label: str, root: Path, out: Path) -> Checkout:
    """Build the FMUs of a checkout with its own sources."""
    script = root / "build_fmu.py"
    if not script.is_file():
        raise RuntimeError(f"{root} is no checkout of this project: it has no build_fmu.py")
    names = sorted({name for name, *_ in RUNS})
    command = [sys.executable, str(script), *names, "--fmi", "2", "--out", str(out)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script} failed:\n{done.stdout}{done.stderr}")
    return Checkout(label, {name: common.unpack(out / "fmi2" / f"{name}.fmu") for name in names})


def _seconds(host: Path, unit: common.Unit, driven: str, method: int) -> float:
    """Return the median seconds of a step, over the blocks of one run."""
    names = ("solver.method", driven, driven)
    references = [unit.references[name] for name in names]
    said = common.run_host(host, unit.library, 2, unit.token, method, STEPS, *references)
    return median(said["step"])
