"""Regulator that keeps a balancing robot upright and leads its speed and yaw rate."""

from __future__ import annotations

import casadi as ca

from mbcore import Model

from .parts import Frames

BALANCE = "balance: a regulator of pitch, speed and yaw rate gives the torques"


def regulated_torques(robot: Model, frames: Frames) -> dict[str, ca.SX]:
    """Add the targets and gains of the regulator; return its torques on the wheels, N.m, by side.

    By default the gains are those, rounded, of the linear quadratic regulator of the upright robot
    that finds a pitch of 0.1 rad, a pitch rate of 1 rad/s, a speed of 0.5 m/s and a yaw rate of
    1 rad/s each as bad as a torque of 2 N.m on each wheel.
    """
    speed = robot.input("target.speed", unit="m/s", description="that the regulator leads to")
    yaw_rate = robot.input("target.yaw_rate", unit="rad/s", description="that it leads to")
    gains = {
        name: robot.parameter(
            f"regulator.{name}", value, unit=unit, description=f"torque of each wheel by the {of}"
        )
        for name, value, unit, of in (
            ("pitch", 23.0, "N.m/rad", "pitch"),
            ("pitch_rate", 3.3, "N.m.s/rad", "pitch rate"),
            ("speed", 2.8, "N.s", "speed above the target"),
            ("yaw_rate", 1.4, "N.m.s/rad", "yaw rate below the target, opposite on the left"),
        )
    }
    ahead = ca.dot(frames.ahead, frames.axle.velocity) - speed
    upright = (
        gains["pitch"] * frames.pitch.value
        + gains["pitch_rate"] * frames.pitch.rate
        + gains["speed"] * ahead
    )
    turning = gains["yaw_rate"] * (yaw_rate - frames.heading.angular_velocity[2])
    return {"left": upright - turning, "right": upright + turning}
