"""How importers connect mobile robots, and hands drive them: terminals, keys, sliders' ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mbcore.fmi.component import Terminal

_MEMBERS = ("torque", "angle", "rate", "power")


def terminals(drives: Mapping[str, str]) -> tuple[Terminal, ...]:
    """Return the terminals of drives, given their descriptions by name, and of the base."""
    return (
        *(
            Terminal(name, {member: f"{name}.{member}" for member in _MEMBERS}, description)
            for name, description in drives.items()
        ),
        Terminal("base", {"x": "base.x", "y": "base.y", "yaw": "base.yaw"}, "place and heading"),
    )


def two_wheel_keys(turning: float, driving: float) -> dict[str, dict[str, float]]:
    """Return the keys of a robot with a left and a right wheel, given torques, N.m."""
    return {
        "left": {"left.torque": -turning, "right.torque": turning},
        "right": {"left.torque": turning, "right.torque": -turning},
        "up": {"left.torque": driving, "right.torque": driving},
        "down": {"left.torque": -driving, "right.torque": -driving},
    }


def drive_ranges(
    names: Iterable[str], torque: float, acceleration: float
) -> dict[str, tuple[float, float]]:
    """Return the ranges of drives, to both sides: N.m and rad/s2, and 20 rad/s."""
    sizes = {"torque": torque, "speed": 20, "acceleration": acceleration}
    return {f"{name}.{of}": (-size, size) for of, size in sizes.items() for name in names}
