"""What the pages of the FMUs show first, and how keys drive them."""

from __future__ import annotations

from mbcore.fmi.page_settings import Page

_WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
_CAR_KEYS: dict[str, dict[str, float]] = {
    "left": {"steer.angle": 0.15},
    "right": {"steer.angle": -0.15},
    "up": {"drive.force": 4000},
    "down": {"brake.force": 8000},
}
_CAR_PLOTS = (
    "chassis.speed",
    ("front.lateral_force", "rear.lateral_force"),
    ("front.friction_ratio", "rear.friction_ratio"),
)
_CAR_RANGES: dict[str, tuple[float, float]] = {
    "steer.angle": (-0.6, 0.6),
    "steer.rate": (-2, 2),
    "drive.force": (-6000, 6000),
    "brake.force": (0, 12000),
    "load.force_x": (-5000, 5000),
    "load.force_y": (-5000, 5000),
    "chassis.speed": (-20, 40),
    "chassis.mass": (300, 4000),
}

PAGES = {
    "vehicle": Page(keys=_CAR_KEYS, plots=_CAR_PLOTS, ranges=_CAR_RANGES),
    "vehicle_grip": Page(
        keys={
            **_CAR_KEYS,
            "i": {"front.friction": 0.1, "rear.friction": 0.1},
            "o": {"rear.friction": 0.3},
        },
        plots=(
            "chassis.speed",
            ("front.lateral_force", "rear.lateral_force"),
            ("front.slip_velocity", "rear.slip_velocity"),
        ),
        ranges={**_CAR_RANGES, "front.friction": (0, 1.2), "rear.friction": (0, 1.2)},
    ),
    "iltis": Page(
        # a rack to the left turns the wheels to the right
        keys={
            "left": {"rack.displacement": -0.03},
            "right": {"rack.displacement": 0.03},
            "up": {f"{wheel}.drive_torque": 250 for wheel in _WHEELS},
            "down": {f"{wheel}.brake_torque": 600 for wheel in _WHEELS},
            "q": {"wind.force_y": 3000},
        },
        plots=(
            "cabin.speed",
            "cabin.roll",
            tuple(f"{wheel}.load" for wheel in _WHEELS),
            tuple(f"{wheel}.side_force" for wheel in _WHEELS),
        ),
        ranges={
            "rack.displacement": (-0.06, 0.06),
            "rack.rate": (-0.5, 0.5),
            "rack.acceleration": (-5, 5),
            "wind.force_y": (-5000, 5000),
            **{f"{wheel}.drive_torque": (-600, 600) for wheel in _WHEELS},
            **{f"{wheel}.brake_torque": (0, 1500) for wheel in _WHEELS},
            **{f"{wheel}.road_height": (-0.1, 0.1) for wheel in _WHEELS},
            **{f"{wheel}.road_rate": (-1, 1) for wheel in _WHEELS},
        },
    ),
    "bicycle": Page(
        keys={
            "left": {"steer.torque": 1.5},
            "right": {"steer.torque": -1.5},
            "up": {"drive.torque": 20},
            "down": {"drive.torque": -20},
            "q": {"lean.torque": -60},
            "e": {"lean.torque": 60},
        },
        plots=(
            ("bicycle.lean", "bicycle.steer"),
            "bicycle.speed",
            ("front.lateral_force", "rear.lateral_force"),
        ),
        ranges={
            "steer.torque": (-5, 5),
            "lean.torque": (-100, 100),
            "drive.torque": (-40, 40),
            "bicycle.speed": (0.5, 12),
            "bicycle.lean": (-0.5, 0.5),
            "bicycle.steer": (-0.5, 0.5),
        },
    ),
    "rolling_disk": Page(
        keys={
            "left": {"yaw.torque": 0.05},
            "right": {"yaw.torque": -0.05},
            "up": {"axle.torque": 0.05},
            "down": {"axle.torque": -0.05},
        },
        plots=("disk.lean", ("disk.yaw_rate", "disk.pitch_rate"), "contact.force_normal"),
        ranges={
            "axle.torque": (-0.2, 0.2),
            "yaw.torque": (-0.2, 0.2),
            "disk.lean": (-1.2, 1.2),
            "disk.pitch_rate": (-2, 2),
            "disk.yaw_rate": (-2, 2),
            "disk.lean_rate": (-1, 1),
        },
        time_scale=2.0,
    ),
    "clearance_joint": Page(
        keys={"up": {"slider.force": 3000}, "down": {"slider.force": -3000}},
        plots=(("joint.x", "joint.y"), "joint.force", "joint.penetration", "slider.acceleration"),
        ranges={
            "slider.force": (-10000, 10000),
            "crank.speed": (0, 1000),
            "crank.acceleration": (-1e5, 1e5),
        },
        time_scale=0.002,
    ),
    "journal_bearing": Page(
        keys={
            "left": {"journal.x": -0.45e-3},
            "right": {"journal.x": 0.45e-3},
            "up": {"journal.y": 0.45e-3},
            "down": {"journal.y": -0.45e-3},
            # at rest the film carries nothing
            "q": {"journal.speed": 300},
            "e": {"journal.speed": -300},
        },
        plots=(
            ("bearing.force_x", "bearing.force_y"),
            "bearing.moment",
            "bearing.eccentricity_ratio",
        ),
        ranges={
            "journal.x": (-0.5e-3, 0.5e-3),
            "journal.y": (-0.5e-3, 0.5e-3),
            "journal.x_rate": (-0.1, 0.1),
            "journal.y_rate": (-0.1, 0.1),
            "journal.speed": (-500, 500),
        },
    ),
    "caster": Page(
        keys={"left": {"swivel.torque": 0.1}, "right": {"swivel.torque": -0.1}},
        plots=("swivel.angle", "strut.deflection", "wheel.lateral_force"),
        ranges={
            "swivel.torque": (-0.5, 0.5),
            "attachment.speed": (0, 3),
            "attachment.acceleration": (-1, 1),
            "strut.damping": (0, 1),
            "swivel.damping": (0, 0.5),
            "swivel.stiffness": (0, 1),
        },
        time_scale=2.0,
    ),
    "caster_flexible": Page(
        keys={},
        plots=("wheel.yaw", "yoke.deflection", "contact.force_lateral"),
        ranges={"attachment.speed": (0, 3), "attachment.acceleration": (-1, 1)},
        time_scale=2.0,
    ),
}
"""By the FMU's name."""
