"""What is given of a single-track vehicle: mass and geometry, steering, forces."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units


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

    choice: ca.SX
    """1 by the actuator, 2 as the command, 3 by the speed."""
    reference_speed: ca.SX
    lagging: bool
    """Whether the actuator is between the speed and the angle, too."""
    lag: ca.SX
    """Time constant of the actuator, s."""
    command: ca.SX
    command_rate: ca.SX
    actuator: ca.SX

    def angle(self, car: Model, speed: ca.SX) -> ca.SX:
        """Return the front axle's angle at a speed, m/s."""
        by_speed = self.actuator if self.lagging else self._by_speed(speed)
        return car.select(self.choice, self.actuator, self.command, by_speed)

    def actuator_rate(self, car: Model, speed: ca.SX) -> ca.SX:
        """Return the rate of the actuator's angle at a speed, m/s."""
        target = self.command
        if self.lagging:
            target = car.select(self.choice, target, target, self._by_speed(speed))
        return (target - self.actuator) / self.lag

    def rate(self, car: Model, speed: ca.SX) -> ca.SX:
        """Return the angle's rate; 0 where it follows the speed at once.

        It is a share of the acceleration there.
        """
        actuator = self.actuator_rate(car, speed)
        by_speed = actuator if self.lagging else ca.SX(0)
        return car.select(self.choice, actuator, self.command_rate, by_speed)

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
    law = ", by that actuator" if lagging else ""
    choice = car.enumeration(
        "steering",
        ["lag", "direct", "speed_law"],
        description="lag: first-order actuator; direct: angle and rate as given; speed_law: "
        f"arctan(speed / reference speed){law}",
    )
    lag = car.parameter(
        "steer.time_constant",
        0.05,
        unit="s",
        positive=True,
        description="time constant of the steering actuator",
    )
    reference_speed = car.parameter(
        "steer.reference_speed",
        10,
        unit=Units("m/s", "km/h"),
        positive=True,
        description="v_L of the speed law",
    )
    rate = car.input(
        "steer.rate",
        0.0,
        unit="rad/s",
        description="rate of the commanded axle angle, used with direct steering",
    )
    command = car.input(
        "steer.angle",
        unit=Units("rad", "deg"),
        rate=rate,
        description="commanded front axle angle, positive left",
    )
    actuator = car.state(
        "steer.actuator_angle",
        unit=Units("rad", "deg"),
        nominal=0.1,
        description="axle angle of the lag actuator",
    )
    return Steering(choice, reference_speed, lagging, lag, command, rate, actuator)


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
