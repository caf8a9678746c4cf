r"""Large deflections of rods and frames, and two that snap through: `equilibrium` at work.

A cantilever (EI = l = 1, without stretch) under a tip force, a tip force that stays across it, a
tip moment that bends it to a circle, and its own weight; a spatial one under an oblique tip moment
m that keeps its direction. Without force the moment is constant along the rod, so all sections turn
about m at the rate |m|/EI, however stiff the rod is in torsion, and its axis is a helix:

    r(l) = ∫ exp(s [m×]/EI) e_x ds.

Lee's frame, Williams' toggle and the deep arch of DaDeppo and Schmidt snap through. Where a load is
given they are found before their limit points. Where the sinking under it is prescribed instead,
the load is the force that this needs, which falls behind the limit point. Bathe and Bolourchi's
bend of 45° tests spatial rods; published results scatter by some tenths. A thick cantilever, a
propped one, a cable and a string have closed forms.

None of these structures needs a mass but where it hangs under its weight. References are closed
forms, published values, or rods integrated by `examples/mechanisms/rods.py` ("derived"). Errors
fall with the square of the number of elements: second figure.

The toggle and Lee's frame show a difference that more elements do not remove, some parts in a
thousand: the element's bending deformations are lengths, l θ, so that a strain ε makes it (1 + ε)²
times as stiff in bending, and near limit points such differences show enlarged.

Sources: K. Mattiasson, Int. J. Numer. Meth. Engng 17 (1981) 145-153. S.-L. Lee, F. S. Manuel, E. C.
Rossow, J. Engng Mech. Div. ASCE 94 (1968) 521-547. F. W. Williams, Q. J. Mech. Appl. Math. 17
(1964) 451-469. D. A. DaDeppo, R. Schmidt, J. Appl. Mech. 42 (1975) 896-898. K. J. Bathe, S.
Bolourchi, Int. J. Numer. Meth. Engng 14 (1979) 961-986. J. C. Simo, L. Vu-Quoc, Comput. Methods
Appl. Mech. Engrg. 58 (1986) 79-116. H. M. Irvine, Cable Structures, MIT Press, 1981.

Run: python examples/mechanisms/statics_benchmarks.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Equations, Result, equilibrium, simulate
from mbcore.examples.common import (
    figures_folder,
    head,
    largest,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.examples.mechanisms import rods, structures

FORCE, FOLLOWER, MOMENT, WEIGHT = 10.0, 30.0, 2 * np.pi, 10.0
"""Loads of the cantilever, EI = l = 1."""
TOGGLE_LOAD = 25.0
"""Pounds; the limit is at 34."""
FRAME_SINKINGS = np.linspace(2, 56, 28)
"""cm."""
ARCH_SINKINGS = np.linspace(0.03, 1.17, 39)
"""Of the crown, in radii."""
SHEAR = 30.0
"""k G A of the thick cantilever, EI = l = 1."""
SPAN, CABLE_EA, STRING_EA, STRING_SPAN = 1.001, 1e3, 100.0, 1.1
"""Of cable and string, unstrained length and weight 1."""


def tip(kind: str, load: float, n: int) -> np.ndarray:
    """Return x, y and rotation of the cantilever's tip."""
    found = equilibrium(structures.cantilever(n, kind), inputs={"load": load}).outputs
    return np.array([found[f"x{n}"], found[f"y{n}"], found["rotation"]])


def pushed(equations: Equations, sinkings: np.ndarray) -> np.ndarray:
    """Return the loads that given sinkings need, one going on from the other."""
    loads, found = [], None
    for sinking in sinkings:
        found = equilibrium(equations, start=found, inputs={"sinking": float(sinking)})
        loads.append(found.outputs["load"])
    return np.array(loads)


@dataclass(frozen=True)
class Convergence:
    """Errors over the number of elements.

    Attributes
    ----------
    elements, errors : ndarray, shape (n,)
    order : float
        With which the last but one error became the last one.
    """

    elements: np.ndarray
    errors: np.ndarray

    @property
    def order(self) -> float:
        """Return the order of the last refinement."""
        fell = self.errors[-2] / self.errors[-1]
        return float(np.log(fell) / np.log(self.elements[-1] / self.elements[-2]))


def converge(
    solve: Callable[[int], np.ndarray], exact: Sequence[float], elements: Sequence[int]
) -> tuple[np.ndarray, Convergence]:
    """Solve with several numbers of elements; return the last solution, and the errors."""
    found = [solve(n) for n in elements]
    errors = [float(np.linalg.norm(one - np.asarray(exact))) for one in found]
    return found[-1], Convergence(np.array(elements), np.array(errors))


