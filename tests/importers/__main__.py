"""``python -m tests.importers``: run all clients, print the matrix, write docs/fmu/importers.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from mbcore.cli.commands.build import main as build

from .experiments import EXPERIMENTS
from .matrix import ROOT, Archives, installed, run_all
from .page import page, table
from .runner import CLIENTS


def archives_in(folder: Path) -> Archives:
    """Return the FMUs of a folder that build_fmu.py wrote."""
    names = {case.fmu for case in EXPERIMENTS.values()}
    return {(n, fmi): folder / f"fmi{fmi}" / f"{n}.fmu" for n in names for fmi in "23"}


def main() -> int:
    """Run the command; return its exit status, 0 where nothing is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.importers", description=__doc__)
    parser.add_argument("--fmus", type=Path, help="a folder with fmi2/ and fmi3/; else built anew")
    parser.add_argument("--clients", default=",".join(CLIENTS), help="some of the clients")
    parser.add_argument("--experiments", default="", help="some of the experiments, with ;")
    parser.add_argument("--page", type=Path, help="target; docs/fmu/importers.md if all ran")
    given = parser.parse_args()
    named = [name.strip() for name in given.experiments.split(";") if name.strip()]
    strange = [name for name in named if name not in EXPERIMENTS]
    if strange:
        parser.error(f"no experiment {strange[0]!r}; there is {'; '.join(EXPERIMENTS)}")
    chosen = [name for name in EXPERIMENTS if not named or name in named]
    clients, missing = installed(given.clients.split(","))
    for name, why in missing.items():
        print(f"skipped: {name}: {why}")
    with tempfile.TemporaryDirectory() as made:
        folder = given.fmus or Path(made)
        if not given.fmus:
            build(["--out", made, *{EXPERIMENTS[name].fmu: None for name in chosen}])
        cells = run_all(archives_in(folder.resolve()), clients, chosen=chosen)
    print(table(cells))
    bad = [cell for cell in cells if not cell.good]
    for cell in bad:
        print(f"{cell.status}: {cell.place}: {cell.message}")
    whole = not missing and len(chosen) == len(EXPERIMENTS) and given.clients == ",".join(CLIENTS)
    target = given.page or (ROOT / "docs" / "fmu" / "importers.md" if whole else None)
    if target:
        target.write_text(page(cells, clients), encoding="utf-8")
        print(f"wrote {target}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
