"""Random mechanisms with friction in random joints, as descriptions in maximal coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tests.friction_survey.contacts import Skidding
from tests.friction_survey.rubbing import Reactions, Rubbing, Thread
from tests.mechanism_survey.drafts import Draft
from tests.mechanism_survey.forces import Spring
from tests.mechanism_survey.joints import Axle, Drive, Gearing, Journal, Motion, Shift, Tie, Turn
from tests.mechanism_survey.maximal import Mechanism, constraints


@dataclass(frozen=True)
class Rubbed:
    """A mechanism and the frictions in its joints."""

    mechanism: Mechanism
    rubbings: list[Rubbing | Skidding]


class RubbedDraft(Draft):
    """A mechanism with friction whose constraint forces are unique, and without beams."""

    def __init__(self, seed: int, bodies: int) -> None:
        self.rubbings: list[Rubbing | Skidding] = []
        super().__init__(seed, bodies)
        # No work by what drives at a constant pace.
        for i, joint in enumerate(self.made.joints):
            if isinstance(joint, Gearing) and joint.motion.slope:
                self.made.joints[i] = replace(joint, motion=Motion(joint.motion.offset))
        self._screw()
        for _ in range(5):
            if self.rubbings:
                break
            for joint in list(self.made.joints):
                self._rub(joint)

    def _cantilever(self) -> None:
        self._join()

    def _float(self) -> None:
        """All are held by joints."""

    def _try(self, *joints: object) -> bool:
        """Add constraints that leave a freedom and do not depend on others."""
        kept = list(self.made.joints)
        self.made.joints += joints  # type: ignore[arg-type]
        still = np.zeros((len(self.made.bodies), 6))
        rows = constraints(self.made, self.made.start(), still)[0].reshape(-1, still.size)
        rows = rows[np.any(np.abs(rows) > 1e-12, axis=1)]
        singular = np.linalg.svd(rows, compute_uv=False)
        freedoms = int(self.made.columns.sum()) - len(rows)
        if freedoms >= 1 and singular.min() > 0.02:
            return True
        self.made.joints = kept
        return False

    def _screw(self) -> None:
        """Let a turn and a shift along a slide be a screw."""
        r = self.random
        turns = [m for m in self.measures if isinstance(m, Turn) and m not in self.driven]
        shifts = [m for m in self.measures if isinstance(m, Shift) and m.tie.frame is not None]
        shifts = [m for m in shifts if m not in self.driven]
        if not turns or not shifts or r.random() < 0.3:
            return
        turn, shift = turns[int(r.integers(len(turns)))], shifts[int(r.integers(len(shifts)))]
        lead, radius = float(r.uniform(0.05, 0.3)), float(r.uniform(0.05, 0.2))
        offset = shift.value(self.made.start()) - lead * turn.value(self.made.start())
        screw = Gearing((turn, shift), (-lead, 1.0), Motion(float(np.real(offset))))
        if self._try(screw):
            low, high = self._coefficients()
            thread = Thread(turn, shift, radius, lead)
            self._add_rubbing(Rubbing("", thread, screw, low, high, radius))

    def _coefficients(self) -> tuple[float, float]:
        low = float(self.random.uniform(0.1, 0.6))
        return low, low * float(self.random.uniform(1.0, 1.5))

    def _add_rubbing(self, rubbing: Rubbing | Skidding) -> None:
        self.rubbings.append(replace(rubbing, name=f"friction {len(self.rubbings)}"))

    def _rub(self, joint: object) -> None:
        """Let a tie rub, if it is that of a hinge or of a slide."""
        r = self.random
        if not isinstance(joint, Tie) or r.random() < 0.3:
            return
        if joint.frame is None and len(joint.kept) == 3:
            self._rub_pin(joint)
        elif joint.frame is not None:
            shift = next(m for m in self.measures if isinstance(m, Shift) and m.tie is joint)
            low, high = self._coefficients()
            guard, span = None, 0.0
            if self.planar and r.random() < 0.5:
                guard = next(
                    j for j in self.made.joints
                    if isinstance(j, Drive) and isinstance(j.measure, Turn)
                    and set(j.bodies) == set(joint.bodies) and not j.motion.amplitude
                )  # fmt: skip
                span = float(r.uniform(0.3, 1))
            if shift not in self.driven:
                self._add_rubbing(Rubbing("", shift, joint, low, high, guard=guard, span=span))

    def _rub_pin(self, tie: Tie) -> None:
        r = self.random
        axles = [
            j for j in self.made.joints if isinstance(j, Axle) and set(j.bodies) == set(tie.bodies)
        ]
        turns = [
            m
            for m in self.measures
            if isinstance(m, Turn) and m.axle in axles and m not in self.driven
        ]
        if len(axles) != 1 or not turns:
            return
        low, high = self._coefficients()
        chosen: Tie = tie
        if self.planar and r.random() < 0.3:
            ends = (tie.p, tie.q) if axles[0].p == tie.p.body else (tie.q, tie.p)
            chosen = Journal(*ends)  # its sliding is the turn of the axle
            self.made.joints[self.made.joints.index(tie)] = chosen
        in_space = not self.planar
        wide, collared = in_space and r.random() < 0.4, in_space and r.random() < 0.4
        self._add_rubbing(
            Rubbing(
                "", turns[0], chosen, low, high, float(r.uniform(0.02, 0.25)),
                viscous=float(r.uniform(0, 0.05)) if r.random() < 0.3 else 0.0,
                loose=bool(r.random() < 0.4),
                guard=axles[0] if wide else None,
                span=float(r.uniform(0.1, 0.5)) if wide else 0.0,
                collar=float(r.uniform(0.01, 0.1)) if collared else 0.0,
            )
        )  # fmt: skip

    def _act_on(self, measure: Turn | Shift) -> None:
        """Let a spring act on many joints, so that they come to rest again and again."""
        r = self.random
        if measure in self.driven or r.random() < 0.5:
            return
        rest = float(measure.value(self.made.start()).real) + r.uniform(-0.3, 0.3)
        self.made.forces.append(Spring(measure, float(r.uniform(2, 30)), rest=float(rest)))


def rubbed(
    seed: int, most_bodies: int = 6, family: Callable[[int, int], RubbedDraft] = RubbedDraft
) -> Rubbed:
    """Return the mechanism of a seed, with one body or more, and rims besides.

    Joints that cannot move lose their friction, which mbcore would refuse.
    """
    bodies = int(np.random.default_rng([seed, 4]).integers(1, most_bodies + 1))
    for again in range(100):
        draft = family(seed + 1_000_000 * again, bodies)
        still = np.zeros((len(draft.made.bodies), 6))
        slide = Reactions(draft.made, draft.rubbings, draft.made.start(), still).slide()
        rubbings = [r for r, slides in zip(draft.rubbings, slide, strict=True) if slides]
        if rubbings:
            break
    return Rubbed(draft.made, rubbings)
