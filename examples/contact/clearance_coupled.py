r"""A slider-crank and its rattling joint as two FMUs, against both as one, [Schwab2002] 5.4.

The mechanism is that of the FMU `clearance_joint` without its joint: it feels forces and torques at
the centres of sleeve and journal and tells their motion. The FMU `clearance` is the joint, a force
element: motion in, forces out. Two connections of nine variables each couple them.

The joint starts pressed by the force that accelerates the slider, and follows the crank for 0.4 ms
without leaving contact, k = 2e7 N/m. Friction is compliant: the journal rolls along the sleeve,
held by a spring of 2e6 N/m and a damper (μ = 1), or slides all the time (μ = 0.1, and a damper that
takes more from the start). With inputs that are held over a step the error is of first order in the
step, with linear ones of second order: by derivatives of inputs in FMI 2, by intermediate updates
in FMI 3. Orders are those of the two finest steps.

Then both run for half a turn, with Hertz's law and friction that sticks: contacts and rebounds.

Run: python examples/contact/clearance_coupled.py [--figures DIR]
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import casadi as ca
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mbcore import Result, Units, simulate
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save
from mbcore.examples.contact.joint_picture import show_joint
from mbcore.fmi import Component, Experiment, System, Terminal, export
from mbcore.fmi.systems.coupling import Coupling
from mbcore.fmus import clearance, clearance_joint
from mbcore.fmus.clearance_joint.slider_crank import SliderCrank, describe

Version = Literal["2.0", "3.0"]
STIFFNESS, GAP, PRESSED = 2e7, 0.5e-3, 0.13e-3
"""Of the joint, N/m; radial clearance and depth at the start, m."""
END, RATTLES = 0.4e-3, 6e-3
"""Of the comparison, and of the motion that rattles, half a turn, s."""
STEPS = (1e-6, 0.5e-6, 0.25e-6, 0.125e-6)


@dataclass(frozen=True)
class Friction:
    """Coefficient; stiffness, N/m, and damping, N.s/m, along the surface while it sticks."""

    coefficient: float
    stiffness: float
    damping: float

    def values(self, names: Mapping[str, str]) -> dict[str, float | str]:
        """Return the values by the names of the FMU's parameters."""
        return {names[name]: value for name, value in asdict(self).items()}


FRICTION = {"sticks": Friction(1.0, 2e6, 100.0), "slides": Friction(0.1, 1e7, 1e5)}
COUPLINGS: dict[str, tuple[Coupling, Version, int]] = {
    "held": ("held", "2.0", 4),
    "linear": ("extrapolated", "2.0", 4),
    "linear, FMI 3": ("extrapolated", "3.0", 3),
}
"""How inputs are within a step, by which FMI, and with how many of the steps."""
SIZES = {"slider.position": GAP, "slider.velocity": 1.0, "joint.x": GAP, "joint.y": GAP}
"""Compared quantities, with the sizes of their errors: the clearance, and speeds in it."""
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
    "joint.friction.coefficient": 0.1,
    "joint.friction.static": 0.15,
}


def alone(friction: Friction) -> dict[str, float]:
    """Return the values at the end of `clearance_joint`, which has the whole."""
    names = {
        "coefficient": "joint.friction",
        "stiffness": "joint.friction_stiffness",
        "damping": "joint.friction_damping",
    }
    values = friction.values(names) | {
        "joint.law": "linear",
        "joint.stiffness": STIFFNESS,
        "joint.friction_law": "compliant",
    }
    run = simulate(
        clearance_joint.model().equations(),
        END,
        start=START,
        parameters=values,
        rtol=1e-12,
        atol=1e-15,
        samples=[0, END],
    )
    return {name: float(run[name][-1]) for name in SIZES}


