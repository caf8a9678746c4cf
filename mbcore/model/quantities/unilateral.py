"""Unilateral contacts: a gap that is never negative, open or closed, with impacts between.

A closed contact is a constraint whose force can only push; parts that meet exchange an impulse.
`mbcore.contact.impact` adds contacts to a model;
`mbcore.equations.assembly.multipliers` solves for the force,
`mbcore.equations.unilateral.impulses` for the impulse.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from mbcore.model.tables import derivatives
from mbcore.model.variables import Number

EPSILON = 2.0**-52
"""Relative distance of neighbouring numbers."""
BAND = 2e-15
"""Penetration, in parts of the contact's size, at which parts meet: above rounding errors."""
DRIFT = 1e-13
"""Penetration or opening, likewise, of a closed contact beyond which it is projected."""
RATE_DRIFT = 1e-10
"""Rate of the gap, in sizes per second, beyond which it is projected."""
LOWEST_BOUNCE = 10 * BAND
"""Height of a bounce, in sizes, that rounding errors could keep going for ever."""


def _symbol(name: str, count: int = 1) -> ca.SX:
    return ca.SX.sym(name, count)


def switches_of(contact: str) -> str:
    """Name of the discrete variable that counts beginnings and ends of permanent contact."""
    return f"{contact}.switches"


@dataclass(frozen=True, eq=False)
class Unilateral:
    """One contact, in the symbols and expressions of a model.

    Forces and impulses are positive where they push the gap open; tangential ones are along a
    positive sliding velocity. The symbols from ``approach`` on are those of the present impact, and
    defined only in assignments of the event of meeting.

    Attributes
    ----------
    gap : SX
        g_N of [Schwab2002] (5.1), m, an expression of values, inputs and time.
    sliding : SX or None
        Tangential velocity, m/s, linear in rates, in space two along directions at right angles,
        (2, 1); without it there is no friction.
    restitution, friction, friction_speed, settling_time : number or expression
        e; μ; the speed (m/s) that smooths Coulomb's law while closed, None where a friction of its
        own acts then; the largest remaining time (s) of an accumulation of impacts,
        [Schwab2002] (5.26), that counts as over.
    size : float
        Natural length of the contact, m.
    enabled : number or expression
        0 switches the contact off.
    closed : SX
        Mode of the event ``closed_event``, permanent contact.
    foreseen_flight, foreseen_height : SX
        Duration, s, and height, m, of the present flight as expected at its beginning. Where the
        first is negative at an impact, it is less the largest approach speed, and the second is
        the error of the gap, by an importer's solver.
    force, tangential : SX
        λ_N and friction forces while closed, N; the second of two is used in space only, and
        likewise that of impulses.
    approach, impulse, tangential_impulse, effective_mass, loss, flight, height : SX
        -ġ⁻, m/s; s_N of [Schwab2002] (5.18) and the tangential one, N.s; m_e of
        [Schwab2002] (5.19), kg; energy lost, J; expected time, s, until the next impact,
        [Schwab2002] (5.25), and height, m, of the flight until then, 0 where none is.
    """

    name: str
    gap: ca.SX
    sliding: ca.SX | None
    restitution: Number
    friction: Number
    friction_speed: Number | None
    settling_time: Number
    size: float
    enabled: Number
    closed: ca.SX
    foreseen_flight: ca.SX
    foreseen_height: ca.SX
    force: ca.SX = field(default_factory=lambda: _symbol("contact force"))
    tangential: ca.SX = field(default_factory=lambda: _symbol("contact friction", 2))
    approach: ca.SX = field(default_factory=lambda: _symbol("approach"))
    impulse: ca.SX = field(default_factory=lambda: _symbol("impulse"))
    tangential_impulse: ca.SX = field(default_factory=lambda: _symbol("tangential impulse", 2))
    effective_mass: ca.SX = field(default_factory=lambda: _symbol("effective mass"))
    loss: ca.SX = field(default_factory=lambda: _symbol("energy loss"))
    flight: ca.SX = field(default_factory=lambda: _symbol("flight"))
    height: ca.SX = field(default_factory=lambda: _symbol("height"))

    @property
    def directions(self) -> int:
        """Number of its sliding velocities; 1 without friction."""
        return 1 if self.sliding is None else int(self.sliding.numel())

    @property
    def friction_force(self) -> ca.SX:
        """Friction along the sliding velocities while closed, N."""
        return self.tangential[: self.directions]

    @property
    def rounding(self) -> ca.SX:
        """Rounding error of the gap, m, from the values that it depends on."""
        symbols = ca.vertcat(*ca.symvar(self.gap))
        return EPSILON * ca.sum1(ca.fabs(derivatives.gradient(self.gap, symbols) * symbols))

    @property
    def meeting_event(self) -> str:
        """Name of the event of meeting, whose mode resets itself."""
        return f"{self.name}.impact"

    @property
    def closed_event(self) -> str:
        """Name of the event whose mode is permanent contact; it ends where contact is lost."""
        return f"{self.name}.closed"

    @property
    def switches(self) -> str:
        """Name of the discrete variable that counts the changes of this mode."""
        return switches_of(self.name)

    @property
    def band(self) -> float:
        """Half width, m, of the hysteresis of meeting."""
        return BAND * self.size
