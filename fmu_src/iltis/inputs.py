"""Inputs and choices of the ILTIS: rack, road, torques, and how its wheels roll."""

from __future__ import annotations

import casadi as ca

from mbcore import Model, Units

from ..road_inputs import add_road_heights
from ..road_wheel import torque_inputs
from ..wheel_variables import WheelVariables
from .data import CORNERS
from .suspension import Cabin
from .tyres import Tyres
from .wheel import Controls


def add_rack(model: Model) -> ca.SX:
    """Add the steering rack's input, and return its displacement."""
    acceleration = model.input(
        "rack.acceleration", unit="m/s2", description="of the rack, used with direct steering"
    )
    rate = model.input(
        "rack.rate",
        unit="m/s",
        rate=acceleration,
        description="of the rack, used with direct steering",
    )
    displacement = model.input(
        "rack.displacement",
        unit=Units("m", "mm"),
        rate=rate,
        description="of the steering rack to the left, which turns the vehicle to the right",
    )
    choice = model.enumeration(
        "steering",
        ["filtered", "direct"],
        description="filtered: second order, after the displacement alone; direct: displacement, "
        "rate and acceleration as given",
    )
    constant = model.parameter(
        "steering.time_constant",
        0.02,
        unit="s",
        positive=True,
        description="of the filter that follows rack.displacement",
    )
    followed = model.filtered("rack.displacement", constant, nominal=1e-3)
    return model.select(choice, followed, displacement)


def add_anti_roll_bar(model: Model, axle: str) -> ca.SX:
    """Add the torque of an active anti-roll bar, and return it."""
    return model.input(
        f"{axle}.anti_roll_torque",
        unit="N.m",
        description=f"of an active {axle} anti-roll bar, which presses the left wheel down and "
        "lifts the right one where it is positive",
    )


def add_controls(
    variables: WheelVariables, cabin: Cabin, on: Tyres, standing: bool
) -> dict[str, Controls]:
    """Add the inputs and choices of the wheels, and return what controls each of them."""
    model = variables.model
    tyres = model.enumeration(
        "tyres",
        [on.complete, "no_lateral_slip", "simplified"],
        description=f"{on.complete}: complete; no_lateral_slip: axles do not slip, by constraint "
        "forces; simplified: without camber force and aligning torque",
    )
    wheels = model.enumeration(
        "wheels",
        ["rolling", "prescribed"],
        description="rolling: no longitudinal slip; prescribed: wheels turn at the speed of the "
        "start, without longitudinal force",
    )
    shaft = _add_shaft(model, cabin, standing)
    roads = add_road_heights(
        variables,
        CORNERS,
        "level, without slope, so that loads over a bump differ by up to 17 % from those on a "
        "road with place and slope",
    )
    return {
        name: Controls(
            roads[name],
            *torque_inputs(variables, name, "cabin"),
            tyres=tyres,
            on=on,
            standing=standing,
            wheels=wheels,
            prescribed_speed=shaft,
        )
        for name in CORNERS
    }


def _add_shaft(model: Model, cabin: Cabin, standing: bool) -> ca.SX:
    """Add a shaft of radius one that turns with the start's speed; return its surface's speed."""
    shaft = model.angle("shaft")
    if standing:
        shaft.angle.fix(0)
        return shaft.rate
    kept = model.discrete(
        "wheels.speed",
        unit="m/s",
        visibility="local",
        description="speed of the start, which prescribed wheels keep",
    )
    model.event("wheels.started", ca.SX(1), rising={"wheels.speed": cabin.speed})
    turned = model.state(
        "wheels.distance",
        kept,
        unit="m",
        nominal=10.0,
        description="that prescribed wheels have rolled",
    )
    shaft.angle.prescribe(turned)
    return shaft.rate
