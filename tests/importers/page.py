"""The printed matrix, and docs/fmu/importers.md."""

from __future__ import annotations

from collections.abc import Mapping

from .client import Client
from .experiments import EXPERIMENTS
from .faults import FAULTS
from .matrix import KINDS, Cell

MARKS = {"differs": "DIFFERS", "fails": "FAILS", "crashes": "CRASHES", "lacks": "-"}
HEAD = """\
# Importers: every FMU in every client

`python -m tests.importers` runs all FMUs of `fmu_src/` in the clients below, FMI 2.0 and 3.0,
Co-Simulation (CS) and Model Exchange (ME), and writes this page; `--clients`, `--experiments` and
`--fmus` choose some. The clients come with `pip install ".[importers]"`; Ecos needs `libtbb12` of
Debian besides. `pytest -m heavy tests/importers` does the same for all pairs of version, interface,
experiment and feature.

Every run sets start values, parameters and inputs, and lets an input jump at half time
(`tests/importers/experiments.py`). All outputs at a quarter, three quarters and the end of the time
are compared with our equations simulated in Python, without any FMU, at a relative tolerance of
1e-11. The FMUs' own solvers and the clients' integrators get 1e-9.
"""
MATRIX = """\
## Runs

`ok` with the largest difference, relative to the largest value of each output. Allowed are 1e-6;
1e-5 where there are impacts, sliding or a stiff yoke (1e-3 after events that PathSim locates).
P1 and the like are faults of the clients,
named below, around which the run found its way, or that ended it where no number is given.
`-`: the client does not have it. C hosts are those of `tests/importers/hosts`, which call every
function in every mode and compare what comes back bit for bit.
"""
CHECKS = """\
## Features

Tried on the FMUs' instances at the start of the same experiments. Figures of FMI 2.0 and 3.0 where
they differ. Derivatives: relative differences from central differences (FMPy's directional ones),
from the transpose (its adjoint ones), or from our equations linearized in Python (CasADi).
Hessians of weighted rates: from how that linearization changes along a direction. Sensitivities of
a run: from differences of CVODES's own runs; of road vehicles along one direction, for those by
all states and inputs take minutes, and of `car` in FMI 3.0 did not end within 600 s.
Plans of do-mpc over four steps, of road vehicles over two: the iterations that Ipopt needs, as
many as with our equations in place of the FMU, with the same inputs to 1e-5. `-`: the FMU or the
client does not have it.
"""
NOTES = """\
## Arrays

FMUs of FMI 3.0 with [arrays](../guides/data.md#vectors-and-matrices) were tried by hand in the
versions above: a linear system with the output `weighted` of two elements, and `car` and `iltis`
of `mbcore build car --arrays`, whose wheels have arrays of four. In FMI 2.0, or with `export(...,
arrays=False)`, their elements run in FMPy, CasADi, PathSim, Ecos, libcosim, fmuloader and
fmucontainer: all outputs of the array form of `car` and `iltis` have the bits of the scalar form.
Those that are arrays:

* FMPy and `mbcore run` run the arrays in both kinds, with start values: results are the matrix
  exponential to 1e-8, and those of `car` and `iltis` have the bits of the scalar form. FMPy's
  table of inputs takes arrays of one shape, without numbers besides (F4). `mbcore run` takes and
  names their elements, `weighted[1]`.
* CasADi reads the dimensions, but `create` asks for one value of each variable, and so does
  do-mpc; PathSim sets one value of each, and fmuloader gets one. PathSim ends with `could not
  convert string to float`, and the FMU refuses the other calls.
* Ecos gives 0 for an array, or what it read before. When it sets one, the FMU refuses the call,
  and Ecos goes on without an error.
* fmucontainer connects arrays, but writes their start values as elements `Start`, so that its
  container is invalid.

fmusim and OpenModelica were not at hand: they are neither on PyPI, nor packages of Debian 12, nor,
for fmusim, on npm. libcosim runs no FMU of FMI 3.0.

## Not here

* OMSimulator's package on PyPI downloads its binaries from its project while it is installed; where
  that address is not reached it cannot be tried. PyFMI is built from sources with FMI Library and
  Assimulo, which PyPI does not have.
* CasADi locates no events: where there are some, its values are those of the start, without a run.
  It declares a stop time of 1 s, so leave `t` out of `create`, or keep below it.
* CasADi initializes an FMU with the parameters that `dae.set` was given, not with states. A
  quantity that follows from a start value, such as the speed of the prescribed wheels of `iltis`,
  follows from the parameter `start.cabin.speed` instead.
"""


