"""Closed chains in the plane that are nearly singular, with parts nearly without mass.

Two angles of a chain follow from the others. They are at one joint and at another one, and near
singular where the first is nearly straight; the mechanism is not. Where the loop is kept open,
`mbcore.equations.elimination.loops` closes it by multipliers.

``python -m tests.mechanism_survey.rings --first 100 --count 62`` tells how many are wrong, and
which rules would tell those from the others, by what is left of virtual power.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mbcore.equations.elimination.loops import ClosingBlock, open_loops
from mbcore.evaluation.evaluation import Evaluation
from tests.mechanism_survey.described import Described, measured
from tests.mechanism_survey.drafts import GRAVITY, Draft
from tests.mechanism_survey.joints import Tie
from tests.mechanism_survey.maximal import Mechanism, accelerations
from tests.mechanism_survey.verdict import TOLERABLE


class Ring(Draft):
    """A chain of seven to nine bodies, both ends of which are on the ground."""

    def __init__(self, seed: int) -> None:
        self.random = r = np.random.default_rng([seed, 7])
        self.made = Mechanism(f"ring {seed}", True, np.array([0, -GRAVITY, 0.0]))
        self.planar, self.axes, self.tilted, self.careless = True, 2, True, False
        self.parts, self.measures, self.driven = [0], [], set()
        bodies, bent, light = int(r.integers(7, 10)), 10 ** r.uniform(-5, 0), 10 ** r.uniform(-6, 0)
        straight, places, way = int(r.integers(1, bodies - 2)), [np.zeros(3)], 0.0
        for i in range(bodies):
            turned = i == straight + 1
            way = way + bent * r.choice([-1, 1]) if turned else r.uniform(-np.pi, np.pi)
            step = r.uniform(0.5, 1) * np.array([np.cos(way), np.sin(way), 0])
            places.append(places[-1] + step)
        for i in range(bodies):
            before = self.parts[-1]
            orientation, hold = self._orient(before)
            child = self._heavy(places[i], orientation)
            hold(child)
            self.made.joints.append(Tie(self._on(before, places[i]), self._on(child, places[i])))
            if r.random() < 0.5:
                body = self.made.bodies[child]
                mass, inertia = body.mass * light, body.inertia * light
                self.made.bodies[child] = replace(body, mass=mass, inertia=inertia)
        self.made.joints.append(Tie(self._on(0, places[-1]), self._on(self.parts[-1], places[-1])))
        others = [i for i in range(bodies) if i != straight + 1]
        self.followers = (straight + 1, int(r.choice(others)))


@dataclass(frozen=True)
class Found:
    """What has come of a ring.

    Attributes
    ----------
    error : float
        Of the accelerations, in parts of the largest one, or of 1.
    measure : float
        Of the block that is nearest to singular.
    by_multipliers : bool
        Whether the loop is closed by multipliers.
    left, refined : float
        Largest part of the virtual power of a degree of freedom that is left over, and the error of
        accelerations by a step of refinement, in parts of the largest one.
    masses, condition : float
        The heaviest body's mass in those of the lightest, and the condition of the reduced mass
        matrix, scaled to a diagonal of ones.
    """

    error: float
    measure: float
    by_multipliers: bool
    left: float
    refined: float
    masses: float
    condition: float


def found(seed: int) -> Found:
    """Compare the accelerations of a ring, at random rates, with the judge's."""
    ring = Ring(seed)
    described = Described(ring.made)
    random, start = np.random.default_rng([seed, 1]), {}
    for i, measure in enumerate(ring.measures):
        rate, handle = float(random.standard_normal()), described.handles[measure.axle]  # type: ignore[union-attr]
        if i in ring.followers:
            handle.release()
        else:
            handle.dof(f"q{i}", f"w{i}", measure.axle.start)  # type: ignore[union-attr]
            start[f"w{i}"] = rate
    equations = described.model.equations()
    evaluation = Evaluation(equations)
    evaluation.start(start)
    values = evaluation.output()
    columns = {q.name: np.array([v]) for q, v in zip(equations.outputs, values, strict=True)}
    state, twist, change = measured(ring.made, columns, 0, 0.0)
    expected = accelerations(ring.made, state, twist)
    error = np.abs(change - expected).max() / max(1.0, np.abs(expected).max())
    measures = np.abs(evaluation.conditioning_measures())
    velocity = equations.dynamics.velocity
    rows, dofs = velocity.by_dofs.sparsity().get_triplet()
    rates_in: dict[int, list[int]] = {}
    for row, dof in zip(rows, dofs, strict=True):
        rates_in.setdefault(row, []).append(dof)
    blocks = open_loops(velocity.solver.blocks, rates_in, velocity.n)
    closed = any(isinstance(block, ClosingBlock) for block in blocks)
    (left, _), [sizes] = (
        evaluation.call("virtual_power").results,
        evaluation.call("power_size").results,
    )
    masses = [body.mass for body in ring.made.bodies[1:]]
    matrix = evaluation.mass()[0]
    size = np.sqrt(np.diag(matrix))
    return Found(
        float(error),
        float(measures.min(initial=1.0)),
        closed,
        float((abs(left) / sizes).max()),
        float(evaluation.call("power_error").results[0][0, 0]),
        max(masses) / min(masses),
        float(np.linalg.cond(matrix / size / size[:, None])),
    )


RULES: dict[str, Callable[[Found], float]] = {
    "left over, by the nearest block": lambda ring: ring.left / ring.measure,
    "the same, by the ratio of masses": lambda ring: ring.left / ring.measure * ring.masses,
    "left over, by the condition of masses": lambda ring: ring.left * ring.condition,
    "the same, by the nearest block": lambda ring: ring.left * ring.condition / ring.measure,
    "one step of refinement": lambda ring: ring.refined,
}
"""What may say that accelerations have lost more than `TOLERABLE`."""


def main() -> None:
    """Print for each rule how many wrong rings it tells, and how many right ones."""
    parser = argparse.ArgumentParser("python -m tests.mechanism_survey.rings", description=__doc__)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--count", type=int, default=120)
    given = parser.parse_args()
    rings = [found(seed) for seed in range(given.first, given.first + given.count)]
    wrong = [ring for ring in rings if not ring.error < TOLERABLE]
    right = [ring for ring in rings if ring.error < TOLERABLE]
    print(f"{len(rings)} rings, {len(wrong)} wrong by more than {TOLERABLE:g}")
    for name, rule in RULES.items():
        told, falsely = (sum(rule(ring) > TOLERABLE for ring in of) for of in (wrong, right))
        print(f"{name:40s} tells {told} of these, and {falsely} of {len(right)} that are right")


if __name__ == "__main__":
    main()
