"""Random robots against Pinocchio: mass matrix, bias and forward dynamics at random states.

    python -m benchmarks.robots.survey                     1,000 robots of 1 to 40 links
    python -m benchmarks.robots.survey --count 50 --first 200
    python -m benchmarks.robots.survey FILE.urdf ...       files, at ten random states each

Pinocchio comes with ``pip install '.[peers]'``. Errors are relative to the largest entry of the
mass matrix, and to the sum of the magnitudes that add up to a bias or residual. Each robot is free
in space in one of three cases. Pinocchio's free base has its velocity on the base's axes; ours has
it on those of space, so its equations are transformed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robots.random_trees import random_tree
from mbcore import ConfigurationError, ModelError, ModelWarning, from_urdf
from mbcore.evaluation.evaluation import Evaluation
from mbcore.robots.joint_laws import JointLaws
from mbcore.robots.tree import make_tree
from mbcore.robots.urdf_file import read_urdf

GOAL = 1e-12
FREE = ("velocity_x", "velocity_y", "velocity_z", "omega_x", "omega_y", "omega_z")
"""What our rates of a free base end with, in Pinocchio's order."""
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


class Peer:
    """Pinocchio's model of a file, with its equations in our velocities.

    Joints that mimic others are free in it; with v = G w of our rates w and the constant G, the
    mass matrix is Gᵀ M G and the bias Gᵀ b.
    """

    def __init__(self, pin: Any, file: Path, floating: bool) -> None:
        self._pin, self._floating = pin, floating
        self._description = read_urdf(file)
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        self.model = pin.buildModelFromUrdf(str(file), *root)
        self.data = self.model.createData()
        self.weight = 9.81 * sum(inertia.mass for inertia in self.model.inertias)
        self._root = next(iter(make_tree(self._description, {}).root.frames))

    def _place(self, rate: str) -> int:
        joint, _, part = rate.rpartition(".")
        if self._floating and joint == self._root:
            return FREE.index(part)
        return int(self.model.joints[self.model.getJointId(joint)].idx_v)

    def ratios(self, names: Sequence[str]) -> np.ndarray:
        """Return G for our rates of these names."""
        found = np.zeros((self.model.nv, len(names)))
        for k, name in enumerate(names):
            found[self._place(name), k] = 1.0
        for name, joint in self._description.joints.items():
            factor, leader = 1.0, joint
            while leader.mimic is not None:
                factor *= leader.mimic.factor
                leader = self._description.joints[leader.mimic.joint]
            if leader is not joint:
                found[self._place(f"{name}.rate")] = (
                    factor * found[self._place(f"{leader.name}.rate")]
                )
        return found

    def equations(
        self, values: dict[str, float], rates: np.ndarray, ratios: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mass matrix and bias at a state, with the damping of the file."""
        pin, model, data = self._pin, self.model, self.data
        q, v = self._configuration(values), ratios @ rates
        damping = np.zeros(model.nv)
        for name, joint in self._description.joints.items():
            if model.existJointName(name):
                damping[self._place(f"{name}.rate")] = joint.damping
        resisting = damping * v
        turn, turning = np.eye(model.nv), np.zeros(model.nv)
        if self._floating:
            matrix = pin.Quaternion(q[3:7]).matrix()
            turn[:3, :3] = matrix.T
            # Pinocchio's velocity Rᵀ v of the base has the rate Rᵀ a - ω × Rᵀ v.
            turning[:3] = -np.cross(v[3:6], matrix.T @ v[:3])
            v = turn @ v
        mass = pin.crba(model, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(model, data, q, v) + mass @ turning
        whole = turn @ ratios
        return whole.T @ mass @ whole, whole.T @ bias + ratios.T @ resisting

    def _configuration(self, values: dict[str, float]) -> np.ndarray:
        q = self._pin.neutral(self.model)
        for name in self._description.joints:
            if not self.model.existJointName(name):
                continue
            joint = self.model.joints[self.model.getJointId(name)]
            value = self._value(name, values)
            two = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
            q[joint.idx_q : joint.idx_q + joint.nq] = two
        if self._floating:
            e = np.array([values[f"{self._root}.e{i}"] for i in (1, 2, 3, 0)])
            q[:3] = [values[f"{self._root}.{label}"] for label in "xyz"]
            q[3:7] = e / np.linalg.norm(e)
        return q

    def _value(self, name: str, values: dict[str, float]) -> float:
        mimic = self._description.joints[name].mimic
        if mimic is not None:
            return mimic.factor * self._value(mimic.joint, values) + mimic.offset
        return values[f"{name}.angle" if f"{name}.angle" in values else f"{name}.displacement"]


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
    freedoms = [name for name in names if name.rpartition(".")[2] in ("rate", *FREE)]
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
