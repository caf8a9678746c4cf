r"""A slider-crank with dry friction in all four joints, driven by a torque that pauses.

The friction of a pin is μ r \|R\|, R the force that it transmits; R contains this friction in turn,
so that the four frictions are solved for together, with the constraint forces by [Schwab2002]
(A.108). In a joint that comes to rest, the rate is held at zero as long as the friction that this
takes is at most μ_s r \|R\|: it sticks, and does not creep. While the torque pauses, the mechanism
comes to rest, and leaves it where the torque exceeds what all joints together can hold.

The energy that the torque supplies is what the frictions take, and what is stored: all are
integrated with the motion.

Run: python examples/contact/joint_friction.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, Friction, Model, PlanarHinge, Result, RigidLink, Slide, simulate
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

CRANK, ROD = 0.15, 0.3
"""m."""
CRANK_MASS, ROD_MASS, SLIDER_MASS = 0.38, 0.76, 0.5
"""kg."""
RADIUS, FRICTION, STATIC = 0.02, 0.25, 0.3
"""Of the pins, m; coefficients while sliding and sticking."""
GRAVITY, TORQUE = 9.81, 2.5
"""m/s²; N.m, while it acts."""
PERIOD, ACTING, END = 2.5, 0.3, 7.5
"""Of the torque, s: it acts in the first part of each period."""
JOINTS = ("crank axis", "crank pin", "slider pin", "guide")


def slider_crank(friction: float = FRICTION, static: float = STATIC) -> Model:
    """Return the mechanism with a friction in each joint, and energies as auxiliary states."""
    model = Model("slider_crank", gravity=(0, -GRAVITY))
    axis, end = model.point("axis", (0, 0), fixed=True), np.sqrt(ROD**2 - CRANK**2)
    pin, slider = model.point("pin", (0, CRANK)), model.point("slider", (end, 0))
    frame = model.angle("frame", fixed=True)
    crank = model.angle("crank angle", np.pi / 2)
    rod = model.angle("rod angle", -np.arcsin(CRANK / ROD))
    model.add(RigidLink("crank", axis, crank, pin, offset=(CRANK, 0)))
    model.add(RigidLink("rod", pin, rod, slider, offset=(ROD, 0)))
    for name, node, angle, mass, length in (
        ("crank body", axis, crank, CRANK_MASS, CRANK),
        ("rod body", pin, rod, ROD_MASS, ROD),
    ):
        inertia = mass * length**2 / 12  # about the mass centre
        model.add(Body(name, node, angle, mass=mass, inertia=inertia, offset=(length / 2, 0)))
    model.add(Body("slider body", slider, frame, mass=SLIDER_MASS))
    guide = model.add(Slide("slide", axis, frame, slider, axis=(1, 0), offset=(0, 0)))
    hinges = [
        model.add(PlanarHinge(name, p, q))
        for name, p, q in (("axis", frame, crank), ("pin", crank, rod), ("end", rod, frame))
    ]
    hinges[0].angle.dof("angle", "speed", start=np.pi / 2)
    torque = model.input("torque", 0.0, unit="N.m")
    model.load(torque, hinges[0].angle.rate)
    rubbing = {"coefficient": friction, "static": static}
    frictions = [
        model.add(Friction(name, hinge, radius=RADIUS, at=point, **rubbing))
        for name, hinge, point in zip(JOINTS, hinges, (axis, pin, slider), strict=False)
    ]
    frictions.append(model.add(Friction(JOINTS[3], guide, **rubbing)))
    for pair in frictions:
        model.output(f"{pair.name}.force", pair.force, unit="1")
        model.output(f"{pair.name}.load", pair.load, unit="N")
        model.state(f"{pair.name}.work", pair.power, unit="J", visibility="output")
    model.state("work", torque * hinges[0].angle.rate, unit="J", visibility="output")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    model.output("slider.x", slider.position[0], unit="m")
    return model


def torque(time: float) -> float:
    """Return the torque, N.m: it acts, then pauses."""
    return TORQUE if time % PERIOD < ACTING else 0.0


@dataclass(frozen=True)
class Record:
    """Motions of the mechanism."""

    numbers: dict[str, float]
    expected: dict[str, float]
    motion: Result


def run() -> Record:
    """Drive the mechanism."""
    breaks = [k * PERIOD + part for k in range(int(END / PERIOD)) for part in (0.0, ACTING)][1:]
    motion = simulate(
        slider_crank().equations(),
        END,
        inputs={"torque": torque},
        breaks=breaks,
        rtol=1e-10,
        atol=1e-12,
    )
    lost = -sum(motion.final(f"{name}.work") for name in JOINTS)
    supplied = motion.final("work") - (motion.final("energy") - motion["energy"][0])
    resting = np.flatnonzero((motion.time > PERIOD - 0.1) & (motion.time < PERIOD))
    sticking = np.array([motion[f"{name}.sticks"] for name in JOINTS])
    numbers = {
        "energy that is not accounted for (J)": supplied - lost,
        "motion at rest before the torque returns (rad)": float(np.ptp(motion["angle"][resting])),
        "largest speed at rest (rad/s)": float(np.abs(motion["speed"][resting]).max()),
        "joints that stick at rest, at least": float(sticking[:, resting].sum(axis=0).min()),
    }
    expected = {
        "joints that stick at rest, at least": 1.0,
        "energy that is not accounted for (J)": 0.0,
        "motion at rest before the torque returns (rad)": 0.0,
        "largest speed at rest (rad/s)": 0.0,
    }
    return Record(numbers, expected, motion)


def draw(record: Record, folder: Path) -> None:
    """Draw the motion, the works, and which joints stick."""
    motion = record.motion
    figure = Figure(figsize=(11.5, 7.2), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1.4, 1.4, 0.8))
    top.plot(motion.time, motion["speed"])
    top.set_title("The crank starts, runs out and sticks", loc="left")
    plain(top, "", "crank's speed (rad/s)")
    for name in JOINTS:
        middle.plot(motion.time, -motion[f"{name}.work"], label=name)
    middle.plot(motion.time, motion["work"], color="0.5", linestyle="--", label="torque")
    middle.legend(frameon=False, ncols=5, loc="upper left")
    middle.set_title("Work of the torque, and what each friction takes", loc="left")
    plain(middle, "", "work (J)")
    for place, name in enumerate(JOINTS):
        held = motion[f"{name}.sticks"] > 0.5
        bottom.fill_between(motion.time, place - 0.35, place + 0.35, where=held, step="post")
    bottom.set_yticks(range(len(JOINTS)), JOINTS)
    bottom.set_ylim(-0.6, len(JOINTS) - 0.4)
    bottom.set_title("Joints that stick", loc="left")
    plain(bottom, "time (s)", "")
    save(figure, folder, "joint_friction")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(slider_crank(), folder, "joint_friction", "Slider-crank with friction in all joints")
    record = run()
    print_comparison(
        "Slider-crank with dry friction in its joints",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
