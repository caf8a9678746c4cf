"""A task for learners: what an agent observes and does, its reward, and the end of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from os import PathLike
from typing import Any, Literal

import numpy as np

from mbcore.drawing.scene import Scene
from mbcore.equations.equations import Equations, checked_equations
from mbcore.gym.fmu_model import FmuModel
from mbcore.gym.ranges import Draws, Range, bounds_of, draws_of
from mbcore.host.backend import Backend, checked_backend
from mbcore.model import checks, near_names
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value

OWNER = "Task"
TIME = "time"
SOLVER = ("method", "rtol", "atol", "max_step", "backend")
Values = Mapping[str, Any]
"""All columns at the end of a step by name, ``time`` among them: numbers, or arrays of shape (n,)
with one number for each of n environments."""
Rule = str | Callable[[Values], Any]
"""A column, or a function of all of them."""


@explains_construction
@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """Task of an agent with a model.

    Numbers are in the units of the model. A function as ``reward`` or ``terminated`` takes a
    mapping of the names of states, discrete variables, inputs, outputs and ``time`` to their values
    at the end of a step; NumPy's functions let one serve many environments at once.

    Attributes
    ----------
    equations : Equations or path
        Of the model; or the file of an FMU for Co-Simulation.
    step : float or str
        Time between two actions, which are held meanwhile, s.
    duration : float or str
        Time after which a run is truncated, s.
    observation : sequence of str, or mapping of str to (float or str, float or str)
        Columns that the agent observes, and their least and largest values. A run ends where one
        leaves them. Inputs may take those of the model.
    action : sequence of str, or mapping of str to (float or str, float or str)
        Inputs that the agent gives, likewise.
    reward : str or callable
        A column, or a function of all columns, at the end of each step.
    terminated : str or callable, optional
        A column or a function, not zero where a run ends.
    ends : sequence of str
        Events that end a run if they are active at the end of a step.
    start, parameters : mapping of str to value or (value, value)
        Of states and parameters: values that differ from the model's, or ranges from which each
        reset draws uniformly.
    inputs : mapping of str to value
        Constants of other inputs.
    unit_actions : bool
        Whether actions go from -1 to 1 for the ranges, as many learners want them.
    method, rtol, atol, max_step, backend
        As of `mbcore.simulate`. An FMU has a solver of its own.

    Raises
    ------
    ModelError
        If a name is unknown, a range is missing or empty, or a value is impossible.
    """

    equations: Equations | str | PathLike[str]
    step: Value
    duration: Value
    observation: Sequence[str] | Mapping[str, Range]
    action: Sequence[str] | Mapping[str, Range]
    reward: Rule
    terminated: Rule | None = None
    ends: Sequence[str] = ()
    start: Mapping[str, Value | Range] = field(default_factory=dict)
    parameters: Mapping[str, Value | Range] = field(default_factory=dict)
    inputs: Mapping[str, Value] = field(default_factory=dict)
    unit_actions: bool = False
    method: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-11
    max_step: Value = np.inf
    backend: Backend = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.model, FmuModel):
            self._refuse_solver()
        checked_backend(self.backend)
        if not self.length >= self.period:
            raise ModelError(
                f"{OWNER}: duration = {self.duration!r} is shorter than step = {self.step!r}"
            )
        for what, rule in (("reward", self.reward), ("terminated", self.terminated)):
            if not (callable(rule) or (what == "terminated" and rule is None)):
                checks.names(OWNER, what, [rule])
                refuse_unknown(f"{what}: column", str(rule), self.columns)
        events = {event.name: event.kind for event in self.model.events}
        for name in checks.names(OWNER, "ends", self.ends):
            refuse_unknown("event", name, events)
            if events[name] == "impact":
                raise ModelError(
                    f"{OWNER}: the event {name} lasts only an instant; give terminated= "
                    "a condition on a variable that it changes"
                )
        for name in self.inputs:
            refuse_unknown("input", name, [record.name for record in self.model.inputs])
        if shared := {*self.inputs} & {*self.acting}:
            name = min(shared)
            raise ModelError(f"{OWNER}: {name} is both an action and among inputs; leave one out")
        self.observed, self.drawn  # noqa: B018  refuses what is wrong now, not at the first reset

    def __deepcopy__(self, _: Any) -> Task:
        """Return this one: nothing in it changes, and equations are large."""
        return self

    def _refuse_solver(self) -> None:
        for one in fields(self):
            if one.name in SOLVER and getattr(self, one.name) != one.default:
                raise ModelError(
                    f"{OWNER}: {one.name} is of mbcore's own integrators, and an FMU has a solver "
                    "of its own; leave it out, and give the FMU's parameters"
                )

    @cached_property
    def model(self) -> Equations | FmuModel:
        """The equations, or the FMU."""
        if isinstance(self.equations, str | PathLike):
            return FmuModel(self.equations)
        checked_equations(OWNER, self.equations)
        return self.equations

    @property
    def own_equations(self) -> Equations:
        """The equations of a task without FMU."""
        assert isinstance(self.model, Equations)
        return self.model

    @cached_property
    def read(self) -> tuple[str, ...]:
        """Columns that are read for sure; functions may ask for others."""
        rules = [rule for rule in (self.reward, self.terminated) if isinstance(rule, str)]
        ends = [f"{name}.active" for name in self.ends]
        names = dict.fromkeys([*self.observed, *rules, *ends])
        return tuple(name for name in names if name != TIME)

    @cached_property
    def period(self) -> float:
        """Time between two actions, s."""
        return float(checks.real(OWNER, "step", self.step, above=0.0, unit="s"))

    @cached_property
    def length(self) -> float:
        """Time after which a run is truncated, s."""
        return float(checks.real(OWNER, "duration", self.duration, above=0.0, unit="s"))

    @cached_property
    def steps(self) -> int:
        """Steps until a run is truncated."""
        return int(np.ceil(self.length / self.period - 1e-9))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns, in the order of C."""
        q = self.model
        parts = (q.states, q.discretes, q.inputs, q.outputs)
        return tuple(dict.fromkeys(record.name for part in parts for record in part))

    @cached_property
    def observed(self) -> dict[str, tuple[float, float]]:
        """Observed quantities and their ranges."""
        q = self.model
        records = {r.name: r for rs in (q.states, q.discretes, q.inputs, q.outputs) for r in rs}
        return bounds_of("observation", self.observation, records)

    @cached_property
    def acting(self) -> dict[str, tuple[float, float]]:
        """Inputs that are actions, and their ranges."""
        return bounds_of("action", self.action, {r.name: r for r in self.model.inputs})

    @cached_property
    def drawn(self) -> Draws:
        """Values of starts and parameters, and what is drawn."""
        return draws_of(self.model, self.start, self.parameters)

    @cached_property
    def scene(self) -> Scene:
        """The shapes of the model, for pictures."""
        return self.own_equations.scene()

    def acted(self, action: np.ndarray, count: int | None = None) -> np.ndarray:
        """Return the values of the inputs for an action, or for one of each environment.

        Raises
        ------
        ModelError
            If the shape is wrong, or a value is no number or outside of its range.
        """
        given = np.asarray(action, float)
        shape = (len(self.acting),) if count is None else (count, len(self.acting))
        if given.shape != shape:
            raise ModelError(f"action: shape {given.shape}; give {shape}, for {[*self.acting]}")
        low, high = self.limits(self.acting)
        least, most = (-np.ones_like(low), np.ones_like(high)) if self.unit_actions else (low, high)
        inside = (given >= least) & (given <= most)
        if not inside.all():
            place = tuple(np.argwhere(~inside)[0])
            name, column = [*self.acting][place[-1]], place[-1]
            raise ModelError(
                f"action {name} = {given[place]}: give a number from {least[column]:g} to "
                f"{most[column]:g}, as gymnasium.wrappers.ClipAction does"
            )
        return low + (given + 1) / 2 * (high - low) if self.unit_actions else given

    def limits(self, ranges: Mapping[str, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
        """Return least and largest values, shape (n,) each."""
        low, high = np.array([*ranges.values()], float).reshape(-1, 2).T
        return low, high

    def evaluated(self, rule: Rule, values: Values, what: Literal["reward", "terminated"]) -> Any:
        """Return a rule's value, a number or one for each environment.

        Raises
        ------
        ModelError
            If it is not finite or its function asks for a name that is not there.
        """
        try:
            found = rule(values) if callable(rule) else values[rule]
        except KeyError as error:
            known = (*self.columns, TIME)
            name = error.args[0] if error.args else ""
            raise ModelError(f"{what}: {near_names.unknown('column', name, known)}") from error
        each = np.asarray(found, float)
        if not np.isfinite(each).all():
            raise ModelError(_not_finite(rule, each, values, what))
        return found


def _not_finite(rule: Rule, each: np.ndarray, values: Values, what: str) -> str:
    """Return the message for a rule whose value is no number, in which environment and when."""
    k = int(np.flatnonzero(~np.isfinite(each.ravel()))[0])
    time = np.asarray(values[TIME], float).ravel()
    where = f" in environment {k}" if each.ndim else ""
    said = f"{what} is {each.ravel()[k]} at t = {time[k if time.size > 1 else 0]:.9g} s{where}"
    if callable(rule):
        return f"{said}; let its function give finite numbers"
    return f"{said}: so is {rule}; let the model give finite numbers, or choose another column"


def refuse_unknown(what: str, name: str, known: Any) -> None:
    """Refuse a name that is not known.

    Raises
    ------
    ModelError
        With similar ones.
    """
    if name not in known:
        raise ModelError(f"{OWNER}: {near_names.unknown(what, name, known)}")
