"""Where a robot is by its wheels, as a controller computes it from nominal sizes."""

from __future__ import annotations

import casadi as ca

from mbcore import Model

from . import length


def nominal(robot: Model, name: str, value: float, description: str) -> ca.SX:
    """Add a size that the controller assumes, m."""
    return length(robot, f"odometry.{name}", value, f"{description}, as assumed", True)


def add_path(robot: Model, yaw: ca.SX, velocity: tuple[ca.SX, ca.SX | float], by: str) -> None:
    """Add the place that the velocity ahead and to the left, m/s, adds up to, at a heading, rad.

    ``by`` says from what.
    """
    ahead, left = velocity
    for axis, rate in (
        ("x", ahead * ca.cos(yaw) - left * ca.sin(yaw)),
        ("y", ahead * ca.sin(yaw) + left * ca.cos(yaw)),
    ):
        robot.state(f"odometry.{axis}", unit="m", description=f"place by {by}", visibility="output")
        robot.derivative(f"odometry.{axis}", rate)
