"""Five masters of Model Exchange that keep to the standard, each with another solver.

A master moves from one event to the next: it reads indicators, enters Event Mode where one has
changed its sign, where the FMU asks for it and at time events, and goes on from the states then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import byref, c_long, c_void_p
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.integrate import DOP853

from tests.exchange_survey.models import Family
from tests.exchange_survey.unit import Unit

MOST_EVENTS = 20_000
"""Events after which a run is taken for one without end."""
STEP = 1e-3
"""Of the masters with equal steps, s."""
LOW_ORDER = 2
"""Steps of order one with which CVODE begins. Higher orders make no error where forces stay."""
NO_GAP = 1e-13
"""Gaps that are rounding, m; another impact at the same time may leave more."""


@dataclass
class Course:
    """What became of a run with some contacts.

    What a solver's errors take from the energy an impact may give back, for it leads parts back to
    where they meet, those of closed contacts too. Errors add up from an impact of a contact to the
    next one, also where the solver began anew between them.

    Attributes
    ----------
    events : int
        How many.
    made, largest : float
        Largest energy that one of them made beyond what the solver has lost since parts were last
        led back, and largest energy before one, J.
    deepest, sunk, fastest : float
        How deep parts have been in each other where a step ended, m, how much of that the solver's
        own errors do not explain, and how fast they approached each other in a step at most, m/s.
    """

    contacts: int = 0
    events: int = 0
    made: float = 0.0
    largest: float = 0.0
    deepest: float = 0.0
    sunk: float = 0.0
    fastest: float = 0.0

    def __post_init__(self) -> None:
        self._errors, self._lost = np.zeros(self.contacts), np.zeros(self.contacts)

    def note(self, before: np.ndarray, after: np.ndarray, h: float, error: float) -> None:
        """Note the gaps before and after a step, and the solver's error since it began anew."""
        beyond = -after - self._errors - error
        self.deepest = max(self.deepest, -after.min(initial=0.0))
        self.sunk = max(self.sunk, beyond.max(initial=0.0))
        if h > 0:
            self.fastest = max(self.fastest, (before - after).max(initial=0.0) / h)

    def note_event(
        self,
        led: np.ndarray,
        gaps: tuple[np.ndarray, np.ndarray],
        made: float,
        lost: float,
        error: float,
    ) -> None:
        """Note an event after which the solver begins anew.

        Parameters
        ----------
        led : ndarray of bool
            Which contacts are led back, by impacts or because they are closed.
        gaps : tuple of ndarray
            Gaps before and after that, m.
        made, lost : float
            Energy that the event made, and that the solver has lost since it began anew, J.
        error : float
            The solver's error of a gap since then, m.
        """
        before, after = gaps
        # parts that are led back move others nearer to each other, whose places were wrong, too
        self._errors += error + np.where(led, 0.0, np.maximum(before - after, 0.0))
        self._lost += max(lost, 0.0)
        self.made = max(self.made, made - self._lost[led].max(initial=0.0))
        back = led & (after > -NO_GAP)
        self._errors[back] = 0.0
        if self.contacts == 1:
            self._lost[back] = 0.0
        else:  # what was lost may be anywhere, and an impact gives back its part
            self._lost -= max(made, 0.0)


class Solver(Protocol):
    """The part of a master that differs."""

    def begin(self, unit: Unit, t: float) -> None:
        """Start anew after an event."""

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on by a step, or to a state event in it; return where, and whether it was met."""

    def error(self, s: np.ndarray, constant: bool) -> float:
        """Return the error of a gap since it began anew that its own tests of steps allow, m.

        ``constant`` says whether forces are so.
        """


def run(unit: Unit, solver: Solver, stop: float, family: Family | None = None) -> Course:
    """Take an FMU that has been initialized to the end, event by event.

    Energy is compared at impacts. (Projections of what a method of equal steps lets drift from a
    contact that stays closed do work besides.)
    """
    contacts = family.contacts if family else ()

    def impacts() -> np.ndarray:
        return np.array([unit.value(f"{name}.impacts") for name in contacts])

    def closed() -> np.ndarray:
        return np.array([unit.value(f"{name}.switches") % 2 == 1 for name in contacts], bool)

    def energy() -> float:
        return unit.value("energy") if family else 0.0

    def gaps() -> np.ndarray:
        return np.array([unit.value(f"{name}_gap") for name in contacts])

    course, t = Course(len(contacts)), 0.0
    _, next_event = unit.handle_events(enter=False)
    s = unit.read()
    solver.begin(unit, t)
    apart, begun = gaps(), energy()
    while t < stop:
        begin, (t, s, met) = t, solver.step(t, s, min(stop, next_event))
        unit.go_to(t, s)
        error = solver.error(s, family is not None and family.ballistic)
        course.note(apart, apart := gaps(), t - begin, error)
        if not (unit.complete() or met or t >= next_event):
            continue
        count, before = impacts(), energy()
        changed, next_event = unit.handle_events()
        struck, after = impacts() > count, energy()
        course.largest = max(course.largest, abs(before))
        if changed:
            made = after - before if struck.any() else 0.0
            course.note_event(struck | closed(), (apart, gaps()), made, begun - before, error)
            begun = after
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
    longest: float = 0.05

    def begin(self, unit: Unit, t: float) -> None:
        """Make the solver, or start it anew."""
        from fmpy.sundials import CVodeSolver

        if getattr(self, "_unit", None) is unit:
            self._solver.reset(t)
            return
        self._unit = unit
        self._solver = CVodeSolver(
            get_nominals=unit.fmu.getNominalsOfContinuousStates, set_time=unit.fmu.setTime,
            startTime=t, maxStep=self.longest, relativeTolerance=self.tolerance,
            maxNumSteps=100_000, **unit.callbacks(),
        )  # fmt: skip

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on to a root or to the end."""
        at_root, _, t = self._solver.step(t, until)
        return t, self._unit.read(), bool(at_root)

    def error(self, s: np.ndarray, constant: bool) -> float:
        """Return what its test of the root mean square of a step's errors allows all states."""
        from fmpy.sundials.cvode import sundials_cvode

        steps = c_long()
        sundials_cvode.CVodeGetNumSteps(c_void_p(self._solver.cvode_mem), byref(steps))
        weights = self.tolerance * (1 + abs(s))
        count = min(LOW_ORDER, steps.value) if constant else steps.value
        return float(count * np.sqrt(2 * s.size) * weights.max(initial=0.0))


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

    def error(self, s: np.ndarray, constant: bool) -> float:
        """Return zero: nothing is tested."""
        return 0.0


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
        self.unit, self._solver, self._steps = unit, None, 0

    def error(self, s: np.ndarray, constant: bool) -> float:
        """Return what its test of the root mean square of a step's errors allows all states."""
        weights = self.tolerance * (0.1 + abs(s))
        return float((not constant) * self._steps * np.sqrt(2 * s.size) * weights.max(initial=0.0))

    def step(self, t: float, s: np.ndarray, until: float) -> tuple[float, np.ndarray, bool]:
        """Go on by a step, or to an event in it, to 1e-9 s and less."""
        solver = self._solver
        if solver is None or solver.t != t or solver.t_bound != until:
            given = {"rtol": self.tolerance, "atol": self.tolerance / 10}
            solver = DOP853(self.unit.rates, t, s, until, max_step=self.longest, **given)
            self._solver = solver
        before = self.unit.indicators(t, s)
        solver.step()
        self._steps += 1
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
