"""First view of the pages of vehicles, and their keys."""

from mbcore.fmi.page_settings import Remark

REMARKS = {
    "valid": Remark(
        ("front.friction_ratio", "rear.friction_ratio"),
        "friction.limit",
        "a vehicle on this road would slide; steer less, or drive slower",
    )
}
KEYS: dict[str, dict[str, float]] = {
    "left": {"steer.angle": 0.1},  # at 10 m/s a friction ratio of 0.6 at most
    "right": {"steer.angle": -0.1},
    "up": {"drive.force": 4000},
    "down": {"brake.force": 8000},
}
PLOTS = (
    "chassis.speed",
    ("front.lateral_force", "rear.lateral_force"),
    ("front.friction_ratio", "rear.friction_ratio"),
)
RANGES: dict[str, tuple[float, float]] = {
    "steer.angle": (-0.6, 0.6),
    "steer.rate": (-2, 2),
    "drive.force": (-6000, 6000),
    "brake.force": (0, 12000),
    "load.force_x": (-5000, 5000),
    "load.force_y": (-5000, 5000),
    "chassis.speed": (-20, 40),
    "chassis.mass": (300, 4000),
}
KING_PIN_RANGES: dict[str, tuple[float, float]] = {
    "steer.friction": (0, 0.5),
    "steer.preload": (0, 50),
}
