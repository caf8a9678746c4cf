"""Slider-crank with a dry clearance: sticking beside smoothed friction, cost and energy balance.

    python benchmarks/simulation/sticking.py
    python benchmarks/simulation/sticking.py --turns 100 --rtol 1e-11 --frictions exact

The balance is that of the kinetic energy with the work of drive, normal force and friction, in
parts of the friction's work.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np

from mbcore import Equations, FrictionLaw, simulate
from mbcore.contact import CoulombFriction, KelvinVoigt, LankaraniNikravesh
from mbcore.contact.clearance import ContactLaw, clearance
from mbcore.contact.hertz import stiffness
from mbcore.fmus.clearance_joint.parameters import Parameters, add_parameters
from mbcore.fmus.clearance_joint.slider_crank import describe, rigid_rod

TURN = 0.012
"""s."""
FRICTIONS = {
    "exact": FrictionLaw(0.1, static=0.12),
    "smoothed at 1e-2 m/s": CoulombFriction(0.1, 1e-2),
    "smoothed at 1e-4 m/s": CoulombFriction(0.1, 1e-4),
    "smoothed at 1e-6 m/s": CoulombFriction(0.1, 1e-6),
}


def hertz(data: Parameters) -> ContactLaw:
    """Return the law of Lankarani-Nikravesh between journal and sleeve."""
    sizes, material = data.bearing, data.material
    radii = sizes.journal_radius, -sizes.radius
    spheres = stiffness(*radii, material.modulus, material.poissons_ratio)
    return LankaraniNikravesh(spheres, material.restitution)


def linear(data: Parameters) -> ContactLaw:
    """Return the linear law."""
    return KelvinVoigt(data.contact.stiffness, data.contact.damping)


def crank(law: str, friction: FrictionLaw | CoulombFriction) -> Equations:
    """Return a slider-crank with clearance, and its energies."""
    mechanism = describe("crank", rigid_rod)
    model, angle = mechanism.crank, mechanism.crank_angle.angle
    data = add_parameters(model)
    sizes, chosen = data.bearing, {"hertz": hertz, "linear": linear}[law](data)
    radius = sizes.journal_radius
    contact = clearance(
        model, mechanism.joint, sizes.clearance, chosen, friction=friction, journal_radius=radius
    )
    model.state("rubbed", contact.friction_force * contact.sliding_speed, unit="J")
    model.state("pressed", contact.force * contact.penetration_rate, unit="J")
    model.state("driven", -angle.stress * angle.rate, unit="J")
    model.output("energy", model.kinetic_energy, unit="J")
    return model.equations()


def main() -> None:
    """Print a line for each law and friction."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=float, default=20)
    parser.add_argument("--rtol", type=float, default=1e-6)
    parser.add_argument("--frictions", nargs="*", choices=list(FRICTIONS), default=list(FRICTIONS))
    asked = parser.parse_args()
    for law in ("hertz", "linear"):
        for name in asked.frictions:
            equations = crank(law, FRICTIONS[name])
            options = {"backend": "c", "rtol": asked.rtol, "atol": 1e-2 * asked.rtol}
            simulate(equations, 1e-5, **options)
            begun = process_time()
            run = simulate(equations, asked.turns * TURN, samples=200, **options)
            spent = process_time() - begun
            balance = run["energy"] + run["rubbed"] + run["pressed"] - run["driven"]
            part = np.ptp(balance) / run.final("rubbed")
            counts = f"{run.statistics['evaluations']} evaluations, {len(run.events)} events"
            print(f"{law}, {name}: {spent:.3f} s, {counts}, balance {part:.1e}", flush=True)


if __name__ == "__main__":
    main()
