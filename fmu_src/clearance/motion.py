"""How a journal moves in its sleeve, from the motion of both on inertial axes."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units
from mbcore.contact.surfaces import eccentricity


@dataclass(frozen=True)
class Part:
    """Motion of journal or sleeve, on inertial axes."""

    x: ca.SX
    y: ca.SX
    angle: ca.SX
    x_rate: ca.SX
    y_rate: ca.SX
    angle_rate: ca.SX


@dataclass(frozen=True)
class Motion:
    """Motion of the journal relative to the sleeve, on inertial axes.

    Attributes
    ----------
    place, rate : pair of SX
        From the sleeve's centre to the journal's, m, and its rate as the turning sleeve sees it,
        m/s.
    turn, spin : SX
        Angle of the sleeve, rad, and rotation of the journal relative to it, rad/s.
    journal_turn : SX
        Angle of the journal relative to the sleeve, rad.
    direction : pair of SX
        Unit vector from the sleeve's centre to the journal's.
    eccentricity, closing, across : SX
        Distance of the centres, m, smooth at zero; its rate, and the velocity of the journal's
        centre across it, counter-clockwise, m/s.
    """

    place: tuple[ca.SX, ca.SX]
    rate: tuple[ca.SX, ca.SX]
    turn: ca.SX
    journal_turn: ca.SX
    spin: ca.SX
    direction: tuple[ca.SX, ca.SX]
    eccentricity: ca.SX
    closing: ca.SX
    across: ca.SX

    @property
    def angle(self) -> ca.SX:
        """Direction from the sleeve's centre to the journal's, rad; where they coincide 0."""
        x, y = self.place
        # atan2 has no derivative at the centre
        centred = ca.logic_and(ca.eq(x, 0), ca.eq(y, 0))
        return ca.atan2(y, ca.if_else(centred, 1, x))

    @property
    def seen(self) -> tuple[ca.SX, ca.SX]:
        """The direction to the journal on the sleeve's axes."""
        x, y = self.direction
        cosine, sine = ca.cos(self.turn), ca.sin(self.turn)
        return x * cosine + y * sine, y * cosine - x * sine


def add_motion(model: Model) -> Motion:
    """Add the motion of journal and sleeve as inputs; return that of one in the other."""
    return relative(_add_part(model, "journal"), _add_part(model, "sleeve"))


def relative(journal: Part, sleeve: Part) -> Motion:
    """Return the motion of a journal in its sleeve."""
    x, y = journal.x - sleeve.x, journal.y - sleeve.y
    x_rate = journal.x_rate - sleeve.x_rate + sleeve.angle_rate * y
    y_rate = journal.y_rate - sleeve.y_rate - sleeve.angle_rate * x
    r = eccentricity(x, y)
    return Motion(
        (x, y),
        (x_rate, y_rate),
        sleeve.angle,
        journal.angle - sleeve.angle,
        journal.angle_rate - sleeve.angle_rate,
        (x / r, y / r),
        r,
        (x * x_rate + y * y_rate) / r,
        (x * y_rate - y * x_rate) / r,
    )


def _add_part(model: Model, name: str) -> Part:
    length, angle = Units("m", "mm"), Units("rad", "deg")
    x, y = (
        model.input(f"{name}.{axis}", 0.0, unit=length, description=f"{name}'s centre")
        for axis in "xy"
    )
    turn = model.input(f"{name}.angle", 0.0, unit=angle, description=f"orientation of the {name}")
    x_rate, y_rate = (
        model.input(f"{name}.{axis}_rate", 0.0, unit="m/s", description=f"rate of {name}.{axis}")
        for axis in "xy"
    )
    spin = model.input(
        f"{name}.angle_rate",
        0.0,
        unit=Units("rad/s", "rpm"),
        description=f"rate of {name}.angle",
    )
    return Part(x, y, turn, x_rate, y_rate, spin)
