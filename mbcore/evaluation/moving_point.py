"""A point that moves: what SciPy's integrators call, and the events in their steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from mbcore.equations.tolerances import (
    BLAMED,
    CREEP_STEPS,
    ENDLESS,
    HOPELESS_STEPS,
    LOST_STEPS,
    MOST_EVENTS,
    SLOWED,
    SLOWER,
    STAYS_NEAR,
    WANTED_SHORT,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.integrators.first_negative import first_negative
from mbcore.model.errors import ConfigurationError, SimulationError

JUMPED = 1e-12
"""Part of an input by which it changes at a time, beyond rounding, where it jumps."""
NOTED = 10
"""Steps after which it is noted how near to singular the motion is."""


@dataclass
class MovingPoint:
    """An evaluation that moves with time: right-hand sides for SciPy's integrators, and events.

    Attributes
    ----------
    calls : int
        Evaluations of derivatives so far.
    steps : int
        Steps so far.
    jump : float
        Time at which inputs may jump next, s; there they have the values before it.
    """

    evaluation: Evaluation
    signals: dict[int, Callable[[float], float]]
    events: list[tuple[float, str]] = field(default_factory=list)
    calls: int = 0
    steps: int = 0
    failure: Exception | None = None
    end: float = np.inf
    longest: float = np.inf
    predict: Callable[[float], np.ndarray] | None = None
    jump: float = np.inf
    _mark: tuple[int, float] | None = None
    _farthest: float = 0.0
    _slowed: tuple[int, float] = (0, 0.0)
    _happened: int = 0
    _first: int = 0
    _hopeless: int = 0
    _begun: float = np.inf
    _linearized: tuple[bytes, np.ndarray] | None = None
    _linearized_at: tuple[float, bytes] = (np.inf, b"")

    def move(self, t: float, s: np.ndarray) -> None:
        """Go to a point and find its configuration."""
        e = self.evaluation
        e.t[0] = t
        e.s[:] = s
        if self.signals:
            self.give_inputs(t)
        if self.predict is None:
            e.configure()
        else:
            e.configure_from(self.predict(t))

    def give_inputs(self, t: float, to: np.ndarray | None = None) -> None:
        """Set the inputs that are functions of time, those of the point or in another array.

        Raises
        ------
        SimulationError
            If one is not finite.
        """
        e = self.evaluation
        u = e.u if to is None else to
        at = t if t < self.jump else float(np.nextafter(self.jump, -np.inf))
        for i, signal in self.signals.items():
            value = float(signal(at))
            if not isfinite(value):
                name = e.equations.inputs[i].name
                raise SimulationError(
                    f"{e.equations.name}: input {name} is {value} at t = {t:.9g}; let its function "
                    "give finite numbers at all times of the run, or end it before"
                )
            u[i] = value
        e.warn_of_limits(t, u)  # what they are at any time is not a trial

    def pass_jump(self, following: float) -> bool:
        """Give inputs the values behind a jump at the present time.

        Parameters
        ----------
        following : float
            Time at which inputs may jump next, s.

        Returns
        -------
        bool
            Whether one has another value.
        """
        e = self.evaluation
        before, self.jump = e.u.copy(), following
        if self.signals:
            self.move(float(e.t[0]), e.s.copy())
        slack = JUMPED * np.maximum(np.abs(before), np.abs(e.u))
        return bool((np.abs(e.u - before) > slack).any())

    def inputs(self, times: np.ndarray) -> np.ndarray:
        """Return the inputs at times, (n,), shape (n, nu); errors as those of `give_inputs`."""
        found = np.tile(self.evaluation.u, (len(times), 1))
        for t, row in zip(times if self.signals else (), found, strict=False):
            self.give_inputs(float(t), row)
        return found

    def derivative(self, t: float, s: np.ndarray) -> np.ndarray:
        """Right-hand side; a configuration that fails is NaN, which shortens the step."""
        self.calls += 1
        if not np.isfinite(s).all():
            return np.full(s.shape, np.nan)  # another stage has failed and said why
        try:
            self.move(t, s)
        except ConfigurationError as failure:
            self.failure = failure
            return np.full(s.shape, np.nan)
        return self.evaluation.derivative().copy()

    def begin(self, end: float, longest: float = np.inf) -> None:
        """Begin an integration up to ``end``, s, in steps of at most ``longest``, s.

        Where it goes on to the same end, after an event, say, so does the count of steps; a run
        that is repeated, in search of a periodic motion, counts anew.
        """
        now = self.evaluation.accepted_time
        if self._mark is None or end != self.end or not now > self._begun:
            self._count_from(now)
            self._first = self.steps
        self.end, self.longest, self._begun = end, longest, now

    def go_on_from(self, other: MovingPoint) -> None:
        """Go on counting where the same run has come to in other coordinates."""
        self.end, self.longest, self._farthest = other.end, other.longest, other._farthest
        self._begun, self._slowed, self._happened = other._begun, other._slowed, other._happened
        self.steps, self._mark = other.steps, other._mark
        self._first, self._hopeless = other._first, other._hopeless
        self.jump = other.jump
        # What is a limit does not depend on the coordinates, so its size is judged as before.
        mine, theirs = self.evaluation, other.evaluation
        names = mine.equations.conditioning_names[: mine.conditioning.limits]
        known = theirs.equations.conditioning_names[: theirs.conditioning.limits]
        for i, name in enumerate(names):
            if name in known:
                before = theirs.conditioning.scale[known.index(name)]
                mine.conditioning.scale[i] = max(before, mine.conditioning.scale[i])

    def _count_from(self, now: float) -> None:
        """Count the progress of steps from here, whatever was before."""
        self._mark, self._farthest, self._slowed = (self.steps, now), 0.0, (0, 0.0)
        self._happened, self._hopeless = len(self.events), 0

    def count_steps(self, steps: int = 1, implicit: bool = False) -> None:
        """Count accepted steps; refuse to go on where many have brought next to no progress.

        Parameters
        ----------
        steps : int
            How many.
        implicit : bool
            Whether they are implicit, so that the advice is not to let them be that.

        Raises
        ------
        SimulationError
            With the block that is nearest to singular, or else the state that changes fastest.
        """
        before, self.steps = self.steps, self.steps + steps
        e = self.evaluation
        if self.steps // NOTED > before // NOTED:
            self.note_nearness(e.conditioning.smallest(e.conditioning.accepted)[1])
        if self.creeps(e.accepted_time, implicit) and self._mark is not None:
            made, since = self.steps - self._mark[0], self._mark[1]
            raise SimulationError(
                f"{e.equations.name}: {made} steps from t = {since:.9g} s to "
                f"t = {e.accepted_time:.9g} s have brought next to no progress; "
                f"{self._culprit('an explicit' if implicit else 'an implicit')}"
            )

    def note_nearness(self, size: float) -> None:
        """Note how near to singular an accepted point is, in parts of the largest measure."""
        self._farthest = max(self._farthest, size)

    def creeps(self, now: float, implicit: bool = False) -> bool:
        """Return whether many steps without an event have brought next to no progress.

        ``mb_check_progress`` of ``mb_progress.c`` has the same rule. Implicit steps may slow down:
        they do towards a jump of a relaxation oscillation, at half the pace every thousand steps
        where tolerances are tight. It cannot go on without end: where a step takes the part h of
        the time left to a singular place, rounding ends the run after 37/h steps. Steps that are
        hopelessly slow may be as many as those before, so that a run that passes a fast phase
        ends, and one that does not takes twice as long at most.

        Where they have brought some, the next ones are counted from here; where they have not, the
        answer stays the same until the run has come further.

        Parameters
        ----------
        now : float
            Time that the run has reached, s.
        implicit : bool
            Whether the steps are.
        """
        if self._mark is None:
            return False
        if len(self.events) > self._happened:
            self._count_from(now)
            return False
        steps, since = self.steps - self._mark[0], self._mark[1]
        if steps < CREEP_STEPS:
            return False
        (slowed, before), pace = self._slowed, (now - since) / steps
        slowed = slowed + 1 if pace < SLOWER * before and not implicit else 0
        lost = self._farthest < STAYS_NEAR or slowed >= SLOWED
        left = self.end - now if pace < WANTED_SHORT * self.longest else 0.0
        if lost and pace * LOST_STEPS < left:
            return True
        hopeless = self._hopeless + steps if pace * HOPELESS_STEPS < left else 0
        if hopeless and 2 * hopeless >= self.steps - self._first:
            return True
        self._hopeless = hopeless
        self._slowed = slowed, pace
        self._mark, self._farthest = (self.steps, now), 0.0
        return False

    def refuse_violated(self, t: float, s: np.ndarray) -> None:
        """Refuse a point that has a configuration and violates a requirement.

        Raises
        ------
        SimulationError
            Naming the requirement.
        """
        try:
            self.move(t, s)
        except ConfigurationError:
            return
        self.evaluation.require()

    def _culprit(self, other: str) -> str:
        """Say what may be behind it: a block that is nearly singular, or the fastest state."""
        e, equations = self.evaluation, self.evaluation.equations
        block, size = e.conditioning.smallest(e.conditioning.lowest)
        if size < BLAMED:
            return (
                f"{equations.conditioning_names[block]} hardly determine the motion there "
                f"(conditioning {size:.2g} of its largest): keep away from it, or choose other "
                "degrees of freedom"
            )
        if (massless := e.vanished_mass()) is not None:
            return massless
        rates = np.abs(e.derivative()) / [state.nominal for state in equations.states]
        fastest = equations.states[int(np.argmax(np.nan_to_num(rates, nan=np.inf)))].name
        return (
            f"{fastest} changes fastest: try {other} method or a looser tolerance, or look for "
            "jumps"
        )

    def jacobian(self, t: float, s: np.ndarray) -> np.ndarray:
        """Exact Jacobian for the implicit methods.

        The last one is given again at the same point: a step that was tried is then made.

        Raises
        ------
        SimulationError
            If it is not finite.
        """
        self.move(t, s)
        here = self.evaluation.t.tobytes() + self.evaluation.common_values().tobytes()
        if self._linearized is not None and self._linearized[0] == here:
            return self._linearized[1].copy()
        found = self.evaluation.jacobian().copy()
        if not np.isfinite(found).all():
            states = self.evaluation.equations.states
            of = states[int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])].name
            raise SimulationError(
                f"{self.evaluation.equations.name}: the derivative of d({of})/dt is not "
                f"finite at t = {t:.9g}; implicit methods need it: take DOP853, which is explicit, "
                "or a law with a finite slope there"
            )
        self._linearized = here, found.copy()
        self._linearized_at = t, self.evaluation.d.tobytes()
        return found

    def known_jacobian(self, most: float) -> np.ndarray | None:
        """Return the last Jacobian of these modes, unless it is older than ``most``, s."""
        (made, modes), t = self._linearized_at, float(self.evaluation.t[0])
        if self._linearized is None or abs(t - made) > most:
            return None
        return self._linearized[1].copy() if modes == self.evaluation.d.tobytes() else None

    def first_crossing(
        self, interpolant: Callable[[float], np.ndarray], before: float, after: float
    ) -> float | None:
        """Return the time just after the first event in a step, or None."""
        e = self.evaluation
        events = e.equations.events
        if not events:
            return None
        sign = np.where(e.d[: len(events)] > 0.5, 1.0, -1.0)  # modes stay during a step
        band = np.array([event.band for event in events])

        def indicators(t: float) -> np.ndarray:
            """Indicators with their band, positive where the mode is right."""
            self.move(t, interpolant(t))
            return sign * e.indicator() + band

        return first_negative(indicators, before, after)

    def crosses_knots_alone(self, t: float, s: np.ndarray) -> bool:
        """Return whether points of tables are all that has happened at a time, s."""
        self.move(t, s)
        e = self.evaluation
        return all(
            event.kind == "knot"
            for event, mode, value in zip(e.equations.events, e.d, e.indicator(), strict=False)
            if (value if mode > 0.5 else -value) + event.band < 0
        )

    def knot_indicator(self, t: float, s: np.ndarray) -> float:
        """Return the least indicator there, positive where no event is due."""
        self.move(t, s)
        e = self.evaluation
        sign = np.where(e.d[: len(e.equations.events)] > 0.5, 1.0, -1.0)
        return float(np.min(sign * e.indicator() + [event.band for event in e.equations.events]))

    def process_events(self, span: float) -> bool:
        """Let modes follow their indicators here, and note time and name of what happened.

        Returns
        -------
        bool
            Whether discrete variables or states have changed.

        Raises
        ------
        SimulationError
            If events follow each other so fast that going on by a ``span`` (s) would not end.
        """
        e = self.evaluation
        t = float(e.t[0])
        before = e.d.copy(), e.s.copy()
        happened = [(t, name) for name in e.iterate_events()]
        e.project()
        e.accept()
        self.note_events(happened, span)
        told = np.ones(len(e.d), bool)
        told[: len(e.equations.events)] = [event.kind != "knot" for event in e.equations.events]
        same = np.array_equal(e.d[told], before[0][told])
        return not (same and np.array_equal(e.s, before[1]))

    def note_events(self, happened: Sequence[tuple[float, str]], span: float) -> None:
        """Note times, s, and names of events.

        Raises
        ------
        SimulationError
            If events follow each other so fast that going on by a ``span`` (s) would not end.
        """
        for t, name in happened:
            self.events.append((t, name))
            since = self.events[-MOST_EVENTS][0] if len(self.events) > MOST_EVENTS else -np.inf
            if t - since < ENDLESS * span:
                raise SimulationError(
                    f"{self.evaluation.equations.name}: {MOST_EVENTS} events since "
                    f"t = {since:.9g}, the last of them {name} at t = {t:.9g}; give the "
                    "event a band, by which its indicator must pass zero"
                )
