"""Tasks that are often swept: linearized equations, simulations, steady motions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from mbcore.analysis.backends import compile_ahead
from mbcore.analysis.linearization import Linearization
from mbcore.analysis.linearize import linearizer_of
from mbcore.analysis.result import Result
from mbcore.analysis.simulate import simulate
from mbcore.analysis.steady import steady_motion
from mbcore.equations.equations import Equations
from mbcore.equations.model import Model
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value
from mbcore.sweeps.model_task import ModelTask, by_name
from mbcore.sweeps.outcome import Labelled, stability
from mbcore.sweeps.points import Point
from mbcore.sweeps.source import Source

Makes = Equations | Model | Callable[[], Any] | str
"""Equations, or what makes them: see `mbcore.sweeps.source.Source`."""
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
        if isinstance(give, str) or not give:
            raise ModelError(f"linearizations: give = {give!r}; give a list, as in ['stable']")
        for name in give:
            checks.choice("linearizations", "give", name, (*STABILITY, *MATRICES))
        self.motion, self.unsteady, self.give = motion, unsteady, tuple(give)

    def prepare(self) -> None:
        """Make the linearizer."""
        self.equations.refuse_stale()
        linearizer_of(self.equations)

    def __call__(self, point: Point) -> dict[str, Labelled]:
        """Return what is asked for at a point."""
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
    """Return what is asked for from a linearization."""
    made = stability(found) if set(give) & set(STABILITY) else {}
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
        self.find, self.guess = tuple(find), by_name("guess", guess)
        self.linearized = bool(linearized)

    def prepare(self) -> None:
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
            name: _scalar(value, units.get(name, ""))
            for name, value in values.items()
            if name not in point
        }
        if self.linearized:
            about = linearizer_of(self.equations).at(
                found.state, parameters=at.parameters, inputs=found.inputs
            )
            made |= stability(about)
        return made


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


class Simulations(ModelTask):
    """See `simulations`."""

    def __init__(
        self,
        source: Source,
        until: Value,
        start: Mapping[str, Value] | None,
        parameters: Mapping[str, Value] | None,
        inputs: Mapping[str, Any] | None,
        outputs: Sequence[str] | None,
        samples: int | Sequence[float] | None,
        summary: Callable[[Result], Any] | None,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(source, start, parameters, inputs)
        if summary is not None and (outputs is not None or not callable(summary)):
            raise ModelError(
                "simulations: summary is a function of a Result, and says itself what is returned; "
                "leave outputs out"
            )
        if isinstance(outputs, str):
            raise ModelError(f"simulations: outputs = {outputs!r}; give a list, [{outputs!r}]")
        if unknown := sorted(options.keys() - inspect.signature(simulate).parameters.keys()):
            raise ModelError(f"simulations: simulate has no argument {', '.join(unknown)}")
        self.until = checks.real("simulations", "until", until, above=0.0, unit="s")
        self.outputs = None if outputs is None else tuple(outputs)
        self.samples, self.summary, self.options = samples, summary, dict(options)

    def prepare(self) -> None:
        """Refuse outputs that there are not, and compile what is to run in C, once for all."""
        q = self.equations
        groups = (q.states, q.inputs, q.discretes, q.outputs)
        known = [record.name for records in groups for record in records]
        for name in self.outputs or ():
            if name not in known:
                raise ModelError(f"simulations: no result {name!r}; there is {', '.join(known)}")
        if self.options.get("backend") == "c":
            compile_ahead(q, self.options.get("method", "DOP853"))

    def __call__(self, point: Point) -> Any:
        """Return final values, courses or the summary of a run."""
        at = self.given(point)
        run = simulate(
            self.equations,
            self.until,
            start=at.states,
            parameters=at.parameters,
            inputs=at.inputs,
            samples=self.samples,
            progress=False,
            **self.options,
        )
        if self.summary is not None:
            return self.summary(run)
        names = run.columns if self.outputs is None else self.outputs
        courses = self.samples is not None
        made = {}
        for name in names:
            column, unit = np.asarray(run[name], float), run.units.get(name, "")
            shown = f"{name}.{'course' if courses else 'final'}" if name in point else name
            if courses:
                along = {"time": run.time}
                made[shown] = Labelled(column, ("time",), {"units": unit}, along)
            else:
                made[shown] = _scalar(column[-1], unit)
        return made


def simulations(
    equations: Makes,
    until: Value,
    *,
    start: Mapping[str, Value] | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    samples: int | Sequence[float] | None = None,
    summary: Callable[[Result], Any] | None = None,
    **options: Any,
) -> Simulations:
    """Return the task of simulating at every point of a sweep.

    States that are swept are start values.

    Parameters
    ----------
    equations : Equations, Model, callable or str
        As for `linearizations`.
    until : float
        End time, s.
    start, parameters, inputs
        As for `mbcore.simulate`, the same at all points.
    outputs : sequence of str, optional
        Columns of the results that are returned; all by default. One that is swept is called
        ``name.final``, or ``name.course``.
    samples : int or sequence of float, optional
        Return their courses at these times, along the dimension ``time``, s; by default their final
        values.
    summary : callable, optional
        Returns numbers by name from the `mbcore.Result` of a run, in place of these.
    **options
        Others of `mbcore.simulate`, such as ``rtol``.

    Raises
    ------
    ModelError
        If an argument is impossible.
    """
    return Simulations(
        Source(equations), until, start, parameters, inputs, outputs, samples, summary, options
    )


def _scalar(value: float, unit: str) -> Labelled:
    return Labelled(np.array(float(value)), (), {"units": unit} if unit else {})
