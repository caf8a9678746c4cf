"""Processor time until a model and its equations are made, of all FMUs and examples.

``python benchmarks/analyses/equations.py [NAME ...]``.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import Model, examples, fmus

REPETITIONS = 3


def models() -> Iterator[tuple[str, Callable[[], Model]]]:
    """Return all functions ``model`` that need no arguments, with the names of their modules."""
    for package in (fmus, examples):
        folder = Path(package.__path__[0])
        for file in sorted(folder.rglob("*.py")):
            name = ".".join((package.__name__, *file.relative_to(folder).with_suffix("").parts))
            make = getattr(importlib.import_module(name), "model", None)
            if getattr(make, "__module__", None) != name:
                continue
            if all(p.default is not p.empty for p in inspect.signature(make).parameters.values()):
                yield name.removeprefix("mbcore."), make


def made(make: Callable[[], Model]) -> float:
    """Return the seconds in which a model and its equations are made."""
    start = time.process_time()
    make().equations()
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    results = common.Table("model().equations(), processor time")
    for name, make in models():
        if sys.argv[1:] and name.rpartition(".")[2] not in sys.argv[1:]:
            continue
        results.time(name, [made(make) for _ in range(REPETITIONS)], "ms")
    results.print()


if __name__ == "__main__":
    main()
