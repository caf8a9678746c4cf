"""Shapes of a balancing robot: a slender body between two wheels, on a floor."""

from __future__ import annotations

import casadi as ca

from mbcore import Model
from mbcore.drawing import arrow, box, disc, dot, surface

from ..shared import METAL, RED
from .parts import BalancingWheel, Frames


def add_shapes(robot: Model, frames: Frames, wheels: list[BalancingWheel], track: ca.SX) -> None:
    """Show floor, body and wheels, the axle's path and the floor's forces."""
    corners = [[(a, b, 0) for b in (-1, 1)] for a in (-1, 1)]
    robot.show(surface(corners, ground=True, name="floor"))
    height = robot.parameters["body.height"].symbol
    up = frames.body.matrix[:, 2]
    middle = frames.axle.position + 0.8 * height * up
    robot.show(box(middle, frames.body, (0.1, 0.75 * track, 1.8 * height), name="body"))
    head = frames.axle.position + 1.8 * height * up
    robot.show(box(head, frames.body, (0.14, 0.5 * track, 0.25 * height), colour=METAL))
    below = ca.vertcat(frames.axle.position[:2], 0)
    robot.show(dot(below, colour=RED, trail=True, name="path"))
    ahead = frames.heading.matrix[:, 0]
    for wheel in wheels:
        width = 0.5 * wheel.radius
        robot.show(
            disc(wheel.hub, wheel.turned, wheel.radius, width, axle=(0, 1, 0), name=wheel.name)
        )
        touching = wheel.hub.position - ca.vertcat(0, 0, wheel.radius)
        force = -wheel.rolls.force * ahead + wheel.hub.z.reaction * ca.DM([0, 0, 1])
        robot.show(arrow(touching, force, name=f"{wheel.name} force"))
