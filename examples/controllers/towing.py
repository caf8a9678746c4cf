r"""A tractor and a trailer as two FMUs that are coupled through a hitch, and a driver as a third.

Both vehicles are single tracks on ideally rolling wheels. The hitch is a spring and a damper, which
the trailer has: it gets place and velocity of the tractor's end, and gives the force. One terminal
of each FMU holds all six variables; the force is a flow, so that what acts on one vehicle acts on
the other one in the opposite direction. `mbcore.fmi.System` runs them with three couplings, and
they are compared with both vehicles as one model:

* inputs that are held over a communication step h: errors of order 1,
* inputs that are extrapolated from the last two points: order 2,
* steps that are repeated until outputs and inputs agree: the one model to 1e-8.

Then the driver of `examples.controllers.path_driver` follows a double lane change. He does not know
of the trailer, which cuts the corners and pulls at the tractor.

Run: python examples/controllers/towing.py [--figures DIR]
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mbcore import Body, Model, PlanarHinge, Result, RigidLink, Speed, simulate
from mbcore.drawing import ball, box, disc
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.controllers import path_driver
from mbcore.fmi import Component, Experiment, System, Terminal, export
from mbcore.model.nodes.nodes import Angle, Point

STIFFNESS, DAMPING, SPEED = 2e5, 5e3, 10.0
TRACTOR, GLASS, TRAILER = "#5b7c99", "#9fb3c8", "#c8a36b"
REAR, BAR = -1.9, 3.0
"""Place of the hitch behind the tractor's mass centre, and length of the drawbar, m."""
BEHIND = (-122.0, 24.0)
"""View from which the tractor does not hide the hitch, degrees."""
MEMBERS = ("x", "y", "velocity_x", "velocity_y", "force_x", "force_y")


def hitch() -> tuple[Terminal, ...]:
    """Return the terminal of either vehicle: forces act on it."""
    flows = ("force_x", "force_y")
    return (Terminal("hitch", {name: f"hitch.{name}" for name in MEMBERS}, flows=flows),)


def add_tractor(model: Model) -> Point:
    """Add the tractor; return its end of the hitch."""
    centre, yaw = model.point("C", (0.0, 0.0)), model.angle("chassis")
    body = model.add(Body("chassis", centre, yaw, mass=1200.0, inertia=1500.0))
    rear, front, end = (
        body.point(name, (x, 0.0)) for name, x in (("R", -1.25), ("F", 1.25), ("end", REAR))
    )
    hide_links(model)
    command = model.input("steer.angle", unit="rad")
    angle = model.state("steer.actuator", unit="rad")
    model.derivative("steer.actuator", (command - angle) / 0.05)
    turned = model.angle("front axle")
    model.add(PlanarHinge("pivot", yaw, turned)).angle.prescribe(angle, servo=True)
    for coordinate, name in ((centre.x, "x"), (centre.y, "y"), (yaw.angle, "yaw")):
        coordinate.kinematic(f"chassis.{name}")
    ahead, left = yaw.matrix[:, 0], yaw.matrix[:, 1]
    forward = model.add(Speed("forward", ca.dot(ahead, rear.velocity))).slip
    forward.dof("chassis.speed", SPEED)
    model.add(Speed("rear slip", ca.dot(left, rear.velocity))).slip.zero()
    model.add(Speed("front slip", ca.dot(turned.matrix[:, 1], front.velocity))).slip.zero()
    model.force(centre, model.input("drive.force", unit="N") * ahead)
    hull, cabin = ca.vertcat(centre.position, 0.6), ca.vertcat(centre.position + 0.2 * ahead, 1.15)
    model.show(box(hull, yaw, (3.8, 1.6, 0.6), colour=TRACTOR, name="hull"))
    model.show(box(cabin, yaw, (1.8, 1.4, 0.5), colour=GLASS, name="cabin"))
    for point, angle in ((rear, yaw), (front, turned)):
        show_wheels(model, point, yaw, angle)
    return end


