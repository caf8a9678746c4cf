"""The task of linearizing at many points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from mbcore.linear.linear_map import LinearMap
from mbcore.linear.linearization import Linearization
from mbcore.linear.linearizer import ALGEBRA, linearizer_of
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value
from mbcore.native.compiled import compilation
from mbcore.sweeps.model_task import ModelTask
from mbcore.sweeps.outcome import Labelled, stability, stability_at_many
from mbcore.sweeps.points import Point
from mbcore.sweeps.source import Makes, Source

STABILITY = ("eigenvalues", "growth", "stable")
MATRICES = {
    "M": ("rate", "rate"),
    "C": ("rate", "rate"),
    "K_d": ("rate", "value"),
    "K_k": ("rate", "kinematic"),
    "state_matrix": ("state", "by_state"),
    "input_matrix": ("state", "input"),
    "output_matrix": ("output", "by_state"),
    "feedthrough": ("output", "input"),
}
"""Dimensions of the matrices that linearizations may return."""


class Linearizations(ModelTask):
    """See `linearizations`."""

    def __init__(
        self,
        source: Source,
        about: Mapping[str, Value] | None,
        parameters: Mapping[str, Value] | None,
        inputs: Mapping[str, Value] | None,
        motion: Literal["actual", "held"],
        unsteady: bool,
        give: Sequence[str],
    ) -> None:
        super().__init__(source, about, parameters, inputs)
        checks.choice("linearizations", "motion", motion, ("actual", "held"))
        self.give = checks.names("linearizations", "give", give, "stable")
        if not self.give:
            raise ModelError("linearizations: give is empty; give a list, as in ['stable']")
        for name in self.give:
            checks.choice("linearizations", "give", name, (*STABILITY, *MATRICES))
        self.motion, self.unsteady = motion, unsteady

    def prepare(self, points: int) -> None:
        """Make the linearizer, and compile the equations where that pays for so many points."""
        self.equations.refuse_stale()
        linearizer_of(self.equations)
        self.equations.functions["derivative"]
        compiled = compilation(self.equations)
        compiled.add(ALGEBRA * points, compiled.chosen(), wait=True)

    def at_many(self, points: Sequence[Point]) -> tuple[np.ndarray, dict[str, Labelled]]:
        """Return where C could linearize, and the requested quantities there."""
        q = self.equations
        if self.motion != "actual":
            return np.zeros(len(points), bool), {}
        swept = {name: np.array([point[name] for point in points]) for name in points[0]}
        found = linearizer_of(q).at_many(
            swept,
            self.states,
            parameters=self.parameters,
            inputs=self.inputs,
            unsteady=self.unsteady,
        )
        if found is None:
            return np.zeros(len(points), bool), {}
        made: dict[str, Labelled] = {}
        if set(self.give) & set(STABILITY):
            values = [v for v, there in zip(found.eigenvalues(), found.done, strict=True) if there]
            made = stability_at_many(values, len(q.states))
        made |= _matrices(found, self.give, found.done)
        return found.done, {name: made[name] for name in self.give}

    def __call__(self, point: Point) -> dict[str, Labelled]:
        """Return the requested quantities at a point."""
        at = self.given(point)
        found = linearizer_of(self.equations).at_unchanged(
            at.states,
            parameters=at.parameters,
            inputs=at.inputs,
            motion=self.motion,
            unsteady=self.unsteady,
        )
        return summary(found, self.give)


def summary(found: Linearization, give: Sequence[str]) -> dict[str, Labelled]:
    """Return the requested quantities of a linearization."""
    made = stability(found) if set(give) & set(STABILITY) else {}
    made |= _matrices(found, give)
    return {name: made[name] for name in give}


def _matrices(
    found: Linearization | LinearMap, give: Sequence[str], where: np.ndarray | None = None
) -> dict[str, Labelled]:
    """Return the requested matrices, of a map where linearizations are there."""
    states = np.array(found.state_names)
    nd = found.degrees_of_freedom
    nv, nk = nd - found.generalized_speeds, found.kinematic_coordinates
    q = found.equations
    names = {
        "rate": states[:nd],
        "value": states[nd : nd + nv],
        "kinematic": states[nd + nv : nd + nv + nk],
        "state": states,
        "by_state": states,
        "input": np.array([r.name for r in q.inputs], dtype=str),
        "output": np.array([r.name for r in q.outputs], dtype=str),
    }
    made = {}
    for name in give:
        if name in MATRICES:
            row, column = MATRICES[name]
            if name in ("M", "C"):
                column = "by_rate"
            along = {row: names[row], column: names[column.removeprefix("by_")]}
            matrix = getattr(found, name)
            matrix = matrix.copy() if where is None else matrix[where]
            made[name] = Labelled(matrix, (row, column), {}, along)
    return made


@explains_arguments
def linearizations(
    equations: Makes,
    about: Mapping[str, Value] | None = None,
    *,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    motion: Literal["actual", "held"] = "actual",
    unsteady: bool = False,
    give: Sequence[str] = STABILITY,
) -> Linearizations:
    """Return the task of linearizing about a state at every point of a sweep.

    Parameters
    ----------
    equations : Equations, Model, callable or str
        Equations; or a function that makes them, or its place as ``"package.module:function"``,
        which also works in spawned processes and on a cluster.
    about : mapping of str to float
        Values of states that differ from the model's start and are the same at all points.
    parameters, inputs : mapping of str to float
        Values that differ from the model's and are the same at all points.
    motion, unsteady
        As for `mbcore.linearize`.
    give : sequence of str
        Of ``eigenvalues`` (1/s, with those that are zero by structure at the end), ``growth`` (the
        largest real part of the others, 1/s), ``stable`` (1 where that is negative, else 0), and
        the matrices ``M``, ``C``, ``K_d``, ``K_k``, ``state_matrix``, ``input_matrix``,
        ``output_matrix``, ``feedthrough`` of `mbcore.Linearization`.

    Raises
    ------
    ModelError
        If an argument is impossible.
    """
    return Linearizations(Source(equations), about, parameters, inputs, motion, unsteady, give)
