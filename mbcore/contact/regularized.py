r"""Regularized rolling: slips resisted by spring and damper, optionally with a friction limit.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca

from mbcore import factories
from mbcore.model import checks, summary
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends
from mbcore.model.quantities import Slip
from mbcore.model.system import System, is_system
from mbcore.model.variables import Number, Visibility

OWNER = "regularized slip"
EXPONENTS = {"principal": 0.5, "strong": 1.0}
"""Damping exponents κ of [Deppler] by name."""
VANISHING = 1e-300
"""Square, too small to change a value, that keeps the root's derivative finite without a force."""


@explains_construction
@dataclass(frozen=True)
class Regularization:
    """Spring and damper in place of a non-holonomic constraint, Deppler's regularization.

    Attributes
    ----------
    stiffness, damping : number or expression
        c, N/m, at least 0, and d, N.s/m, positive; both for a compliance of one.
    compliance : number or expression
        ε, positive. The motion tends to that without slip for ε → 0.
    exponent : {"principal", "strong"}, number or expression
        κ of the damping, 1/2 or 1 by name.

    Raises
    ------
    ModelError
        If a number is out of its range, or the exponent's name is unknown.
    """

    stiffness: Number
    damping: Number
    compliance: Number
    exponent: Literal["principal", "strong"] | Number = "principal"

    def __post_init__(self) -> None:
        if isinstance(self.exponent, str) and self.exponent not in EXPONENTS:
            raise ModelError(
                f"no damping {self.exponent!r}; there is {', '.join(EXPONENTS)}, or a number"
            )
        if not isinstance(self.exponent, str):
            checks.number(OWNER, "exponent", self.exponent)
        checks.fields_in_units(OWNER, self, stiffness="N/m", damping="N.s/m", compliance="1")
        for what in ("damping", "compliance", "stiffness"):
            _check(what, getattr(self, what), zero=what == "stiffness")

    @classmethod
    def suggest(
        cls,
        equations: factories.Equations,
        state: Mapping[str, float | str] | None = None,
        accuracy: float = 1e-3,
        *,
        parameters: Mapping[str, float | str] | None = None,
        inputs: Mapping[str, float | str] | None = None,
        slips: Sequence[str] | None = None,
        rate: float | None = None,
    ) -> factories.SuggestedRegularization:
        """Return c, d, ε and κ for the slips of a model, from its own G M⁻¹ Gᵀ.

        κ = 1/2 and ε = ``accuracy``. With the eigenvalues w of G M⁻¹ Gᵀ at the state and the rate Ω
        of the motion, c = Ω²/w_min, so that the slip is of the size of ``accuracy``, in parts of
        the velocity that the contact's force would cause otherwise, and d = 2 √(c/w_max), so that
        the fastest direction is critically damped: less rings, more is stiff. ``draw()`` shows
        error and cost of other κ and ε.

        Parameters
        ----------
        equations : Equations
            Of the model that rolls without slip.
        state : mapping of str to float, optional
            Where; others at their start values.
        accuracy : float
            Between 0 and 1.
        parameters, inputs : mapping of str to float or str
            Values that differ from the model's.
        slips : sequence of str, optional
            Zero slips that are to be regularized, of one unit; by default all.
        rate : float, optional
            Ω, rad/s; by default the largest modulus of the eigenvalues at the state.

        Returns
        -------
        SuggestedRegularization

        Raises
        ------
        ModelError
            If there are no zero slips, or they depend on each other or differ in units, if nothing
            changes at the state and no rate is given, or a number is out of range.
        """
        return factories.suggest_regularization(
            equations,
            state,
            accuracy,
            parameters=parameters,
            inputs=inputs,
            slips=slips,
            rate=rate,
        )

    @cached_property
    def spring(self) -> ca.SX:
        """Stiffness c/ε of the contact, N/m."""
        return ca.SX(self.stiffness) / self.compliance

    @cached_property
    def damper(self) -> ca.SX:
        """Damping d/ε^κ of the contact, N.s/m."""
        exponent = EXPONENTS.get(self.exponent) if isinstance(self.exponent, str) else self.exponent
        return ca.SX(self.damping) / ca.SX(self.compliance) ** exponent

    def force(self, deflection: ca.SX, velocity: ca.SX) -> ca.SX:
        """Return λ* of a deflection and a slip velocity, N: the force while nothing slides."""
        return self.spring * deflection + self.damper * velocity  # [Deppler] (3)


