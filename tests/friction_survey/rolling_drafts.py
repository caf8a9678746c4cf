"""Random mechanisms on wheels, balls and blades and with gears that rub, beside their joints."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from tests.friction_survey.contacts import (
    Contact,
    Mesh,
    Pressed,
    Roll,
    Skid,
    Skidding,
    seen_from_above,
)
from tests.friction_survey.drafts import RubbedDraft, rubbed
from tests.friction_survey.rubbing import Reactions, Rubbing
from tests.mechanism_survey.forces import Load
from tests.mechanism_survey.joints import Blade, Disk, Involutes, Sphere, UprightWheel

PRESSED = 10.0
"""Normal force at the start, N, at least, while nothing rubs."""


class RollingDraft(RubbedDraft):
    """A mechanism with a contact that rubs; one whose contacts do not press has no frictions."""

    def __init__(self, seed: int, bodies: int) -> None:
        super().__init__(seed, bodies)
        of_joints = len(self.rubbings)
        for _ in range(5):
            self._touch()
            for joint in list(self.made.joints):
                if isinstance(joint, Involutes):
                    self._rub_teeth(joint)
                elif isinstance(joint, Disk | Sphere | Blade | UprightWheel):
                    self._rub_contact(joint)
            if len(self.rubbings) > of_joints:
                break
        if len(self.rubbings) == of_joints or not self._press():
            self.rubbings = []

    def _touch(self) -> None:
        """Add a wheel or a ball, a blade, or gears."""
        kind = self.random.choice(["roll", "cut", "mesh"], p=[0.6, 0.2, 0.2])
        if kind == "mesh" and self.planar:
            self._mesh()
        elif kind == "cut":
            self._cut()
        else:
            self._roll()

    def _rub_teeth(self, gears: Involutes) -> None:
        if self.random.random() < 0.2:
            return
        low, high = self._coefficients()
        radius = float(self.random.uniform(0.005, 0.03))
        self._add_rubbing(Rubbing("", Mesh(gears), gears, low, high, radius))

    def _rub_contact(self, contact: Contact) -> None:
        """Let a contact slide, or resist rolling, or both."""
        r = self.random
        given = float(r.uniform(5, 40)) if seen_from_above(contact) else 0.0
        tie: Pressed | Contact = contact
        if r.random() < 0.75:
            tie = Pressed(contact)
            self.made.joints[self.made.joints.index(contact)] = tie
            if isinstance(contact, UprightWheel):
                self._weigh(contact.spin)
            low, high = self._coefficients()
            spins = isinstance(contact, Disk | Sphere) and r.random() < 0.3
            patch = float(r.uniform(0.01, 0.1)) if spins else 0.0
            viscous = float(r.uniform(0, 0.5)) if r.random() < 0.2 else 0.0
            slides = Skid(contact, spins=bool(spins))
            self._add_rubbing(Skidding("", slides, tie, low, high, viscous, given, patch))
        if not isinstance(contact, Blade) and r.random() < 0.5:
            arm = contact.radius * float(r.uniform(0.01, 0.1))
            contour = isinstance(contact, Disk) and r.random() < 0.3
            slides = Roll(contact, contour=bool(contour))
            self._add_rubbing(Skidding("", slides, tie, arm, arm, given=given))

    def _weigh(self, spin: int) -> None:
        """Give what spins inertia: a wheel that slides does not follow from its centre."""
        inertia = np.diag([0.0, 0.0, float(self.random.uniform(0.01, 0.1))])
        self.made.bodies[spin] = replace(self._body(spin), inertia=inertia)

    def _press(self) -> bool:
        """Load what does not press on its surface; return whether all do then."""
        contacts = [r for r in self.rubbings if isinstance(r, Skidding) and not r.given]
        for _ in range(4):
            still, state = np.zeros((len(self.made.bodies), 6)), self.made.start()
            reactions = Reactions(self.made, self.rubbings, state, still)
            try:
                _, multipliers = reactions.solve(np.zeros(len(reactions.rates)))
            except np.linalg.LinAlgError:  # something moves without mass
                return False
            loads = [float(r.load(multipliers[reactions.where[r.tie]])) for r in contacts]
            if all(load > PRESSED for load in loads):
                return True
            for rubbing, load in zip(contacts, loads, strict=True):
                contact = rubbing.slides.contact
                spot = contact.tip if isinstance(contact, Blade) else contact.centre
                if load <= PRESSED:
                    force = -float(self.random.uniform(20, 60)) * contact.normal
                    self.made.forces.append(Load(spot, force))
        return False


rolled = partial(rubbed, family=RollingDraft)
"""Draws the mechanism of a seed whose contacts rub, as `rubbed` does of joints."""
