"""The vehicle beside the kinematic single-track model of commonroad-vehicle-models 3.0.2."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import vehicle
from tests.conftest import equations_of

DIRECT = 2
TO_FRONT, TO_REAR = 1.1561957064, 1.4227170936
"""Of its vehicle 2, m."""


@pytest.mark.parametrize(
    ("steer", "speed", "yaw", "published"),
    [
        (0.1, 15.0, 0.3, (14.330047336884089, 4.432803099920093, 0.5835870376391781)),
        (-0.35, 7.0, 2.1, (-3.533922732199003, 6.042465566542116, -0.9908049096553291)),
        (0.9, 2.5, -1.2, (0.905894386191684, -2.3300977149180655, 1.221598319988116)),
        (0.02, 40.0, -2.8, (-37.68889362674632, -13.399526006236204, 0.3102496074066936)),
        (-0.6, -3.0, 0.7, (-2.2945265618534654, -1.932653061713073, 0.7958432813335437)),
    ],
)
def test_rates_are_those_of_the_kinematic_single_track(
    steer: float, speed: float, yaw: float, published: tuple[float, float, float]
) -> None:
    """Values of vehicle_dynamics_ks: rates of the rear axle's place and of the heading."""
    equations = equations_of(vehicle.model)
    lengths = {"wheelbase": TO_FRONT + TO_REAR, "rear_to_mass_centre": TO_REAR}
    point = Evaluation(
        equations, parameters={"steering": DIRECT, **lengths}, inputs={"steer.angle": steer}
    )
    point.start({"chassis.speed": speed, "chassis.yaw": yaw})
    names = [state.name for state in equations.states]
    rates = dict(zip(names, point.derivative(), strict=True))
    turning = rates["chassis.yaw"]
    x = rates["chassis.x"] + TO_REAR * np.sin(yaw) * turning
    y = rates["chassis.y"] - TO_REAR * np.cos(yaw) * turning
    assert (x, y, turning) == pytest.approx(published, rel=1e-14, abs=1e-14)
