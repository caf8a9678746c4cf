r"""Regularized rolling: slips resisted by spring and damper, with a friction limit if wanted.

[Deppler] (3). A released slip s gets an auxiliary state z, the deflection of the contact, and

    z' = s,    λ = c/ε z + d/ε^κ z'    (λ resists: it is the force of the body on the ground),

with the damping exponent κ = 1/2 (principal) or 1 (strong). For ε → 0 the motion tends to that
without slip; a contact at rest does not creep, because z is a state.

With a friction limit L ≥ 0 the spring and damper work in series with a dry slider,

    λ* = c/ε z + d/ε^κ s,    λ = λ* min(1, L/|λ*|),    z' = (λ - c/ε z) ε^κ/d,

for one slip or for a pair, whose limit is then a circle. Where |λ*| ≤ L the contact sticks or rolls
and z' = s. Beyond, it slides with the velocity s - z' = (λ* - λ) ε^κ/d, which has the direction of
λ, and z tends to ε λ/c with the time constant d ε^(1-κ)/c: the spring stays on the friction cone
and does not wind up. λ and z' are continuous in state and limit, so an event changes no rate and
does not recur at once. Stored energy is c/(2ε) z²; of the power λ s the part

    λ s - d/dt (c/(2ε) z²) = d/ε^κ z'² + λ (s - z') ≥ 0

is dissipated, whatever the limit does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import casadi as ca

from mbcore.model import checks, summary
from mbcore.model.errors import ModelError
from mbcore.model.quantities import Slip
from mbcore.model.system import System
from mbcore.model.variables import Number, Visibility

EXPONENTS = {"principal": 0.5, "strong": 1.0}
"""Damping exponents κ of [Deppler] by name."""
VANISHING = 1e-300
"""Square, too small to change a value, that keeps the root's derivative finite without a force."""


@dataclass(frozen=True, repr=False)
class Regularized(summary.SummarizedExpressions):
    """A slip that was regularized: expressions for outputs and laws.

    Attributes
    ----------
    deflection : SX
        z, an auxiliary state.
    force : SX
        λ, of the body on the ground.
    sliding : SX
        1 while the contact slides, from the modes of events; 0 without a friction limit.
    sliding_velocity : SX
        s - z', the part of the slip velocity that is not deflection.
    energy, dissipation : SX
        Stored energy, J, and dissipated power, W, never negative.
    """

    deflection: ca.SX
    force: ca.SX
    sliding: ca.SX
    sliding_velocity: ca.SX
    energy: ca.SX
    dissipation: ca.SX


def regularize(
    model: System,
    slip: Slip,
    *,
    stiffness: Number,
    damping: Number,
    compliance: Number,
    exponent: Literal["principal", "strong"] | Number = "principal",
    limit: Number | None = None,
    name: str | None = None,
    nominal: float = 1e-3,
    band: float = 1e-9,
    visibility: Visibility = "local",
) -> Regularized:
    """Release a slip and resist it by spring, damper and, with a limit, dry friction.

    Without a limit this is Deppler's regularization, [Deppler] (3).

    Parameters
    ----------
    model : Model
        The model of the slip; it gets the state z and, with a limit, two events.
    slip : Slip
        The slip to be resisted.
    stiffness, damping : number or expression
        c, N/m, and d, N.s/m; the damping is positive.
    compliance : number or expression
        ε, positive.
    exponent : {"principal", "strong"}, number or expression
        κ.
    limit : number or expression, optional
        L, not negative: friction coefficient times normal force. A function of state, inputs,
        parameters and time; stresses (a normal force that is a constraint force) are refused.
    name : str, optional
        Of the contact, the slip's by default: the state is ``name.deflection``, the events are
        ``name.sliding_forward`` and ``name.sliding_backward``.
    nominal : float
        Natural size of z, m.
    band : float
        Hysteresis of λ* about the limit, N, for the event between sticking and sliding; the force
        never exceeds the limit.
    visibility : {"output", "local"}
        Of the state.

    Raises
    ------
    ModelError
        If a number among c, d, ε, L is not as said, or the exponent's name is unknown.
    """
    _refuse_no_slip(slip)
    element = _Element(stiffness, damping, compliance, exponent, limit)
    name = name or slip.name
    z = _deflection(model, slip, name, nominal, visibility)
    trial = element.trial(z, slip.velocity)
    if limit is None:
        return _finish(model, slip, name, element, z, ca.SX(0), ca.SX(0))
    top = ca.if_else(limit < 0, 0, limit)  # whose slope at no limit is that of friction
    forward = model.events.add(f"{name}.sliding_forward", trial - top, band=band)
    backward = model.events.add(f"{name}.sliding_backward", -trial - top, band=band)
    # where force and limit both vanish, neither alone has an effect, hence the sign
    sticking = ca.if_else(ca.fabs(trial) >= top, trial - ca.sign(trial) * top, 0)
    excess = ca.if_else(forward, trial - top, ca.if_else(backward, trial + top, sticking))
    return _finish(model, slip, name, element, z, excess, ca.fmax(forward, backward))


