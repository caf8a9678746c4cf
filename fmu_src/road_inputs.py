"""Heights of the road under the wheels of a vehicle, `car` or `iltis`."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from mbcore import Model, Units


def add_road_heights(model: Model, corners: Iterable[str], level: str) -> dict[str, ca.SX]:
    """Add the heights of the road under the wheels, and return those that these follow.

    Parameters
    ----------
    corners : iterable of str
        Names of the wheels.
    level : str
        How a height is described, behind the words that it is one of the road.
    """
    choice = model.enumeration(
        "road",
        ["filtered", "direct"],
        description="filtered: second order, after the heights alone; direct: heights and rates "
        "as given",
    )
    constant = model.parameter(
        "road.time_constant",
        0.005,
        unit="s",
        positive=True,
        description="of the filters that follow the road's heights",
    )
    found = {}
    for name in corners:
        rate = model.input(
            f"{name}.road_rate",
            unit="m/s",
            description="of road_height over time, used with a direct road",
        )
        height = model.input(
            f"{name}.road_height",
            unit=Units("m", "mm"),
            rate=rate,
            description=f"of the road under the wheel, over time: {level}",
        )
        followed = model.filtered(f"{name}.road_height", constant, nominal=0.01)
        found[name] = model.select(choice, followed, height)
    return found
