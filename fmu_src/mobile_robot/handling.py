"""How importers connect mobile robots, and hands drive them: terminals, keys, sliders' ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mbcore.fmi.component import Terminal

_MEMBERS = ("torque", "angle", "rate", "power")
CAPTIONS = {"left": "turn left", "right": "turn right", "up": "forward", "down": "back"}
"""Of the keys of a robot with a left and a right wheel."""


def terminals(drives: Mapping[str, str]) -> tuple[Terminal, ...]:
    """Return the terminals of drives, given their descriptions by name, and of the base."""
    return (
        *(
            Terminal(name, {member: f"{name}.{member}" for member in _MEMBERS}, description)
            for name, description in drives.items()
        ),
        Terminal("base", {"x": "base.x", "y": "base.y", "yaw": "base.yaw"}, "place and heading"),
    )


def keys_of(torques: dict[str, float], speed: float) -> dict[str, float]:
    """Return what a key sets: torques of wheels, N.m, and their speeds for drive = speed.

    Parameters
    ----------
    torques : dict of str to float
        By wheel.
    speed : float
        Of the wheel with the largest torque, rad/s; the others are in proportion.
    """
    largest = max(abs(torque) for torque in torques.values())
    return {
        **{f"{name}.torque": torque for name, torque in torques.items()},
        **{f"{name}.speed": speed * torque / largest for name, torque in torques.items()},
    }


def used_with(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return with which value of `drive` each input of wheels acts."""
    inputs = {"torque": "torque", "acceleration": "speed", "speed": "speed"}
    return {f"{n}.{what}": ("drive", drive) for n in names for what, drive in inputs.items()}


def two_wheel_keys(
    turning: tuple[float, float], driving: tuple[float, float]
) -> dict[str, dict[str, float]]:
    """Return the keys of a robot with a left and a right wheel: torque, N.m, and speed, rad/s."""

    def both(left: float, right: float, size: tuple[float, float]) -> dict[str, float]:
        return keys_of({"left": left * size[0], "right": right * size[0]}, size[1])

    return {
        "left": both(-1, 1, turning),
        "right": both(1, -1, turning),
        "up": both(1, 1, driving),
        "down": both(-1, -1, driving),
    }


def drive_ranges(
    names: Iterable[str], torque: float, acceleration: float
) -> dict[str, tuple[float, float]]:
    """Return the ranges of drives, to both sides: N.m and rad/s2, and 20 rad/s."""
    sizes = {"torque": torque, "speed": 20, "acceleration": acceleration}
    return {f"{name}.{of}": (-size, size) for of, size in sizes.items() for name in names}
