"""Five masters of Model Exchange that keep to the standard, each with another solver.

A master moves from one event to the next: it reads indicators, enters Event Mode where one has
changed its sign, where the FMU asks for it and at time events, and goes on from the states then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.integrate import DOP853

from tests.exchange_survey.unit import Unit

MOST_EVENTS = 20_000
"""Events after which a run is taken for one without end."""
STEP = 1e-3
"""Of the masters with equal steps, s."""


@dataclass
class Course:
    """What became of a run.

    Attributes
    ----------
    events : int
        How many.
    made, largest : float
        Largest energy that one of them made, and largest energy before one, J.
    deepest, fastest : float
        How deep parts have been in each other where a step ended, m, and how fast they approached
        each other in a step at most, m/s.
    """

    events: int = 0
    made: float = 0.0
    largest: float = 0.0
    deepest: float = 0.0
    fastest: float = 0.0

    def note(self, before: np.ndarray, after: np.ndarray, h: float) -> None:
        """Note the gaps before and after a step."""
        self.deepest = max(self.deepest, -after.min(initial=0.0))
        if h > 0:
            self.fastest = max(self.fastest, (before - after).max(initial=0.0) / h)


class Solver(Protocol):
    """The part of a master that differs."""

    def begin(self, unit: Unit, t: float) -> None:
        """Start anew after an event."""

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on by a step, or to a state event in it; return where, and whether it was met."""


def run(
    unit: Unit,
    solver: Solver,
    stop: float,
    energy: str | None = None,
    contacts: tuple[str, ...] = (),
) -> Course:
    """Take an FMU that has been initialized to the end, event by event.

    Energy is compared at impacts. (Projections of what a method of equal steps lets drift from a
    contact that stays closed do work besides.)
    """

    def numbers() -> tuple[float, float]:
        count = sum(unit.value(f"{name}.impacts") for name in contacts)
        return count, unit.value(energy) if energy else 0.0

    def gaps() -> np.ndarray:
        return np.array([unit.value(f"{name}_gap") for name in contacts])

    course, t = Course(), 0.0
    _, next_event = unit.handle_events(enter=False)
    s = unit.read()
    solver.begin(unit, t)
    apart = gaps()
    while t < stop:
        begin, (t, s, met) = t, solver.step(t, s, min(stop, next_event))
        unit.go_to(t, s)
        course.note(apart, apart := gaps(), t - begin)
        if not (unit.complete() or met or t >= next_event):
            continue
        impacts, before = numbers()
        changed, next_event = unit.handle_events()
        more, after = numbers()
        course.made = max(course.made, after - before if more > impacts else 0.0)
        course.largest = max(course.largest, abs(before))
        course.events += 1
        if course.events > MOST_EVENTS:
            raise RuntimeError(f"{MOST_EVENTS} events by t = {t:.9g}")
        s, apart = unit.read(), gaps()
        if changed:
            solver.begin(unit, t)
    return course


