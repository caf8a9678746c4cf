"""A road car on tyres of a property file, or of any law.

A sprung body, four wheels on given paths relative to it, a compliant steering, and tyres by a tyre
property file. Fifteen degrees of freedom: the body's forward and sideways speeds, its height, yaw,
pitch and roll, the travels and spins of four wheels, and the steering angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import casadi as ca

from mbcore import Model
from mbcore.drawing import box
from mbcore.fmi.component import Component, Experiment
from mbcore.model.calls import explains_arguments

from ..shared import shipped_component
from ..tyre_data import Limits, TyreData, tyre_data
from ..tyre_words import with_words_of
from ..wheel_variables import WheelVariables, in_arrays
from .body import CarBody, add_body
from .data import CORNERS, DataSheet, data_sheet
from .documentation import DOCUMENTATION, SYMBOLS
from .inputs import Controls, Road, add_controls, add_slope, refuse_no_road
from .limits import limit_body, limit_corner, limit_data, limit_place
from .outputs import TERMINALS, show_body, show_corner
from .page import PAGE
from .sketch import icon, picture
from .springs import add_springs
from .steering import Steering, add_steering
from .wheel import Corner, add_corner

NAME = "car"
DESCRIPTION = "Road car on tyres of any .tir file (Magic Formula) or law: steer, drive, brake it"


def add_shapes(model: Model, body: CarBody) -> None:
    """Show the body of the car, about its mass centre."""
    hull = box((-0.1, 0, -0.05), None, (4.4, 1.5, 0.45), colour="#4a6d8c", name="hull")
    cabin = box((-0.35, 0, 0.42), None, (2.1, 1.3, 0.5), colour="#9fb4c7", name="cabin")
    model.show(hull, cabin, at=(body.place, body.frame))


@dataclass(frozen=True)
class Car:
    """The car with its parts, for those who add to it."""

    model: Model
    data: DataSheet
    body: CarBody
    steering: Steering
    corners: dict[str, Corner]
    controls: dict[str, Controls]
    springs: dict[str, ca.SX]
    """Forces that press the wheels down, N."""


def build(tyre: TyreData, road: Road | None = None, arrays: bool = False) -> Car:
    """Return the car on its tyres, and on a road; its wheels in ``arrays``."""
    refuse_no_road(road)
    model = Model(NAME)
    data = data_sheet(model)
    limit_data(model, data)
    slope = add_slope(model)
    model.gravity = -data["gravity"] * ca.vertcat(ca.sin(slope), 0, ca.cos(slope))
    body = add_body(model, data)
    add_shapes(model, body)
    steering = add_steering(model, data)
    limit_body(model, body, steering)
    wheels = WheelVariables(model, CORNERS, arrays)
    controls = add_controls(wheels, road)
    corners = {
        name: add_corner(model, name, body, steering, tyre, controls[name]) for name in CORNERS
    }
    springs = add_springs(data, corners)
    show_body(model, data, body, steering)
    for name, corner in corners.items():
        show_corner(wheels, name, corner, springs[name])
        limit_corner(model, name, corner, tyre)
        if road is not None and road.beyond == "refuse":
            limit_place(model, name, corner.wheel.contact.position, road)
    return Car(model, data, body, steering, corners, controls, springs)


@explains_arguments
def model(
    tyre: str | PathLike[str] | TyreData | None = None,
    limits: Limits = "hold",
    road: Road | None = None,
    arrays: bool = False,
) -> Model:
    """Return the car with its inputs, parameters and outputs.

    Parameters
    ----------
    tyre : path or TyreData, optional
        Property file of its tyres, by default the shipped one; or tyres of any law.
    limits : {"hold", "free", "refuse"}
        Treatment of slips, camber and loads outside the file's ranges.
    road : Table or Table2D, optional
        Height of the road, m, over the place along x, or along x and y: smooth, and level at zero
        where the car starts, its mass centre at the origin. The inputs add to it under each wheel.
    arrays : bool
        Whether the inputs and outputs of the wheels are arrays, ``wheel.load`` of four numbers,
        instead of ``front_left.load`` and others. States keep the names that they have.

    Raises
    ------
    ModelError
        If the road is not a table, or a unit of it is none of length.
    """
    return build(tyre_data(tyre, limits), road, arrays).model


@explains_arguments
def component(
    tyre: str | PathLike[str] | TyreData | None = None,
    limits: Limits = "hold",
    road: Road | None = None,
    arrays: bool = False,
) -> Component:
    """Return the FMU's definition, of what `model` returns for these arguments."""
    data = tyre_data(tyre, limits)
    made = shipped_component(
        __name__,
        build(data, road, arrays).model.equations(),
        Experiment(stop=10.0, step=1e-3, tolerance=1e-6),
        picture,
        icon,
        documentation=with_words_of(DOCUMENTATION, data),
        symbols=SYMBOLS,
        terminals=TERMINALS,
        page=PAGE,
    )
    return in_arrays(made, CORNERS) if arrays else made