@dataclass(frozen=True, repr=False)
class Regularized(summary.SummarizedExpressions):
    """Expressions of a regularized slip, for outputs and laws.

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


@explains_arguments
def regularize(
    model: System,
    slip: Slip,
    regularization: Regularization,
    *,
    limit: Number | None = None,
    name: str | None = None,
    nominal: float = 1e-3,
    band: float = 1e-9,
    visibility: Visibility = "local",
) -> Regularized:
    """Release a slip and resist it by spring, damper and, with a limit, dry friction.

    Without a limit this is Deppler's regularization, [Deppler] (3).

        z' = s,   λ = c/ε z + d/ε^κ z'

    With a limit L the force of spring and damper is at most that, λ = λ* min(1, L/|λ*|).

    Parameters
    ----------
    model : Model
        The model of the slip; it gets the state z and, with a limit, two events.
    slip : Slip
        The slip to be resisted.
    regularization : Regularization
        Stiffness, damping and compliance of the contact.
    limit : number or expression, optional
        L, at least 0: friction coefficient times normal force. A function of state, inputs,
        parameters and time; it may hold constraint forces, such as the ``normal_force`` of a wheel,
        and is then required not to be negative, where the ground would pull. It bounds the slip's
        force: slips of a `Wheel` are in m2/s, so there it is μ N / r.
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
        If the limit is negative, or an argument is of another kind.
    """
    _check_arguments(regularization, (slip,), limit)
    name = name or slip.name
    z = _deflection(model, slip, name, nominal, visibility)
    _require_pressure(model, name, limit)
    trial = regularization.force(z, slip.velocity)
    if limit is None:
        return _finish(model, slip, name, regularization, z, ca.SX(0), ca.SX(0))
    # At a limit of zero the derivative is that of limits above zero; fmax has another one.
    top = ca.if_else(limit < 0, 0, limit)
    forward = model.events.add(f"{name}.sliding_forward", trial - top, band=band)
    backward = model.events.add(f"{name}.sliding_backward", -trial - top, band=band)
    # At zero force and zero limit neither alone changes the force, hence sign(0) = 0.
    sticking = ca.if_else(ca.fabs(trial) >= top, trial - ca.sign(trial) * top, 0)
    excess = ca.if_else(forward, trial - top, ca.if_else(backward, trial + top, sticking))
    return _finish(model, slip, name, regularization, z, excess, ca.fmax(forward, backward))


@explains_arguments
def regularize_pair(
    model: System,
    slips: Sequence[Slip],
    regularization: Regularization,
    *,
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
        If there are not two slips and two names, the limit is negative, or an argument is of
        another kind.
    """
    _check_arguments(regularization, slips, limit)
    names = names or [slip.name for slip in slips]
    if len(slips) != 2 or len(names) != 2:
        raise ModelError(
            f"a pair has two slips and two names, got {len(slips)} and {len(names)}; call "
            "regularize for each slip with its own limit"
        )
    z = [_deflection(model, s, n, nominal, visibility) for s, n in zip(slips, names, strict=True)]
    _require_pressure(model, names[0], limit)
    trial = [regularization.force(q, s.velocity) for q, s in zip(z, slips, strict=True)]
    size = ca.sqrt(trial[0] ** 2 + trial[1] ** 2 + VANISHING)
    # At a limit of zero the derivative is that of limits above zero; fmax has another one.
    top = ca.if_else(limit < 0, 0, limit)
    sliding = model.events.add(f"{names[0]}.sliding", size - top, band=band)
    part = 1 - top / ca.if_else(sliding, size, ca.fmax(size, top))
    first, second = (
        _finish(model, s, n, regularization, q, part * force, sliding)
        for s, n, q, force in zip(slips, names, z, trial, strict=True)
    )
    return first, second


def _check_arguments(
    regularization: Regularization, slips: Sequence[Slip], limit: Number | None
) -> None:
    """Check all arguments before the model is changed."""
    for slip in slips:
        if not isinstance(slip, Slip):
            raise ModelError(f"{slip!r} is not a slip; give one of a wheel, as in wheel.lateral")
    if not isinstance(regularization, Regularization):
        raise ModelError(
            f"{OWNER}: regularization is {regularization!r}; give Regularization(stiffness, "
            "damping, compliance)"
        )
    if limit is not None:
        _check("limit", limit, zero=True)


def _check(what: str, value: Number, *, zero: bool) -> None:
    """Refuse a number that is negative or infinite, or zero where that is impossible."""
    given = checks.expression(OWNER, what, value)
    if not given.is_constant():
        return
    if not (0 < float(given) < math.inf or (zero and float(given) == 0)):
        raise ModelError(
            f"the {what} of a {OWNER} is {'not negative' if zero else 'positive'}, got {value}"
        )


def _deflection(
    model: System, slip: Slip, name: str, nominal: float, visibility: Visibility
) -> ca.SX:
    if not is_system(model):
        raise ModelError(f"regularized slip: model is {model!r}; give a Model")
    slip.release()
    return model.states.add(
        f"{name}.deflection",
        unit="rad" if slip.unit == "rad/s" else "m",
        nominal=nominal,
        visibility=visibility,
        description=f"deflection of the regularized contact, {slip.name}",
    )


def _require_pressure(model: System, name: str, limit: Number | None) -> None:
    """Require that a limit by constraint forces is not negative."""
    duals = [q.dual for q in (*model.deformations(), *model.slips())]
    forces = column([*duals, *(reaction.force for reaction in model.reactions)])
    if limit is not None and depends(ca.SX(limit), forces):
        model.requirements.add(
            f"{name}.presses",
            ca.SX(limit),
            "the limit of friction, N, is negative, so the ground would pull; load the contact "
            "more, end the run earlier, or use a unilateral contact",
        )


def _finish(
    model: System,
    slip: Slip,
    name: str,
    regularization: Regularization,
    z: ca.SX,
    excess: ca.SX,
    sliding: ca.SX,
) -> Regularized:
    """Add the limited force, and the rate of z."""
    force = regularization.force(z, slip.velocity) - excess
    velocity = excess / regularization.damper
    rate = slip.velocity - velocity
    slip.law(force)
    model.states.set_derivative(f"{name}.deflection", rate)
    return Regularized(
        z,
        force,
        sliding,
        velocity,
        regularization.spring * z**2 / 2,
        regularization.damper * rate**2 + force * velocity,
    )
