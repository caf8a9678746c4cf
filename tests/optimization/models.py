"""Mechanisms that tests improve, and what is known of them by hand."""

from __future__ import annotations

import numpy as np

from mbcore import Belt, Body, GearPair, Model, RigidLink, Trial, Truss, Varied

AWAY = 3.0
"""Distance of the pulley that the belt turns, m."""
RIPPLE = 1e-3
"""By which the belt may move while it dwells, m."""
DWELL = {"crank.half": (0.05, 1.2), "pulley.radius": (0.5, 1.2)}
"""Bounds of half the crank's angle in a dwell, rad, and of the pulley's radius, m."""
SPEEDS, DECAY = (0.5, 1.0, 2.0), 0.02
"""Of the caster, m/s and 1/s."""
DAMPERS = {"swivel.damping": (0, 1, 0.5), "strut.damping": (0, 1, 0.5)}
"""Bounds of the caster's dampers and first guesses, N.m.s/rad and N.s/m."""


def dwelling() -> Model:
    """Return the step-dwell mechanism, [Schwab2002] 3.3.1, from the middle of its dwell on.

    Its belt runs over a pulley P1 of radius R fixed to a pinion that rolls in an annulus of radius
    1 m: s = R φ + cos φ + const. After 1 s the crank has gone on from 90° by ``crank.half``.
    """
    model = Model("dwelling")
    radius = model.parameter("pulley.radius", 0.95, unit="m", positive=True)
    half = model.parameter("crank.half", 0.4, unit="rad", positive=True)
    centre, base = model.point("O", (0, 0), fixed=True), model.angle("base", fixed=True)
    crank, pinion = model.angle("crank", np.pi / 2), model.angle("pinion", -np.pi / 2)
    P, P1 = model.point("P", (0, 0.5)), model.point("P1", (0, 0))
    crank.angle.prescribe(np.pi / 2 + half * model.time)
    for name, p, q, turning in (("arm", centre, P, crank), ("P1_arm", P, P1, pinion)):
        model.add(RigidLink(name, p, turning, q))
    model.add(GearPair("gears", P, pinion, centre, base, ratio=-2, arm=crank))
    idle = model.angle("idle")
    P2 = model.point("P2", (AWAY, radius - 0.5), fixed=True)
    model.add(Belt("belt", P1, pinion, P2, idle, radius_p=radius, radius_q=0.5))
    model.output("belt", -0.5 * idle.angle.value, unit="m")
    model.output("belt_speed", -0.5 * idle.angle.rate, unit="m/s")
    return model


def dwell(trial: Trial) -> Varied:
    """Return half the angle of the crank for which the belt dwells."""
    return trial["crank.half"]


def ripple(trial: Trial) -> Varied:
    """Return how far the belt has gone since the middle of the dwell, m."""
    belt = trial.outputs(["belt"], times=np.linspace(0, 1, 101))["belt"]
    return belt[1:] - belt[0]


def dampings(trial: Trial) -> Varied:
    """Return what both dampers of the caster cost."""
    return trial["swivel.damping"] ** 2 + trial["strut.damping"] ** 2


def decays(trial: Trial) -> Varied:
    """Return real parts of all eigenvalues at three speeds, 1/s."""
    found = [
        trial.eigenvalues(
            ["strut.deflection_rate", "strut.deflection", "swivel.angle"],
            at={"swivel.angle": 0.0},
            inputs={"attachment.speed": speed},
        ).real
        for speed in SPEEDS
    ]
    return Varied(
        np.concatenate([one.value for one in found]),
        np.concatenate([one.gradient for one in found]),
    )


def rods() -> Model:
    """Return two rods of 1 m between supports, which do not meet beyond a distance of 2 m."""
    model = Model("rods")
    distance = model.parameter("distance", 1.0, unit="m", positive=True)
    left, right = model.point("left", (0, 0), fixed=True), model.point("right", (distance, 0))
    right.x.fix(distance)
    right.y.fix()
    top = model.point("top", (distance / 2, np.sqrt(0.75)))
    model.add(Truss("first", left, top, rest_length=1.0))
    model.add(Truss("second", top, right, rest_length=1.0))
    model.output("height", top.y.value, unit="m")
    return model


def oscillator() -> Model:
    """Return a mass of 1 kg on a spring of 1 N/m with a damper, pushed by a force."""
    model = Model("oscillator")
    stiffness = model.parameter("stiffness", 1.0, unit="N/m", positive=True)
    damping = model.parameter("damping", 0.2, unit="N.s/m", minimum=0.0)
    force = model.input("force", unit="N")
    mass = model.point("mass", (0, 0))
    model.add(Body("body", mass, mass=1.0))
    mass.y.fix()
    mass.x.dof("x", "speed", start=1.0).spring(stiffness, damping)
    mass.x.law(-force)
    model.output("place", mass.x.value, unit="m")
    return model
