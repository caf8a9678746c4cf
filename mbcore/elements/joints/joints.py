"""Joints of rigid bodies by their names: revolute, prismatic, planar, universal, spherical, fixed.

A joint is made of existing elements (hinges, rigid links, slides) and of the nodes between them.
Each of these places the next node explicitly, so open trees of joints need no iteration. Hinges are
added before the links of points, so that orientations and points are placed in turn along the tree,
and the work is proportional to its size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import casadi as ca
import numpy as np

from mbcore.elements.bodies.body import Body
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joint_records import (
    Fixed,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from mbcore.elements.joints.joint_sides import Pair, Place, relative_start
from mbcore.elements.joints.slide import Slide
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Angle, Rotation
from mbcore.model.system import System

P = ParamSpec("P")
R = TypeVar("R")


@explains_arguments
def revolute(
    name: str,
    p: Body | System,
    q: Body | System,
    *,
    at: Place,
    axis: Sequence[float] | None = None,
) -> Revolute:
    """Let two bodies turn relative to each other about an axis through a place of both.

    ``joint.angle`` is that of a hinge: dependent unless it is given a role. It is zero in the start
    configuration. If the joint is at a body's own point, ``joint.point`` is this point, and
    elements attached to it are on that body's side of the pin.

    Parameters
    ----------
    name : str
        Name of the joint, of its hinge and of its point.
    p, q : Body or Model
        Bodies with a point and an orientation; the model means its ground. q turns relative to p.
    at : sequence of two or three, or a pair of these
        Place of the joint in the start configuration, on inertial axes, m: numbers, or expressions
        of parameters. A pair gives the place on p and the one on q instead, each from its body's
        point on its body's axes; then the bodies need not start in a configuration that the joint
        allows, and the angle is zero where the axes of both bodies are parallel.
    axis : sequence of three
        In space, the axis on inertial axes in the start configuration; with a pair of places, on
        the axes of p.

    Raises
    ------
    ModelError
        If a body is not in a model or has no point or orientation, both are the same, of different
        models or spaces, or a place or axis does not fit; the message names the joint.
    """
    pair = Pair("revolute joint", name, p, q)
    local = pair.local(at)
    offsets = pair.offsets(at)
    hinge = pair.model.add(_hinge(pair, pair.axis(axis, local), local))
    point = pair.tie(offsets)
    return Revolute(point, hinge)


def _hinge(pair: Pair, axis: tuple[float, ...], local: bool) -> Hinge | PlanarHinge:
    p, q = pair.p.orientation, pair.q.orientation
    if isinstance(p, Angle) and isinstance(q, Angle):
        return PlanarHinge(pair.name, p, q, rest=0.0 if local else q.start - p.start)
    assert isinstance(p, Rotation) and isinstance(q, Rotation)
    rest = (1, 0, 0, 0) if local else relative_start(p, q)
    return Hinge(pair.name, p, q, axis=axis, rest=rest)


def _rigid_hinge(pair: Pair) -> Hinge | PlanarHinge:
    """Add a rigid hinge, which keeps the relative orientation of the start."""
    hinge = pair.model.add(_hinge(pair, (1.0, 0.0, 0.0), local=False))
    hinge.deformations["angle"].rigid()
    return hinge


def _without_place(joint: Callable[P, R]) -> Callable[P, R]:
    """Let a joint tell why it takes no place, as other joints do."""

    @wraps(joint)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if "at" in kwargs:
            raise TypeError(
                f"{joint.__name__}: it has no place, because all points of q move alike relative "
                "to p; leave at= out. Its forces act at q's own point; to let them act elsewhere, "
                "give q its point there"
            )
        return joint(*args, **kwargs)

    return call


@_without_place
@explains_arguments
def prismatic(name: str, p: Body | System, q: Body | System, *, axis: Sequence[float]) -> Prismatic:
    """Let a body slide along an axis of another one and keep it from turning relative to it.

    ``joint.displacement`` is dependent unless it is given a role; it is zero in the start
    configuration. A place is not needed, since all points move alike relative to p. The moment with
    which the joint keeps q from turning is about q's own point.

    Parameters
    ----------
    name : str
        Name of the joint, of its slide and, with ``hinge`` added, of its hinge.
    p, q : Body or Model
        Bodies with a point and an orientation; the model means its ground. q moves relative to p.
    axis : sequence of two or three
        Direction on inertial axes in the start configuration.

    Raises
    ------
    ModelError
        If a body is not in a model or has no point or orientation, both are the same, of different
        models or spaces, or the axis does not fit; the message names the joint.
    """
    pair = Pair("prismatic joint", name, p, q)
    direction = pair.direction(axis)
    start, end = pair.points_apart()
    hinge = _rigid_hinge(pair.renamed("hinge"))
    slide = pair.model.add(Slide(name, start, pair.p.orientation, end, axis=direction))
    slide.pulls_on = pair.q.own
    return Prismatic(slide, hinge)


@_without_place
@explains_arguments
def planar(name: str, p: Body | System, q: Body | System, *, normal: Sequence[float]) -> Planar:
    """Let a body slide and turn on a plane of another one, which holds it from both sides.

    ``joint.displacements`` and ``joint.angle`` are dependent unless they are given roles; they are
    zero in the start configuration. The displacements are along two axes of p across the normal,
    in this order x and y for the normal z, and so on in turn. The moment that keeps q from tilting
    is about q's own point.

    Parameters
    ----------
    name : str
        Name of the joint, of its slide and, with ``hinge`` added, of its hinge.
    p, q : Body or Model
        Bodies in space with a point and an orientation; the model means its ground. q moves
        relative to p.
    normal : sequence of three
        Direction on inertial axes in the start configuration.

    Raises
    ------
    ModelError
        As for `prismatic`, and for bodies in the plane.
    """
    pair = Pair("planar joint", name, p, q)
    if pair.planar:
        raise ModelError(f"{pair.title}: bodies in the plane move on it already; leave it out")
    direction = pair.direction(normal, "normal")
    start, end = pair.points_apart()
    hinge = pair.model.add(_hinge(pair.renamed("hinge"), direction, local=False))
    assert isinstance(hinge, Hinge)
    slide = pair.model.add(Slide(name, start, pair.p.orientation, end, axis=direction))
    slide.pulls_on = pair.q.own
    slide.visible = hinge.visible = False  # there is neither a rail nor a pin
    joint = Planar(slide, hinge)
    slide.deformations["displacement"].rigid()
    for displacement in joint.displacements:
        displacement.release()
    return joint


@explains_arguments
def spherical(name: str, p: Body | System, q: Body | System, *, at: Place) -> Spherical:
    """Keep a place of one body on a place of another, and leave their orientations free.

    The relative orientation needs coordinates: Euler parameters, or the angles of hinges.

    Parameters
    ----------
    name : str
        Name of the joint and of its point.
    p, q, at
        See `revolute`.

    Raises
    ------
    ModelError
        As for `revolute`.
    """
    pair = Pair("spherical joint", name, p, q)
    point = pair.tie(pair.offsets(at))
    return Spherical(point, pair.p.orientation, pair.q.orientation, name)


@explains_arguments
def universal(
    name: str,
    p: Body | System,
    q: Body | System,
    *,
    at: Place,
    axes: tuple[Sequence[float], Sequence[float]],
) -> Universal:
    """Join two bodies by a cross that turns about an axis of each (Cardan's or Hooke's joint).

    ``joint.angles`` are dependent unless they are given roles: that of the massless cross relative
    to p, and that of q relative to the cross. Both are zero in the start configuration.

    Parameters
    ----------
    name : str
        Name of the joint, of its point and of its cross; the hinges are
        ``NAME.first`` and ``NAME.second``.
    p, q, at
        See `revolute`; at one place of the start configuration.
    axes : pair of sequences of three
        The axis of p and that of q, on inertial axes in the start configuration; usually
        perpendicular.

    Raises
    ------
    ModelError
        As for `revolute`, for bodies in the plane, and for parallel axes, with which the joint has
        one freedom only.
    """
    pair = Pair("universal joint", name, p, q)
    first, second = pair.p.orientation, pair.q.orientation
    if not isinstance(first, Rotation) or not isinstance(second, Rotation):
        raise ModelError(f"{pair.title}: bodies in the plane have one axis; use revolute")
    if pair.local(at):
        raise ModelError(
            f"{pair.title}: at is a pair of places; give one place of the start configuration"
        )
    if not isinstance(axes, list | tuple) or len(axes) != 2:
        raise ModelError(f"{pair.title}: axes is {axes}; give the axis of p and that of q")
    of_p, of_q = (np.asarray(pair.direction(axis)) for axis in axes)
    sine = np.linalg.norm(np.cross(of_p, of_q)) / np.linalg.norm(of_p) / np.linalg.norm(of_q)
    if not sine > 1e-6:
        raise ModelError(
            f"{pair.title}: its axes {axes[0]} and {axes[1]} are parallel; give axes that cross, "
            "or use revolute"
        )
    offsets = pair.offsets(at)
    cross = pair.model.nodes.rotation(f"{name}.cross", ca.vertsplit(first.start))
    rest = relative_start(first, second)
    hinges = (
        pair.model.add(Hinge(f"{name}.first", first, cross, axis=of_p.tolist())),
        pair.model.add(Hinge(f"{name}.second", cross, second, axis=of_q.tolist(), rest=rest)),
    )
    return Universal(pair.tie(offsets), cross, hinges)


@explains_arguments
def fixed(name: str, p: Body | System, q: Body | System, *, at: Place | None = None) -> Fixed:
    """Fix two bodies to each other as they start, like a weld.

    Parameters
    ----------
    name : str
        Name of the joint, of its hinge and of its point.
    p, q : Body or Model
        Bodies with a point and an orientation; the model means its ground.
    at : sequence of two or three, optional
        The place, as for `revolute`, to which forces in the joint belong; q's own point by default.

    Raises
    ------
    ModelError
        As for `revolute`.
    """
    pair = Pair("fixed joint", name, p, q)
    offsets = pair.offsets(pair.default_place() if at is None else at)
    hinge = _rigid_hinge(pair)
    return Fixed(pair.tie(offsets), hinge)