def add_trailer(model: Model) -> Point:
    """Add the trailer; return its end of the hitch."""
    axle, yaw = model.point("axle", (REAR - BAR, 0.0)), model.angle("trailer")
    body = model.add(Body("box", axle, yaw, mass=600.0, inertia=900.0, offset=(0.4, 0.0)))
    end = body.point("coupling", (BAR, 0.0))
    hide_links(model)
    ahead, left = yaw.matrix[:, 0], yaw.matrix[:, 1]
    axle.x.kinematic("trailer.x")
    axle.y.kinematic("trailer.y")
    yaw.angle.dof("trailer.yaw", "trailer.yaw_rate")
    model.add(Speed("rolling", ca.dot(ahead, axle.velocity))).slip.dof("trailer.speed", SPEED)
    model.add(Speed("side slip", ca.dot(left, axle.velocity))).slip.zero()
    load, bar = axle.position + 0.4 * ahead, axle.position + (1.6 + BAR) / 2 * ahead
    hook = ca.vertcat(end.position, 0.42)
    model.show(box(ca.vertcat(load, 0.75), yaw, (2.4, 1.6, 0.7), colour=TRAILER, name="box"))
    sizes = (BAR - 1.6, 0.1, 0.1)
    model.show(box(ca.vertcat(bar, 0.42), yaw, sizes, colour="#555555", name="drawbar"))
    model.show(ball(hook, None, (0.11, 0.11, 0.11), colour="#c4501b", name="hitch"))
    show_wheels(model, axle, yaw, yaw)
    return end


def hide_links(model: Model) -> None:
    """Hide the links between a body and its points, which lie within what is shown."""
    for element in model.elements.values():
        if isinstance(element, RigidLink):
            element.visible = False


def show_wheels(model: Model, centre: Point, yaw: Angle, angle: Angle) -> None:
    """Show the two wheels of an axle, which have an angle of their own."""
    frame = ca.diagcat(angle.matrix, 1)
    for side in (-0.75, 0.75):
        place = ca.vertcat(centre.position + side * yaw.matrix[:, 1], 0.31)
        model.show(disc(place, frame, 0.31, 0.2, axle=(0, 1, 0), name=f"{centre.name} wheel"))


def pull(place: ca.SX, velocity: ca.SX, end: Point) -> ca.SX:
    """Return the force on the trailer."""
    return STIFFNESS * (place - end.position) + DAMPING * (velocity - end.velocity)


def tractor() -> Component:
    """Return the tractor, which feels a force at its end of the hitch."""
    model = Model("tractor")
    end = add_tractor(model)
    model.force(end, ca.vertcat(*(model.input(f"hitch.force_{a}", unit="N") for a in "xy")))
    for i, axis in enumerate("xy"):
        model.output(f"hitch.{axis}", end.position[i], unit="m")
        model.output(f"hitch.velocity_{axis}", end.velocity[i], unit="m/s")
    return Component(
        "tractor", "Tractor", model.equations(), Experiment(2.0, 0.01), terminals=hitch()
    )


def trailer() -> Component:
    """Return the trailer, whose end of the drawbar is pulled to a place that is given."""
    model = Model("trailer")
    end = add_trailer(model)
    x, y = model.input("hitch.x", REAR, unit="m"), model.input("hitch.y", unit="m")
    speeds = [
        model.input(f"hitch.velocity_{a}", v, unit="m/s") for a, v in (("x", SPEED), ("y", 0))
    ]
    force = pull(ca.vertcat(x, y), ca.vertcat(*speeds), end)
    model.force(end, force)
    for i, axis in enumerate("xy"):
        model.output(f"hitch.force_{axis}", force[i], unit="N")
    return Component(
        "trailer", "Trailer", model.equations(), Experiment(2.0, 0.01), terminals=hitch()
    )


def towing() -> Model:
    """Return both as one model."""
    model = Model("towing")
    one, other = add_tractor(model), add_trailer(model)
    force = pull(one.position, one.velocity, other)
    model.force(other, force)
    model.force(one, -force)
    return model


INPUTS = {
    "steer.angle": lambda t: 0.05 * math.sin(1.5 * t),
    "drive.force": lambda t: 500.0 * math.sin(t),
}
"""Of the comparison with one model."""
END, DRIVE = 1.0, 13.0
"""Of the comparison and of the lane change, s."""
COMPARED = ("tractor.chassis.x", "tractor.chassis.y", "trailer.trailer.y", "trailer.trailer.yaw")
STEPS: dict[str, tuple[float, ...]] = {
    "held": (1 / 250, 1 / 500, 1 / 1000),
    "extrapolated": (1 / 125, 1 / 250, 1 / 500),
    "iterated": (1 / 125, 1 / 250, 1 / 500),
}


@dataclass(frozen=True)
class Record:
    """Errors of each coupling by the step, and the lane change."""

    errors: dict[str, dict[float, float]]
    drive: Result


