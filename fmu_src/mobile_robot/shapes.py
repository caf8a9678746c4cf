"""Shapes of a mobile robot: a box on wheels, on a floor."""

from __future__ import annotations

import casadi as ca

from mbcore.drawing import arrow, box, disc, dot
from mbcore.model.nodes.nodes import Angle, Point

from ..shared import METAL, RED
from ..single_track.shapes import about_y, show_road
from . import Base
from .casters import Caster
from .wheels import DrivenWheel


def show_base(
    base: Base, size: tuple[ca.SX, ca.SX], clearance: ca.SX, ahead: ca.SX | float = 0.0
) -> None:
    """Show the floor, the body of a length and width above a clearance, m, and its path.

    ``ahead`` is where the body's middle is ahead of the base's place, m.
    """
    robot, height = base.robot, 0.12
    show_road(robot)
    middle = ca.vertcat(base.place.position + ahead * base.ahead, clearance + height / 2)
    robot.show(box(middle, base.heading, (*size, height), colour=METAL, name="body"))
    nose = middle + ca.vertcat(0.35 * size[0] * base.ahead, 0.5 * height)
    robot.show(box(nose, base.heading, (0.15 * size[0], 0.5 * size[1], 0.03), name="front"))
    robot.show(dot(base.place, colour=RED, trail=True, name="path"))


def show_wheel(base: Base, wheel: DrivenWheel, force: ca.SX) -> None:
    """Show a driven wheel that turns, and the floor's force (2, 1) on it."""
    _show(base, (wheel.name, wheel.hub, wheel.radius), base.heading, wheel.spin, force)


def show_caster(base: Base, caster: Caster) -> None:
    """Show a caster's wheel that turns, and the floor's force on it."""
    wheel = caster.wheel
    wheel.visible = False
    force = -caster.fork.matrix @ ca.vertcat(wheel.longitudinal.force, wheel.lateral.force)
    round_one = (caster.name, wheel.centre, caster.mass.height)
    _show(base, round_one, caster.fork, wheel.spin, force)


def _show(
    base: Base, wheel: tuple[str, Point, ca.SX], heading: Angle, spin: Angle, force: ca.SX
) -> None:
    """Show a wheel of a name, centre and radius."""
    name, place, radius = wheel
    frame = ca.diagcat(heading.matrix, 1) @ about_y(spin.value)
    centre = ca.vertcat(place.position, radius)
    base.robot.show(disc(centre, frame, radius, 0.5 * radius, axle=(0, 1, 0), name=name))
    base.robot.show(arrow(place, force, name=f"{name} force"))
