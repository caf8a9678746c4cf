"""The picture of a vehicle on its course: a stretch of a drive that has been recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from mbcore import Model, simulate
from mbcore.drawing import tube
from mbcore.examples.common import ABOVE, show
from mbcore.examples.vehicles.lane_change_driver import Lane, cones

CONE = "#f57900"
STATE = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")


class Signals(Protocol):
    """A drive: values over time by name."""

    def __getitem__(self, name: str) -> np.ndarray: ...


def show_drive(
    car: Model,
    time: np.ndarray,
    drive: Signals,
    inputs: Sequence[str],
    times: Sequence[float],
    folder: Path,
    name: str,
    title: str,
) -> None:
    """Write a picture of a model that gets a drive's inputs, from the first of some times on.

    Parameters
    ----------
    time : ndarray, shape (nt,)
    drive : Signals
        With `STATE`, ``"steer.angle"`` and the inputs, which are held between its rows.
    times : sequence of float
        Begin, s, and where the vehicle is drawn.
    """
    begin = times[0]
    row = int(np.searchsorted(time, begin))

    def held(values: np.ndarray) -> Callable[[float], float]:
        return lambda t: float(values[np.searchsorted(time, begin + t + 1e-9) - 1])

    start = {given: float(drive[given][row]) for given in STATE}
    seen = simulate(
        car.equations(),
        times[-1] - begin,
        start=start | {"steer.actuator_angle": float(drive["steer.angle"][row])},
        inputs={given: held(drive[given]) for given in inputs},
        max_step=0.01,
        rtol=1e-6,
        backend="python",
    )
    show(seen, folder, name, title, times=[t - begin for t in times[1:]], view=ABOVE)


def add_cones(car: Model, lanes: Sequence[Lane], begin: float, end: float) -> None:
    """Show the cones of a track between two x, m."""
    for x, y in cones(lanes):
        if begin <= x <= end:
            car.show(tube([(x, y, 0), (x, y, 0.7)], 0.12, colour=CONE, name="cone"))
