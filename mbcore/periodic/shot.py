"""Data of a system that shooting needs beside its flow, from equations or from a driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.model.errors import ModelError
from mbcore.periodic.driving import depends_on_time, refuse_free_rotations
from mbcore.periodic.flow import Flow, InputSignal, Trajectory
from mbcore.periodic.ignorable import ignorable_states
from mbcore.periodic.sampling import sampled
from mbcore.periodic.start_contacts import constrained
from mbcore.periodic.variational import StepOptions
from mbcore.results.fourier_signal import Signal
from mbcore.results.motion import Motion


class Shot(Protocol):
    """A system whose periodic motions are sought by shooting.

    Attributes
    ----------
    flow : Flow or the like
        The final state by the start, with its derivative: names, units and nominal values of the
        states, and what calls of it return.
    """

    flow: Any

    def first(self) -> np.ndarray:
        """Return the guess: states and remembered numbers, (ns + nm,)."""

    def value(self) -> float:
        """Return the value of the varied quantity."""

    def vary_to(self, value: float) -> None:
        """Give the varied quantity another value."""

    def rates(self, start: np.ndarray) -> np.ndarray:
        """Return the rates at a start, (ns + nm,)."""

    def ignorable(self, start: np.ndarray, period: float) -> tuple[int, ...]:
        """Return states on which nothing depends."""

    def driven(self, start: np.ndarray, period: float, autonomous: bool) -> bool:
        """Return whether rates depend on time; refuse another period."""

    def remembers(self, modes: np.ndarray) -> bool:
        """Return whether the motion depends on discrete variables, whose end values these are."""

    def mode_names(self) -> Sequence[str]:
        """Return the names of all discrete variables."""

    def parameters(self) -> dict[str, float]:
        """Return the values of all parameters."""

    def inputs(self) -> dict[str, float]:
        """Return the values of all constant inputs."""

    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of all parameters, and of all inputs, in order."""

    def refuse_harmonic_balance(self) -> None:
        """Refuse to be expanded in Fourier series where that is not possible."""

    def sampled(
        self, found: Trajectory, advance: np.ndarray
    ) -> tuple[dict[str, Signal], Motion | None]:
        """Return states and outputs of a recorded motion as signals, and the motion."""


class Shootable(Protocol):
    """A system that gives its flow: equations by `shootable`, or the driver of an FMU.

    Attributes
    ----------
    name : str
        Of the model.
    records : object
        ``states``, ``outputs``, ``parameters`` and ``inputs`` as equations have them: names,
        units, nominal values and bounds.
    """

    name: str
    records: Any

    def shot(
        self,
        start: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, Any] | None,
        vary: str | None,
        steps: StepOptions,
    ) -> Shot:
        """Return its flow for shooting."""


def shootable(owner: str, system: Equations | Shootable) -> Shootable:
    """Return what gives the flow of equations, or of what gives it itself.

    Raises
    ------
    ModelError
        It is neither.
    """
    if not isinstance(system, Equations) and hasattr(system, "shot"):
        return system
    return _ShootableEquations(checked_equations(owner, system))


def records_of(system: Equations | Shootable) -> Any:
    """Return equations, or the records of what is not equations and gives its flow.

    Raises
    ------
    ModelError
        It is neither.
    """
    return shootable("continuation", system).records


class ShotEquations:
    """The flow of equations for shooting; arguments as those of `Flow`."""

    def __init__(
        self,
        equations: Equations,
        start: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, InputSignal] | None,
        vary: str | None,
        steps: StepOptions,
    ) -> None:
        self._equations = checked_equations("shooting", equations)
        self.flow = Flow(
            equations,
            start,
            parameters=parameters,
            inputs=inputs,
            vary=vary,
            steps=steps,
            chosen=True,
        )
        refuse_free_rotations(equations)

    def first(self) -> np.ndarray:
        """Return the guess: states and remembered numbers, (ns + nm,)."""
        return self.flow.whole(self.flow.point.s)

    def value(self) -> float:
        """Return the value of the varied quantity."""
        return self.flow.point.value

    def vary_to(self, value: float) -> None:
        """Give the varied quantity another value."""
        self.flow.point.vary_to(value)

    def rates(self, start: np.ndarray) -> np.ndarray:
        """Return the rates at a start, (ns + nm,)."""
        self.flow.begin(start)
        return self.flow.point.rates()

    def ignorable(self, start: np.ndarray, period: float) -> tuple[int, ...]:
        """Return states on which nothing depends."""
        return ignorable_states(self.flow, start, period)

    def driven(self, start: np.ndarray, period: float, autonomous: bool) -> bool:
        """Return whether rates depend on time; refuse another period."""
        return depends_on_time(self.flow, start, period, autonomous)

    def remembers(self, modes: np.ndarray) -> bool:
        """Return whether the motion depends on discrete variables, whose end values these are."""
        flow = self.flow
        # events that begin with the motion must not set the numbers of its end again
        return (
            len(flow.modes) > len(self._equations.events)
            or bool(flow.point.numbers)
            or constrained(flow.point, modes)
        )

    def mode_names(self) -> Sequence[str]:
        """Return the names of all discrete variables."""
        equations = self._equations
        names = [event.name for event in equations.events]
        return names + [record.name for record in equations.discretes[len(names) :]]

    def parameters(self) -> dict[str, float]:
        """Return the values of all parameters."""
        records, values = self._equations.parameters, self.flow.point.p
        return {record.name: float(v) for record, v in zip(records, values, strict=True)}

    def inputs(self) -> dict[str, float]:
        """Return the values of all constant inputs."""
        records, values = self._equations.inputs, self.flow.point.u
        moving = self.flow.run.signals
        return {r.name: float(values[i]) for i, r in enumerate(records) if i not in moving}

    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of all parameters, and of all inputs, in order."""
        return self.flow.point.p.copy(), self.flow.point.u.copy()

    def refuse_harmonic_balance(self) -> None:
        """Refuse motions that are not smooth."""
        equations, numbers = self._equations, self.flow.point.numbers
        if numbers:
            names = ", ".join(equations.discretes[i].name for i in numbers)
            raise ModelError(
                f"{equations.name}: motion depends on {names}, which events set; harmonic balance "
                'is for smooth motions: take method="shooting"'
            )

    def sampled(self, found: Trajectory, advance: np.ndarray) -> tuple[dict[str, Signal], Motion]:
        """Return states and outputs of a recorded motion as signals, and the motion."""
        return sampled(self.flow, found, advance)


class _ShootableEquations:
    """Equations, which give their flow."""

    def __init__(self, equations: Equations) -> None:
        self.name, self.records = equations.name, equations

    def shot(
        self,
        start: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, Any] | None,
        vary: str | None,
        steps: StepOptions,
    ) -> ShotEquations:
        """Return their flow for shooting."""
        return ShotEquations(self.records, start, parameters, inputs, vary, steps)
