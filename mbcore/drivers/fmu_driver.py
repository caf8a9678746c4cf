"""A driver of any FMU, which runs in a process of its own.

`mbcore.drivers.choice` makes it, as it makes the one of equations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import numpy as np

from mbcore.continuation.branch_tracer import Beginning
from mbcore.continuation.varied import ParameterRange
from mbcore.drivers.driver import (
    TOLERANCE,
    Derivatives,
    Point,
    Response,
    checked_names,
    checked_times,
)
from mbcore.drivers.fmu_flow import FmuFlow, ignorable
from mbcore.drivers.fmu_process import PATIENCE, FmuProcess
from mbcore.drivers.fmu_records import Records
from mbcore.drivers.steady import SteadySearch
from mbcore.drivers.steady_family import Sought, steady_branch
from mbcore.equilibria.steady_motion import SteadyMotion
from mbcore.evaluation.input_table import TimedInput
from mbcore.model import checks, near_names
from mbcore.model.errors import FmuError, ModelError, warn_user
from mbcore.periodic.variational import StepOptions


class FmuDriver:
    """An FMU as analyses drive it.

    Parameters
    ----------
    path : path
        An FMU of FMI 2.0 or 3.0. One that offers Co-Simulation alone is simulated by its own
        steps, and knows no states, rates or matrices.
    patience : float
        Time without a sign of life, s, after which it is given up.
    step : float, optional
        Longest communication step in Co-Simulation, s; by default the step size of the
        description, or a 500th of a run where it has none.

    Attributes
    ----------
    name, states, inputs, outputs, parameters, derivatives
        As in `Driver`; real numbers alone, elements of arrays by themselves.
    settable : tuple of str
        Parameters that take values: these, and whole numbers, choices and Booleans.
    version : {"2.0", "3.0"}
        Of FMI.
    interface : {"Model Exchange", "Co-Simulation"}
        By which it runs.
    saves_state : bool
        Whether it can save and restore its state, so that changes of states at events have
        derivatives.
    noise : float
        Relative error of its rates, or of its runs in Co-Simulation, from which steps of
        differences follow.
    records : Records
        Its variables as equations have them, for analyses of both.

    Raises
    ------
    ModelError
        There is no such file, it is not an FMU, or an option does not belong to it.
    FmuError
        It fails, crashes or hangs.
    """

    def __init__(
        self, path: str | Path, *, patience: float = PATIENCE, step: float | None = None
    ) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise ModelError(f"there is no FMU {path}; build it with export(...), or give its path")
        wait = checks.real(f"FMU {self.path.name}", "patience", patience, above=0, unit="s")
        self.process = FmuProcess(self.path, wait)
        about = self.process.about
        self.name: str = about["name"]
        self.version: str = about["version"]
        self.interface: str = about["interface"]
        self._step = self._checked_step(step)
        self.started: tuple[str, ...] = about["started"]
        self.states: tuple[str, ...] = about["states"]
        self.inputs: tuple[str, ...] = about["inputs"]
        self.outputs: tuple[str, ...] = about["outputs"]
        self.parameters: tuple[str, ...] = about["parameters"]
        self.settable = (*self.parameters, *about.get("choices", ()))
        self.saves_state: bool = about["saves_state"]
        self.noise: float = about["noise"]
        self.has_events = bool(about["indicators"])
        self.derivatives: Derivatives = "directional" if about["has_derivatives"] else "differences"
        self._about = about
        self.records = Records(self)

    def __enter__(self) -> FmuDriver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        by = "by directional derivatives" if self.derivatives == "directional" else "by differences"
        by += " of whole runs in Co-Simulation" if self.interface == "Co-Simulation" else ""
        return f"<driver of the FMU {self.name}, FMI {self.version}: derivatives {by}>"

    def _checked_step(self, step: float | None) -> float | None:
        if step is None:
            return None
        if self.interface != "Co-Simulation":
            self.process.close()
            raise ModelError(
                f"FMU {self.name}: step = {step!r} is for Co-Simulation, but this FMU runs in "
                "Model Exchange, whose steps follow from the tolerance; leave it out"
            )
        return checks.real(f"FMU {self.name}", "step", step, above=0, unit="s")

    def _need_states(self, what: str) -> None:
        """Refuse what needs states and rates, which Co-Simulation hides."""
        if self.interface == "Co-Simulation":
            raise ModelError(
                f"FMU {self.name} offers only Co-Simulation, which hides its states and rates, so "
                f"{what} is unknown; use an FMU with Model Exchange, or simulate() and fit()"
            )

    def close(self) -> None:
        """End the FMU's process."""
        self.process.close()

    def begin_worker(self) -> None:
        """Let a process that was forked run the FMU in a process of its own."""
        self.process.begin_own()

    def unit(self, name: str) -> str:
        """Return the unit of a variable, ``"1"`` where it has none."""
        return str(self._told("units", name))

    def start(self, name: str) -> float:
        """Return the start value of a state, an input or a parameter."""
        return float(self._told("starts", name))

    def nominal(self, name: str) -> float:
        """Return the nominal value of a state, 1 where none is known."""
        self._told("units", name)
        return float(self._about["nominal"].get(name, 1.0))

    def bounds(self, name: str) -> tuple[float, float]:
        """Return the least and the largest value of a variable, infinite where there is none."""
        return cast("tuple[float, float]", self._told("bounds", name))

    def _told(self, what: str, name: str) -> Any:
        known = self._about[what]
        if name not in known:
            raise ModelError(f"FMU {self.name}: {near_names.unknown('variable', name, known)}")
        return known[name]

    def values(self, kind: str, given: object, known: Sequence[str]) -> dict[str, float]:
        """Return values by name, checked.

        Raises
        ------
        ModelError
            They are not given by name, a name is unknown, or a value is not finite.
        """
        owner = f"FMU {self.name}"
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            example = next(iter(known), "k")
            raise ModelError(
                f"{owner}: {kind}s = {given!r}; give values by name, as in {{{example!r}: 1.0}}"
            )
        found = {}
        for name, value in given.items():
            if name not in known:
                raise ModelError(f"{owner}: {near_names.unknown(kind, name, known)}")
            number = checks.scalar(f"{owner}: {name}", value)
            if not math.isfinite(number):
                raise ModelError(f"{owner}: {kind} {name} = {number}; give a finite number")
            found[name] = number
        return found

    def split(
        self, inputs: Mapping[str, Any] | None
    ) -> tuple[dict[str, float], dict[str, Any], dict[str, Callable[[float], float]]]:
        """Return constant inputs, what is sent of the others, and functions that are asked here."""
        if inputs is not None and not isinstance(inputs, Mapping):
            self.values("input", inputs, self.inputs)
        every = dict(inputs or {})
        moving = {name: given for name, given in every.items() if callable(given)}
        constant = {name: given for name, given in every.items() if name not in moving}
        for name in moving:
            if name not in self.inputs:
                raise ModelError(
                    f"FMU {self.name}: {near_names.unknown('input', name, self.inputs)}"
                )
        sent = {n: given if isinstance(given, TimedInput) else None for n, given in moving.items()}
        asked = {n: _checked(self.name, n, moving[n]) for n, given in sent.items() if given is None}
        return self.values("input", constant, self.inputs), sent, asked

    def point(
        self,
        time: float = 0.0,
        states: Mapping[str, float] | np.ndarray | None = None,
        inputs: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Point:
        """Return rates, outputs and their derivatives at a time, s, and states.

        Raises
        ------
        ModelError
            A name is unknown or a value impossible.
        FmuError
            The FMU fails, crashes or hangs.
        """
        self._need_states("its linearization")
        if states is not None and not isinstance(states, Mapping):
            array = checks.numbers(f"FMU {self.name}", "states", states, len(self.states))
            states = dict(zip(self.states, map(float, array), strict=True))
        t = checks.real(f"FMU {self.name}", "time", time, unit="s")
        values = {
            **self.values("parameter", parameters, self.settable),
            **self.values("input", inputs, self.inputs),
            **self.values("state", states, self.states),
        }
        found = self.process.ask("point", t, values, self.inputs)
        both, slopes, ns = found["both"], found["slopes"], len(self.states)

        def by(names: Sequence[str]) -> np.ndarray:
            known = checked_names(f"FMU {self.name}", "parameter", names, self.parameters)
            if not known:
                return np.zeros((both.size, 0))
            found = self.process.ask("point", t, values, (), known)
            return np.asarray(found["columns"])

        return Point(
            self.name,
            self.states,
            self.inputs,
            self.outputs,
            both[:ns],
            both[ns:],
            slopes[:ns, :ns],
            slopes[:ns, ns:],
            slopes[ns:, :ns],
            slopes[ns:, ns:],
            by,
            t,
            found["state"],
            np.array([values.get(name, self.start(name)) for name in self.inputs]),
            np.array([self.nominal(name) for name in self.states]),
            self.derivatives,
        )

    def simulate(
        self,
        times: Sequence[float] | np.ndarray,
        *,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, Any] | None = None,
        outputs: Sequence[str] | None = None,
        columns: Sequence[str] = (),
        tolerance: float | None = None,
    ) -> Response:
        """Return the motion from t = 0 at rising ``times``, s; arguments as in `Driver`.

        Columns that the FMU gives no derivatives for come by differences of whole runs, of fourth
        order: by parameters where its directional derivatives do not know them or an event's time
        follows from them, and all columns where a change at an event has no derivative, or in
        Co-Simulation. There ``tolerance`` is that of the FMU's solver, its own one by default.

        Raises
        ------
        ModelError
            A name is unknown or a value impossible, or times do not rise.
        FmuError
            The FMU fails, crashes or hangs.
        """
        owner = f"FMU {self.name}"
        at = checked_times(owner, times)
        chosen = checked_names(owner, "output", outputs, self.outputs)
        wanted = checked_names(owner, "column", columns, (*self.parameters, *self.started))
        relative = TOLERANCE if tolerance is None else tolerance
        relative = checks.real(owner, "tolerance", relative, above=1e-15, most=1e-3)
        constant, sent, asked = self.split(inputs)
        values = {
            **self.values("parameter", parameters, self.settable),
            **constant,
            **self.values("state", start, self.started),
        }
        inside: tuple[float | None, ...] = (relative,)
        if self.interface == "Co-Simulation":
            inside = (None if tolerance is None else relative, self._step)
        found = self.process.ask(
            "simulate", at, values, sent, chosen, wanted, *inside, signals=asked
        )
        self.noise = found.get("noise", self.noise)
        return Response(
            self.name,
            at,
            chosen,
            found["values"],
            found["states"],
            wanted,
            found["columns"],
            found["state_columns"],
            found["evaluations"],
            found["events"],
            found["compared"],
        )

    def linearized(
        self,
        state: Mapping[str, float] | np.ndarray | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
        time: float,
        unsteady: bool,
    ) -> Point:
        """Return what `linearize` asks for: matrices, eigenvalues and modes at a point.

        Warns
        -----
        ModelWarning
            The motion changes there, unless it may be ``unsteady``.
        """
        found = self.point(time, state, inputs, parameters)
        changing = None if unsteady else found.changing()
        if changing is not None:
            warn_user(
                f"FMU {self.name} is not at rest or in a steady motion there, {changing}; "
                "eigenvalues then say nothing about stability; give another state, or "
                "unsteady=True (--unsteady) if this one is meant"
            )
        return found

    def steady(
        self,
        conditions: Mapping[str, float] | None,
        find: Sequence[str],
        guess: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
    ) -> SteadyMotion:
        """Return what `steady_motion` asks for."""
        self._need_states("a steady motion")
        begin = self.values("state", guess, self.states)
        own = self.values("parameter", parameters, self.settable)
        held = self.values("input", inputs, self.inputs)
        first = np.array([begin.get(name, self.start(name)) for name in self.states])
        still = ignorable(self.process.ask("influence", {**own, **held}, first, 1.0))
        names = [self.states[i] for i in still]
        wanted = self.values("condition", conditions, (*self.states, *self.outputs))
        return SteadySearch(self, names, wanted, find, begin, held, own).found()

    def steady_branch(
        self,
        over: ParameterRange,
        conditions: Mapping[str, float] | None,
        find: Sequence[str],
        start: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
    ) -> Beginning:
        """Return what `continuation` asks for: steady motions, or without conditions equilibria."""
        self._need_states("a branch of steady motions")

        def search(*given: Mapping[str, float]) -> SteadyMotion:
            conditions, parameters, inputs = given
            return self.steady(conditions, find, start, parameters, inputs)

        sought = Sought(
            dict(conditions or {}),
            tuple(find),
            dict(parameters or {}),
            dict(inputs or {}),
            conditions is None,
        )
        return steady_branch(self, self.records, over, sought, search)

    def shot(
        self,
        start: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, Any] | None,
        vary: str | None,
        steps: StepOptions,
    ) -> FmuFlow:
        """Return its flow for shooting, which `periodic_solution` asks for."""
        self._need_states("a periodic motion with its stability")
        return FmuFlow(self, start, parameters, inputs, vary, steps)


def _checked(owner: str, name: str, given: Callable[[float], Any]) -> Callable[[float], float]:
    """Return a function of time that gives finite numbers or says that it does not."""

    def value(t: float) -> float:
        found = checks.scalar(f"FMU {owner}: input {name} at t = {t:.9g}", given(t))
        if not math.isfinite(found):
            raise FmuError(
                f"FMU {owner}: input {name} is {found} at t = {t:.9g} s; let its function give "
                "finite numbers"
            )
        return found

    return value
