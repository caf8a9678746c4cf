"""Contact of a ball or convex body with a surface, by a law, in space."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.contact.contact_arguments import check_force_law, check_member, chosen_friction
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.memory import Memory
from mbcore.contact.places import BodyPlace
from mbcore.contact.touching import SwitchedLaw, touch_by_law
from mbcore.elements.friction.coulomb import CoulombFriction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.friction.rubbing import length
from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.model import checks, summary
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.quantities import Role
from mbcore.model.system import System
from mbcore.model.variables import Number

__all__ = ["SurfaceContact", "surface_contact"]


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceContact(summary.SummarizedExpressions):
    """Expressions of a body's contact with a surface; forces are those on the surface.

    Attributes
    ----------
    penetration, penetration_rate, in_contact, sticks, force : SX
        As of `mbcore.contact.PlaneContact`, against the surface.
    sliding : SX
        Velocity of the body past the surface along the body's two slips, m/s, shape (2, 1); in
        flight, of the body continued to the surface.
    sliding_speed : SX
        Its size, m/s.
    friction_force : SX
        Tangential force along the same directions, N, shape (2, 1).
    spin_moment : SX
        Moment against the spin about the normal, N.m; zero without a patch.
    impacts, impact_time, impact_speed : SX
        As of `mbcore.contact.PlaneContact`.
    """

    penetration: ca.SX
    penetration_rate: ca.SX
    in_contact: ca.SX
    force: ca.SX
    sliding: ca.SX
    sliding_speed: ca.SX
    friction_force: ca.SX
    spin_moment: ca.SX
    sticks: ca.SX
    impacts: ca.SX
    impact_time: ca.SX
    impact_speed: ca.SX


def surface_contact(
    model: System,
    body: RollingBody,
    law: ContactLaw,
    *,
    friction: FrictionLaw | CoulombFriction | Number = 0.0,
    patch: Number | None = None,
) -> SurfaceContact:
    r"""Add contact in space between a body and its surface, by a law with friction that sticks.

    The body is a `Ball`, a `ConvexBody` or a `ThickWheel`, which has its surface g(c) = 0, at rest
    or moving with a frame. Its deformation ``normal`` is the gap: a degree of freedom, or released
    where others place the body. A ball on the surface √(cᵀ c) - R in another body's frame is a
    sphere on a sphere. While δ = -gap > 0, the normal force is F = ``law(δ, δ̇, δ̇⁻)``,
    [Schwab2002] (5.1).

    Friction opposes the sliding v of the body past the surface at the contact point c, which is on
    the surface,

        v = ẇ + ω × (c - w) - (V + Ω × (c - o)),

    so that forces and moments of both sides balance. There is none in flight. While the body
    slides, it is μ F against v. Where v comes to rest the contact sticks, and the body rolls: both
    parts of v are held at zero exactly while that takes at most μ_s F, Coulomb's cone. Where what
    sticks has stopped vibrating, it rests: the gap's rate is held, too, until the load changes. All
    this begins and ends at events of the friction ``NAME.friction``, with the body's name; contact
    itself at ``NAME.contact``. A `CoulombFriction` is smoothed, and creeps.

    Adds the discrete variables ``NAME.impacts``, ``NAME.impact_time`` and ``NAME.impact_speed``.

    Parameters
    ----------
    model : Model
        The model of the body.
    body : Ball, ConvexBody or ThickWheel
        Its ``normal`` must be neither rigid nor prescribed; its slips along the surface are
        released here, so the degrees of freedom are those of a body that slides.
    law : callable
        One of `mbcore.contact.hertz`, or any function of depth, rate and impact speed.
    friction : FrictionLaw, number, expression or CoulombFriction
        μ and μ_s of friction that sticks; a number or an expression is both. Or μ and speed of
        smoothed friction.
    patch : number or expression, optional
        Radius, m, of the small round area that touches. Then friction that sticks acts against the
        spin about the normal, too, and sliding and spinning weaken the friction against each other.

    Raises
    ------
    ModelError
        If the body is not the model's, the law is an `Impact` or no law, a condition holds its
        slips, there is a patch without friction that sticks, or a number is out of its range.
    RoleError
        If ``normal`` is rigid or prescribed, or a slip along the surface a degree of freedom.
    """
    _check(model, body, law)
    rubs = chosen_friction(body.name, friction)
    if patch is not None:
        if not isinstance(rubs, FrictionLaw):
            raise ModelError(
                f"contact of {body.name}: patch is for friction that sticks; give friction=0.3 or "
                "a FrictionLaw, or leave patch out"
            )
        patch = checks.number(f"contact of {body.name}", "patch", patch, above=0.0, unit="m")
    place, memory = BodyPlace(body, patch), Memory.add(model, body.name)
    motion = place.motion
    begun = (memory, f"{body.name}.contact")
    touch = touch_by_law(model, place, SwitchedLaw(law), rubs, begun, patch)
    spin = ca.SX(0) if patch is None else body.slips["spin"].force
    return SurfaceContact(
        ca.fmax(motion.depth, 0),
        motion.rate,
        touch.in_contact,
        touch.force,
        motion.sliding,
        ca.dot(motion.sliding, motion.sliding) / length(motion.sliding),
        touch.tangential[:2],
        spin,
        touch.sticks,
        memory.impacts,
        memory.time,
        memory.speed,
    )


def _check(model: System, body: RollingBody, law: ContactLaw) -> None:
    """Check arguments before the model is changed."""
    if not isinstance(body, RollingBody):
        raise ModelError(
            f"surface contact: body is {body!r}; give a Ball, ConvexBody or ThickWheel of the model"
        )
    owner = f"surface contact of {body.name}"
    check_member(owner, model, body)
    check_force_law(owner, law)
    normal = body.deformations["normal"]
    if normal.role in (Role.RIGID, Role.PRESCRIBED):
        raise RoleError(
            f"{normal.name} is {normal.role.value}: a body that may leave its surface needs it "
            "free; call dof(), or release() where other coordinates place the body"
        )
    for name in (*body.directions, "spin"):
        slip = body.slips[name]
        if slip.held is not None:
            raise ModelError(
                f"{owner}: a condition holds {slip.name} already, such as another friction; give "
                f"the {body.title} one friction, and leave hold out"
            )
        if name != "spin" and slip.role is Role.DOF:
            raise RoleError(
                f"{slip.name} is a degree of freedom: friction releases it; take the coordinates "
                "of the centre or of the contact point as degrees of freedom"
            )