def sign_changes(before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether an indicator has changed its sign, as the standard says."""
    return bool(np.any((before > 0) != (after > 0)))


@dataclass
class Cvode:
    """FMPy's CVODE."""

    tolerance: float = 1e-9

    def begin(self, unit: Unit, t: float) -> None:
        """Make the solver, or start it anew."""
        from fmpy.sundials import CVodeSolver

        if getattr(self, "_unit", None) is unit:
            self._solver.reset(t)
            return
        self._unit = unit
        self._solver = CVodeSolver(
            get_nominals=unit.fmu.getNominalsOfContinuousStates, set_time=unit.fmu.setTime,
            startTime=t, maxStep=0.05, relativeTolerance=self.tolerance, maxNumSteps=100_000,
            **unit.callbacks(),
        )  # fmt: skip

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on to a root or to the end."""
        at_root, _, t = self._solver.step(t, until)
        return t, self._unit.read(), bool(at_root)


@dataclass
class Fixed:
    """Equal steps; a state event is met at the end of the step in which it is."""

    length: float
    unit: Unit = field(init=False)

    def begin(self, unit: Unit, t: float) -> None:
        """Nothing is remembered."""
        self.unit = unit

    def moved(self, t: float, s: np.ndarray, h: float) -> np.ndarray:
        """Return the states after a step of Euler's method."""
        return s + h * self.unit.rates(t, s)

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on by a step."""
        h = min(self.length, until - t)
        before = self.unit.indicators(t, s)
        there = until if h == until - t else t + h
        after = self.moved(t, s, h)
        return there, after, sign_changes(before, self.unit.indicators(there, after))


@dataclass
class Classical(Fixed):
    """The classical Runge-Kutta method; events late by a part of a step, by the secant method."""

    late: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def moved(self, t: float, s: np.ndarray, h: float) -> np.ndarray:
        """Return the states after a step of order four."""
        f = self.unit.rates
        a = f(t, s)
        b = f(t + h / 2, s + h / 2 * a)
        c = f(t + h / 2, s + h / 2 * b)
        d = f(t + h, s + h * c)
        return s + h / 6 * (a + 2 * b + 2 * c + d)

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on by a step, or to soon after an event."""
        there, after, met = super().step(t, s, until)
        if not met:
            return there, after, False
        low, high, h = 0.0, there - t, there - t
        first = self.unit.indicators(t, s)
        last = self.unit.indicators(there, after)
        for _ in range(4):
            crossing = (first > 0) != (last > 0)
            parts = first[crossing] / (first[crossing] - last[crossing])
            middle = low + (high - low) * float(np.clip(parts.min(), 0.05, 0.95))
            here = self.unit.indicators(t + middle, self.moved(t, s, middle))
            if sign_changes(first, here):
                high, last = middle, here
            else:
                low, first = middle, here
        h = min(high + self.late * self.length * self._random.uniform(), h)
        return (there, after, True) if h == there - t else (t + h, self.moved(t, s, h), True)


@dataclass
class Bisection:
    """An explicit method of order eight with control of its error; events by bisection."""

    tolerance: float = 1e-9
    longest: float = 0.05

    def begin(self, unit: Unit, t: float) -> None:
        """Forget the step before."""
        self.unit, self._solver = unit, None

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on by a step, or to an event in it, to 1e-9 s and less."""
        solver = self._solver
        if solver is None or solver.t != t or solver.t_bound != until:
            given = {"rtol": self.tolerance, "atol": self.tolerance / 10}
            solver = DOP853(self.unit.rates, t, s, until, max_step=self.longest, **given)
            self._solver = solver
        before = self.unit.indicators(t, s)
        solver.step()
        between, low, high = solver.dense_output(), t, solver.t
        for place in np.linspace(t, solver.t, 5)[1:]:
            if sign_changes(before, self.unit.indicators(place, between(place))):
                high = float(place)
                break
            low = float(place)
        else:
            return float(solver.t), solver.y.copy(), False
        while high - low > 1e-12 * max(1.0, high):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            if sign_changes(before, self.unit.indicators(middle, between(middle))):
                high = middle
            else:
                low = middle
        self._solver = None
        return high, between(high), True


@dataclass
class Restless(Bisection):
    """The same with calls in any legal order beside, from other points and in Event Mode."""

    seed: int = 0

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Disturb the FMU, then go on."""
        for act in self._acts(t, s):
            act()
        return super().step(t, s, until)

    def _acts(self, t: float, s: np.ndarray) -> Iterator[Callable[[], object]]:
        unit, draw = self.unit, self._random
        away = s + 1e-3 * draw.standard_normal(s.size)
        back = [lambda: unit.go_to(t, s)]
        yield from draw.permutation(
            [
                lambda: unit.indicators(t, s),
                lambda: unit.rates(t + 1e-4, s),
                lambda: unit.indicators(t + 1e-4, s),
                lambda: unit.read(),
                lambda: unit.rates(t, away) if draw.uniform() < 0.2 else None,
            ]
        )  # type: ignore[misc]
        yield from back
        if draw.uniform() < 0.1:
            yield lambda: self._restored()
            yield from back
        if draw.uniform() < 0.02:
            yield unit.complete

    def _restored(self) -> None:
        """Save the state as bytes and restore it."""
        fmu, third = self.unit.fmu, self.unit.third
        state = fmu.getFMUState() if third else fmu.getFMUstate()
        bytes_ = fmu.serializeFMUState(state) if third else fmu.serializeFMUstate(state)
        again = fmu.deserializeFMUState(bytes_) if third else fmu.deSerializeFMUstate(bytes_)
        (fmu.setFMUState if third else fmu.setFMUstate)(again)
        for one in (state, again):
            (fmu.freeFMUState if third else fmu.freeFMUstate)(one)


def masters(seed: int, step: float = STEP) -> dict[str, Solver]:
    """Return the five, new ones; ``step`` is that of those with equal steps, s."""
    return {
        "cvode": Cvode(),
        "euler": Fixed(step),
        "bisection": Bisection(),
        "secant, late": Classical(step, seed=seed),
        "any order": Restless(seed=seed),
    }


EXACT = ("cvode", "bisection", "any order")
