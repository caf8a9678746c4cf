"""Whether tests notice faults: ``python -m tests.faults`` puts one after the other into a copy.

Each row of `FAULTS` changes one place of the library, and names the tests that must fail. Where
a place has moved, its row is told and wants its new text. ``--list`` only says which rows stand.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.faults.table import FAULTS, Fault

ROOT = Path(__file__).parents[2]
COPIED = ("mbcore", "fmu_src", "examples", "tests", "docs", "benchmarks")
FILES = ("pyproject.toml", "setup.py", "build_fmu.py", "README.md", "CONTRIBUTING.md")
LONGEST = 900.0
"""Time that the tests of one fault may take on a busy machine, s."""
PASSED, FAILED, NONE_CHOSEN = 0, 1, 5
"""What pytest returns; anything else says that it could not run the tests."""


def copied(folder: Path) -> None:
    """Copy the library and its tests."""
    for name in COPIED:
        left_out = shutil.ignore_patterns("__pycache__", "*.pyc", "objects")
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
    for name in FILES:
        shutil.copy2(ROOT / name, folder / name)


def noticed(fault: Fault, folder: Path) -> str:
    """Return what the tests of a fault say of it: ``noticed``, or what is wrong."""
    file = folder / fault.file
    text = file.read_text("utf-8")
    file.write_text(text.replace(fault.old, fault.new), "utf-8")
    try:
        for marks in ("not heavy", "heavy"):
            said = _said_by(fault.tests, marks, folder)
            if said:
                return said
    except subprocess.TimeoutExpired:
        return f"undecided: the tests have not ended in {LONGEST:g} s"
    finally:
        file.write_text(text, "utf-8")
    return f"NOT NOTICED: by {fault.tests}"


def _said_by(tests: str, marks: str, folder: Path) -> str:
    """Run tests until one fails; return what is to be told, nothing where all pass."""
    line = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-m", marks]
    done = subprocess.run(
        [*line, "-p", "no:cacheprovider", *tests.split()],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True, text=True, check=False, timeout=LONGEST,
    )  # fmt: skip
    if done.returncode == FAILED:
        told = [s for s in done.stdout.splitlines() if s.startswith(("FAILED", "ERROR"))]
        kind = "noticed" if told and told[0].startswith("FAILED") else "undecided"
        return f"{kind}: {told[0] if told else done.stdout[-300:]}"
    if done.returncode in (PASSED, NONE_CHOSEN):
        return ""
    return f"undecided: pytest returns {done.returncode}: {done.stdout[-300:]}"


def main() -> int:
    """Put in the faults of the files that begin as an argument says, all without one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*", help="beginnings of paths, as mbcore/native")
    parser.add_argument("--list", action="store_true", help="only say which rows stand")
    arguments = parser.parse_args()
    places = arguments.places or [""]
    chosen = [f for place in places for f in FAULTS if f.file.startswith(place)]
    kinds: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if not arguments.list:
            copied(folder)
        for fault in chosen:
            said = "stands" if fault.old in (ROOT / fault.file).read_text("utf-8") else "moved"
            if said == "stands" and not arguments.list:
                said = noticed(fault, folder)
            kinds.append(said.partition(":")[0])
            print(f"{fault.file}: {fault.old.strip()[:60]!r}: {said}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in Counter(kinds).items()))
    return int(bool({*kinds} - {"noticed", "stands"}))


if __name__ == "__main__":
    sys.exit(main())
