"""Random robots against Pinocchio: mass matrix, bias and forward dynamics at random states.

    python -m benchmarks.robots.survey                     1,000 robots of 1 to 40 links
    python -m benchmarks.robots.survey --count 50 --first 200
    python -m benchmarks.robots.survey FILE.urdf ...       files, at ten random states each

Pinocchio comes with ``pip install '.[peers]'``. Errors are relative to the largest entry of the
mass matrix, and to the sum of the magnitudes that add up to a bias or residual. Each robot is free
in space in one of three cases.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robots.pinocchio_peer import RATES, Peer
from benchmarks.robots.random_trees import random_tree
from mbcore import ConfigurationError, ModelError, ModelWarning, from_urdf
from mbcore.evaluation.evaluation import Evaluation
from mbcore.robots.joint_laws import JointLaws

GOAL = 1e-12
ARM = 0.1
"""m: times the weight of all links, the least size of the terms of a bias, which may cancel."""
SINGULAR = 1e12
"""Condition of a mass matrix that a massless link between two parallel slides makes."""
STATES = 3
"""States at which each robot is compared."""


@dataclass(frozen=True)
class Errors:
    """Largest relative errors of one robot, and its number of freedoms."""

    mass: float
    bias: float
    residual: float
    freedoms: int


def compare(pin: Any, file: Path, seed: int, floating: bool) -> Errors:
    """Return the errors of one file at random states."""
    random = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        laws = JointLaws(limits="none", friction="none")
        robot = from_urdf(file, floating=floating, joints=laws)
        equations = robot.equations()
    peer = Peer(pin, file, floating)
    names = [record.name for record in equations.states]
    freedoms = [name for name in names if name.rpartition(".")[2] in RATES]
    ratios = peer.ratios(freedoms)
    evaluation = Evaluation(equations)
    worst = np.zeros(3)
    for _ in range(STATES):
        values = dict(zip(names, random.uniform(-1.5, 1.5, len(names)), strict=True))
        try:
            evaluation.start(values)
        except ConfigurationError:
            rates = np.zeros(len(freedoms))
            if np.linalg.cond(peer.equations(values, rates, ratios)[0]) > SINGULAR:
                raise
            raise AssertionError(f"{file.name}: refused, but Pinocchio's mass is regular") from None
        mass, force = evaluation.mass()
        acceleration = evaluation.derivative()[: len(freedoms)]
        rates = np.array([values[name] for name in freedoms])
        expected, bias = peer.equations(values, rates, ratios)
        # Rounding of a residual is that of the terms that it is the sum of.
        terms = max(np.abs(bias).max(initial=0.0), peer.weight * ARM)
        size = np.abs(expected) @ np.abs(acceleration) + terms
        errors = (
            np.abs(mass - expected).max(initial=0.0) / np.abs(expected).max(initial=1e-300),
            np.abs(force + bias).max(initial=0.0) / terms,
            (np.abs(expected @ acceleration + bias) / size).max(initial=0.0),
        )
        worst = np.maximum(worst, errors)
    return Errors(*worst.tolist(), len(freedoms))


def tell(found: dict[str, Errors], asked: int) -> float:
    """Print the worst errors so far, and return the largest of them."""
    freedoms = sum(errors.freedoms for errors in found.values())
    print(f"{len(found)} of {asked} compared, {freedoms} freedoms")
    largest = 0.0
    for what in ("mass", "bias", "residual"):
        name = max(found, key=lambda n: getattr(found[n], what))
        worst = getattr(found[name], what)
        largest = max(largest, worst)
        print(f"{what:8} {worst:.2e}  in {name}  (goal {GOAL:g})", flush=True)
    return largest


def main() -> int:
    """Compare, and print the worst of each; the exit status says whether all are below the goal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    options = parser.parse_args()
    try:
        import pinocchio as pin
    except ImportError:
        print("Pinocchio is not here: pip install '.[peers]'", file=sys.stderr)
        return 2
    found: dict[str, Errors] = {}
    singular: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder:
        tasks = [(str(file), file, False) for file in options.files]
        for seed in range(options.first, options.first + options.count) if not tasks else ():
            file = Path(folder) / f"random{seed}.urdf"
            file.write_text(random_tree(seed).text)
            tasks.append((str(seed), file, seed % 3 == 0))
        for i, (name, file, floating) in enumerate(tasks):
            try:
                found[name] = compare(pin, file, i, floating)
            except ModelError as error:
                print(f"{name}: {error}")
            except ConfigurationError:
                singular.append(name)
            if i % 50 == 49 and i + 1 < len(tasks):
                tell(found, len(tasks))
    worst = tell(found, len(tasks))
    if singular:
        print(f"refused, and singular in Pinocchio, too: {', '.join(singular)}")
    return int(len(found) + len(singular) < len(tasks) or worst > GOAL)


if __name__ == "__main__":
    raise SystemExit(main())
