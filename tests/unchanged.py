"""Whether moves left all models as they were: ``python -m tests.unchanged``.

Digests of the generated C, of both model descriptions (without their date) and of a short run in
Python, of all FMUs, are compared with those in ``unchanged.json``; ``--write`` stores new
ones. They hold for one version of CasADi and one machine, so this is a command and no test.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import sys
import warnings
from pathlib import Path

from mbcore import simulate
from mbcore.cli.definitions import definitions
from mbcore.codegen.c_model import generate
from mbcore.fmi.component import Component
from mbcore.fmi.description import description2, description3
from mbcore.fmi.description.variables import variables
from mbcore.fmi.export import describe

STORED = Path(__file__).with_suffix(".json")
RUN = 0.01
"""Seconds of the run; a hundredth of the experiment where that is shorter."""


def digest(text: bytes | str) -> str:
    data = text.encode() if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:16]


def run(component: Component) -> bytes:
    """Return the bytes of all columns of a short run."""
    until = min(RUN, component.experiment.stop / 100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = simulate(component.equations, until, samples=5, progress=False, backend="python")
    return b"".join(name.encode() + result[name].tobytes() for name in sorted(result))


def digests(name: str) -> dict[str, str]:
    component = importlib.import_module(f"mbcore.fmus.{name}").component()
    rows = variables(component)
    generated = generate(component.equations, rows)
    description = describe(component, rows, generated)
    return {
        "C": digest(generated.source),
        "FMI 2.0": digest(description2.model_description(description)),
        "FMI 3.0": digest(description3.model_description(description)),
        "run": digest(run(component)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    changed = 0
    for name in arguments.names or definitions():
        found = digests(name)
        differ = [key for key, value in found.items() if stored.get(name, {}).get(key) != value]
        changed += len(differ)
        print(f"{name}: {'changed: ' + ', '.join(differ) if differ else 'as stored'}", flush=True)
        stored[name] = found
    if arguments.write:
        STORED.write_text(json.dumps(stored, indent=1) + "\n")
    return int(changed > 0 and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
