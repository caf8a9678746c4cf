"""A simulation's way through singular configurations: by other coordinates, or along the motion.

Where coordinates stop describing the motion and others may be chosen, the run goes over to those
that are best there; where the mechanism itself is singular, it goes on along its motion; else it
stops with the names of what would do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mbcore.equations.alternatives import Choice
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import SingularPassageError, undetermined
from mbcore.evaluation.singularity_crossing import Passing
from mbcore.evaluation.stepper import Step, Stepper
from mbcore.model.errors import ConfigurationError
from mbcore.native.stepper import NativeStepper
from mbcore.simulation.coordinates import Coordinates, listed, nodal_point

JUDGED_BELOW = 0.5
"""Part of its largest below which a measure makes the coordinates be judged."""
POOR = 0.2
"""Quality of coordinates below which better ones are sought."""
BETTER = 2.0
"""Times by which the others must be better: a run does not go to and fro."""
DEPENDENT = 0.3
"""Part of its largest that tells a mechanism which is singular itself."""
NEAR_SINGULARITY = 0.05
"""Part of its largest below which a measure that falls makes a singular mechanism be passed."""

RETRIED_BELOW = 0.5
"""Part of a measure below which a passage is tried again that could not be made before."""


class SwitchingRun:
    """The run as it goes on, in whichever coordinates.

    Parameters
    ----------
    run : MovingPoint
        Started.
    make_stepper : callable
        Makes the stepper of a run.
    make_coordinates : callable
        Makes the coordinates of a run when they are first needed.
    switch : bool
        Whether coordinates may be changed.

    Attributes
    ----------
    run : MovingPoint
        In the coordinates of the moment.
    switches : list of (float, str)
        Times of changes and passages, and what they were.
    """

    def __init__(
        self,
        run: MovingPoint,
        make_stepper: Callable[[MovingPoint], Stepper | NativeStepper],
        make_coordinates: Callable[[MovingPoint], Coordinates],
        switch: bool,
    ) -> None:
        self.run, self._make_stepper, self._make_coordinates = run, make_stepper, make_coordinates
        self._switch = switch
        self._coordinates: Coordinates | None = None
        self._begin, self._steps = float(run.evaluation.t[0]), 0
        self._strongest = 0.0
        self._first = nodal_point(run)
        self._before = np.inf
        self._last_change = -np.inf
        self._last_crossing: Passing | None = None
        self._near = NEAR_SINGULARITY
        self.switches: list[tuple[float, str]] = []
        self.stepper = self._new_stepper()

    def _new_stepper(self) -> Stepper | NativeStepper:
        stepper = self._make_stepper(self.run)
        stepper.interrupt = self._is_due
        return stepper

    @property
    def steps(self) -> int:
        """Steps so far."""
        return self._steps + self.stepper.steps

    @property
    def coordinates(self) -> Coordinates:
        """All coordinates of the run, made when first asked for."""
        if self._coordinates is None:
            self._coordinates = self._make_coordinates(self.run)
        return self._coordinates

    @property
    def converts(self) -> bool:
        """Whether states of the original equations follow from other coordinates, or may soon."""
        return self._coordinates is not None

    def states(self) -> np.ndarray:
        """Return the states of the original equations at the present point."""
        if self._coordinates is None:
            return self.run.evaluation.s
        return self._coordinates.states(self.run)

    def configuration(self) -> np.ndarray:
        """Return the configuration x of the original equations at the present point."""
        if self._coordinates is None:
            return self.run.evaluation.x.copy()
        return self._coordinates.configuration(self.run)

    def advance(self, end: float) -> Iterator[Step]:
        """Go on to a time, s, and give each step, with the point at its end.

        Raises
        ------
        ConfigurationError, SimulationError
            As `Stepper.advance`, and where a singular configuration cannot be overcome.
        """
        first = True
        while first or self.run.evaluation.t[0] < end:
            first = False
            try:
                yield from self.stepper.advance(end)
            except SingularPassageError as stopped:
                self.run.evaluation.return_to_accepted()
                yield from self._overcome(stopped, end)
                continue
            if self.run.evaluation.t[0] < end:
                yield from self._follow_up(end)

    def _is_due(self) -> bool:
        """Whether something is to be done at the end of a step that has been accepted."""
        e = self.run.evaluation
        _, size = e.watch.smallest(e.watch.lowest)
        before, self._before = self._before, size
        if self._switch and size < JUDGED_BELOW:
            rows = self.coordinates.rows(self.run)
            if self._is_poor(rows):
                return True
        if size > NEAR_SINGULARITY:
            self._near = NEAR_SINGULARITY
        return size < min(self._near, before) and self._is_dependent()

    def _is_poor(self, rows: np.ndarray) -> bool:
        quality = self.coordinates.quality(rows)
        return (
            quality < POOR and self.coordinates.alternatives.best(rows).quality > BETTER * quality
        )

    def _is_dependent(self) -> bool:
        """Whether the mechanism's own constraints depend on each other here."""
        here = self.coordinates.strength(nodal_point(self.run))
        if self._strongest == 0.0:
            self._strongest = self.coordinates.strength(self._first)
        self._strongest = max(self._strongest, here)
        return here < DEPENDENT * self._strongest

    def _follow_up(self, end: float) -> Iterator[Step]:
        """Do what is due; where the motion need not reach what is near, look again when nearer."""
        e = self.run.evaluation
        block, size = e.watch.smallest(e.watch.lowest)
        saved = e.keep()
        due = SingularPassageError(
            f"{e.equations.name}: the motion reaches a singular configuration at "
            f"t = {e.t[0]:.9g}: there {undetermined(e.equations, block)}",
            float(e.t[0]),
            block,
            size,
        )
        try:
            yield from self._overcome(due, end)
        except SingularPassageError:
            e.restore(saved)
            self._near = RETRIED_BELOW * size

    def _overcome(self, stopped: SingularPassageError, end: float) -> Iterator[Step]:
        """Do what can be done at an accepted point before a singular configuration."""
        t = float(self.run.evaluation.t[0])
        rows = self.coordinates.rows(self.run)
        best = self.coordinates.alternatives.best(rows)
        quality = self.coordinates.quality(rows)
        if t > self._last_change:
            better = (stopped.ahead or quality < 2 * POOR) and best.quality > BETTER * quality
            if self._switch and better and self._change(best, self._words(best)):
                return
            if self._is_dependent():
                yield from self._cross(stopped, end)
                return
            same = self.coordinates.current.choice
            if (
                self._switch
                and quality >= POOR
                and not stopped.ahead
                and self._change(same, "in another order")
            ):
                return
        raise self._refusal(stopped, best.quality, [q.name for q in best.dofs])

    def _refusal(
        self, stopped: SingularPassageError, quality: float, names: list[str]
    ) -> SingularPassageError:
        rows = self.coordinates.rows(self.run)
        if self._is_dependent():
            remedy = "its own constraints depend on each other there: keep away from it"
        elif quality > BETTER * self.coordinates.quality(rows):
            remedy = (
                f"{', '.join(names)} would do there: make {'them' if names[1:] else 'it'} the "
                f"degree{'s' if names[1:] else ''} of freedom, or give dof(..., "
                f"or_else={names[0] if len(names) == 1 else names}) or singular='switch'"
            )
        else:
            remedy = "no other coordinates are better there: keep away from it"
        return SingularPassageError(
            f"{stopped}; {remedy}", stopped.time, stopped.block, stopped.size
        )

    def _words(self, choice: Choice) -> str:
        """Return by what the motion is described from now on, as far as that changes."""
        before = self.coordinates.current.choice
        said = [f"now by {listed(choice.dofs)}"] if choice.key[0] != before.key[0] else []
        free = {q.name for q in self.coordinates.alternatives.free}  # of no free rotation
        if choice.key[1] & free != before.key[1] & free:
            kinematic = [q for q in choice.kinematic if q.name in free]
            said.append(f"kinematic coordinates now {listed(kinematic) or 'none'}")
        return ", ".join(said) or "in another order"

    def _change(self, choice: Choice, what: str) -> bool:
        try:
            there = self.coordinates.over(self.run, choice)
        except ConfigurationError:
            return False
        if there is None:
            return False
        self._note(what)
        self._steps += self.stepper.steps
        there.go_on_from(self.run)
        self.run = there
        self.stepper = self._new_stepper()
        self._before = np.inf
        return True

    def _note(self, what: str) -> None:
        t = float(self.run.evaluation.t[0])
        self._last_change = t
        self.switches.append((t, what))

    def _cross(self, stopped: SingularPassageError, end: float) -> Iterator[Step]:
        """Go across a singular configuration of the mechanism itself."""
        began = float(self.run.evaluation.t[0])
        _ = self.coordinates  # what follows states is made before
        earliest = max(self._begin, self._last_change)
        crossing = Passing(self.run, stopped, earliest, self._last_crossing)
        crossing.go()
        limit = crossing.limit_beyond()
        if limit is not None and limit.time < end:
            raise limit
        if crossing.after < end:
            self.run.evaluation.require()
        self._last_crossing, self._near = crossing, NEAR_SINGULARITY
        self._note("through a singular configuration")
        step = CrossingStep(crossing, began, min(crossing.after, end))
        yield step
        self.run.move(step.time, step.state)
        crossing.end()
        self._steps += self.stepper.steps + 1
        self.stepper = self._new_stepper()
        watch = self.run.evaluation.watch
        self._before = watch.smallest(watch.lowest)[1]
        self._last_change = step.time


class CrossingStep(Step):
    """The step across a singular configuration."""

    def __init__(self, crossing: Passing, began: float, after: float) -> None:
        super().__init__(began, after)
        self._crossing = crossing
        self.state = crossing.between(after)

    @property
    def after_event(self) -> bool:
        """Never: time passes."""
        return False

    def between(self, t: float) -> np.ndarray:
        """Return the state at a time inside the step."""
        return self._crossing.between(t)
