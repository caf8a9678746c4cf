"""The Bombardier ILTIS, the road vehicle of the IAVSD benchmark of 1990, [Schwab2002] 3.6.2.

A cabin, four independent suspensions that are written once, a steering rack, and four wheels on
radially compliant tyres that roll without longitudinal slip. Ten degrees of freedom: the cabin's
forward and sideways speeds, its height, yaw, pitch and roll, and the angles of four arms.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import casadi as ca

from mbcore import Body, Model, equilibrium
from mbcore.drawing import box
from mbcore.fmi.component import Component, Experiment
from mbcore.model.nodes.nodes import Point, Rotation

from ..shared import shipped_component
from ..tyre_data import Limits, TyreData
from ..vehicle_frame import add_frame, show_motion
from ..wheel_variables import WheelVariables, in_arrays
from .data import AXLES, CORNERS, REST, DataSheet, data_sheet, hard_points, sides
from .documentation import documentation, symbols
from .inputs import add_anti_roll_bar, add_controls, add_rack
from .limits import limit_cabin, limit_corner, limit_rack
from .outputs import TERMINALS, show_corner
from .page import PAGE
from .sketch import icon, picture
from .suspension import Cabin, suspend
from .tyres import BenchmarkTyres, Tyres, tyres_of
from .wheel import add_wheel, hold_axle

NAME = "iltis"
DESCRIPTION = "Bombardier ILTIS road vehicle: steer, drive, brake it over bumps; loads, slips"


def add_cabin(model: Model, data: DataSheet, rest: Mapping[str, float], standing: bool) -> Cabin:
    """Add the cabin, with its six degrees of freedom; ``standing``, it goes up and turns only."""
    at = add_frame(model, "cabin", rest)
    if standing:
        at.forward.zero()
        at.sideways.zero()
    else:
        at.forward.dof(
            "cabin.speed",
            20.0,
            nominal=10.0,
            display_unit="km/h",
            description="forward speed of the cabin's mass centre, along its heading",
        )
        at.sideways.dof(
            "cabin.side_speed",
            visibility="local",
            description="speed of the cabin's mass centre to the left of its heading",
        )
    mass, inertia = data["cabin.mass"], data.inertia("cabin")
    body = Body("cabin body", at.place, at.frame, mass=mass, inertia=inertia)
    wind = model.input(
        "wind.force_y",
        unit="N",
        description="at the cabin's mass centre, to the left of its heading",
    )
    model.force(at.place, wind * at.heading.matrix[:, 1])
    add_shapes(model, at.place, at.frame)
    return Cabin(model.add(body), at.place, at.heading, at.frame, at.forward.velocity, rest)


def add_shapes(model: Model, place: Point, frame: Rotation) -> None:
    """Show the body of the road vehicle, about its mass centre."""
    hull = box((0.0, 0, 0.12), None, (3.4, 1.05, 0.42), colour="#76805c", name="hull")
    cabin = box((-0.45, 0, 0.605), None, (1.9, 1.25, 0.55), colour="#a9b08f", name="cabin")
    hood = box((1.1, 0, 0.39), None, (1.2, 1.15, 0.12), colour="#76805c", name="hood")
    model.show(hull, hood, cabin, at=(place, frame))


def build(
    standing: bool = False,
    on: Tyres | None = None,
    rest: Mapping[str, float] = REST,
    arrays: bool = False,
) -> Model:
    """Return the vehicle.

    Parameters
    ----------
    standing : bool
        Whether it cannot go away, for its equilibrium.
    on : Tyres, optional
        By default those of the benchmark.
    rest : mapping of str to float
        Start values of its height, its angles and its arms.
    arrays : bool
        Whether the inputs and outputs of the wheels are arrays.
    """
    on = on or BenchmarkTyres()
    model = Model(NAME)
    data = data_sheet(model, on.calspan)
    on.add_parameters(model)
    model.gravity = ca.vertcat(0, 0, -data["gravity"])
    cabin = add_cabin(model, data, rest, standing)
    rack = add_rack(model)
    limit_rack(model, rack)
    limit_cabin(model, cabin)
    variables = WheelVariables(model, CORNERS, arrays)
    controls = add_controls(variables, cabin, on, standing)
    for axle in AXLES:
        bar = add_anti_roll_bar(model, axle)
        steered = rack if axle == "front" else None
        suspensions, wheels = {}, {}
        for name, side in sides(axle):
            at, given = on.placed(axle, hard_points(axle, side)), controls[name]
            suspensions[name] = suspend(model, name, at, cabin, data, steered, bar)
            wheels[name] = add_wheel(model, name, at, cabin, suspensions[name], data, given)
        held = hold_axle(model, axle, list(wheels.values()), controls[name].tyres)
        for name, wheel in wheels.items():
            show_corner(variables, name, suspensions[name], wheel, held, controls[name])
            limit_corner(model, name, suspensions[name], wheel, controls[name])
    if not standing:
        show_motion(model, "cabin", cabin.place, cabin.frame)
    return model


def at_rest(on: Tyres) -> dict[str, float]:
    """Return the static equilibrium on other tyres, sought from the design position."""
    standing = build(standing=True, on=on, rest=dict.fromkeys(REST, 0.0)).equations()
    found = equilibrium(standing, progress=False, backend="python")
    return {name: found.states[name] for name in REST}


def _driving(on: Tyres, arrays: bool) -> Model:
    rest = REST if isinstance(on, BenchmarkTyres) else at_rest(on)
    return build(on=on, rest=rest, arrays=arrays)


def model(
    tyre: str | PathLike[str] | TyreData | None = None,
    limits: Limits = "hold",
    arrays: bool = False,
) -> Model:
    """Return the vehicle with its inputs, parameters and outputs.

    Parameters
    ----------
    tyre : path or TyreData, optional
        Property file of its tyres, or tyres of any law; by default those of the benchmark.
    limits : {"hold", "free", "refuse"}
        Treatment of slip angles, camber and loads outside the file's ranges.
    arrays : bool
        Whether the inputs and outputs of the wheels are arrays, ``wheel.load`` of four numbers,
        instead of ``front_left.load`` and others. States keep the names that they have.
    """
    return _driving(tyres_of(tyre, limits), arrays)


def component(
    tyre: str | PathLike[str] | TyreData | None = None,
    limits: Limits = "hold",
    arrays: bool = False,
) -> Component:
    """Return the FMU's definition, of what `model` returns; by default it drives straight on."""
    on = tyres_of(tyre, limits)
    made = shipped_component(
        __name__,
        _driving(on, arrays).equations(),
        Experiment(stop=5.0, step=1e-2, tolerance=1e-5),
        picture,
        icon,
        documentation=documentation(on),
        symbols=symbols(on),
        terminals=TERMINALS,
        page=PAGE,
    )
    return in_arrays(made, CORNERS) if arrays else made
