r"""A slider-crank and its rattling joint as two FMUs, against both as one, [Schwab2002] 5.4.

The mechanism is that of the FMU `clearance_joint` without its joint: it feels forces and torques at
the centres of sleeve and journal and tells their motion. The FMU `clearance` is the joint, a force
element: motion in, forces out. Two connections of nine variables each couple them.

The joint starts pressed by the force that accelerates the slider, and follows the crank for 0.4 ms
without leaving contact: k = 2e7 N/m, μ = 0, because `clearance_joint` smooths friction. With inputs
that are held over a step the error is of first order, with linear inputs of second order. With
friction the reference is one model of the same equations; the journal slides all the time. Orders
are those of the two finest steps.

Then both run for half a turn, with Hertz's law and friction that sticks: contacts and rebounds.

Run: python examples/contact/clearance_coupled.py [--figures DIR]
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mbcore import Model, Result, Units, simulate
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save
from mbcore.examples.contact.joint_picture import show_joint
from mbcore.fmi import Component, Experiment, System, Terminal, export
from mbcore.fmus import clearance, clearance_joint
from mbcore.fmus.clearance.forces import add_forces
from mbcore.fmus.clearance.motion import Part, relative
from mbcore.fmus.clearance.parameters import add_parameters
from mbcore.fmus.clearance_joint.slider_crank import SliderCrank, describe

STIFFNESS, GAP, PRESSED = 2e7, 0.5e-3, 0.13e-3
"""Of the joint, N/m; radial clearance and depth at the start, m."""
FRICTION = 0.1
END, RATTLES = 0.4e-3, 6e-3
"""Of the comparison, and of the motion that rattles, half a turn, s."""
STEPS = (4e-6, 2e-6, 1e-6)
SIZES = {"slider.position": GAP, "slider.velocity": 1.0, "joint.x": GAP, "joint.y": GAP}
"""What is compared, and of what size its errors are: of the clearance, and of speeds in it."""
START = {"joint.x": -(GAP + PRESSED), "joint.y": 0.0}
"""Place of the journal in the sleeve: it pulls the slider back."""


def parts(mechanism: SliderCrank) -> dict[str, tuple[ca.SX, ...]]:
    """Return place, angle and their rates of journal and sleeve."""
    joint = mechanism.joint
    return {
        name: (*centre.position.elements(), angle.value, *centre.velocity.elements(), angle.rate)
        for name, centre, angle in (
            ("journal", joint.journal, joint.journal_angle),
            ("sleeve", joint.sleeve, joint.sleeve_angle),
        )
    }


MEMBERS = ("x", "y", "angle", "x_rate", "y_rate", "angle_rate", "force_x", "force_y", "torque")


def slider_crank() -> Component:
    """Return the mechanism, which feels forces at journal and sleeve."""
    mechanism = describe("slider_crank")
    crank = mechanism.crank
    units = (*2 * [Units("m", "mm")], Units("rad", "deg"), *2 * ["m/s"], "rad/s")
    for name, motion in parts(mechanism).items():
        for member, value, unit in zip(MEMBERS, motion, units, strict=False):
            crank.output(f"{name}.{member}", value, unit=unit)
        force = [crank.input(f"{name}.force_{axis}", unit="N") for axis in "xy"]
        torque = crank.input(f"{name}.torque", unit="N.m")
        crank.force(getattr(mechanism.joint, name), force)
        crank.moment(getattr(mechanism.joint, f"{name}_angle"), torque)
    crank.output("slider.position", mechanism.sleeve.position[0], unit="m")
    crank.output("slider.velocity", mechanism.sleeve.velocity[0], unit="m/s")
    terminals = tuple(
        Terminal(name, {member: f"{name}.{member}" for member in MEMBERS})
        for name in ("journal", "sleeve")
    )
    return Component(
        "slider_crank",
        "Slider-crank that feels forces at the journal and the sleeve of its joint",
        crank.equations(),
        Experiment(0.1 * END, 1e-6),
        terminals=terminals,
    )


def coupled(fmus: Mapping[str, Path], start: Mapping[str, float | str]) -> System:
    """Return mechanism and joint with their two connections."""
    system = System("clearance_coupled", fmus, start)
    for name in ("journal", "sleeve"):
        system.connect(f"mechanism.{name}", f"joint.{name}")
    return system


LINEAR: dict[str, float | str] = {
    "joint.law": "linear",
    "joint.contact.stiffness": STIFFNESS,
    **{f"mechanism.{name}": value for name, value in START.items()},
}
RATTLING: dict[str, float | str] = {
    "joint.friction.coefficient": FRICTION,
    "joint.friction.static": 1.5 * FRICTION,
}


def error(
    fmus: Mapping[str, Path],
    coupling: str,
    step: float,
    friction: float,
    exact: Mapping[str, float],
) -> float:
    """Return the largest error at the end over the size of each quantity."""
    system = coupled(fmus, {**LINEAR, "joint.friction.coefficient": friction})
    system.show(*(f"mechanism.{name}" for name in SIZES))
    run = system.simulate(END, step, coupling, tolerance=1e-11)  # type: ignore[arg-type]
    return max(
        abs(float(run[f"mechanism.{name}"][-1]) - exact[name]) / size
        for name, size in SIZES.items()
    )


def alone() -> dict[str, float]:
    """Return the values at the end of `clearance_joint`, which has the whole without friction."""
    values = {"joint.law": "linear", "joint.stiffness": STIFFNESS}
    return end_of(clearance_joint.model(), values)


def as_one(friction: float) -> dict[str, float]:
    """Return the values at the end of mechanism and joint as one model."""
    mechanism = describe("as_one")
    crank, joint, moving = mechanism.crank, mechanism.joint, parts(mechanism)
    journal, sleeve = (Part(*moving[name]) for name in ("journal", "sleeve"))
    forces = add_forces(crank, relative(journal, sleeve), add_parameters(crank))
    force = ca.vertcat(forces.x, forces.y)
    crank.force(joint.sleeve, force)
    crank.force(joint.journal, -force)
    crank.moment(joint.journal_angle, forces.journal_torque)
    crank.output("slider.position", mechanism.sleeve.position[0], unit="m")
    crank.output("slider.velocity", mechanism.sleeve.velocity[0], unit="m/s")
    values = {"law": "linear", "contact.stiffness": STIFFNESS, "friction.coefficient": friction}
    return end_of(crank, values)


def end_of(model: Model, values: Mapping[str, float | str]) -> dict[str, float]:
    """Return what is compared at the end of a motion of the whole."""
    run = simulate(
        model.equations(),
        END,
        start=START,
        parameters=values,
        rtol=1e-12,
        atol=1e-15,
        samples=[0, END],
    )
    return {name: float(run[name][-1]) for name in SIZES}


@dataclass(frozen=True)
class Record:
    """Errors by friction, coupling and step, and the motion that rattles."""

    errors: dict[tuple[float, str], dict[float, float]]
    rattling: Result


def run() -> Record:
    """Export the FMUs and run them."""
    with tempfile.TemporaryDirectory() as folder:
        made = {"mechanism": slider_crank(), "joint": clearance.component()}
        fmus = {name: export(part, folder, fmi="2.0")[0] for name, part in made.items()}
        exact = {0.0: alone(), FRICTION: as_one(FRICTION)}
        errors = {
            (friction, coupling): {
                step: error(fmus, coupling, step, friction, exact[friction]) for step in STEPS
            }
            for friction in exact
            for coupling in ("held", "extrapolated")
        }
        return Record(errors, coupled(fmus, RATTLING).simulate(RATTLES, 1e-6))


def draw(record: Record, folder: Path) -> None:
    """Draw the errors over the step, and half a turn with contacts and rebounds."""
    figure = Figure(figsize=(9.4, 7.2), layout="constrained")
    errors, force, path = figure.subplots(3, 1, height_ratios=(1.2, 1, 1))
    marks = {("held", True): "o-", ("held", False): "o--"}
    for (friction, coupling), found in record.errors.items():
        line = marks.get((coupling, friction == 0), "s-" if friction == 0 else "s--")
        label = f"{coupling}, {against(friction)}"
        errors.loglog([1e6 * h for h in found], [*found.values()], line, label=label)
    plain(errors, "step / µs", "relative error")
    errors.set_xticks([1, 2, 4], ["1", "2", "4"])
    errors.xaxis.set_minor_locator(NullLocator())
    head(
        errors,
        "Largest error after 0.4 ms in contact, of places by the clearance, of speeds by 1 m/s",
        2,
    )
    found, time = record.rattling, 1e3 * record.rattling.time
    for name, label in (("normal", "normal force"), ("friction", "friction")):
        force.plot(time, 1e-3 * found[f"joint.contact.{name}_force"], label=label)
    plain(force, "time / ms", "force / kN")
    head(force, "Half a turn from a centred journal: forces on the sleeve", 2)
    path.plot(time, 1e3 * found["mechanism.joint.x"], label="x")
    path.plot(time, 1e3 * found["mechanism.joint.y"], label="y")
    for side in (-1e3 * GAP, 1e3 * GAP):
        label = "clearance" if side > 0 else None
        path.axhline(side, color="#8d949c", linewidth=0.8, label=label)
    plain(path, "time / ms", "place / mm")
    head(path, "Journal's centre in the sleeve", 3)
    save(figure, folder, "clearance_coupled")


def against(friction: float) -> str:
    """Return what the errors are against."""
    return "clearance_joint" if friction == 0 else f"one model, μ = {friction}"


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Slider-crank and its joint, two FMUs"
    show_joint(clearance_joint.model(), folder, "clearance_coupled", title)
    record = run()
    rows = []
    for (friction, coupling), found in record.errors.items():
        coarse, fine = [*found.values()][-2:]
        order = {"held": 1.0, "extrapolated": 2.0}[coupling]
        rows.append((f"{against(friction)}: order, {coupling}", math.log2(coarse / fine), order))
    print_comparison("Slider-crank and clearance as two FMUs", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
