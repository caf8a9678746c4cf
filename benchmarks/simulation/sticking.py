"""Slider-crank with a dry clearance: sticking beside smoothed friction, cost and energy balance.

    python benchmarks/simulation/sticking.py
    python benchmarks/simulation/sticking.py --turns 100 --rtol 1e-11 --frictions exact
    python benchmarks/simulation/sticking.py --equal-error

The balance is that of the kinetic energy with the work of drive, normal force and friction, and
the loss in impacts, in parts of the work of friction. A drive that prescribes the rotation gives
impulses at impacts, whose work no state has: with impacts a flywheel turns the crank.

Smoothed friction has an error of its own. ``--equal-error`` compares the evaluations with which
both reach the same error of the journal's place in the first 3 ms, before the motion is chaotic,
against a run of exact friction at 1e-12: those of the cheapest smoothed friction, over its speed
and tolerances, whose error is no larger.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np

from mbcore import Body, Equations, FrictionLaw, Result, simulate
from mbcore.contact import (
    CoulombFriction,
    Flores,
    HuntCrossley,
    Impact,
    KelvinVoigt,
    LankaraniNikravesh,
)
from mbcore.contact.clearance import ContactLaw, clearance
from mbcore.contact.hertz import stiffness
from mbcore.fmus.clearance_joint.parameters import Parameters, add_parameters
from mbcore.fmus.clearance_joint.slider_crank import describe, rigid_rod
from mbcore.model.variables import Number

TURN = 0.012
"""s."""
SPEED = 523.6
"""rad/s."""
FLYWHEEL = 0.01
"""Inertia, kg.m2."""
FIRST = 0.003
"""Time, s, in which the motion is not chaotic yet."""
SPEEDS = (1e-2, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7)
"""Of smoothed friction, m/s."""
FRICTIONS = {
    "exact": FrictionLaw(0.1, static=0.12),
    "smoothed at 1e-2 m/s": CoulombFriction(0.1, 1e-2),
    "smoothed at 1e-4 m/s": CoulombFriction(0.1, 1e-4),
    "smoothed at 1e-6 m/s": CoulombFriction(0.1, 1e-6),
}


def spheres(data: Parameters) -> Number:
    """Return Hertz's stiffness between journal and sleeve."""
    sizes, material = data.bearing, data.material
    radii = sizes.journal_radius, -sizes.radius
    return stiffness(*radii, material.modulus, material.poissons_ratio)


LAWS: dict[str, Callable[[Parameters], ContactLaw | Impact]] = {
    "hertz": lambda data: LankaraniNikravesh(spheres(data), data.material.restitution),
    "hunt_crossley": lambda data: HuntCrossley(spheres(data), data.material.restitution),
    "flores": lambda data: Flores(spheres(data), data.material.restitution),
    "linear": lambda data: KelvinVoigt(data.contact.stiffness, data.contact.damping),
    "impact": lambda data: Impact(data.material.restitution),
}


def crank(law: str, friction: FrictionLaw | CoulombFriction) -> Equations:
    """Return a slider-crank with clearance, and its energies."""
    mechanism = describe("crank", rigid_rod)
    model, angle = mechanism.crank, mechanism.crank_angle.angle
    data = add_parameters(model)
    sizes, chosen = data.bearing, LAWS[law](data)
    radius = sizes.journal_radius
    contact = clearance(
        model, mechanism.joint, sizes.clearance, chosen, friction=friction, journal_radius=radius
    )
    model.state("rubbed", contact.friction_force * contact.sliding_speed, unit="J")
    model.state("pressed", contact.force * contact.penetration_rate, unit="J")
    if contact.rigid:
        angle.release().dof("turned", "turning", rate_start=SPEED)
        axis, turning = mechanism.axis, mechanism.crank_angle
        model.add(Body("flywheel", axis, turning, mass=1.0, inertia=FLYWHEEL))
    else:
        model.state("driven", -angle.stress * angle.rate, unit="J")
    model.output("energy", model.kinetic_energy, unit="J")
    model.output("lost", contact.rigid.energy_loss if contact.rigid else 0.0, unit="J")
    return model.equations()


def turned(law: str, name: str, turns: float, rtol: float) -> None:
    """Print cost and balance of some turns."""
    equations = crank(law, FRICTIONS[name])
    options = {"backend": "c", "rtol": rtol, "atol": 1e-2 * rtol}
    simulate(equations, 1e-5, **options)
    begun = process_time()
    run = simulate(equations, turns * TURN, samples=200, **options)
    spent = process_time() - begun
    driven = run["driven"] if "driven" in run.columns else 0.0
    balance = run["energy"] + run["rubbed"] + run["pressed"] + run["lost"] - driven
    part = np.ptp(balance) / run.final("rubbed")
    counts = f"{run.statistics['evaluations']} evaluations, {len(run.events)} events"
    print(f"{law}, {name}: {spent:.3f} s, {counts}, balance {part:.1e}", flush=True)


def first(equations: Equations, rtol: float) -> Result:
    """Return the motion before it is chaotic."""
    # else a short run with held slips would make a thousand steps at least
    options = {"backend": "c", "rtol": rtol, "atol": 1e-2 * rtol, "max_step": FIRST / 30}
    return simulate(equations, FIRST, samples=200, **options)


def compare(law: str) -> None:
    """Print the evaluations of exact friction over those of smoothed friction at equal error."""
    exact = crank(law, FrictionLaw(0.1))
    reference = first(exact, 1e-12)

    def of(run: Result) -> tuple[float, float]:
        off = [np.abs(run[name] - reference[name]).max() for name in ("joint.x", "joint.y")]
        return float(max(off)), float(run.statistics["evaluations"])

    smoothed = []
    for speed in SPEEDS:
        equations = crank(law, CoulombFriction(0.1, speed))
        smoothed += [of(first(equations, rtol)) for rtol in (1e-6, 1e-7, 1e-8, 1e-9)]
    least = min(error for error, _ in smoothed)
    for rtol in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        error, count = of(first(exact, rtol))
        cheapest = min((n for e, n in smoothed if e <= error), default=np.inf)
        other = f"smoothed {cheapest:.0f}, ratio {count / cheapest:.2f}"
        if np.isinf(cheapest):
            other = f"smoothed reaches {least:.1e} m at best"
        print(f"{law}, error {error:.1e} m: exact {count:.0f} evaluations, {other}", flush=True)


def main() -> None:
    """Print a line for each law and friction, or for each law and error."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=float, default=20)
    parser.add_argument("--rtol", type=float, default=1e-6)
    parser.add_argument("--laws", nargs="*", choices=list(LAWS), default=["hertz", "linear"])
    parser.add_argument("--frictions", nargs="*", choices=list(FRICTIONS), default=list(FRICTIONS))
    parser.add_argument("--equal-error", action="store_true")
    asked = parser.parse_args()
    for law in asked.laws:
        if asked.equal_error:
            compare(law)
            continue
        for name in asked.frictions:
            turned(law, name, asked.turns, asked.rtol)


if __name__ == "__main__":
    main()
