"""The picture of a vehicle on its course: a stretch of a drive that has been recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from mbcore import Model, simulate
from mbcore.drawing import arrow, tube
from mbcore.drawing.projection.camera import View
from mbcore.examples.common import show
from mbcore.examples.vehicles.lane_change_driver import Lane, cones

CONE = "#f57900"
STATE = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")
BESIDE = (-74.0, 32.0)
"""View across the road: it runs from left to right, so that the vehicle is large."""


class Signals(Protocol):
    """A drive: values over time by name."""

    def __getitem__(self, name: str) -> np.ndarray: ...


@dataclass(frozen=True)
class Stretch:
    """The stretch of a drive that is drawn.

    Attributes
    ----------
    begin : float
        When the paths begin, s.
    times : tuple of float
        When the vehicle is drawn, s.
    origin : float
        Place on the road that is drawn at x = 0, m. The model starts there, and with it the size of
        the scene is that of the stretch.
    """

    begin: float
    times: tuple[float, ...]
    origin: float
    view: View = BESIDE


def show_drive(
    car: Model,
    time: np.ndarray,
    drive: Signals,
    inputs: Sequence[str],
    stretch: Stretch,
    folder: Path,
    name: str,
    title: str,
) -> None:
    """Write a picture of a model that gets a drive's inputs, from the begin of a stretch on.

    Parameters
    ----------
    time : ndarray, shape (nt,)
    drive : Signals
        With `STATE`, ``"steer.angle"`` and the inputs, which are held between its rows.
    """
    begin, times = stretch.begin, stretch.times
    row = int(np.searchsorted(time, begin))

    def held(values: np.ndarray) -> Callable[[float], float]:
        return lambda t: float(values[np.searchsorted(time, begin + t + 1e-9) - 1])

    start = {given: float(drive[given][row]) for given in STATE}
    start["chassis.x"] -= stretch.origin
    seen = simulate(
        car.equations(),
        times[-1] - begin,
        start=start | {"steer.actuator_angle": float(drive["steer.angle"][row])},
        inputs={given: held(drive[given]) for given in inputs},
        max_step=0.01,
        rtol=1e-6,
        backend="python",
    )
    show(seen, folder, name, title, times=[t - begin for t in times], view=stretch.view)


def add_cones(
    car: Model, lanes: Sequence[Lane], begin: float, end: float, stretch: Stretch
) -> None:
    """Show the cones of a track between two x, m."""
    for x, y in cones(lanes):
        if begin <= x <= end:
            at = x - stretch.origin
            car.show(tube([(at, y, 0), (at, y, 0.7)], 0.12, colour=CONE, name="cone"))


def show_slips(car: Model) -> None:
    """Show the lateral slip velocities of both axles of a single-track vehicle as arrows."""
    for axle, turn in (("front", "front axle"), ("rear", "chassis")):
        wheel = car.elements[f"{axle} wheel"]
        slip = car.nodes[turn].matrix[:, 1] * wheel.slips["lateral"].velocity
        car.show(arrow(wheel.centre, slip, of="motion", name=f"{axle} slip"))
