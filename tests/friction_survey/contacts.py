"""Contacts that slide, for the judge: their slips, normal forces and laws of friction, by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tests.mechanism_survey.joints import Blade, Disk, Involutes, Sphere, UprightWheel
from tests.mechanism_survey.maximal import Measure, State, skew

Contact: TypeAlias = Disk | Sphere | Blade | UprightWheel
SPUN = 3 * np.pi / 16
"""Moment of a contact that spins only, in parts of its friction times its radius."""


def size(vector: np.ndarray) -> np.ndarray:
    """Return the length of vectors (…, n), which may be complex."""
    return np.sqrt(np.sum(vector**2, axis=-1))


def seen_from_above(contact: Contact) -> bool:
    """Return whether it is in the plane of motion, where it holds nothing against a normal."""
    return isinstance(contact, UprightWheel) or (
        isinstance(contact, Blade) and contact.height is None
    )


def along(disk: Disk, state: State) -> np.ndarray:
    """Return the unit direction in which a disk rolls."""
    axle = state.axis(disk.centre.body, disk.axle)
    forwards = np.cross(disk.foot(state), axle)
    return forwards / size(forwards)


def tangents(ball: Sphere) -> tuple[np.ndarray, np.ndarray]:
    """Return the x and y axes, turned as the z axis is the shortest way to the normal."""
    x, y, z = ball.normal
    # Rodrigues' formula with the axis e_z × n, the sine of whose angle is its length.
    axis = skew(np.array([-y, x, 0.0]))
    turned = np.eye(3) + axis + axis @ axis / (1 + z)
    return turned[:, 0], turned[:, 1]


@dataclass(frozen=True, eq=False)
class Pressed:
    """What holds a contact that may slide: it stays on its surface."""

    contact: Contact

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.contact.bodies

    def value(self, state: State) -> np.ndarray:
        return self.contact.value(state)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        contact = self.contact
        if isinstance(contact, Disk | Sphere):
            return (contact.rate(state, twist) @ contact.normal)[..., None]
        rates = contact.rate(state, twist)
        return rates[..., :0] if seen_from_above(contact) else rates[..., 1:]


@dataclass(frozen=True, eq=False)
class Skid:
    """The velocities of a contact along its surface; ``spins`` adds the spin about the normal."""

    contact: Contact
    spins: bool = False

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.contact.bodies

    @property
    def count(self) -> int:
        """Number of its rates."""
        return 1 if isinstance(self.contact, Blade) else 2 + self.spins

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        contact = self.contact
        rates = contact.rate(state, twist)
        if not isinstance(contact, Disk | Sphere):
            return rates[..., : self.count]
        if isinstance(contact, Disk):
            forwards = along(contact, state)
            directions = [forwards, skew(contact.normal) @ forwards]
        else:
            directions = list(tangents(contact))
        found = [rates @ direction for direction in directions]
        if self.spins:
            found.append(twist[..., contact.centre.body, 3:] @ contact.normal)
        return np.stack(found, -1)


@dataclass(frozen=True, eq=False)
class Roll:
    """The rates of turning about axes in the surface, or that of a disk's foot along its rim."""

    contact: Disk | Sphere | UprightWheel
    contour: bool = False

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.contact.bodies

    @property
    def count(self) -> int:
        """Number of its rates."""
        return 2 if isinstance(self.contact, Sphere) else 1

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        contact = self.contact
        if isinstance(contact, UprightWheel):
            return twist[..., contact.spin, 5:]
        turning = twist[..., contact.centre.body, 3:]
        if isinstance(contact, Sphere):
            return np.stack([turning @ axis for axis in tangents(contact)], -1)
        if self.contour:
            return (self._travel(contact, state, turning) / contact.radius)[..., None]
        return (turning @ (skew(contact.normal) @ along(contact, state)))[..., None]

    @staticmethod
    def _travel(disk: Disk, state: State, turning: np.ndarray) -> np.ndarray:
        """Return how fast the foot of a disk moves along its rim, m/s."""
        n, a = disk.normal, state.axis(disk.centre.body, disk.axle / np.linalg.norm(disk.axle))
        down, turned = (n @ a) * a - n, turning @ skew(a)
        lowers = (turned @ n)[..., None] * a + (n @ a) * turned
        # The part along the foot itself has nothing of the direction of rolling.
        foot = disk.radius * lowers / size(down)
        return (foot - turning @ skew(disk.foot(state))) @ along(disk, state)


@dataclass(frozen=True, eq=False)
class Mesh:
    """How fast teeth slide over each other, by their distance from the pitch point."""

    gears: Involutes
    count = 1

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.gears.bodies

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        p, q = self.gears.bodies
        return twist[..., q, 5:] - twist[..., p, 5:]


@dataclass(frozen=True, eq=False)
class Skidding:
    """Friction of a contact by its normal force.

    Attributes
    ----------
    name : str
        As mbcore calls it.
    slides : Skid or Roll
        What friction acts against.
    tie : Pressed, Disk or Sphere
        Whose multipliers hold the normal force.
    coefficient, static : float
        Of a contact that resists rolling the arm, m.
    given : float
        The normal force of a contact that is seen from above, N.
    patch : float
        Radius of the area that rubs against a spin, m; 0 without.
    """

    name: str
    slides: Skid | Roll
    tie: Measure
    coefficient: float
    static: float
    viscous: float = 0.0
    given: float = 0.0
    patch: float = 0.0

    def share(self, coefficient: float) -> float:
        """Return the friction per normal force."""
        return coefficient

    @property
    def arms(self) -> np.ndarray:
        """What rates are multiplied by to be velocities of the contact."""
        return np.array([1.0, 1.0, self.patch])[: self.slides.count]

    def load(self, multipliers: np.ndarray) -> complex:
        """Return the normal force by the multipliers of its tie."""
        if self.given:
            return self.given
        if isinstance(self.tie, Disk | Sphere):
            return self.tie.normal @ multipliers
        return multipliers[0]

    def direction(self, rates: np.ndarray) -> np.ndarray:
        """Return what the coefficient and the normal force are multiplied by while it slides."""
        if not self.patch:
            return rates / size(rates)
        v, u = size(rates[:2]), self.patch * rates[2]
        forces, moment = padé(u / v)
        return np.array([*(forces * rates[:2] / v), SPUN * moment * self.patch])

    def dry(self, forces: np.ndarray) -> float:
        """Return the friction coefficient times normal force that forces need which hold it."""
        if not self.patch:
            return float(size(forces))
        return float(np.hypot(size(forces[:2]), forces[2] / (self.patch * SPUN)))


def padé(spin: float) -> tuple[float, float]:
    """Return force and moment of a contact, in parts of what they are alone, by κ = a ω / v.

    Zhuravlev's form of Contensou's coupling has values and slopes of the integrals over Hertz's
    pressure at both ends: f = 1 - κ²/10 and 3π/(8κ), g = 16κ/(15π) and 1 - 1/κ². Between them the
    numbers 0.376 and 0.128 make the largest error least.
    """
    k, (one, other) = spin**2, (0.376, 0.128)
    fast, slow = (3 * np.pi / 8) ** 2, (16 / (15 * np.pi)) ** 2
    force = (1 + one * k) / (1 + (one + 1 / 5) * k + one / fast * k**2)
    moment = k * (slow + other * k) / (1 + (slow + 2 * other) * k + other * k**2)
    return float(np.sqrt(force)), float(np.sign(spin) * np.sqrt(moment))