Solve = Callable[[int], np.ndarray]
"""Solves with a number of elements."""


def refinements() -> dict[str, tuple[tuple[str, ...], Solve, Sequence[float], tuple[int, ...]]]:
    """Return, by name: what is computed, how, what is exact, and the numbers of elements."""
    heavy, plain_rod = rods.Rod(weight=(0, -WEIGHT)), rods.Rod()
    planar, few, many = ("x", "y", "rotation"), (8, 16, 32), (16, 32, 64)
    tips: dict[str, tuple[float, Sequence[float], tuple[int, ...]]] = {
        "force": (FORCE, rods.cantilever(plain_rod, FORCE), few),
        "follower": (FOLLOWER, rods.follower(plain_rod, FOLLOWER), many),
        "moment": (MOMENT, (0, 0, MOMENT), many),
        "weight": (WEIGHT, rods.cantilever(heavy, 0, -0.8), few),
    }
    found = {
        kind: (planar, lambda n, k=kind, load=load: tip(k, load, n), exact, numbers)
        for kind, (load, exact, numbers) in tips.items()
    }
    spatial = rods.helix(structures.OBLIQUE)

    def helix(n: int) -> np.ndarray:
        outputs = equilibrium(structures.helix(n), inputs={"share": 1.0}).outputs
        return np.array(list(outputs.values()))

    def cable(n: int) -> np.ndarray:
        return np.array([equilibrium(structures.cable(n, SPAN, CABLE_EA)).outputs["sag"]])

    sag = [rods.cable_sag(SPAN, CABLE_EA)]
    return found | {
        "oblique moment": (("x", "y", "z"), helix, spatial, (4, 8, 16)),
        "cable": (("sag",), cable, sag, (8, 16, 32)),
    }


@dataclass(frozen=True)
class Record:
    """Results.

    Attributes
    ----------
    numbers, reference : dict of str to float
        Ours, and what they are compared with.
    convergence : dict of str to Convergence
        Errors by load.
    curves : dict of str to ndarray
        Loads of frame and arch over ``FRAME_SINKINGS`` and ``ARCH_SINKINGS``, ours and exact.
    """

    numbers: dict[str, float]
    reference: dict[str, float]
    convergence: dict[str, Convergence]
    curves: dict[str, np.ndarray]


def small_and_shallow() -> dict[str, tuple[float, float]]:
    """Return ours and the reference for structures whose deflections are known in closed form."""
    thick = equilibrium(structures.thick_cantilever(SHEAR), inputs={"load": 1e-3}).outputs
    propped = equilibrium(structures.propped_cantilever(4), inputs={"weight": 1e-3}).outputs
    string = equilibrium(
        structures.cable(2, STRING_SPAN, STRING_EA, mass=0.0), inputs={"load": 1.0}
    ).outputs
    return {
        "thick cantilever: deflection": (thick["deflection"], 1e-3 * (1 / 3 + 1 / SHEAR)),
        "propped cantilever: prop / weight": (propped["prop"] / 1e-3, 3 / 8),
        "propped cantilever: clamp / (weight l)": (propped["clamp"] / 1e-3, 1 / 8),
        "string: sag": (string["sag"], rods.string_sag(STRING_SPAN, STRING_EA, 1.0)),
    }


def snapping(curves: dict[str, np.ndarray]) -> dict[str, tuple[float, float]]:
    """Return ours and the reference for toggle, frame and arch; fill in the curves."""
    lee, top = structures.LEE, structures.TOGGLE
    toggle = equilibrium(structures.toggle(8), inputs={"load": TOGGLE_LOAD}).outputs
    rod = rods.Rod(top["EI"], top["EA"])
    sinking, thrust = rods.toggle(rod, top["half"], top["rise"], TOGGLE_LOAD)
    curves["frame"] = pushed(structures.lee_frame(30), FRAME_SINKINGS)
    frame_rod = rods.Rod(lee["EI"], lee["EA"])
    curves["exact frame"] = np.array([*rods.lee_frame(frame_rod, lee["size"], FRAME_SINKINGS)])
    curves["arch"] = pushed(structures.deep_arch(36), ARCH_SINKINGS)
    curves["exact arch"] = np.array([*rods.deep_arch(structures.HALF_ANGLE, ARCH_SINKINGS)])
    return {
        "toggle: sinking (in)": (toggle["sinking"], sinking),
        "toggle: thrust (lb)": (toggle["thrust"], thrust),
        "Lee's frame: limit load (kN)": (largest(curves["frame"]), largest(curves["exact frame"])),
        "deep arch: limit load R²/EI": (largest(curves["arch"]), 8.97),
    }


