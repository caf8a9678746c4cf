"""Runs through singular configurations: by a change of coordinates, or along the motion.

Where the coordinates cease to determine the motion, the run changes to the best others, if it may.
Where the mechanism itself is singular, it continues along its motion. Else it stops and names
coordinates that would do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mbcore.equations.alternatives import Choice, named_alternatives
from mbcore.equations.equations import Equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import (
    LimitReachedError,
    SingularityError,
    limit_reached,
    undetermined,
)
from mbcore.evaluation.stepper import Step
from mbcore.evaluation.virtual_power import LostAccelerationsError
from mbcore.model.errors import ConfigurationError, ModelError
from mbcore.simulation.any_stepper import AnyStepper
from mbcore.simulation.coordinates import Coordinates, listed, nodal_point, regularity
from mbcore.simulation.singularity_crossing import SingularityCrossing

JUDGED_BELOW = 0.5
"""Fraction of its largest value below which a conditioning measure has the coordinates judged."""
MOVED = 1e-3
"""Change of a coordinate, in its natural size, or of the measure, in parts of it, after which they
are judged again: that takes longer than a step, and steps near a singularity may be tiny."""
POOR = 0.2
"""Quality of coordinates below which better ones are sought."""
BETTER = 2.0
"""Factor by which others must be better; this hysteresis keeps a run from changing to and fro."""
AS_GOOD = 1 - 1e-9
"""Part of the present quality that others have which are as good, or the same: rounding is less."""
DEPENDENT = 0.3
"""Fraction of its largest independence below which the mechanism itself counts as singular."""
NEAR_SINGULARITY = 0.05
"""Fraction of its largest value below which a falling measure starts a crossing."""
REORDERED_BELOW = 0.1
"""Fraction of its largest value below which a falling measure has equations made anew, in the same
coordinates, where these and the mechanism are regular: what eliminates unknowns in another order
divides by something else. Accelerations have lost no more than 1e-8 there: ε/σ³ times some tens
for the worst block that was met, whose largest was 0.13."""
INNER = 3.0
"""Times by which the quality of coordinates, in parts of its best, is above a relative measure that
does not vanish with them."""
FARTHER = 4.0
"""Times by which the regularity of equations made anew must be above that of the former ones."""
RETRIED_BELOW = 0.5
"""Fraction of the measure at a failed crossing, below which the crossing is tried again, and
likewise of one at which equations were made anew in vain."""


def may_change(equations: Equations, singular: object) -> bool:
    """Return whether a run may change its coordinates.

    Parameters
    ----------
    equations : Equations
        Of the run.
    singular : {"switch", "stop"}, optional
        As for `mbcore.simulate`.

    Raises
    ------
    ModelError
        If ``singular`` is something else.
    """
    if singular not in (None, "switch", "stop"):
        raise ModelError(f"singular is 'switch' or 'stop', got {singular!r}")
    if equations.superposed or singular is not None:
        return singular == "switch" and not equations.superposed
    return bool(named_alternatives(equations) or equations.chosen_roles)


class SwitchingRun:
    """A run that changes its coordinates where others describe the motion better.

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
        The motion in the present coordinates.
    switches : list of (float, str)
        Times and descriptions of changes of coordinates and of crossings.
    """

    def __init__(
        self,
        run: MovingPoint,
        make_stepper: Callable[[MovingPoint], AnyStepper],
        make_coordinates: Callable[[MovingPoint], Coordinates],
        switch: bool,
    ) -> None:
        self.run, self._make_stepper, self._make_coordinates = run, make_stepper, make_coordinates
        self._switch = switch
        self._coordinates: Coordinates | None = None
        self._begin, self._steps, self._steps_in_c = float(run.evaluation.t[0]), 0, 0
        self._methods: list[tuple[float, str]] = []
        self._strongest = self._finest = 0.0
        self._first = self._changed_at = nodal_point(run)
        self._before = np.inf
        self._judged: tuple[MovingPoint, np.ndarray, float] | None = None
        self._last_change = -np.inf
        self._last_crossing: SingularityCrossing | None = None
        self._near, self._reordered_below = NEAR_SINGULARITY, REORDERED_BELOW
        self._foreseen: LimitReachedError | None = None
        self.switches: list[tuple[float, str]] = []
        self.stepper = self._new_stepper()

    def _new_stepper(self) -> AnyStepper:
        stepper = self._make_stepper(self.run)
        stepper.interrupt = self._is_due
        return stepper

    @property
    def steps(self) -> int:
        """Steps so far."""
        return self._steps + self.stepper.steps

    @property
    def steps_in_c(self) -> int:
        """Those that C has made."""
        return self._steps_in_c + self.stepper.steps_in_c

    @property
    def methods(self) -> list[tuple[float, str]]:
        """Times, s, from which methods were used, and their names."""
        changes = [*self._methods, *self.stepper.methods]
        return [c for i, c in enumerate(changes) if i == 0 or c[1] != changes[i - 1][1]]

    @property
    def coordinates(self) -> Coordinates:
        """All coordinates of the run, made when first asked for."""
        if self._coordinates is None:
            self._coordinates = self._make_coordinates(self.run)
        return self._coordinates

    @property
    def converts(self) -> bool:
        """Whether states of the original equations have to be converted from other coordinates."""
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
            except SingularityError as stopped:
                self.run.evaluation.return_to_accepted()
                yield from self._overcome(stopped, end)
                continue
            except LimitReachedError:
                # The limit foreseen while the motion was still regular has the more accurate time.
                foreseen = self._foreseen
                if foreseen is None or foreseen.time < self.run.evaluation.accepted_time:
                    raise
                raise foreseen from None
            if self.run.evaluation.t[0] < end:
                yield from self._follow_up(end)

    def _is_due(self) -> bool:
        """Return whether an accepted step must be followed by a change or a crossing."""
        e = self.run.evaluation
        _, size = e.conditioning.smallest(e.conditioning.lowest)
        before, self._before = self._before, size
        if self._switch and size < JUDGED_BELOW and self._has_moved(size) and self._is_poor():
            return True
        if self._switch and size < min(self._reordered_below, before) and self._is_inner(size):
            return True
        # Far from the singularity again: forget how near the last failed crossing was.
        if size > NEAR_SINGULARITY:
            self._near, self._reordered_below = NEAR_SINGULARITY, REORDERED_BELOW
        # Only while the measure falls: behind the singularity it rises, and nothing is to be done.
        return size < min(self._near, before) and self._is_dependent()

    def _has_moved(self, size: float) -> bool:
        """Whether the coordinates are to be judged here, not only where that was done last."""
        e = self.run.evaluation
        if self._judged is not None and self._judged[0] is self.run:
            _, x, there = self._judged
            moved = np.abs((e.x - x) / e.scale).max(initial=0.0)
            if max(moved, abs(size - there) / there) < MOVED:
                return False
        self._judged = self.run, e.x.copy(), size
        return True

    def _is_poor(self) -> bool:
        rows = self.coordinates.rows(self.run)
        quality = self._quality(rows)
        return (
            quality < POOR and self.coordinates.alternatives.best(rows).quality > BETTER * quality
        )

    def _is_inner(self, size: float) -> bool:
        """Whether a relative measure vanishes inside the elimination alone."""
        quality = self._quality(self.coordinates.rows(self.run))
        return quality > INNER * size * self._finest and not self._is_dependent()

    def _quality(self, rows: np.ndarray) -> float:
        """Return the coordinates' quality here, and note the best one that they have had."""
        known = self.coordinates
        if self._finest == 0.0:
            self._finest = known.quality(known.rows_at(self._changed_at))
        quality = known.quality(rows)
        self._finest = max(self._finest, quality)
        return quality

    def _is_dependent(self) -> bool:
        """Whether the mechanism's own constraints depend on each other here."""
        here = self.coordinates.strength(nodal_point(self.run))
        if self._strongest == 0.0:
            # Computed only when first needed: most runs never come near a singularity.
            self._strongest = self.coordinates.strength(self._first)
        self._strongest = max(self._strongest, here)
        return here < DEPENDENT * self._strongest

    def _follow_up(self, end: float) -> Iterator[Step]:
        """Change or cross; if the motion need not reach the singularity, try again when nearer."""
        e = self.run.evaluation
        block, size = e.conditioning.smallest(e.conditioning.lowest)
        saved = e.save()
        due = SingularityError(
            f"{e.equations.name}: the motion reaches a singular configuration at "
            f"t = {e.t[0]:.9g}: there {undetermined(e.equations, block)}",
            float(e.t[0]),
            block,
            size,
        )
        try:
            yield from self._overcome(due, end)
        except (SingularityError, LimitReachedError) as ends:
            # An event before a limit, as the landing of a disk that falls, may change the motion.
            if isinstance(ends, LimitReachedError):
                self._foreseen = ends
            e.restore(saved)
            self.run.predict = None
            self._near = self._reordered_below = RETRIED_BELOW * size

    def _overcome(self, stopped: SingularityError, end: float) -> Iterator[Step]:
        """Change the coordinates or cross, at an accepted point before a singular configuration."""
        t = float(self.run.evaluation.t[0])
        rows = self.coordinates.rows(self.run)
        best = self.coordinates.alternatives.best(rows)
        quality = self._quality(rows)
        # A second change at one time would go to and fro for ever.
        if t > self._last_change:
            # Lost digits are a measure of their own: coordinates that look good may have lost them.
            lost = isinstance(stopped, LostAccelerationsError)
            better = (stopped.ahead or quality < 2 * POOR) and best.quality > BETTER * quality
            better |= lost and best.quality > AS_GOOD * quality
            if self._switch and better and self._change(best, self._words(best)):
                return
            if self._is_dependent():
                yield from self._cross(stopped, end)
                return
            # The same coordinates with equations made anew here: tears and pivots that were chosen
            # at the old place may be singular where the coordinates are not.
            inner = lost or quality > INNER * stopped.size * self._finest
            if self._switch and inner and not stopped.ahead and self._reorder():
                return
        raise self._refusal(stopped, best.quality, [q.name for q in best.dofs])

    def _reorder(self) -> bool:
        """Make equations anew in the same coordinates; whether they are better here."""
        regular = FARTHER * regularity(self.run)
        same = self.coordinates.current.choice
        if not self._change(same, "in another order", regular):
            return False
        self._reordered_below = REORDERED_BELOW
        return True

    def _refusal(
        self, stopped: SingularityError, quality: float, names: list[str]
    ) -> SingularityError | LimitReachedError:
        conditioning = self.run.evaluation.conditioning
        limit = conditioning.nearest_limit(conditioning.lowest)
        if limit is not None and isinstance(stopped, LostAccelerationsError):
            return limit_reached(self.run, stopped.time, limit)
        rows = self.coordinates.rows(self.run)
        if self._is_dependent():
            remedy = "its own constraints depend on each other there: keep away from it"
        elif quality > BETTER * self.coordinates.quality(rows):
            remedy = (
                f"{', '.join(names)} would be regular there: make {'them' if names[1:] else 'it'} "
                f"the degree{'s' if names[1:] else ''} of freedom, or give dof(..., "
                f"or_else={names[0] if len(names) == 1 else names}) or singular='switch'"
            )
        elif not self._switch and self._is_inner(stopped.size):
            remedy = (
                "the degrees of freedom determine it, this order of elimination does not: give "
                "singular='switch', or declare the elements in another order"
            )
        else:
            remedy = "no other coordinates are better there: keep away from it"
        kind = type(stopped)
        return kind(f"{stopped}; {remedy}", stopped.time, stopped.block, stopped.size)

    def _words(self, choice: Choice) -> str:
        """Return in words which coordinates change."""
        before = self.coordinates.current.choice
        said = [f"now by {listed(choice.dofs)}"] if choice.key[0] != before.key[0] else []
        free = {q.name for q in self.coordinates.alternatives.free}  # not free rotations
        if choice.key[1] & free != before.key[1] & free:
            kinematic = [q for q in choice.kinematic if q.name in free]
            said.append(f"kinematic coordinates now {listed(kinematic) or 'none'}")
        return ", ".join(said) or "in another order"

    def _change(self, choice: Choice, what: str, regular: float = 0.0) -> bool:
        """Go on in other coordinates, whose `regularity` is ``regular`` at least."""
        try:
            there = self.coordinates.over(self.run, choice, regular)
        except ConfigurationError:
            return False
        if there is None:
            return False
        self._note(what)
        self._count(0)
        there.go_on_from(self.run)
        self.run = there
        self.stepper = self._new_stepper()
        self._before = np.inf
        self._changed_at, self._finest = nodal_point(there), 0.0
        return True

    def _count(self, others: int) -> None:
        """Add the steps of a stepper that has ended, and others."""
        self._steps += self.stepper.steps + others
        self._steps_in_c += self.stepper.steps_in_c
        self._methods += self.stepper.methods

    def _note(self, what: str) -> None:
        t = float(self.run.evaluation.t[0])
        self._last_change = t
        self.switches.append((t, what))

    def _cross(self, stopped: SingularityError, end: float) -> Iterator[Step]:
        """Go across a singular configuration of the mechanism itself."""
        began = float(self.run.evaluation.t[0])
        _ = self.coordinates  # makes the converters while the configuration is still regular
        earliest = max(self._begin, self._last_change)
        crossing = SingularityCrossing(self.run, stopped, earliest, self._last_crossing)
        crossing.go()
        limit = crossing.limit_beyond()
        # The crossing extrapolates; a limit of the model behind the singularity still holds.
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
        self._count(1)
        self.stepper = self._new_stepper()
        conditioning = self.run.evaluation.conditioning
        self._before = conditioning.smallest(conditioning.lowest)[1]
        self._last_change = step.time


class CrossingStep(Step):
    """The step across a singular configuration."""

    def __init__(self, crossing: SingularityCrossing, began: float, after: float) -> None:
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
