"""Directional and adjoint derivatives of the FMUs, in right-hand sides of the same run.

``derivatives.c`` calls the library of each FMI 3.0 unit in Model Exchange at eight states in turn.
A right-hand side is what gives rates, or rates and outputs, after states were set, with Newton's
iteration. A derivative, of all rates and outputs by all states, inputs and parameters, is called
after states were set, too, and iterates as well.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.scaling import peers
from mbcore.codegen.table import table

NAMES = ("vehicle", "clearance_joint", "rolling_disk", "caster", "caster_flexible", "bicycle")
BLOCKS, SECONDS, ROWS = 9, 0.1, 9
MOST_DIRECTIONAL, MOST_ADJOINT = 3.0, 6.0


def states(equations: common.Equations, path: Path) -> Path:
    """Write states around the start, a hundredth of their nominal values away."""
    random = np.random.default_rng(1)
    nominal = np.array([record.nominal for record in equations.states])
    near = 0.01 * nominal * random.uniform(-1, 1, (ROWS, nominal.size))
    near[0] = 0
    peers.write_table(path, equations.start_state + near)
    return path


def references(equations: common.Equations) -> tuple[list[int], list[int]]:
    """Return value references of all rates and real outputs, and of all that is known."""
    rows = table(equations, 1e-3)
    names = [row.name for row in rows.of("derivative")]
    names += [row.name for row in rows.of("output") if row.type == "real"]
    known = [row.name for row in rows.of("state", "input")]
    known += [row.name for row in rows.of("parameter") if row.type == "real"]
    places = {row.name: row.reference for row in rows.rows}
    return [places[name] for name in names], [places[name] for name in known]


def main() -> None:
    """Measure the FMUs that are named, or all, and print."""
    results = common.Table("Derivatives of FMUs, called from C")
    with common.folder() as where:
        host = common.compile_host([common.HERE / "fmus" / "derivatives.c"], where / "derivatives")
        for name in sys.argv[1:] or NAMES:
            equations = import_module(f"mbcore.fmus.{name}").model().equations()
            unit = common.build_units(equations, where / name)[1]
            unknowns, knowns = references(equations)
            took = common.run_host(
                host,
                unit.library,
                unit.token,
                states(equations, where / f"{name}.txt"),
                BLOCKS,
                SECONDS,
                len(unknowns),
                len(knowns),
                *unknowns,
                *knowns,
            )
            label = f"{name}, {len(unknowns)} by {len(knowns)}"
            results.time(f"{label}: rates", took["rates"], "us")
            one = results.time(f"{label}: rates and outputs", took["all"], "us")
            for kind, alone, most in (
                ("directional", "of_rates", MOST_DIRECTIONAL),
                ("adjoint", "by_rates", MOST_ADJOINT),
            ):
                results.time(f"{label}: {kind} derivative", took[kind], "us")
                ratio = median(took[kind]) / one
                results.number(f"{name}: {kind} / rates and outputs", ratio, at_most=most)
                ratio = median(took[alone]) / median(took["rates"])
                results.number(f"{name}: {kind} of rates / rates", ratio, at_most=most)
    results.print()


if __name__ == "__main__":
    main()
