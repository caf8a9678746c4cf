"""M, C and K with given forces of held slips, whichever way they are calculated."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore import Linearization, Model, Speed, linearize
from mbcore.elements import Body, Friction, PlanarHinge, RigidLink

MASS, INERTIA, STIFFNESS, HEADING = 2.0, 0.3, 50.0, 0.3
PUSH, SPEED, TURNING = (3.0, 2.1), 1.3, 0.4
STATE = {
    "vx": SPEED * np.cos(HEADING),
    "vy": SPEED * np.sin(HEADING),
    "turning": TURNING,
    "angle": 0.4,
    "rate": 1.1,
}


def skate(beside: bool) -> Linearization:
    """Linearize a skate, whose blade does not slip, ``beside`` a pendulum on a pin that rubs."""
    model = Model("skate", gravity=(0.0, -9.81))
    place, heading = model.point("place", (0.0, 0.0)), model.angle("heading")
    model.add(Body("skate", place, heading, mass=MASS, inertia=INERTIA))
    place.x.dof("x", "vx").spring(STIFFNESS)
    place.y.dof("y", "vy")
    heading.angle.dof("turn", "turning", HEADING)
    model.force(place, PUSH)
    across = ca.vertcat(-ca.sin(heading.angle.value), ca.cos(heading.angle.value))
    slip = ca.dot(across, place.velocity)
    model.add(Speed("across", slip, unit="m/s")).slip.release().hold(1.0)
    state = {name: STATE[name] for name in ("vx", "vy", "turning")}
    if beside:
        frame, pin = model.angle("frame", fixed=True), model.point("pin", (5, 0), fixed=True)
        turned, bob = model.angle("turned"), model.point("bob", (5, -1.0))
        model.add(RigidLink("rod", pin, turned, bob, offset=(0, -1.0)))
        model.add(Body("bob mass", bob, mass=1.0))
        hinge = model.add(PlanarHinge("hinge", frame, turned))
        hinge.angle.dof("angle", "rate")
        model.add(Friction("friction", hinge, radius=0.1, coefficient=0.5))
        state |= {name: STATE[name] for name in ("angle", "rate")}
    return linearize(model.equations(), state, unsteady=True)


def test_laws_of_constraint_forces_leave_forces_of_held_slips_given() -> None:
    """Beside the pendulum, the skate's matrices are its own; F is the force across the blade.

    With n = (-sin φ, cos φ) the force n F turns with the blade, so that K has -F ∂n/∂φ in the
    column of φ. F follows by hand from n·v = 0: n·(f - k x e_x + n F)/m = (v·e) ω with e along the
    blade.
    """
    own, beside = skate(beside=False), skate(beside=True)
    nd, names = 3, [state.name for state in beside.equations.states]
    rates = [names.index(name) for name in ("vx", "vy", "turning")]
    values = [names.index(name) - len(beside.M) for name in ("x", "y", "turn")]
    along = np.array([np.cos(HEADING), np.sin(HEADING)])
    normal = np.array([-along[1], along[0]])
    force = MASS * SPEED * TURNING - normal @ (np.array(PUSH) + [0, -9.81 * MASS])
    expected = np.zeros((nd, nd))
    expected[0, 0] = STIFFNESS
    expected[:2, 2] = force * along  # -F ∂n/∂φ = F e
    for found in (own.K_d, beside.K_d[np.ix_(rates, values)]):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    for found in (own.C, beside.C[np.ix_(rates, rates)]):
        np.testing.assert_allclose(found, 0.0, atol=1e-12)