def error(
    fmus: Mapping[str, Path],
    coupling: Coupling,
    step: float,
    friction: Friction,
    exact: Mapping[str, float],
) -> float:
    """Return the largest error at the end over the size of each quantity."""
    names = {name: f"joint.friction.{name}" for name in asdict(friction)}
    system = coupled(fmus, LINEAR | friction.values(names))
    system.show(*(f"mechanism.{name}" for name in SIZES))
    run = system.simulate(END, step, coupling, tolerance=1e-11)
    return max(
        abs(float(run[f"mechanism.{name}"][-1]) - exact[name]) / size
        for name, size in SIZES.items()
    )


def exported(folder: str | Path, fmi: Version, **how: Any) -> dict[str, Path]:
    """Return the FMUs of mechanism and joint; ``how`` is for `mbcore.fmi.export`."""
    made = {"mechanism": slider_crank(), "joint": clearance.component()}
    return {name: export(part, folder, fmi=fmi, **how)[0] for name, part in made.items()}


@dataclass(frozen=True)
class Record:
    """Errors by friction, coupling and step, and the motion that rattles."""

    errors: dict[tuple[str, str], dict[float, float]]
    rattling: Result


def run() -> Record:
    """Export the FMUs and run them."""
    with tempfile.TemporaryDirectory() as folder:
        fmus = {fmi: exported(Path(folder, fmi), fmi) for fmi in get_args(Version)}
        exact = {name: alone(friction) for name, friction in FRICTION.items()}
        errors = {
            (name, how): {
                step: error(fmus[fmi], coupling, step, friction, exact[name])
                for step in STEPS[:count]
            }
            for name, friction in FRICTION.items()
            for how, (coupling, fmi, count) in COUPLINGS.items()
        }
        return Record(errors, coupled(fmus["2.0"], RATTLING).simulate(RATTLES, 1e-6))


def draw(record: Record, folder: Path) -> None:
    """Draw the errors over the step, and half a turn with contacts and rebounds."""
    figure = Figure(figsize=(9.4, 7.2), layout="constrained")
    errors, force, path = figure.subplots(3, 1, height_ratios=(1.2, 1, 1))
    for how, mark in (("held", "C0o"), ("linear", "C1s"), ("linear, FMI 3", "C2x")):
        for name, line in (("sticks", "-"), ("slides", "--")):
            found = record.errors[name, how]
            errors.loglog(
                [1e6 * h for h in found], [*found.values()], mark + line, label=f"{name}, {how}"
            )
    plain(errors, "step (µs)", "relative error")
    errors.set_xticks([1e6 * h for h in STEPS], [f"{1e6 * h:g}" for h in STEPS])
    errors.xaxis.set_minor_locator(NullLocator())
    head(
        errors,
        "Inputs held or linear over a step: largest error after 0.4 ms in contact",
        3,
    )
    motion, time = record.rattling, 1e3 * record.rattling.time
    for part, label in (("normal", "normal force"), ("friction", "friction")):
        force.plot(time, 1e-3 * motion[f"joint.contact.{part}_force"], label=label)
    plain(force, "time (ms)", "force (kN)")
    head(force, "Half a turn from a centred journal: forces on the sleeve", 2)
    path.plot(time, 1e3 * motion["mechanism.joint.x"], label="x")
    path.plot(time, 1e3 * motion["mechanism.joint.y"], label="y")
    for side in (-1e3 * GAP, 1e3 * GAP):
        limit = "clearance" if side > 0 else None
        path.axhline(side, color="#8d949c", linewidth=0.8, label=limit)
    plain(path, "time (ms)", "place (mm)")
    head(path, "Journal's centre in the sleeve", 3)
    save(figure, folder, "clearance_coupled")


def order(errors: Mapping[float, float]) -> float:
    """Return the order of the error by the two finest steps."""
    coarse, fine = [*errors.values()][-2:]
    return math.log2(coarse / fine)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Slider-crank and its joint, two FMUs"
    show_joint(clearance_joint.model(), folder, "clearance_coupled", title)
    record = run()
    rows = [
        (f"{name}: order, {how}", order(found), 1.0 if how == "held" else 2.0)
        for (name, how), found in record.errors.items()
    ]
    print_comparison("Slider-crank and clearance as two FMUs", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
