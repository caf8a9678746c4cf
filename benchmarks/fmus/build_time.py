"""Seconds of ``python build_fmu.py``: all FMUs, FMI 2.0 and 3.0, into a new folder.

That is a fresh process that generates and compiles the C, writes the documentation, validates each
FMU and runs it once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common

REPETITIONS = 3


def build() -> int:
    """Build all FMUs; return how many."""
    with common.folder() as where:
        command = [sys.executable, str(common.ROOT / "build_fmu.py"), "--out", str(where)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"build_fmu.py failed:\n{done.stdout}{done.stderr}")
        return len(list(where.glob("fmi?/*.fmu")))


def main() -> None:
    """Measure and print."""
    built: list[int] = []
    seconds = common.repeat(lambda: built.append(build()), REPETITIONS)
    results = common.Table("python build_fmu.py")
    results.time(f"{built[0]} FMUs", seconds, "s", 60)
    results.print()


if __name__ == "__main__":
    main()
