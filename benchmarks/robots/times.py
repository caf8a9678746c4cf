"""Time of a right-hand side of random robots, beside Pinocchio's articulated-body algorithm.

    python -m benchmarks.robots.times

Ours is that of the FMU in Model Exchange, with the position problem; Pinocchio's is the faster of
its two conventions. Robots are those of `random_trees`, on a fixed base, without mimics and joints
with several coordinates, which Pinocchio's algorithm has not. Both are timed in turn, and their
accelerations are compared. Pinocchio comes with ``pip install '.[peers]'``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import common
from benchmarks.robots.random_trees import random_tree
from benchmarks.scaling.peers import PeerError, pinocchio_program, write_table
from mbcore import ModelWarning, from_urdf
from mbcore.equations.equations import Equations
from mbcore.robots.joint_laws import JointLaws

LINKS, SEEDS = (5, 10, 20, 40), 3
GOAL = 1.0
"""Of our time by Pinocchio's."""
ROWS, ROUNDS, BLOCKS, BLOCK = 9, 3, 3, 0.05
DISTANCE = 1e-2
"""By how much each state of the rows differs from the first one."""


def robot(file: Path) -> Equations:
    """Return the equations of a file without inputs, limits and friction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        laws = JointLaws(torques=False, limits="none", friction="none")
        return from_urdf(file, joints=laws).equations()


def write_states(equations: Equations, order: Sequence[str], folder: Path) -> tuple[Path, Path]:
    """Write the same states for us and for Pinocchio, whose joints have an order."""
    random, names = np.random.default_rng(1), [record.name for record in equations.states]
    first = random.uniform(-1, 1, len(names))
    rows = first + DISTANCE * random.choice([-1.0, 1.0], (ROWS, len(names)))
    rows[0] = first
    ends = {name.rpartition(".")[0]: name for name in names if not name.endswith(".rate")}
    theirs = [names.index(f"{joint}.rate") for joint in order]
    theirs += [names.index(ends[joint]) for joint in order]
    files = folder / "ours.txt", folder / "theirs.txt"
    write_table(files[0], rows)
    write_table(files[1], rows[:, theirs])
    return files


def compare(host: Path, program: Path, links: int, seed: int, folder: Path) -> tuple[str, float]:
    """Return a row of the table, and our time by theirs."""
    import pinocchio as pin

    file = folder / "robot.urdf"
    file.write_text(random_tree(seed, links, plain=True).text)
    equations = robot(file)
    model, saved = pin.buildModelFromUrdf(str(file)), folder / "robot.txt"
    model.saveToText(str(saved))
    order = list(model.names)[1:]
    ours, theirs = write_states(equations, order, folder)
    unit = common.build_units(equations, folder)[0]
    rates = [record.name for record in equations.states[: len(order)]]
    found = common.run_host(host, unit.library, unit.token, ours, 0, 0)
    expected = common.run_host(program, saved, theirs, 0, 0)
    off = 0.0
    for mine, its in zip(found.values(), expected.values(), strict=True):
        sorted_ = np.array([mine[rates.index(f"{joint}.rate")] for joint in order])
        off = max(off, float(np.abs(sorted_ - its).max() / np.abs(its).max()))
    pairs = []
    for _ in range(ROUNDS):
        said = common.run_host(host, unit.library, unit.token, ours, BLOCKS, BLOCK)
        ways = common.run_host(program, saved, theirs, BLOCKS, BLOCK)
        pairs.append((min(said["right_hand_side"]), min(map(min, ways.values()))))
    own, other = (1e6 * median(column) for column in zip(*pairs, strict=True))
    ratio = median(a / b for a, b in pairs)
    row = f"{links:5} {seed:4} {len(order):9} {own:8.2f} {other:10.2f} {ratio:6.2f} {off:10.1e}"
    return row, ratio


def main() -> int:
    """Print a row for each robot; the exit status says whether all meet the goal."""
    try:
        program = pinocchio_program()
    except PeerError as error:
        print(error, file=sys.stderr)
        return 2
    print("links seed  freedoms  ours us  Pinocchio  ratio  difference")
    ratios = []
    with common.folder() as where:
        host = common.compile_host([common.HERE / "right_hand_side.c"], where / "right_hand_side")
        for links in LINKS:
            for seed in range(SEEDS):
                folder = where / f"{links}_{seed}"
                folder.mkdir()
                row, ratio = compare(host, program, links, seed, folder)
                print(row, flush=True)
                ratios.append(ratio)
    print(f"median ratio {median(ratios):.2f}, largest {max(ratios):.2f} (goal {GOAL})")
    return int(max(ratios) > GOAL)


if __name__ == "__main__":
    raise SystemExit(main())