def mark(cell: Cell) -> str:
    """Return what the matrix shows of one job."""
    faults = " ".join(cell.faults)
    if cell.status == "ok":
        figure = cell.figure or ("ok" if not cell.error else f"ok {cell.error:.0e}")
        return f"{figure} {faults}".strip()
    return faults if cell.status == "fault" else MARKS[cell.status]


def table(cells: list[Cell]) -> str:
    """Return the matrix of runs."""
    runs = [cell for cell in cells if cell.job["task"] == "run"]
    names = list(dict.fromkeys(cell.job["client"] for cell in runs))
    places: dict[tuple[str, str, str], dict[str, str]] = {}
    for experiment in EXPERIMENTS:
        for cell in runs:
            job = cell.job
            if job["experiment"] == experiment:
                place = (experiment, f"{job['fmi']}.0", KINDS[job["kind"]])
                places.setdefault(place, {})[job["client"]] = mark(cell)
    rows = [[*place, *(found.get(n, "-") for n in names)] for place, found in places.items()]
    return grid(["FMU", "FMI", "kind", *(titles(cells)[n] for n in names)], sorted_rows(rows))


def sorted_rows(rows: list[list[str]]) -> list[list[str]]:
    """Return rows by FMU as they came, then by version and kind."""
    order = list(EXPERIMENTS)
    return sorted(rows, key=lambda row: (order.index(row[0]), row[1], row[2]))


def features(cells: list[Cell]) -> str:
    """Return the table of checks: a row for each check, a column for each FMU."""
    rows = []
    asked = [(c.job["client"], c.job["task"]) for c in cells]
    for client, task in dict.fromkeys(asked):
        if task in ("run", "example"):
            continue
        row = [f"{titles(cells)[client]}: {task}"]
        for experiment in EXPERIMENTS:
            found = [
                cell.figure if cell.status == "ok" else mark(cell)
                for cell in cells
                if (cell.job["client"], cell.job["task"]) == (client, task)
                and cell.job["experiment"] == experiment
                and cell.status != "lacks"
            ]
            row.append(" / ".join(dict.fromkeys(found)) or "-")
        rows.append(row)
    return grid(["feature", *EXPERIMENTS], rows)


def titles(cells: list[Cell]) -> dict[str, str]:
    """Return the clients' names by those of their modules."""
    return {cell.job["client"]: cell.title for cell in cells}


def grid(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def section(name: str, client: Client, cells: list[Cell]) -> str:
    """Return a client's part of the page."""
    version = f" {client.version}" if client.package else ""
    parts = [f"### {client.name}{version}\n"]
    if client.package:
        parts.append(f"`pip install {client.package}`\n")
    if client.example:
        tried = [c for c in cells if c.job["client"] == name and c.job["task"] == "example"]
        bad = [c.message for c in tried if c.status != "ok"]
        shown = f" These lines end with: {bad[0]}" if bad else "" if tried else " Not tried here."
        parts.append(f"Runs the vehicle of FMI {client.example_fmi}.0.{shown}\n")
        parts.append(f"```python\n{client.example}```\n")
    for fault in FAULTS:
        if fault.client == name:
            parts.append(f"**{fault.key}.** {fault.text}\n")
            parts.append(f"```text\n{fault.reproduction}```\n")
    return "\n".join(parts)


def page(cells: list[Cell], clients: Mapping[str, Client]) -> str:
    """Return docs/fmu/importers.md."""
    parts = [HEAD, MATRIX, table(cells), CHECKS, features(cells)]
    bad = [cell for cell in cells if not cell.good]
    if bad:
        parts.append("## What fails\n")
        parts.append(
            "\n".join(f"* {cell.place}: {cell.message.strip()[:300]}" for cell in bad) + "\n"
        )
    parts.append("## Clients\n\nHow each runs the vehicle, and what is wrong in it.\n")
    parts += [section(n, c, cells) for n, c in clients.items() if c.example]
    return "\n".join([*parts, NOTES])
