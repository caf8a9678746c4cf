"""First view of the car's page, and its keys."""

from __future__ import annotations

from mbcore.fmi.page_settings import Page

from .data import CORNERS

DRIVEN = ("rear_left", "rear_right")

PAGE = Page(
    keys={
        "left": {"steering_wheel.angle": 1.0},
        "right": {"steering_wheel.angle": -1.0},
        "up": {f"{wheel}.drive_torque": 500 for wheel in DRIVEN},
        "down": {f"{wheel}.brake_torque": 700 for wheel in CORNERS},
        "q": {"body.force_y": 3000},
    },
    captions={
        "left": "steer left",
        "right": "steer right",
        "up": "drive",
        "down": "brake",
        "q": "push to the left, 3 kN",
    },
    plots=(
        "body.speed",
        "body.roll",
        tuple(f"{wheel}.load" for wheel in CORNERS),
        tuple(f"{wheel}.force_y" for wheel in CORNERS),
    ),
    ranges={
        "steering_wheel.angle": (-6, 6),
        "body.force_x": (-5000, 5000),
        "body.force_y": (-5000, 5000),
        "body.torque_z": (-5000, 5000),
        "road.friction": (0, 1.2),
        "road.slope": (-0.3, 0.3),
        **{f"{wheel}.drive_torque": (-1000, 1000) for wheel in CORNERS},
        **{f"{wheel}.brake_torque": (0, 2000) for wheel in CORNERS},
        **{f"{wheel}.road_height": (-0.05, 0.05) for wheel in CORNERS},
        **{f"{wheel}.road_rate": (-1, 1) for wheel in CORNERS},
        **{f"{wheel}.road_friction": (0, 1.2) for wheel in CORNERS},
    },
)
