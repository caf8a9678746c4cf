"""Shapes of a bicycle beside those of its elements."""

from __future__ import annotations

import casadi as ca

from mbcore import Model
from mbcore.drawing import ball, tube
from mbcore.model.nodes.nodes import Point, Rotation

from ..shared import METAL


def add_shapes(
    bicycle: Model,
    axes: ca.SX,
    frame: tuple[Point, Rotation],
    fork: tuple[Point, Rotation],
    data: tuple[ca.SX, ca.SX, ca.SX, ca.SX],
) -> None:
    """Show the frame with saddle, and the fork with handlebar.

    Parameters
    ----------
    axes : SX
        Columns: axes of frame and fork at the start, z along the steering axis.
    frame, fork : Point and Rotation
        Rear centre with the frame, steering axis with the fork.
    data : tuple of SX
        Wheelbase, and offsets of the steering axis from the rear centre, and of the front centre
        from it, forward and down the axis, m.
    """
    wheelbase, behind, before, lower = data
    for link in ("rear triangle", "fork blades"):
        bicycle.elements[link].visible = False

    def place(x: float, z: float) -> ca.SX:
        return axes.T @ ca.vertcat(x * wheelbase, 0, z * wheelbase)

    crank, saddle = place(0.42, -0.03), place(0.25, 0.50)
    low, high = (ca.vertcat(behind, 0, part * wheelbase) for part in (0.06, 0.18))
    seat = crank + 0.86 * (saddle - crank)
    thick, blue = 0.016 * wheelbase, "#2f6690"
    rear = ca.SX.zeros(3)
    lines = ((rear, crank), (rear, seat), (crank, saddle), (crank, low), (seat, high))
    for ends in lines:
        bicycle.show(tube(ends, thick, colour=blue, name="frame"), at=frame)
    bicycle.show(tube((low, high), 1.5 * thick, colour=blue, name="head tube"), at=frame)
    top = ball(saddle, axes.T, [part * wheelbase for part in (0.12, 0.06, 0.02)], colour="#474c55")
    bicycle.show(top.named("saddle"), at=frame)
    half, stem = 0.24 * wheelbase, ca.vertcat(0, 0, 0.26 * wheelbase)
    crown = ca.vertcat(0, 0, 0.05 * wheelbase)
    bicycle.show(tube((crown, stem), thick, colour=METAL, name="stem"), at=fork)
    bar = [stem + ca.vertcat(x, y, 0) for x, y in ((-0.1, -half), (0.03, 0), (-0.1, half))]
    bicycle.show(tube(bar, 0.8 * thick, colour=METAL, name="handlebar"), at=fork)
    for side in (-1, 1):
        across = ca.vertcat(0, side * 0.05 * wheelbase, 0)
        blade = (crown + across, ca.vertcat(before, 0, -lower) + across)
        bicycle.show(tube(blade, 0.7 * thick, colour=blue, name="fork"), at=fork)