def regularize_pair(
    model: System,
    slips: Sequence[Slip],
    *,
    stiffness: Number,
    damping: Number,
    compliance: Number,
    exponent: Literal["principal", "strong"] | Number = "principal",
    limit: Number,
    names: Sequence[str] | None = None,
    nominal: float = 1e-3,
    band: float = 1e-9,
    visibility: Visibility = "local",
) -> tuple[Regularized, Regularized]:
    """Regularize the two slips of one contact; the limit bounds the length of their force.

    Parameters as those of `regularize`; one event, ``sliding`` of the first name.

    Raises
    ------
    ModelError
        If there are not two slips and two names, or a number is impossible.
    """
    for slip in slips:
        _refuse_no_slip(slip)
    names = names or [slip.name for slip in slips]
    if len(slips) != 2 or len(names) != 2:
        raise ModelError(
            f"a pair has two slips and two names, got {len(slips)} and {len(names)}; "
            "call regularize for each slip that has a limit of its own"
        )
    element = _Element(stiffness, damping, compliance, exponent, limit)
    z = [_deflection(model, s, n, nominal, visibility) for s, n in zip(slips, names, strict=True)]
    trial = [element.trial(q, s.velocity) for q, s in zip(z, slips, strict=True)]
    size = ca.sqrt(trial[0] ** 2 + trial[1] ** 2 + VANISHING)
    top = ca.if_else(limit < 0, 0, limit)  # whose slope at no limit is that of friction
    sliding = model.events.add(f"{names[0]}.sliding", size - top, band=band)
    part = 1 - top / ca.if_else(sliding, size, ca.fmax(size, top))
    first, second = (
        _finish(model, s, n, element, q, part * force, sliding)
        for s, n, q, force in zip(slips, names, z, trial, strict=True)
    )
    return first, second


def _refuse_no_slip(slip: object) -> None:
    if not isinstance(slip, Slip):
        raise ModelError(f"{slip!r} is no slip; give one of a wheel, as in wheel.lateral")


class _Element:
    """Spring and damper in parallel."""

    def __init__(
        self,
        stiffness: Number,
        damping: Number,
        compliance: Number,
        exponent: str | Number,
        limit: Number | None,
    ) -> None:
        if isinstance(exponent, str):
            if exponent not in EXPONENTS:
                raise ModelError(
                    f"no damping {exponent!r}; there is {', '.join(EXPONENTS)}, or a number"
                )
            exponent = EXPONENTS[exponent]
        owner = "regularized slip"
        exponent = checks.number(owner, "exponent", exponent)
        damping, compliance = (
            checks.expression(owner, what, value)
            for what, value in (("damping", damping), ("compliance", compliance))
        )
        stiffness = checks.expression(owner, "stiffness", stiffness)
        limit = ca.SX(0) if limit is None else checks.expression(owner, "limit", limit)
        for what, value in (("damping", damping), ("compliance", compliance)):
            if value.is_constant() and not 0 < float(value) < math.inf:
                raise ModelError(f"the {what} of a regularized slip is positive, got {value}")
        for what, value in (("stiffness", stiffness), ("limit", limit)):
            if value.is_constant() and not 0 <= float(value) < math.inf:
                raise ModelError(f"the {what} of a regularized slip is not negative, got {value}")
        self.spring = ca.SX(stiffness) / compliance
        self.damper = ca.SX(damping) / ca.SX(compliance) ** exponent

    def trial(self, z: ca.SX, velocity: ca.SX) -> ca.SX:
        """Return λ*, the force while nothing slides."""
        return self.spring * z + self.damper * velocity  # [Deppler] (3)


def _deflection(
    model: System, slip: Slip, name: str, nominal: float, visibility: Visibility
) -> ca.SX:
    if not isinstance(model, System):
        raise ModelError(f"regularized slip: model is {model!r}; give a Model")
    slip.release()
    return model.states.add(
        f"{name}.deflection",
        unit="rad" if slip.unit == "rad/s" else "m",
        nominal=nominal,
        visibility=visibility,
        description=f"deflection of the regularized contact, {slip.name}",
    )


def _finish(
    model: System,
    slip: Slip,
    name: str,
    element: _Element,
    z: ca.SX,
    excess: ca.SX,
    sliding: ca.SX,
) -> Regularized:
    """Add the limited force, and the rate of z."""
    force = element.trial(z, slip.velocity) - excess
    velocity = excess / element.damper
    rate = slip.velocity - velocity
    slip.law(force)
    model.states.set_derivative(f"{name}.deflection", rate)
    return Regularized(
        z,
        force,
        sliding,
        velocity,
        element.spring * z**2 / 2,
        element.damper * rate**2 + force * velocity,
    )
