"""The shipped FMUs under all masters: what rests, is held, lands or touches besides impacts.

Each runs an experiment of the importers' matrix with its later inputs from the start on, and ends
where Co-Simulation of the same FMU does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tests.built import Kept
from tests.conftest import OK, Archive, Instance
from tests.exchange_survey.masters import masters, run
from tests.exchange_survey.unit import Unit
from tests.importers.experiments import EXPERIMENTS, Experiment

LONGEST = 1.0
"""Of the experiments' time, s."""
TIGHT = 1e-11
"""Tolerance of Co-Simulation."""
ALLOWED = {"cvode": 1e-5, "euler": 0.1, "bisection": 1e-5, "secant, late": 1e-2, "any order": 1e-5}
"""Differences of states that are good, in parts of the largest of their kind."""


def values(case: Experiment) -> dict[str, float]:
    """Return the start values, choices and inputs of an experiment."""
    return {**case.start, **case.choices, **case.inputs_at(case.stop)}


def right_states(unit: Archive, case: Experiment, stop: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the states at the end by Co-Simulation, and their largest sizes on the way."""
    with Instance(unit, "CoSimulation") as instance:
        given = values(case) | {"solver.tolerance": TIGHT}
        assert instance.initialize(given, tolerance=TIGHT) == OK, instance.said
        sizes = abs(instance.values(instance.states))
        for _ in range(40):
            assert instance.step(stop / 40) == OK, instance.said
            sizes = np.maximum(sizes, abs(instance.values(instance.states)))
        return instance.values(instance.states), sizes


def judged(unit: Archive, case: Experiment) -> dict[str, tuple[float, str]]:
    """Return the error of each master, and what is wrong with it."""
    stop = min(case.stop, LONGEST)
    right, sizes = right_states(unit, case, stop)
    found = {}
    for master, solver in masters(0, stop / 1000).items():
        with Instance(unit, "ModelExchange") as instance:
            instance.enter_initialization(values(case))
            assert instance.call("ExitInitializationMode") == OK, instance.said
            try:
                course = run(Unit(instance), solver, stop)
            except Exception as error:  # what a refused call raises
                found[master] = (np.inf, f"{error}; {instance.said}")
                continue
            away = abs(instance.values(instance.states) - right)
        error = float((away / np.maximum(sizes, 1e-3)).max())
        good = error <= ALLOWED[master]
        found[master] = (error, "" if good else f"off by {error:.2g}, {course.events} events")
    return found


def survey(named: str) -> int:
    """Run the experiments whose names contain a word, print a line for each; 1 where one is bad."""
    kept, bad = Kept("-O1"), 0
    for name, case in EXPERIMENTS.items():
        for version in ("2.0", "3.0") if named in name else ():
            path = kept.fmu(case.fmu, version)
            unit = Archive.of(path, Path(tempfile.mkdtemp()), validate=False)
            if not unit.states:
                print(f"{name} {version}: it has no states")
                continue
            found = judged(unit, case)
            line = ", ".join(f"{master} {error:.1g}" for master, (error, _) in found.items())
            print(f"{name} {version}: {line}", flush=True)
            for master, (_, fault) in found.items():
                if fault:
                    print(f"    {master}: {fault}"[:400], flush=True)
                    bad += 1
    return int(bad > 0)
