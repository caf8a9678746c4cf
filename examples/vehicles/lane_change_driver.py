"""The driver of the lane change: the track, a path through its lanes, and who follows it."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline

TRACK = Path(__file__).parent / "data" / "iso3888_1.csv"
STEP = 0.01
"""Communication step and sampling time of the controller, s."""
WIDTH, FRONT_OVERHANG, REAR_OVERHANG = 1.7, 0.75, 0.75
"""The vehicle's width, and its length beyond the axles, m."""
RUN_UP, RUN_OUT = 30.0, 15.0
"""Distances driven before and after the track, m."""
MARGIN = 0.06
"""Distance of the planned sides from the cones, m."""
PREVIEW = 0.5
"""Distance of the pursued point over speed, s."""


class Lane(NamedTuple):
    """Between two rows of cones; y = 0 is the middle of the first lane."""

    begin: float
    end: float
    right: float
    left: float


def read_lanes(width: float = WIDTH, path: Path = TRACK) -> list[Lane]:
    """Return the lanes of the track for a vehicle of a given width."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    lanes: list[Lane] = []
    at = 0.0
    datum = None
    for row in rows:
        end = at + float(row["length"])
        if row["offset"]:
            across = float(row["width_factor"]) * width + float(row["width_constant"])
            datum = -across / 2 if datum is None else datum
            right = datum + float(row["offset"])
            lanes.append(Lane(at, end, right, right + across))
        at = end
    return lanes


def cones(lanes: Iterable[Lane]) -> np.ndarray:
    """Return the places of the cones, at the ends and the middle of each lane, shape (n, 2)."""
    return np.array(
        sorted(
            {
                (x, y)
                for lane in lanes
                for x in np.linspace(lane.begin, lane.end, 3)
                for y in (lane.right, lane.left)
            }
        )
    )


class Course:
    """The path of the rear axle, y(x), with its heading and curvature."""

    def __init__(self, spline: BSpline) -> None:
        self._y = [spline.derivative(order) if order else spline for order in range(3)]

    def __call__(self, x: float | np.ndarray) -> np.ndarray:
        """Return y."""
        return self._y[0](x)

    def heading(self, x: float) -> float:
        """Return the angle of the tangent."""
        return float(np.arctan(self._y[1](x)))

    def curvature(self, x: float) -> float:
        """Return the curvature, positive to the left."""
        return float(self._y[2](x) / (1 + self._y[1](x) ** 2) ** 1.5)


def plan(
    lanes: list[Lane], wheelbase: float, smoothing: float = 3.0, spacing: float = 2.5
) -> Course:
    """Plan the path through the lanes.

    Parameters
    ----------
    lanes : list of Lane
        The track.
    wheelbase : float
        m.
    smoothing : float
        s of the integrand, m: how much a change of curvature counts.
    spacing : float
        Of the spline's knots, m.
    """
    degree = 5
    begin, end = -RUN_UP - 10, lanes[-1].end + RUN_OUT + 40
    knots = np.linspace(begin, end, round((end - begin) / spacing) + 1)
    knots = np.concatenate([np.full(degree, begin), knots, np.full(degree, end)])
    basis = BSpline(knots, np.eye(knots.size - degree - 1), degree)
    dy, d2y, d3y = (basis.derivative(order) for order in (1, 2, 3))
    x = np.arange(begin, end, 0.5)
    cost = d2y(x).T @ d2y(x) + smoothing**2 * d3y(x).T @ d3y(x)

    # A point of the vehicle at the distance s from the rear axle is at (x + s, y + s y'), as long
    # as headings are small; their squares are left to the margin.
    rows, lower, upper = [], [], []
    for s in np.linspace(-REAR_OVERHANG, wheelbase + FRONT_OVERHANG, 5):
        for lane in lanes:
            inside = x[(x + s >= lane.begin - 0.5) & (x + s <= lane.end + 0.5)]
            rows.append(basis(inside) + s * dy(inside))
            lower.append(np.full(inside.size, lane.right + WIDTH / 2 + MARGIN))
            upper.append(np.full(inside.size, lane.left - WIDTH / 2 - MARGIN))
    middle = (lanes[-1].left + lanes[-1].right) / 2
    straight = np.arange(begin, -RUN_UP + spacing, spacing)
    for fixed, value in (
        (basis(straight), 0.0),
        (basis([end]), middle),
        (dy([end]), 0.0),
    ):
        rows.append(fixed)
        lower.append(np.full(len(fixed), value))
        upper.append(lower[-1])
    # a spline's parts are zero but near their knots, which the solver is to know
    h, a = (ca.sparsify(ca.DM(matrix)) for matrix in (cost, np.vstack(rows)))

    problem = {"h": h.sparsity(), "a": a.sparsity()}
    accurate = {"eps_abs": 1e-7, "eps_rel": 1e-7, "max_iter": 50000, "verbose": False}
    solver = ca.conic("path", "osqp", problem, {"osqp": accurate})
    found = solver(h=h, a=a, lba=np.concatenate(lower), uba=np.concatenate(upper))
    return Course(BSpline(knots, np.asarray(found["x"]).ravel(), degree))


@dataclass
class Driver:
    """The controller: from position, heading and speed to steering angle and driving force."""

    course: Course
    speed: float
    wheelbase: float
    rear_to_mass_centre: float
    mass: float
    lag: float
    """Time constant of the steering, s."""

    def rear_axle(self, x: float, y: float, yaw: float) -> tuple[float, float]:
        """Return where the rear axle is."""
        return (
            x - self.rear_to_mass_centre * np.cos(yaw),
            y - self.rear_to_mass_centre * np.sin(yaw),
        )

    def deviation(self, x: float, y: float, yaw: float) -> float:
        """Return the rear axle's distance from the path, positive to its left."""
        rear_x, rear_y = self.rear_axle(x, y, yaw)
        return float((rear_y - self.course(rear_x)) * np.cos(self.course.heading(rear_x)))

    def steer(self, x: float, y: float, yaw: float, speed: float) -> float:
        """Return the angle to be commanded."""
        rear_x, _ = self.rear_axle(x, y, yaw)
        # held for a step, hence on average half a step late
        ahead = rear_x + speed * (self.lag + STEP / 2) * np.cos(yaw)
        d = max(PREVIEW * speed, self.wheelbase)
        expected = self.deviation(x, y, yaw) + d * (yaw - self.course.heading(rear_x))
        curvature = self.course.curvature(ahead) - 2 * expected / d**2
        return float(np.arctan(self.wheelbase * curvature))

    def drive(self, speed: float) -> float:
        """Return the driving force: the error vanishes with a time constant of half a second."""
        return float(np.clip(self.mass * (self.speed - speed) / 0.5, -6000, 4000))