def run() -> Record:
    """Solve everything."""
    pairs: dict[str, tuple[float, float]] = {}
    convergence, curves = {}, {}
    for name, (what, solve, exact, elements) in refinements().items():
        found, convergence[name] = converge(solve, exact, elements)
        for label, ours, reference in zip(what, found, exact, strict=True):
            pairs[f"{name}: {label}"] = (float(ours), float(reference))
        pairs[f"{name}: order of convergence"] = (convergence[name].order, 2.0)
    pairs |= small_and_shallow()
    bend = structures.bend(16)
    for load, published in ((300.0, (22.33, 58.84, 40.08)), (600.0, (15.79, 47.23, 53.37))):
        outputs = equilibrium(bend, inputs={"load": load}).outputs
        for label, reference in zip("xyz", published, strict=True):
            pairs[f"bend, load {load:g}: {label}"] = (outputs[label], reference)
    pairs |= snapping(curves)
    numbers = {name: ours for name, (ours, _) in pairs.items()}
    return Record(numbers, {name: exact for name, (_, exact) in pairs.items()}, convergence, curves)


def draw_shapes(axes: Axes) -> None:
    """Draw the cantilever under rising tip forces and moments."""
    n = 32
    for kind, loads, colour in (
        ("force", [1, 2, 5, FORCE], "C0"),
        ("moment", [MOMENT / 4, MOMENT / 2, MOMENT], "C1"),
    ):
        equations, found = structures.cantilever(n, kind), None
        for load in loads:
            found = equilibrium(equations, start=found, inputs={"load": load})
            places = [(0.0, 0.0)]
            places += [(found.outputs[f"x{i}"], found.outputs[f"y{i}"]) for i in range(1, n + 1)]
            label = kind if load is loads[-1] else None
            axes.plot(*np.transpose(places), color=colour, label=label)
    axes.plot(1 - 0.55500, 0.81061, "ko", markersize=4, label="Mattiasson")
    axes.set_aspect("equal", adjustable="datalim")
    head(axes, "Cantilever under tip loads", 3)
    plain(axes, "x / l", "y / l")


def draw_curve(
    axes: Axes, title: str, sinkings: np.ndarray, ours: np.ndarray, exact: np.ndarray
) -> None:
    """Draw the load over the sinking under it, and its limit."""
    axes.plot(sinkings, exact, color="0.6", label="rods, integrated")
    axes.plot(sinkings, ours, "o", markersize=3, label="beam elements")
    axes.axhline(largest(exact), color="k", linewidth=0.8, linestyle=":", label="limit load")
    axes.set_title(title, loc="left")
    axes.legend(loc="lower right")


def bent() -> Result:
    """Return the cantilever at rest under its tip force."""
    equations, inputs = structures.cantilever(16, "force"), {"load": FORCE}
    at_rest = equilibrium(equations, inputs=inputs)
    return simulate(equations, 1e-6, start=at_rest.states, inputs=inputs, samples=2)


def draw(record: Record, folder: Path) -> None:
    """Write the figures."""
    figure = Figure(figsize=(7, 5), layout="constrained")
    draw_shapes(figure.subplots())
    save(figure, folder, "statics_shapes")
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    middle, right = figure.subplots(1, 2)
    curves = record.curves
    draw_curve(middle, "Lee's frame", FRAME_SINKINGS, curves["frame"], curves["exact frame"])
    plain(middle, "sinking under the load (cm)", "load (kN)")
    draw_curve(right, "Deep arch", ARCH_SINKINGS, curves["arch"], curves["exact arch"])
    plain(right, "sinking of the crown / R", "load R²/EI")
    save(figure, folder, "statics_benchmarks")

    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.subplots()
    for name, found in record.convergence.items():
        axes.loglog(found.elements, found.errors, "o-", label=name)
    n = np.array([4.0, 64.0])
    axes.loglog(n, 0.5 * (n / 4) ** -2, "k:", label="order 2")
    axes.set_xticks([4, 8, 16, 32, 64], ["4", "8", "16", "32", "64"])
    axes.minorticks_off()
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    axes.set_title("Error of the tip, and of the cable's sag", loc="left")
    plain(axes, "elements", "error / l")
    save(figure, folder, "statics_convergence")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Cantilever under a force at its tip"
    labels = {"unloaded": ("unloaded", 30, 14), "b8": ("loaded", 45, -10)}
    show(bent(), folder, "statics_benchmarks", title, labels=labels)
    record = run()
    rows = [(name, ours, record.reference[name]) for name, ours in record.numbers.items()]
    print_comparison("Large deflections: ours, published or derived", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
