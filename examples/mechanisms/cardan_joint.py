r"""A Cardan joint, [Schwab2002] 3.4.1: two models of it, with four hinges and with two that bend.

Two shafts meet at an angle γ = 45° in the xy-plane; a cross joins their yokes. With the cross
axis A (on the input yoke) perpendicular to the plane of the shafts at φ = 0, spherical
trigonometry gives the ratio of the speeds and the angles of the cross in both yokes,

    ω_out / ω_in = cos γ / (1 - sin²γ sin²φ),   tan A = tan γ cos φ,   sin B = sin γ sin φ.

(a) The straightforward model has a hinge for each bearing: ground to input yoke, input yoke to
    cross (A), cross to output yoke (B), and the output bearing. Their angles are released.
(b) The alternative has two hinges and one moving orientation, the cross C. Each shaft is a hinge
    from C to the ground; the bending of the input hinge about C's z axis, ε_3, is released and does
    the work of A, that of the output hinge about C's y axis, ε_2, the work of B. A hinge measures
    bending on the axes of its first node, so C must come first. The released bendings are the sines
    of A, measured backwards from the cross, and of B.

The input angle is prescribed, so there is no degree of freedom.

Run: python examples/mechanisms/cardan_joint.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Hinge, Model, Result, simulate
from mbcore.drawing import COLOURS, disc, tube
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.model.nodes.nodes import Rotation
from mbcore.model.nodes.rotations import about

GAMMA = np.pi / 4

REFERENCE = {
    "speed ratio at 30 deg": 0.8081220,
    "angle A at 30 deg (deg)": 40.8934,
    "angle B at 30 deg (deg)": 20.7048,
    "smallest speed ratio": np.cos(GAMMA),
    "largest speed ratio": 1 / np.cos(GAMMA),
}


def model_a() -> Model:
    """Return the joint with four hinges."""
    cardan = Model("cardan_four_hinges")
    along_output = about((0, 0, 1), GAMMA)
    bearing = cardan.rotation("output bearing", along_output, fixed=True)
    input_yoke = cardan.rotation("input yoke")
    cross, output_yoke = (cardan.rotation(n, along_output) for n in ("cross", "output yoke"))
    turning = cardan.add(Hinge("in", cardan.ground, input_yoke, axis=(1, 0, 0)))
    A = cardan.add(Hinge("A", input_yoke, cross, axis=(0, 0, 1)))
    B = cardan.add(Hinge("B", cross, output_yoke, axis=(0, 1, 0)))
    turned = cardan.add(Hinge("out", bearing, output_yoke, axis=(1, 0, 0)))
    turning.angle.prescribe(cardan.time)
    cardan.output("output angle", turned.angle.value, unit="rad")
    cardan.output("ratio", turned.angle.rate)
    cardan.output("A", A.angle.value, unit="rad")
    cardan.output("B", B.angle.value, unit="rad")
    show_joint(cardan, input_yoke, cross, output_yoke)
    return cardan


def show_joint(cardan: Model, before: Rotation, cross: Rotation, after: Rotation) -> None:
    """Show two shafts with their yokes, and the cross between them; all sizes are of no meaning."""
    arm, bar, shaft, middle = 0.45, 0.035, 1.5, (0.0, 0.0, 0.0)
    for yoke, side, axis, colour, name in (
        (before, -1, 2, COLOURS["body"], "input"),
        (after, 1, 1, COLOURS["beam"], "output"),
    ):
        tip = np.eye(3)[axis] * arm
        root = np.array([side * arm, 0, 0])
        fork = [tip, tip + root, root - tip, -tip]
        cardan.show(
            tube([place.tolist() for place in fork], bar, colour=colour, name=f"{name} yoke"),
            tube([root.tolist(), (side * shaft, 0, 0)], bar, colour=colour, name=f"{name} shaft"),
            disc((0.8 * side * shaft, 0, 0), None, 0.3, 0.05, axle=(1, 0, 0), colour=colour),
            at=(middle, yoke),
        )
    cardan.show(
        tube([(0, 0, -arm), (0, 0, arm)], bar, colour=COLOURS["contact"], name="A"),
        tube([(0, -arm, 0), (0, arm, 0)], bar, colour=COLOURS["contact"], name="B"),
        at=(middle, cross),
    )


def model_b() -> Model:
    """Return the joint with two flexible hinges, both from the cross C."""
    cardan = Model("cardan_two_hinges")
    along_output = about((0, 0, 1), GAMMA)
    bearing = cardan.rotation("output bearing", along_output, fixed=True)
    cross = cardan.rotation("C", along_output)
    axes = np.eye(3)
    turning = cardan.add(Hinge("in", cross, cardan.ground, frame=axes))
    turned = cardan.add(Hinge("out", cross, bearing, frame=axes))
    turning.bending_z.release()
    turned.bending_y.release()
    turning.angle.prescribe(-cardan.time)  # from the cross to the ground: backwards
    cardan.output("output angle", -turned.angle.value, unit="rad")
    cardan.output("ratio", -turned.angle.rate)
    cardan.output("input bending", turning.bending_z.value)
    cardan.output("output bending", turned.bending_y.value)
    return cardan


def closed_form(phi: np.ndarray) -> dict[str, np.ndarray]:
    """Return what spherical trigonometry says at an input angle."""
    return {
        "ratio": np.cos(GAMMA) / (1 - np.sin(GAMMA) ** 2 * np.sin(phi) ** 2),
        "A": np.arctan(np.tan(GAMMA) * np.cos(phi)),
        "B": np.arcsin(np.sin(GAMMA) * np.sin(phi)),
    }


@dataclass(frozen=True)
class Record:
    """One revolution of both models, and numbers of each as in ``REFERENCE``."""

    four_hinges: Result
    two_hinges: Result
    numbers: dict[str, float]
    numbers_of_two_hinges: dict[str, float]
    largest_difference: float


def run() -> Record:
    """Turn the input shaft once."""
    a = simulate(model_a().equations(), 2 * np.pi, samples=361)
    b = simulate(model_b().equations(), 2 * np.pi, samples=361)
    exact = closed_form(a.time)
    angles = {
        "four": (a["ratio"], a["A"], a["B"]),
        "two": (b["ratio"], -np.arcsin(b["input bending"]), np.arcsin(b["output bending"])),
    }
    numbers, difference = {}, 0.0
    for key, (ratio, A, B) in angles.items():
        values = (
            ratio[30],
            np.degrees(A[30]),
            np.degrees(B[30]),
            ratio.min(),
            ratio.max(),
        )
        numbers[key] = {n: float(v) for n, v in zip(REFERENCE, values, strict=True)}
        for found, expected in zip((ratio, A, B), exact.values(), strict=True):
            difference = max(difference, float(np.max(np.abs(found - expected))))
    return Record(a, b, numbers["four"], numbers["two"], difference)


def draw(record: Record, folder: Path) -> None:
    """Draw Fig. 3.13 and both parts of Fig. 3.14."""
    a, b = record.four_hinges, record.two_hinges
    title = "The Cardan joint at φ = 60°: input shaft (blue), cross, output shaft"
    show(a, folder, "cardan_joint", title, times=(np.pi / 3,), view=(-75, 35))
    figure = Figure(figsize=(8.4, 9), layout="constrained")
    figure.suptitle("Behind a Cardan joint at γ = 45° the shaft turns unevenly, twice a revolution")
    ratio, rotations, bendings = figure.subplots(3, 1, sharex=True)
    angle = np.degrees(a.time)
    marks = np.arange(0, 361, 30)
    exact = closed_form(np.radians(marks))
    ratio.plot(angle, a["ratio"], linewidth=4, color="C0", alpha=0.35, label="a: four hinges")
    ratio.plot(angle, b["ratio"], linewidth=1.4, color="C0", label="b: two flexible hinges")
    ratio.plot(marks, exact["ratio"], "k.", label="closed form")
    for name, color in (("A", "C1"), ("B", "C2")):
        rotations.plot(angle, np.degrees(a[name]), color=color, label=f"hinge {name}")
        rotations.plot(marks, np.degrees(exact[name]), "k.")
    for column, text, name, sign, color in (
        ("input bending", "input shaft, ε₃ = -sin A", "A", -1, "C1"),
        ("output bending", "output shaft, ε₂ = sin B", "B", 1, "C2"),
    ):
        bendings.plot(angle, b[column], color=color, label=text)
        bendings.plot(marks, sign * np.sin(exact[name]), "k.")
    for axes, up, title in (
        (ratio, r"$\omega_\mathrm{out} / \omega_\mathrm{in}$", "Ratio of the speeds"),
        (rotations, "rotation (°)", "a: rotations in the yokes"),
        (bendings, "bending strain (no unit)", "b: sines of the same angles"),
    ):
        plain(axes, "", up)
        head(axes, title, 3)
    bendings.set_xlabel("input angle φ (°)")
    bendings.set_xticks(range(0, 361, 60))
    bendings.set_xlim(0, 360)
    save(figure, folder, "cardan_joint")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    for name, numbers in (
        ("a, four hinges", record.numbers),
        ("b, two flexible hinges", record.numbers_of_two_hinges),
    ):
        print_comparison(
            f"Cardan joint [Schwab2002] 3.4.1, model {name}",
            [(key, numbers[key], reference) for key, reference in REFERENCE.items()],
        )
    print(f"largest difference to the closed forms {record.largest_difference:.1e}")
    draw(record, folder)


if __name__ == "__main__":
    main()
