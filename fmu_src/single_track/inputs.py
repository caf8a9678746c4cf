"""Inputs of a single-track vehicle: mass and geometry, steering, forces."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units

from ..lagged_steering import Commands, Words, add_commands

STEERING = Words(
    rate="rate of the commanded axle angle, used with direct steering",
    angle="commanded front axle angle, positive left",
    actuator="axle angle of the lag actuator",
)


@dataclass(frozen=True)
class Parameters:
    """Mass and geometry of a single-track vehicle; SI units."""

    mass: ca.SX
    inertia: ca.SX
    wheelbase: ca.SX
    to_mass_centre: ca.SX
    """Distance from the rear axle."""
    gravity: ca.SX
    friction_limit: ca.SX


@dataclass(frozen=True)
class Steering:
    """How the front axle's angle follows its command; rad, rad/s."""

    commands: Commands
    reference_speed: ca.SX
    lagging: bool
    """Whether the actuator is between the speed and the angle, too."""

    def angle(self, car: Model, speed: ca.SX) -> ca.SX:
        """Return the front axle's angle at a speed, m/s."""
        given = self.commands
        by_speed = given.actuator if self.lagging else self._by_speed(speed)
        return car.select(given.choice, given.actuator, given.angle, by_speed)

    def actuator_rate(self, car: Model, speed: ca.SX) -> ca.SX:
        """Return the rate of the actuator's angle at a speed, m/s."""
        given = self.commands
        target = given.angle
        if self.lagging:
            target = car.select(given.choice, target, target, self._by_speed(speed))
        return (target - given.actuator) / given.lag

    def rate(self, car: Model, speed: ca.SX) -> ca.SX:
        """Return the angle's rate; 0 where it follows the speed at once.

        It is a share of the acceleration there.
        """
        actuator = self.actuator_rate(car, speed)
        by_speed = actuator if self.lagging else ca.SX(0)
        return car.select(self.commands.choice, actuator, self.commands.rate, by_speed)

    def _by_speed(self, speed: ca.SX) -> ca.SX:
        return ca.atan(speed / self.reference_speed)  # [SchiehlenEismann] (36)


@dataclass(frozen=True)
class Forces:
    """Forces that are given, N."""

    drive: ca.SX
    brake: ca.SX
    """The largest one."""
    load: ca.SX
    """Further force at C, shape (2, 1)."""


def add_parameters(car: Model, gravity: str) -> Parameters:
    """Add the parameters of mass and geometry; ``gravity`` says what that is for."""
    mass = car.parameter("chassis.mass", 1200, unit="kg", positive=True, description="mass")
    inertia = car.parameter(
        "chassis.inertia",
        675,
        unit="kg.m2",
        positive=True,
        description="moment of inertia about the vertical through the mass centre",
    )
    wheelbase = car.parameter(
        "wheelbase", 2.5, unit="m", positive=True, tunable=False, description="distance of axles"
    )
    to_mass_centre = car.parameter(
        "rear_to_mass_centre",
        1.25,
        unit="m",
        positive=True,
        tunable=False,
        description="distance from rear axle to mass centre",
    )
    free_fall = car.parameter(
        "gravity",
        9.81,
        unit="m/s2",
        positive=True,
        description=f"acceleration of free fall, {gravity}",
    )
    limit = car.parameter(
        "friction.limit",
        0.9,
        positive=True,
        description="friction ratio above which the motion is not valid",
    )
    car.require(
        "rear_to_mass_centre",
        wheelbase - to_mass_centre,
        "must be shorter than the wheelbase",
        shown=to_mass_centre,
        initial=True,
    )
    return Parameters(mass, inertia, wheelbase, to_mass_centre, free_fall, limit)


def add_steering(car: Model, lagging: bool) -> Steering:
    """Add how the front axle is steered: the choice, the command and the actuator.

    Parameters
    ----------
    lagging : bool
        Whether the actuator is between the speed and the angle, too.
    """
    law = "arctan(speed / reference speed)" + ", by that actuator" * lagging
    commands = add_commands(car, 0.05, STEERING, {"speed_law": law})
    reference_speed = car.parameter(
        "steer.reference_speed",
        10,
        unit=Units("m/s", "km/h"),
        positive=True,
        description="v_L of the speed law",
    )
    return Steering(commands, reference_speed, lagging)


def add_forces(car: Model) -> Forces:
    """Add the forces along the vehicle and at its mass centre."""
    drive = car.input(
        "drive.force",
        unit="N",
        description="driving force along the vehicle's axis at C; a negative one drives backwards, "
        "to brake there is brake.force",
    )
    brake = car.input(
        "brake.force",
        unit="N",
        minimum=0.0,
        description="largest force of the brake: opposes the motion, and holds at rest",
    )
    x = car.input("load.force_x", unit="N", description="further force at C, inertial x")
    y = car.input("load.force_y", unit="N", description="further force at C, inertial y")
    return Forces(drive, brake, ca.vertcat(x, y))
