"""Random models under random tables of inputs, as equations and as FMUs: one motion, or none.

``python -m tests.fmi.input_survey [MODELS] [FIRST]`` prints a line for each model: the largest
difference of outputs, in parts of their size, from `simulate` with the tightest tolerance, by who
ran.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.random import Generator

from mbcore import Body, InputTable, Model, PlanarHinge, RigidLink, simulate, simulate_many
from mbcore.cli.run_fmu import run_fmu
from mbcore.equations.equations import Equations
from mbcore.fmi import export

UNTIL = 2.0
METHODS = ("DOP853", "RK45", "Radau", "LSODA")
IN_C = ("DOP853", "RK45", "rosenbrock")
INTERFACES = ("co-simulation", "model-exchange")
EXACT = 1e-11
"""Relative tolerance of runs that are to agree as far as the interface allows."""


def chain(rng: Generator) -> Model:
    """Return one to three rods that hang from each other, with springs, and torques as inputs."""
    model = Model("chain", gravity=(0, -9.81))
    last = model.point("top", (0, 0), fixed=True)
    place, before = np.zeros(2), None
    for k in range(int(rng.integers(1, 4))):
        place = place + (0, -rng.uniform(0.2, 0.5))
        bob, rod = model.point(f"bob{k}", tuple(place)), model.angle(f"rod{k}")
        torque = model.input(f"torque{k}", unit="N.m")
        hinge = rod.angle
        if before is not None:
            hinge = model.add(PlanarHinge(f"hinge{k}", before, rod)).angle
        hinge.dof(f"angle{k}", f"rate{k}", start=float(rng.normal(0, 0.5)))
        hinge.spring(float(rng.uniform(0, 3)), float(rng.uniform(0.05, 0.5))).law(-torque)
        model.add(RigidLink(f"rod{k}", last, rod, bob))
        model.add(Body(f"bob{k}", bob, rod, mass=float(rng.uniform(0.5, 2)), inertia=0.02))
        model.output(f"power{k}", torque * hinge.rate, unit="W")
        last, before = bob, rod
    return model


def table(equations: Equations, rng: Generator) -> InputTable:
    """Return random lines, in one of two tables with jumps, which begin and end with the run."""
    inner = np.sort(rng.uniform(0, UNTIL, int(rng.integers(1, 7))))
    twice = inner[rng.random(inner.size) < 0.5]
    time = np.sort(np.concatenate([[0.0], inner, twice, [UNTIL]]))
    return InputTable(time, {r.name: rng.normal(0, 3, time.size) for r in equations.inputs})


def written(given: InputTable, path: Path) -> None:
    """Write a table as a CSV file."""
    rows = np.column_stack([given.time, *given.columns.values()])
    np.savetxt(path, rows, "%.17g", ",", header=",".join(["time [s]", *given]), comments="")


def apart(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference, in parts of each output's largest value; rows are times."""
    size = np.maximum(np.abs(expected).max(axis=0), 1e-6)
    return float((np.abs(found - expected) / size).max())


def compared(seed: int, folder: Path) -> Iterator[tuple[str, float]]:
    """Yield who ran, and how far its outputs are from the reference."""
    rng = np.random.default_rng(seed)
    equations = chain(rng).equations()
    given, path = table(equations, rng), folder / "in.csv"
    written(given, path)
    names = [record.name for record in (*equations.states, *equations.outputs)]
    runs = list(found(equations, given, path, names, rng))
    # One run for the times of all, for the tightest tolerance takes long.
    times = np.unique(np.concatenate([of for _, of, _ in runs]))
    tight = simulate(equations, UNTIL, inputs=given, samples=times, rtol=1e-13, atol=1e-15)
    expected = np.column_stack([tight[name] for name in names])
    for who, of, rows in runs:
        yield who, apart(rows, expected[np.searchsorted(times, of)])


def found(
    equations: Equations, given: InputTable, path: Path, names: Sequence[str], rng: Generator
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield who ran, at which times, and its outputs there; the table is in the file, too."""
    grid = np.linspace(0, UNTIL, 5)
    for backend, methods in (("python", METHODS), ("c", IN_C)):
        for method in methods:
            run = simulate(equations, UNTIL, inputs=given, samples=grid, method=method,
                           rtol=EXACT, atol=1e-13, backend=backend)  # fmt: skip
            yield f"{backend} {method}", grid, np.column_stack([run[name] for name in names])
    starts = {record.name: np.full(4, record.start) for record in equations.states[-1:]}
    many = simulate_many(
        equations, UNTIL, start=starts, inputs=given, samples=grid, outputs=names,
        rtol=EXACT, atol=1e-13, progress=False,
    )  # fmt: skip
    yield "lanes", grid, np.column_stack([many[name].values[2] for name in names])
    steps = [float(np.round(rng.uniform(0.003, 2.5), 3)) for _ in range(2)]
    each = itertools.product(export(equations, path.parent), INTERFACES, (None, *steps))
    for (fmu, interface, step), tolerance in itertools.product(each, (None, EXACT)):
        options = argparse.Namespace(
            backend="auto",
            set=[] if tolerance is None else [f"solver.tolerance={tolerance}"],
            parameters=None, inputs=str(path), start=None, until=None, interface=interface,
            show=None, step=None if step is None else str(step),
        )  # fmt: skip
        run, *_ = run_fmu(fmu, options)
        once = np.append(True, np.diff(run.time) > 0)  # of a jump the row before it
        who = f"{fmu.parent.name} {interface}{'' if tolerance is None else ' tight'}"
        yield who, run.time[once], np.column_stack([run[name][once] for name in names])


def main(models: int = 20, first: int = 0) -> dict[str, float]:
    """Print and return the largest differences of all models."""
    largest: dict[str, float] = {}
    for seed in range(first, first + models):
        here: dict[str, float] = {}
        with tempfile.TemporaryDirectory() as folder:
            for who, by in compared(seed, Path(folder)):
                here[who] = max(by, here.get(who, 0.0))
        print(seed, ", ".join(f"{who} {by:.1e}" for who, by in here.items()), flush=True)
        largest = {who: max(by, largest.get(who, 0.0)) for who, by in here.items()}
    print("all", ", ".join(f"{who} {by:.1e}" for who, by in largest.items()))
    return largest


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
