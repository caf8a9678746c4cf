"""The task of finding steady motions at many points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbcore.equilibria.steady_motion import steady_motion
from mbcore.linear.linearizer import linearizer_of
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.variables import Value
from mbcore.sweeps.model_task import ModelTask, by_name
from mbcore.sweeps.outcome import Labelled, scalar, stability
from mbcore.sweeps.points import Point
from mbcore.sweeps.source import Makes, Source


class SteadyMotions(ModelTask):
    """See `steady_motions`."""

    def __init__(
        self,
        source: Source,
        conditions: Mapping[str, Value] | None,
        find: Sequence[str],
        guess: Mapping[str, Value] | None,
        parameters: Mapping[str, Value] | None,
        inputs: Mapping[str, Value] | None,
        linearized: bool,
    ) -> None:
        super().__init__(source, conditions, parameters, inputs)
        self.find = checks.names("steady_motions", "find", find, "u")
        self.guess = by_name("guess", guess)
        self.linearized = bool(linearized)

    def prepare(self, points: int) -> None:
        """Make the equations, and the linearizer if it is needed."""
        if self.linearized:
            linearizer_of(self.equations)

    def _all_kinds(self) -> dict[str, str]:
        outputs = {r.name: "states" for r in self.equations.outputs}
        return {**outputs, **super()._all_kinds()}

    def units(self) -> dict[str, str]:
        """Return the units of all names that may be swept, outputs among them."""
        return {**{r.name: r.unit for r in self.equations.outputs}, **super().units()}

    def __call__(self, point: Point) -> dict[str, Labelled]:
        """Return states, outputs and inputs of the steady motion, and its stability."""
        at = self.given(point)
        found = steady_motion(
            self.equations,
            at.states,
            find=self.find,
            guess=self.guess,
            parameters=at.parameters,
            inputs=at.inputs,
        )
        units = self.units()
        values = {**found.state, **found.outputs, **found.inputs}
        made = {
            name: scalar(value, units.get(name, ""))
            for name, value in values.items()
            if name not in point
        }
        if self.linearized:
            about = linearizer_of(self.equations).at(
                found.state, parameters=at.parameters, inputs=found.inputs
            )
            made |= stability(about)
        return made


@explains_arguments
def steady_motions(
    equations: Makes,
    conditions: Mapping[str, Value] | None = None,
    *,
    find: Sequence[str] = (),
    guess: Mapping[str, Value] | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    linearized: bool = False,
) -> SteadyMotions:
    """Return the task of finding the steady motion at every point of a sweep.

    States and outputs that are swept are conditions. The values of all other states, outputs and
    inputs are returned, and with ``linearized`` also ``eigenvalues``, ``growth`` and ``stable``, as
    by `linearizations`. Every search begins at the same guess, so that no point depends on others.

    Parameters
    ----------
    equations : Equations, Model, callable or str
        As for `linearizations`.
    conditions, find, guess, parameters, inputs
        As for `mbcore.steady_motion`, the same at all points.
    linearized : bool
        Whether to linearize about each one.

    Raises
    ------
    ModelError
        If an argument is impossible.
    """
    source = Source(equations)
    return SteadyMotions(source, conditions, find, guess, parameters, inputs, linearized)
