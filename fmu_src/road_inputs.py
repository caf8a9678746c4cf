"""Heights of the road under the wheels of a vehicle, `car` or `iltis`."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from mbcore import Units

from .wheel_variables import WheelVariables


def add_road_heights(
    wheels: WheelVariables, corners: Iterable[str], level: str
) -> dict[str, ca.SX]:
    """Add the heights of the road under the wheels, and return those that these follow.

    Parameters
    ----------
    wheels : WheelVariables
        Adds the inputs to the model.
    corners : iterable of str
        Names of the wheels.
    level : str
        How a height is described, behind the words that it is one of the road.
    """
    model = wheels.model
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
        rate = wheels.input(
            name,
            "road_rate",
            unit="m/s",
            description="of road_height over time, used with a direct road",
        )
        height = wheels.input(
            name,
            "road_height",
            unit=Units("m", "mm"),
            rate=rate,
            description=f"of the road under the wheel, over time: {level}",
        )
        source, states = wheels.name(name, "road_height"), f"{name}.road_height"
        followed = model.filtered(source, constant, nominal=0.01, states=states)
        found[name] = model.select(choice, followed, height)
    return found
