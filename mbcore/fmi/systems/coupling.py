"""Runs of connected FMUs: how inputs are known between communication points.

All components make a communication step h from t to t + h side by side. Their connected inputs are,
within it, held (error of order 1 in h), extrapolated from the last two points (order 2), or
parabolas to the values that the outputs have at its end, found by repeating the step (order 3, and
stable where components feel each other's force at once). FMI 2.0 has the parabola in straight
pieces, which leave a part of the second order.

Used by `mbcore.fmi.systems.system` alone; it stands apart because it runs what is connected,
and knows no names that users give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from tqdm import tqdm

from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.fmu_variables import REALS
from mbcore.fmi.running.importing import Importing
from mbcore.fmi.systems.connections import Connection, Part, Place
from mbcore.model.errors import ModelError, SimulationError

Coupling = Literal["held", "extrapolated", "iterated"]
COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)
ROUNDS = 100
"""Most repetitions of a step, and most rounds in which values at the start settle."""
SETTLED = 1e-12
"""Part of a value, or of its nominal value, by which it may still change at the start."""
PIECES = 8
"""Straight pieces of a parabola for FMI 2.0: 1/64 of the error of one, at twice the time."""
LONG = 2.0
"""Seconds after which a bar is shown."""
SAME = 1e-9
"""Part of a step that is none."""


@dataclass
class Followed:
    """An input that is linear in time within a step, or a parabola between its ends."""

    value: float = 0.0
    rate: float = 0.0
    curve: float = 0.0
    begin: float = 0.0
    end: float = 0.0

    def __call__(self, time: float) -> float:
        """Return its value at a time, s."""
        since = time - self.begin
        return self.value + (self.rate + self.curve * (time - self.end)) * since


@dataclass(frozen=True)
class Run:
    """The task of a system: end and step, s, coupling and its accuracy, and a bar or none."""

    end: float
    step: float
    coupling: Coupling
    accuracy: float
    tolerance: float | None
    progress: bool


@dataclass(frozen=True)
class Given:
    """Inputs from outside: start values and inputs of a component over time."""

    start: Mapping[str, Any]
    inputs: Mapping[str, Callable[[float], float]]


class CoupledRun:
    """FMUs that run together, to be used in a ``with`` statement.

    Attributes
    ----------
    times, values : list
        The points in time, s, and the values of the shown variables there.
    repeated : int
        Steps that were repeated.
    """

    def __init__(
        self,
        parts: Mapping[str, Part],
        connections: Sequence[Connection],
        shown: Sequence[Place],
        given: Mapping[str, Given],
        run: Run,
    ) -> None:
        if run.coupling == "iterated":
            _refuse_unsaved(parts)
        self._connections, self._shown, self._run = connections, shown, run
        self._sizes = np.array([_size(parts[c.source.part], c.source.name) for c in connections])
        self._followed = {
            c.target: Followed()
            for c in connections
            if run.coupling != "held" and _is_real(parts[c.target.part], c.target.name)
        }
        self.times: list[float] = []
        self.values: list[list[float]] = []
        self.repeated = 0
        self._last = 0.0
        with ExitStack() as opening:
            self.units = {
                name: opening.enter_context(self._unit(part, given[name]))
                for name, part in parts.items()
            }
            self._settle()
            for unit in self.units.values():
                unit.initialized()
            self._open = opening.pop_all()

    def __enter__(self) -> CoupledRun:
        return self

    def __exit__(self, *failure: Any) -> None:
        self._open.__exit__(*failure)

    def _unit(self, part: Part, given: Given) -> CoSimulation:
        own = {place.name: f for place, f in self._followed.items() if place.part == part.name}
        for name, followed in own.items():
            followed.value = part.start(name)
        return CoSimulation(
            part.path,
            given.start,
            self._run.tolerance,
            initialize=False,
            importing=Importing(part.description, inputs={**given.inputs, **own}),
        )

    def run(self) -> None:
        """Run to the end."""
        run = self._run
        many = max(1, round(run.end / run.step))
        marks = [run.end * k / many for k in range(many + 1)]
        if abs(run.end / many - run.step) > SAME * run.step:
            marks = [*np.arange(0.0, run.end - SAME * run.step, run.step), run.end]
        values = self._outputs()
        rates = np.zeros(len(values))
        self._record(0.0)
        hidden = None if run.progress else True  # None: on terminals only
        steps = tqdm([*pairwise(marks)], delay=LONG, disable=hidden, leave=False, unit="step")
        for begin, end in steps:
            make = self._iterated if run.coupling == "iterated" else self._advanced
            before, values = values, make((begin, end), values, rates)
            if not np.isfinite(values).all():
                worst = self._connections[int((~np.isfinite(values)).argmax())]
                raise SimulationError(
                    f"t = {end:.9g} s: {worst.source} is not finite: the coupling is unstable; "
                    "give shorter steps, or coupling='iterated'"
                )
            if run.coupling != "held":
                rates, self._last = (values - before) / (end - begin), end - begin
            self._record(end)

    def _advanced(
        self,
        span: tuple[float, float],
        values: np.ndarray,
        rates: np.ndarray,
        curves: np.ndarray | None = None,
    ) -> np.ndarray:
        """Advance with inputs that move so; return the outputs at the end."""
        begin, end = span
        self._pass_on(values)
        for c, value, rate, curve in zip(
            self._connections, values, rates, 0 * rates if curves is None else curves, strict=True
        ):
            if c.target in self._followed:
                followed = self._followed[c.target]
                followed.value, followed.rate, followed.curve = map(float, (value, rate, curve))
                followed.begin, followed.end = span
        pieces = PIECES if self._run.coupling == "iterated" else 1
        for unit in self.units.values():
            unit.advance(end, pieces)
        if self._followed:
            moving = [c.target in self._followed for c in self._connections]
            self._pass_on(values + np.where(moving, rates * (end - begin), 0.0))
        return self._outputs()

    def _iterated(
        self, span: tuple[float, float], values: np.ndarray, rates: np.ndarray
    ) -> np.ndarray:
        """Repeat a step until inputs and outputs agree at its end.

        Inputs are parabolas through the point before, too.

        Raises
        ------
        SimulationError
            They do not within `ROUNDS` repetitions.
        """
        begin, size = span[0], span[1] - span[0]
        saved = {name: unit.saved() for name, unit in self.units.items()}
        try:
            guess = values + rates * size
            for _ in range(ROUNDS):
                mean = (guess - values) / size
                curves = (mean - rates) / (size + self._last) if self._last else None
                found = self._advanced(span, values, mean, curves)
                off = np.abs(found - guess) / np.maximum(np.abs(found), self._sizes)
                if not off.size or off.max() <= self._run.accuracy:
                    return found
                guess = found
                self.repeated += 1
                for name, unit in self.units.items():
                    unit.restore(saved[name])
        finally:
            for name, unit in self.units.items():
                unit.forget(saved[name])
        worst = self._connections[int(off.argmax())]
        raise SimulationError(
            f"t = {begin:.9g} s: {worst.source} and {worst.target} differ by {off.max():.3g} of "
            f"their size after {ROUNDS} repetitions of the step; give shorter steps, or less "
            "accuracy"
        )

    def _outputs(self) -> np.ndarray:
        """Return the value of each connection."""
        found = {c.source: 0.0 for c in self._connections}
        for name, unit in self.units.items():
            own = [place for place in found if place.part == name]
            found.update(zip(own, unit.get([place.name for place in own]), strict=True))
        return np.array([c.factor * found[c.source] for c in self._connections])

    def _pass_on(self, values: np.ndarray) -> None:
        """Give inputs their values."""
        given: dict[str, dict[str, float]] = {name: {} for name in self.units}
        for c, value in zip(self._connections, values, strict=True):
            given[c.target.part][c.target.name] = float(value)
        for name, unit in self.units.items():
            if given[name]:
                unit.set(given[name])

    def _settle(self) -> None:
        """Exchange values in Initialization Mode until they no longer change.

        Raises
        ------
        ModelError
            Outputs at the start depend on each other in a circle that does not settle.
        """
        values = self._outputs()
        for _ in range(ROUNDS):
            self._pass_on(values)
            before, values = values, self._outputs()
            off = np.abs(values - before) / np.maximum(np.abs(values), self._sizes)
            if not off.size or off.max() <= SETTLED:
                return
        worst = self._connections[int(off.argmax())]
        raise ModelError(
            f"{worst.source} does not settle at the start: its algebraic loop has a gain of 1 "
            "or more; put a delay or an inertia into one of the components"
        )

    def _record(self, time: float) -> None:
        found: dict[Place, float] = {}
        for name, unit in self.units.items():
            own = [place for place in self._shown if place.part == name]
            found.update(zip(own, unit.get([place.name for place in own]), strict=True))
        self.times.append(time)
        self.values.append([found[place] for place in self._shown])


def _refuse_unsaved(parts: Mapping[str, Part]) -> None:
    """Refuse components that do not declare that their state can be saved and restored.

    Raises
    ------
    ModelError
        Naming them.
    """
    offered = {name: part.description.coSimulation for name, part in parts.items()}
    lacking = [n for n, by in offered.items() if by is None or not by.canGetAndSetFMUstate]
    if lacking:
        raise ModelError(
            f"coupling = 'iterated' repeats steps, and {', '.join(lacking)} cannot save the state "
            "for it (canGetAndSetFMUstate); give coupling='extrapolated'"
        )


def _is_real(part: Part, name: str) -> bool:
    return part.variable(name).type in REALS


def _size(part: Part, name: str) -> float:
    """Return the natural size of a variable."""
    return abs(float(part.variable(name).nominal or 1.0)) or 1.0
