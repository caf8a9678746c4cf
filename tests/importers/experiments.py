"""What is run: an experiment for each FMU, short and with an input that jumps at half time.

This module must do without mbcore and without any client, for every process reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFINITIONS = Path(__file__).parents[2] / "fmu_src"
SAMPLED = (0.25, 0.75, 1.0)
"""Where values are compared, as parts of the time; not at the jump, which has two values."""
SOLVER_TOLERANCE = 1e-9
"""Relative tolerance that the FMUs' own solvers and the clients' integrators get."""


@dataclass(frozen=True)
class Experiment:
    """A run of one FMU.

    Attributes
    ----------
    fmu : str
        Name of the FMU.
    stop, step : float
        End and communication step, s; the step divides a quarter of the time.
    start : mapping
        Start values of states and parameters.
    choices : mapping
        Items of enumerations, by number.
    inputs, then : mapping
        Inputs from the start on, and those that jump at half time.
    within : float
        Largest difference from the reference, relative to the largest value of the quantity.
    events : bool
        Whether state events occur on the way.
    """

    fmu: str
    stop: float
    step: float
    start: Mapping[str, float] = field(default_factory=dict)
    choices: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    then: Mapping[str, float] = field(default_factory=dict)
    within: float = 1e-6
    events: bool = False

    @property
    def steps(self) -> int:
        """Number of communication steps."""
        return round(self.stop / self.step)

    @property
    def half(self) -> float:
        """When inputs jump, s."""
        return self.stop / 2

    @property
    def samples(self) -> tuple[float, ...]:
        """Times whose values are compared, s."""
        return tuple(part * self.stop for part in SAMPLED)

    def inputs_at(self, time: float) -> dict[str, float]:
        """Return the inputs that hold over a step that begins then."""
        jumped = time >= self.half * (1 - 1e-9)
        return {**self.inputs, **(self.then if jumped else {})}


EXPERIMENTS = {
    "vehicle": Experiment(
        "vehicle",
        stop=1.0,
        step=0.01,
        start={"chassis.speed": 12.0, "chassis.mass": 1300.0},
        inputs={"steer.angle": 0.02, "drive.force": 500.0},
        then={"steer.angle": -0.03},
    ),
    "vehicle, braking to rest": Experiment(
        "vehicle",
        stop=1.0,
        step=0.01,
        start={"chassis.speed": 2.0, "chassis.yaw": 0.5},
        inputs={"steer.angle": 0.1, "brake.force": 1500.0},
        then={"brake.force": 4500.0},
        within=1e-5,
        events=True,
    ),
    "vehicle_grip": Experiment(
        "vehicle_grip",
        stop=1.0,
        step=0.01,
        start={"chassis.speed": 15.0},
        inputs={"steer.angle": 0.05, "front.friction": 0.9, "rear.friction": 0.9},
        then={"front.friction": 0.3, "rear.friction": 0.3},
        within=1e-5,
        events=True,
    ),
    "bicycle": Experiment(
        "bicycle",
        stop=1.0,
        step=0.01,
        start={"bicycle.lean_rate": 0.1, "rear_frame.mass": 80.0},
        inputs={"steer.torque": 0.2, "drive.torque": 2.0},
        then={"steer.torque": -0.2},
    ),
    "caster": Experiment(
        "caster",
        stop=4.0,
        step=0.01,
        start={"swivel.angle": 0.2, "swivel.damping": 0.01},
        inputs={"attachment.speed": 1.2, "swivel.torque": 0.01},
        then={"swivel.torque": -0.01},
    ),
    "caster_flexible": Experiment(
        "caster_flexible",
        stop=4.0,
        step=0.01,
        start={"yoke.bending_stiffness": 12.0},
        choices={"solver.method": 2},
        inputs={"attachment.speed": 0.9},
        then={"attachment.speed": 1.1},
        within=1e-5,
    ),
    "rolling_disk": Experiment(
        "rolling_disk",
        stop=4.0,
        step=0.01,
        start={"disk.pitch_rate": 0.8},
        inputs={"axle.torque": 0.02, "yaw.torque": 0.01},
        then={"yaw.torque": -0.01},
    ),
    "journal_bearing": Experiment(
        "journal_bearing",
        stop=0.1,
        step=0.001,
        start={"bearing.viscosity": 0.2},
        inputs={
            "journal.x": 1e-4,
            "journal.y": 2e-4,
            "journal.x_rate": 0.01,
            "journal.speed": 90.0,
        },
        then={"journal.x": -2e-4, "journal.y_rate": 0.02},
    ),
    "clearance": Experiment(
        "clearance",
        stop=0.1,
        step=0.001,
        start={"friction.coefficient": 0.2},
        choices={"law": 2},
        inputs={"journal.x": 4e-4, "sleeve.y": -1e-5, "journal.angle_rate": 0.2},
        then={"journal.x": 5.02e-4, "journal.angle_rate": -0.1},
        events=True,
    ),
    "clearance_joint": Experiment(
        "clearance_joint",
        stop=2e-4,
        step=1e-6,
        choices={"joint.law": 2},
        inputs={"slider.force": 100.0},
        then={"slider.force": -100.0},
        within=1e-5,
    ),
    "clearance_joint, impacts": Experiment(
        "clearance_joint",
        stop=1.2e-3,
        step=1e-5,
        start={"joint.restitution": 0.6},
        choices={"joint.law": 3},
        inputs={"slider.force": 100.0},
        then={"slider.force": -100.0},
        within=1e-5,
        events=True,
    ),
    "iltis": Experiment(
        "iltis",
        stop=0.4,
        step=0.01,
        start={"cabin.speed": 25.0, "cabin.mass": 1300.0},
        inputs={"rear_left.drive_torque": 120.0, "rear_right.drive_torque": 80.0},
        then={"rack.displacement": 0.004, "front_left.brake_torque": 200.0},
        within=1e-5,
    ),
    "car": Experiment(
        "car",
        stop=0.4,
        step=0.01,
        start={"body.speed": 25.0, "body.mass": 1100.0},
        inputs={"rear_left.drive_torque": 120.0, "rear_right.drive_torque": 80.0},
        then={"steering_wheel.angle": 0.4, "front_left.brake_torque": 200.0},
        within=1e-5,
    ),
    "differential_drive": Experiment(
        "differential_drive",
        stop=1.0,
        step=0.01,
        start={"base.speed": 0.5, "caster_left.angle": 0.6, "body.mass": 18.0},
        inputs={"left.torque": 0.4, "right.torque": 0.5},
        then={"left.torque": -0.3},
    ),
    "mecanum": Experiment(
        "mecanum",
        stop=1.0,
        step=0.01,
        start={"base.side_speed": 0.3, "base.yaw_rate": 0.5, "body.mass": 25.0},
        inputs={"front_left.torque": 0.4, "rear_right.torque": 0.2},
        then={"rear_right.torque": -0.6},
    ),
    "balancing_robot": Experiment(
        "balancing_robot",
        stop=0.4,
        step=0.01,
        start={"body.pitch": 0.1, "base.yaw_rate": 0.8},
        inputs={"left.torque": 0.4, "right.torque": 0.5},
        then={"left.torque": -0.3},
    ),
    "road_train": Experiment(
        "road_train",
        stop=2.0,
        step=0.02,
        start={"base.speed": 4.0, "trailer_1.angle": 0.3, "trailer_2.mass": 5000.0},
        inputs={"steer.angle": 0.2, "drive.force": 3000.0},
        then={"drive.force": -5000.0},
    ),
}
"""Experiments by name."""


def _shipped() -> list[str]:
    """Return the names of what the folder of definitions has, whose files are not run."""
    files = [*DEFINITIONS.glob("*.py"), *DEFINITIONS.glob("*/__init__.py")]
    defined = [file for file in files if "\ndef component(" in file.read_text("utf-8")]
    return sorted(f.parent.name if f.name == "__init__.py" else f.stem for f in defined)


_RUN = {experiment.fmu for experiment in EXPERIMENTS.values()}
EXPERIMENTS |= {n: Experiment(n, stop=0.1, step=1e-3) for n in _shipped() if n not in _RUN}