def towed(fmus: Mapping[str, Path], start: Mapping[str, float] | None = None) -> System:
    """Return tractor and trailer, connected by one connection, and what else is given."""
    system = System("towing", fmus, start)
    system.connect("tractor.hitch", "trailer.hitch")
    return system


def error(
    fmus: Mapping[str, Path], coupling: str, step: float, exact: Mapping[str, float]
) -> float:
    """Return the largest error at the end, m or rad."""
    system = towed(fmus)
    system.show(*COMPARED)
    inputs = {f"tractor.{name}": given for name, given in INPUTS.items()}
    run = system.simulate(END, step, coupling, inputs=inputs, tolerance=1e-12)  # type: ignore[arg-type]
    return max(abs(float(run[name][-1]) - exact[name]) for name in COMPARED)


def as_one() -> dict[str, float]:
    """Return the values at the end of both vehicles as one model."""
    run = simulate(
        towing().equations(), END, inputs=INPUTS, rtol=1e-12, atol=1e-13, samples=[0, END]
    )
    return {name: float(run[name.partition(".")[2]][-1]) for name in COMPARED}


def drive(fmus: Mapping[str, Path]) -> Result:
    """Run tractor, trailer and driver through the lane change."""
    start = {"tractor.chassis.speed": SPEED, "driver.wanted.speed": SPEED}
    system = towed(fmus, start)
    for name in ("x", "y", "yaw", "speed"):
        system.connect(f"tractor.chassis.{name}", f"driver.chassis.{name}")
    system.connect("driver.steer.angle", "tractor.steer.angle")
    system.connect("driver.drive.force", "tractor.drive.force")
    return system.simulate(DRIVE, 0.02, "iterated")


def run() -> Record:
    """Export the FMUs and run them."""
    with tempfile.TemporaryDirectory() as folder:
        parts = {
            "tractor": tractor(),
            "trailer": trailer(),
            "driver": path_driver.component(),
        }
        fmus = {name: export(part, folder, fmi="3.0")[0] for name, part in parts.items()}
        pair, exact = {name: fmus[name] for name in ("tractor", "trailer")}, as_one()
        errors = {
            coupling: {step: error(pair, coupling, step, exact) for step in steps}
            for coupling, steps in STEPS.items()
        }
        return Record(errors, drive(fmus))


def draw(record: Record, folder: Path) -> None:
    """Draw the paths, the force in the hitch, and the errors over the step."""
    figure = Figure(figsize=(9.4, 7.2), layout="constrained")
    road, force, errors = figure.subplots(3, 1, height_ratios=(1.2, 1, 1.2))
    run = record.drive
    road.plot(run["tractor.chassis.x"], run["tractor.chassis.y"], color="black", label="tractor")
    road.plot(run["trailer.trailer.x"], run["trailer.trailer.y"], color="#c4501b", label="trailer")
    plain(road, "x (m)", "y (m)")
    head(road, "Mass centre of the tractor and axle of the trailer (lateral scale stretched)", 2)
    pulled = np.hypot(run["trailer.hitch.force_x"], run["trailer.hitch.force_y"])
    force.plot(run.time, pulled, color="black", label="force in the hitch")
    force.set_xlim(0, DRIVE)
    plain(force, "time (s)", "force (N)")
    head(force, "Force in the hitch", 1)
    for (coupling, found), marker in zip(record.errors.items(), "os^", strict=True):
        errors.loglog([1000 * h for h in found], [*found.values()], marker, ls="-", label=coupling)
    plain(errors, "step (ms)", "error (m or rad)")
    errors.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    errors.xaxis.set_minor_locator(NullLocator())
    head(errors, "Largest error after 1 s, to both vehicles as one model", 3)
    save(figure, folder, "towing")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    labels = {"hitch": ("hitch: spring and damper", 20, -70), "drawbar": ("drawbar", -10, 60)}
    show(towing(), folder, "towing", "Tractor and trailer", view=BEHIND, labels=labels)
    record = run()
    rows = []
    for coupling, order in (("held", 1.0), ("extrapolated", 2.0)):
        coarse, fine = [*record.errors[coupling].values()][-2:]
        rows.append((f"order of inputs that are {coupling}", math.log2(coarse / fine), order))
    iterated = min(record.errors["iterated"].values())
    rows.append(("error of repeated steps (m)", iterated, 0.0))
    print_comparison("Tractor and trailer as two FMUs; reference: both as one model", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
