"""Friction that sticks by a spring and a damper along a sleeve, as [Deppler] has them for wheels.

A force element cannot hold two bodies together, so that it needs this compliance; elsewhere it
stands beside friction that sticks exactly, `mbcore.contact.contact_friction`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from mbcore.elements.friction.coulomb import CoulombFriction
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.system import System
from mbcore.model.variables import Number

FORCE_BAND = 1e-9
"""Half width, N, of the hysteresis about the static limit, beyond which what sticks slides."""
SPEED_BAND = 1e-9
"""Half width, m/s, of the hysteresis about rest, at which sliding ends, and sticking goes on."""
FURTHEST = 0.5
"""Cosine of the angle by which a journal rolls along the sleeve before a new place is stored."""


@explains_construction
@dataclass(frozen=True)
class CompliantFriction:
    """Coulomb friction that sticks by a spring and a damper between the places that met.

        F_t = k s + d v, at most μ_s F,  where it sticks,    F_t = μ F v/|v|  where it slides

    The elongation s is zero where contact begins, and v is the sliding velocity. A load shifts what
    sticks by what it is over k, and no further.

    Attributes
    ----------
    coefficient : number or expression
        μ while sliding, at least 0.
    stiffness, damping : number or expression
        k, N/m, and d, N.s/m, along the surface.
    static : number or expression, optional
        μ_s while sticking, not less than μ, which it is by default.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """

    coefficient: Number
    stiffness: Number
    damping: Number = 0.0
    static: Number | None = None

    def __post_init__(self) -> None:
        name = "compliant friction"
        units = {"coefficient": "1", "stiffness": "N/m", "damping": "N.s/m", "static": "1"}
        checks.fields_in_units(name, self, **units)
        checks.number(name, "coefficient", self.coefficient, least=0.0)
        checks.number(name, "stiffness", self.stiffness, above=0.0, unit="N/m")
        checks.number(name, "damping", self.damping, least=0.0, unit="N.s/m")
        if self.static is not None:
            checks.number(name, "static", self.static, least=0.0)
            excess = ca.SX(self.static) - self.coefficient
            if excess.is_constant() and float(excess) < 0:
                raise ModelError(
                    f"{name}: static = {self.static} is less than coefficient = "
                    f"{self.coefficient}; give at least as much"
                )

    @property
    def limit(self) -> ca.SX:
        """μ_s; of expressions not less than μ."""
        return ca.SX(
            self.coefficient if self.static is None else ca.fmax(self.static, self.coefficient)
        )


@dataclass(frozen=True)
class SwitchedFriction:
    """Compliant friction with a switch, for models in which a parameter chooses the friction.

    Attributes
    ----------
    law : CompliantFriction
        Friction of a law.
    enabled : number or expression
        0 lets the other act in its place.
    otherwise : CoulombFriction
        Smoothed friction, which impacts have in any case.

    Raises
    ------
    ModelError
        If an attribute is of another kind.
    """

    law: CompliantFriction
    enabled: Number = 1.0
    otherwise: CoulombFriction = field(default_factory=CoulombFriction)

    def __post_init__(self) -> None:
        for name, kind in (("law", CompliantFriction), ("otherwise", CoulombFriction)):
            given = getattr(self, name)
            if not isinstance(given, kind):
                raise ModelError(f"switched friction: {name} is {given!r}; give {kind.__name__}")
        checks.expression("switched friction", "enabled", self.enabled, truth=True)


@dataclass(frozen=True)
class Rolling:
    """How a journal moves along its sleeve.

    Attributes
    ----------
    direction : pair of SX
        Unit vector from the sleeve's centre to the journal's, on the sleeve's axes.
    distance : SX
        Of the centres, m.
    turn : SX
        Angle of the journal relative to the sleeve, rad.
    radius : number or expression
        Of the journal, m.
    sliding : SX
        Velocity of the journal's surface past the sleeve's, counter-clockwise, m/s.
    """

    direction: tuple[ca.SX, ca.SX]
    distance: ca.SX
    turn: ca.SX
    radius: Number
    sliding: ca.SX


@dataclass(frozen=True)
class Grip:
    """Friction on the sleeve, N, counter-clockwise, its mode, and what a contact's begin stores."""

    force: ca.SX
    sticks: ca.SX
    begun: Mapping[str, Number]


