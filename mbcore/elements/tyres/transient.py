"""Transient slip: deflections of a tyre in the contact, which follow the slips as it rolls.

Only `mbcore.elements.tyres.tyre` uses this; it is the part of a tyre that has states. The contact
lies ahead of, or beside, the place that the rim gives it. This deflection u grows with the slip
velocity V_s, and the tyre rolls out of it:

    u' + |V_x| u/σ = -V_s,

so that in steady state u/σ is the slip -V_s/|V_x|, and the law's forces are those of the slip u/σ
([Pacejka2012] 7.1). At rest u is the integral of the slip velocity, and the tyre is a spring of
the stiffness C/σ; no force is scaled down at low speed, so that nothing creeps.

A deflection whose slip is beyond that of the greatest force would wind up, and pull back less and
less. So slips u/σ stay within the ellipse of those of the greatest force. Where it ends, the
contact slides, with the velocity g that the deflection does not take,

    u' + |V_x| u/σ + g = -V_s,

and the law gets the slip u/σ + g/|V_x|, which in steady state is -V_s/|V_x| again; below a low
speed V_0, V_0 takes the place of |V_x| by degrees. The trial deflection u + τ u' is brought back to
the ellipse, and u tends to it with the time constant τ, as in `mbcore.contact.regularized`. So
rates are continuous in states and limits, and an event changes no rate and does not recur at once.

Below V_0, the law gets the slip (u + h τ u')/σ, with h from 1 at rest to 0: a damper parallel to
the spring, which brings a parked car to rest and changes no steady state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

from mbcore.elements.tyres.law import TyreRelaxation
from mbcore.model import summary
from mbcore.model.system import System
from mbcore.model.variables import Number

BAND = 1e-9
"""Half width of the hysteresis of the share of the largest slip."""
VANISHING = 1e-300
"""Square, too small to change a value, that keeps the root's derivative finite without slip."""
AXES = {"x": "along the wheel", "y": "to the left"}


@dataclass(frozen=True, repr=False)
class Deflections(summary.SummarizedExpressions):
    """Deflections and their relation to the slips.

    Attributes
    ----------
    values : SX
        Deflections u, m, along the wheel and to the left: auxiliary states, shape (2, 1).
    slips : SX
        Slips κ and -tan α that the law gets, shape (2, 1).
    sliding : SX
        1 while the contact slides because its deflection grows no further, else 0.
    """

    values: ca.SX
    slips: ca.SX
    sliding: ca.SX


def deflect(
    model: System, name: str, relaxation: TyreRelaxation, speed: ca.SX, slip_velocities: ca.SX
) -> Deflections:
    """Add the states ``name.deflection_x`` and ``_y`` and the event ``name.sliding``.

    Parameters
    ----------
    model : Model
    name : str
        First part of the names of states and event.
    relaxation : TyreRelaxation
        Of the law.
    speed : SX
        V_x, m/s.
    slip_velocities : SX, shape (2, 1)
        V_s along the wheel and to the left, m/s.
    """
    u = ca.vertcat(
        *(
            model.states.add(
                f"{name}.deflection_{axis}",
                unit="m",
                nominal=0.01,
                description=f"deflection of the tyre in its contact, {where}",
            )
            for axis, where in AXES.items()
        )
    )
    lengths, times = ca.vertcat(*relaxation.lengths), ca.vertcat(*relaxation.times)
    amount = ca.fabs(speed)
    resting = (1 + ca.cos(math.pi * ca.fmin(amount / relaxation.low_speed, 1))) / 2
    free = -slip_velocities - amount * u / lengths  # [Pacejka2012] (7.7), (7.9)
    shares = ca.vertcat(*(_inverse(peak) for peak in relaxation.peaks)) / lengths
    trial = shares * (u + times * free)
    part, sliding = ca.SX(1), ca.SX(0)
    if not trial.is_zero():
        size = ca.sqrt(ca.sumsqr(trial) + VANISHING)
        sliding = model.events.add(f"{name}.sliding", size - 1, band=BAND)
        part = 1 / ca.if_else(sliding, size, ca.fmax(size, 1))
    slid = (1 - part) * (free + u / times)
    rates = free - slid
    for axis, rate in zip(AXES, ca.vertsplit(rates), strict=True):
        model.states.set_derivative(f"{name}.deflection_{axis}", rate)
    slips = (u + resting * times * rates) / lengths
    return Deflections(u, slips + slid / (amount + resting * relaxation.low_speed), sliding)


def _inverse(slip: Number) -> Number:
    return 0.0 if isinstance(slip, float) and math.isinf(slip) else 1 / slip
