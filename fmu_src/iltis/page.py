"""First view of the page of the ILTIS, and its keys."""

from __future__ import annotations

from mbcore.fmi.page_settings import Page

from .data import CORNERS

PAGE = Page(
    # a rack to the left turns the wheels to the right
    keys={
        "left": {"rack.displacement": -0.03},
        "right": {"rack.displacement": 0.03},
        "up": {f"{wheel}.drive_torque": 250 for wheel in CORNERS},
        "down": {f"{wheel}.brake_torque": 600 for wheel in CORNERS},
        "q": {"wind.force_y": 3000},
    },
    captions={
        "left": "steer left",
        "right": "steer right",
        "up": "drive",
        "down": "brake",
        "q": "gust to the left, 3 kN",
    },
    plots=(
        "cabin.speed",
        "cabin.roll",
        tuple(f"{wheel}.load" for wheel in CORNERS),
        tuple(f"{wheel}.side_force" for wheel in CORNERS),
    ),
    ranges={
        "rack.displacement": (-0.06, 0.06),
        "rack.rate": (-0.5, 0.5),
        "rack.acceleration": (-5, 5),
        "wind.force_y": (-5000, 5000),
        **{f"{wheel}.drive_torque": (-600, 600) for wheel in CORNERS},
        **{f"{wheel}.brake_torque": (0, 1500) for wheel in CORNERS},
        **{f"{wheel}.road_height": (-0.1, 0.1) for wheel in CORNERS},
        **{f"{wheel}.road_rate": (-1, 1) for wheel in CORNERS},
    },
)
