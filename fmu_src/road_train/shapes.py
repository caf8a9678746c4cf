"""Shapes of a road train: a tractor and trailers on axles with wheels, on a road."""

from __future__ import annotations

import casadi as ca

from mbcore import Model, PlanarWheel
from mbcore.drawing import arrow, box, disc, dot
from mbcore.model.nodes.nodes import Angle, Point

from ..shared import METAL, RED
from ..single_track.shapes import show_road
from .unit import Unit

RADIUS, WIDTH, HALF_TRACK = 0.5, 0.3, 0.95
"""Of the wheels, m."""


def add_shapes(train: Model, units: list[Unit], front: PlanarWheel) -> None:
    """Show the units, their wheels, the axles' paths and the road's forces on them."""
    show_road(train)
    tractor, *trailers = units
    cab = _ahead(tractor, 0.75 * tractor.length)
    train.show(box(ca.vertcat(cab, 1.5), tractor.heading, (1.8, 1.7, 1.6), colour=METAL))
    frame = _ahead(tractor, 0.35 * tractor.length)
    sizes = (1.4 * tractor.length, 0.9, 0.3)
    train.show(box(ca.vertcat(frame, 0.8), tractor.heading, sizes, name="tractor"))
    _show_axle(train, front, tractor, (front.centre, front.heading))
    _show_axle(train, tractor.wheel, tractor, (tractor.axle, tractor.heading))
    for unit in trailers:
        body = ca.vertcat(_ahead(unit, 0.3 * unit.length), 1.7)
        train.show(box(body, unit.heading, (unit.length, 1.7, 1.2), name=unit.name))
        drawbar = ca.vertcat(_ahead(unit, 0.5 * unit.length), 0.8)
        train.show(box(drawbar, unit.heading, (unit.length, 0.2, 0.15), colour=METAL))
        _show_axle(train, unit.wheel, unit, (unit.axle, unit.heading))


def _ahead(unit: Unit, distance: ca.SX) -> ca.SX:
    """Place so far ahead of a unit's axle, shape (2, 1)."""
    return unit.axle.position + distance * unit.heading.matrix[:, 0]


def _show_axle(train: Model, wheel: PlanarWheel, unit: Unit, at: tuple[Point, Angle]) -> None:
    """Show both wheels of an axle, its path and the road's force on it."""
    centre, heading = at
    wheel.visible = False
    across = unit.heading.matrix[:, 1]
    frame = ca.diagcat(heading.matrix, 1)
    for side in (-1, 1):
        place = ca.vertcat(centre.position + side * HALF_TRACK * across, RADIUS)
        train.show(disc(place, frame, RADIUS, WIDTH, axle=(0, 1, 0), name=wheel.name))
    train.show(dot(centre, colour=RED, trail=True, name=f"{wheel.name} path"))
    force = -heading.matrix[:, 1] * wheel.lateral.force
    train.show(arrow(centre, force, name=f"{wheel.name} force"))
