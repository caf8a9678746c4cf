"""Dry friction by the force that a joint or contact transmits: the friction of any joint."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Literal, ParamSpec, TypeAlias, TypeVar

from mbcore.elements.friction.ball import BallFriction
from mbcore.elements.friction.dry_friction import (
    DryFriction,
    FrictionLaw,
    check_numbers,
    other_name,
)
from mbcore.elements.friction.face import FaceFriction
from mbcore.elements.friction.footing import Rolling
from mbcore.elements.friction.guide import GuideFriction
from mbcore.elements.friction.pin import PinFriction, Pinned
from mbcore.elements.friction.pin_force import OnOneSide
from mbcore.elements.friction.rolling import RollingFriction
from mbcore.elements.friction.transmission import TransmissionFriction
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.gear import GearPair
from mbcore.elements.joints.joint_records import Planar, Prismatic, Spherical
from mbcore.elements.joints.slide import Slide
from mbcore.model.calls import misfit
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point
from mbcore.model.variables import Number

P = ParamSpec("P")
R = TypeVar("R")
Rubbed: TypeAlias = Pinned | Slide | Prismatic | Coupling | GearPair | Spherical | Planar | Rolling
"""Joints and elements for which there is friction."""
Size: TypeAlias = Number | Point | OnOneSide | Sequence[OnOneSide] | None
"""A size or a place of a joint."""

KINDS: tuple[type[DryFriction], ...] = (
    PinFriction,
    GuideFriction,
    TransmissionFriction,
    BallFriction,
    FaceFriction,
    RollingFriction,
)
"""All frictions by their joints."""
SIZES = {
    "radius": "hinges, balls, screws, gear pairs, and guides in space",
    "at": "hinges",
    "of": "hinges and balls",
    "span": "hinges in space and guides",
    "collar": "hinges in space",
    "load": "planar rolling elements",
    "patch": "planar joints and rolling elements",
}
"""Sizes and places of joints, and the joints that have them."""


def _explained(function: Callable[P, R]) -> Callable[P, R]:
    """Let `Friction` tell which argument is unknown or missing, sizes among them."""
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "sizes"]
    parameters = own + [inspect.Parameter(s, own[-1].kind, default=None) for s in SIZES]
    names = [parameter.name for parameter in parameters]

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        called = function.__name__
        others = (other_name(called, name, names) for name in kwargs)
        wrong = next(filter(None, others), None) or misfit(called, parameters, args, kwargs)
        if wrong is not None:
            raise TypeError(wrong)
        return function(*args, **kwargs)

    return call


@_explained
def Friction(
    name: str,
    joint: Rubbed,
    *,
    coefficient: Number,
    static: Number | None = None,
    viscous: Number = 0.0,
    preload: Number = 0.0,
    fit: Literal["snug", "loose"] = "snug",
    **sizes: Size,
) -> DryFriction:
    """Return the dry friction of a joint or rolling element, by the transmitted force.

    While the joint slides, its friction opposes the sliding. When it comes to rest, it sticks: a
    constraint holds its rate at exactly zero as long as the required friction does not exceed the
    limit by the ``static`` coefficient. Both changes are events.

    The kind of joint determines the friction: `PinFriction` of hinges and bearings,
    `GuideFriction` of slides, `TransmissionFriction` of screws and gears, `BallFriction` of
    spherical joints, `FaceFriction` of planar ones, `RollingFriction` of wheels, balls and blades.
    Their pages describe each.

    Symbols for outputs are ``force`` (``torque`` for rotations), with a ``patch`` the ``moment``
    against the spin, ``power``, never positive, ``sticks`` and ``load``, the sum of the normal
    forces.

    Parameters
    ----------
    name : str
        Unique among the model's elements.
    joint : joint or rolling element
        A PlanarHinge, Hinge, Revolute, Spherical, Bearing, Slide, GearPair or Coupling, or a joint
        by `prismatic` or `planar`, whose motion must be free. A coupling of the displacement of a
        slide and the angle of a hinge is a screw with a square thread, one of two such angles is
        gears. A rolling element is a Wheel, PlanarWheel, ThickWheel, Ball, ConvexBody, KnifeEdge
        or PlanarKnifeEdge.
    coefficient, static : number or expression
        μ while sliding and while sticking; the latter is by default the former, and not less. Of
        coupled gears with the efficiency η it is (1 - η) / (1 + η).
    viscous : number or expression
        Additional viscous friction, N.m.s/rad or N.s/m.
    preload : number or expression
        Friction without load, N.m, for a slide N, such as that of a seal or a tightened nut; the
        same while sliding and while sticking.
    fit : {"snug", "loose"}
        Whether the pin or ball touches its bearing all around, or at a line: then the friction is
        μ / √(1 + μ²) times the force.
    **sizes
        Sizes and places that the joint has: ``radius`` of the pin, ball, journal or thread, m;
        ``at``, the centre of a hinge's pin, unless both bodies share exactly one point; ``of``,
        the elements on one side of it, if something at that point belongs to neither body by its
        orientation; ``span``, the distance of two bearings of a shaft or of the ends of a
        guide, m; ``collar``, the mean radius of one, m; ``load``, the normal force of a planar
        wheel, N; ``patch``, the radius of a round contact area, m.

    Raises
    ------
    ModelError
        If the joint is of another kind or has no such size, or a number is out of its range.
    TypeError
        If no joint has such a size.

    Examples
    --------
    >>> pin = model.add(Friction("pin", hinge, coefficient=0.2, radius=0.01))  # doctest: +SKIP
    """
    title = f"{DryFriction.kind} {name}"
    for kind in KINDS:
        if isinstance(joint, kind.joints):
            break
    else:
        raise ModelError(
            f"{title}: there is no friction for {joint!r}; give a hinge, a revolute, spherical, "
            "prismatic or planar joint, a bearing, a slide, a gear pair, the coupling of a screw "
            "or of gears, or a rolling element"
        )
    has = inspect.signature(kind).parameters
    given = {size: value for size, value in sizes.items() if value is not None}
    for size in given:
        if size not in has:
            raise ModelError(f"{title}: {size} is for {SIZES[size]}; leave it out")
    check_numbers(title, coefficient, static, viscous, preload)
    law = FrictionLaw(coefficient, static, viscous, preload, fit)
    return kind(name, joint, law, **given)