@dataclass(frozen=True)
class _Anchor:
    """Where the surfaces began to stick: discrete variables.

    Attributes
    ----------
    prefix : str
        Of their names.
    x, y : SX
        Unit vector to the journal as the sleeve sees it.
    turn : SX
        Angle of the journal relative to the sleeve, rad.
    elongation : SX
        Of the tangential spring, m.
    """

    prefix: str
    x: ca.SX
    y: ca.SX
    turn: ca.SX
    elongation: ca.SX

    @classmethod
    def add(cls, model: System, prefix: str) -> _Anchor:
        """Add the variables."""
        told = (
            ("x", 1.0, "1", "direction, seen by the sleeve, where the journal began to stick"),
            ("y", 0.0, "1", "direction, seen by the sleeve, where the journal began to stick"),
            ("turn", 0.0, "rad", "angle of the journal in the sleeve where it began to stick"),
            ("elongation", 0.0, "m", "of the tangential spring where the journal began to stick"),
        )
        variables = (
            model.discretes.add(
                f"{prefix}anchor.{name}", start, unit=unit, description=text, visibility="local"
            )
            for name, start, unit, text in told
        )
        return cls(prefix, *variables)

    def at(self, rolling: Rolling, elongation: Number) -> dict[str, Number]:
        """Return the assignments that store the present place."""
        x, y = rolling.direction
        found = {"x": x, "y": y, "turn": rolling.turn, "elongation": elongation}
        return {f"{self.prefix}anchor.{name}": value for name, value in found.items()}

    def rolled(self, rolling: Rolling) -> tuple[ca.SX, ca.SX]:
        """Return by which angle the journal has rolled along the sleeve, rad, and its cosine."""
        x, y = rolling.direction
        sine, cosine = self.x * y - self.y * x, self.x * x + self.y * y
        centred = ca.logic_and(ca.eq(sine, 0), ca.eq(cosine, 0))
        return ca.atan2(sine, ca.if_else(centred, 1, cosine)), cosine


def grip(
    model: System,
    prefix: str,
    rolling: Rolling,
    friction: CompliantFriction,
    normal: tuple[ca.SX, Number],
) -> Grip:
    """Add the events of compliant friction; return its force and modes.

    The surfaces slide where the static limit is reached and the elongation still grows, and stick
    again where they move back.

    Parameters
    ----------
    model : Model
        Gets the events ``slides`` and ``rolls_on`` and the discrete variables ``anchor`` and
        ``slides.way``, all with the prefix.
    normal : pair
        Normal force, N, and whether the surfaces touch.
    """
    load, touches = normal
    anchor = _Anchor.add(model, prefix)
    slides = model.events.add(f"{prefix}slides")
    way = model.discretes.add(
        f"{prefix}slides.way",
        0.0,
        description="direction of sliding, 1 counter-clockwise",
        visibility="local",
    )
    angle, cosine = anchor.rolled(rolling)
    rolled = rolling.distance * angle + rolling.radius * (rolling.turn - anchor.turn)
    elongation = anchor.elongation + rolled
    trial = friction.stiffness * elongation + friction.damping * rolling.sliding
    pressed = ca.fmax(load, 0)
    limit, kinetic = friction.limit * pressed, friction.coefficient * pressed
    held = ca.fmax(-limit, ca.fmin(trial, limit))
    rubs = ca.logic_and(touches, friction.limit > 0)
    sticks = ca.logic_and(rubs, ca.logic_not(slides))
    # Sliding keeps the length of the spring, or shortens it where less holds it: a longer spring
    # would store energy that nothing has lost.
    most = kinetic / friction.stiffness
    kept = ca.fmax(-most, ca.fmin(anchor.elongation, most))
    # An event has one band: speeds are scaled such that theirs becomes that of forces.
    speed = FORCE_BAND / SPEED_BAND * rolling.sliding
    leaves = ca.fmin(ca.fabs(trial) - limit, speed * ca.sign(trial))
    model.events.add(
        f"{prefix}slides",
        ca.if_else(rubs, ca.if_else(slides, way * speed, leaves), -1),
        band=FORCE_BAND,
        rising={f"{prefix}slides.way": ca.sign(trial), **anchor.at(rolling, elongation)},
        falling=anchor.at(rolling, kept),
    )
    model.events.add(
        f"{prefix}rolls_on",
        ca.if_else(sticks, FURTHEST - cosine, -1),
        rising=anchor.at(rolling, elongation),
    )
    force = ca.if_else(rubs, ca.if_else(slides, way * kinetic, held), 0)
    return Grip(force, sticks, anchor.at(rolling, 0.0))
