"""The task of linearizing at many points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from mbcore.linear.linearization import Linearization
from mbcore.linear.linearize import linearizer_of
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value
from mbcore.sweeps.model_task import ModelTask
from mbcore.sweeps.outcome import Labelled, stability
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

    def prepare(self) -> None:
        """Make the linearizer."""
        self.equations.refuse_stale()
        linearizer_of(self.equations)

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
    states = np.array(found.state_names)
    nd = found.degrees_of_freedom
    nv, nk = nd - found.generalized_speeds, found.kinematic_coordinates
    equations = found.equations
    names = {
        "rate": states[:nd],
        "value": states[nd : nd + nv],
        "kinematic": states[nd + nv : nd + nv + nk],
        "state": states,
        "by_state": states,
        "input": np.array([r.name for r in equations.inputs], dtype=str),
        "output": np.array([r.name for r in equations.outputs], dtype=str),
    }
    for name in give:
        if name in MATRICES:
            row, column = MATRICES[name]
            if name in ("M", "C"):
                column = "by_rate"
            along = {row: names[row], column: names[column.removeprefix("by_")]}
            made[name] = Labelled(getattr(found, name).copy(), (row, column), {}, along)
    return {name: made[name] for name in give}


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
