r"""The understeer gradient of the ILTIS by hand, in parts.

With l the wheelbase, a and b from the mass centre to the axles, a steady circle with the
yaw rate r needs the steer of the front wheels

    δ = l r/v + K a_y,   K = d/da_y [(-α_f + α_r) + δ_r - δ_f],   a_y = v r

α the mean slip angles of the axles, δ_f and δ_r the steer by their suspensions. A wheel of an axle
carries the side force F/2 = -(C_α α + C_γ γ), so K is a sum of

* tyres: m (b/l)/(2 C_αf) - m (a/l)/(2 C_αr), the bicycle with cornering stiffnesses at rest;
* aligning torques: with the trails t the axles carry m (b + t_r)/(l - t_f + t_r) and the rest;
* camber thrust: C_γf γ_f'/C_αf - C_γr γ_r'/C_αr, by the roll of the wheels;
* roll steer: δ_r' - δ_f';
* toe at rest: wheels that slip at rest are softer, their trails shorter, and load transfer meets
  these slips.

Primes are derivatives by a_y, taken by hand, with the wheels' gyroscopic moments. Some 0.4 % of K
are left out here.
"""

from __future__ import annotations

import numpy as np

from mbcore.examples.vehicles import iltis_by_hand as by_hand
from mbcore.fmus.iltis.data import AXLES, CORNERS, REST

WHEELBASE = AXLES["front"] - AXLES["rear"]
MASSES = {"cabin": 1260.0} | {f"{name} wheel centre": 57.35 for name in CORNERS}
MASS = sum(MASSES.values()) + 4 * 6.0
FIRST = (0, 2)
"""The left wheels of both axles, each before its right one."""
BEGIN = {**REST, "cabin.side_speed": 0.0, "cabin.roll": 0.0, "rack": 0.0, "torque": 0.0}


def understeer(speed: float, rate: float) -> dict[str, float]:
    """Return the parts of the understeer gradient, rad s²/m, by yaw rates ± ``rate``, rad/s."""
    rest = by_hand.cornering(speed, 1e-9, BEGIN).wheels
    left, right = (by_hand.cornering(speed, r, BEGIN) for r in (rate, -rate))
    by = 1 / (2 * speed * rate)
    loads, cambers, steers = (
        (getattr(left.wheels, name) - getattr(right.wheels, name)) * by
        for name in ("load", "camber", "steer")
    )
    steers[:2] -= (by_hand.steer_at_rest(left.rack) - by_hand.steer_at_rest(right.rack)) * by
    b = rest.load[:2].sum() / rest.load.sum() * WHEELBASE
    trails = np.array([by_hand.stiffnesses(rest.load[i])[2] for i in FIRST])
    # of wheels that slip at rest: M_z = -t (1 - |F_y|/F) F_y, and its change with the load
    softer = trails * (1 - 2 * np.abs(rest.side_force) / rest.load)[list(FIRST)]
    loaded = -float(trails[0] / rest.load[0] * (rest.side_force @ loads))
    shares = [
        front_force(b, np.zeros(2), 0.0),
        front_force(b, trails, 0.0),
        front_force(b, softer, loaded),
    ]
    slips = np.zeros((4, 2))
    for axle, i in enumerate(FIRST):
        cornering, cambering, _ = by_hand.stiffnesses(rest.load[i])
        forces = [(front, MASS - front)[axle] for front in shares]
        camber = (cambers[i] + cambers[i + 1]) / 2
        slips[0, axle] = -forces[0] / 2 / cornering
        slips[1, axle] = -forces[1] / 2 / cornering
        slips[2, axle] = -(forces[1] / 2 + cambering * camber) / cornering
        slips[3, axle] = slip_with_toe(rest, i, forces[2], loads, cambers)
    added = np.diff(slips[:, 1] - slips[:, 0], prepend=0.0)
    parts = dict(zip(("tyres", "aligning torque", "camber", "toe at rest"), added, strict=True))
    return parts | {"roll steer": (steers[2] + steers[3] - steers[0] - steers[1]) / 2}


def front_force(b: float, trails: np.ndarray, moment: float) -> float:
    """Return the front axle's side force by lateral acceleration, kg: balance of yaw moments."""
    return float((MASS * (b + trails[1]) - moment) / (WHEELBASE - trails[0] + trails[1]))


def slip_with_toe(
    rest: by_hand.Wheels, i: int, force: float, loads: np.ndarray, cambers: np.ndarray
) -> float:
    """Return the mean slip angle of an axle for a side force; its wheels slip at rest."""
    by_slip, given = 0.0, 0.0
    for k in (i, i + 1):
        at = np.array([rest.load[k], rest.slip[k], rest.camber[k]])
        by = [
            (by_hand.side_force(*(at + h))[0] - by_hand.side_force(*(at - h))[0]) / (2 * h.max())
            for h in np.diag([1.0, 1e-5, 1e-5])
        ]
        by_slip += by[1]
        given += by[0] * loads[k] + by[2] * cambers[k]
    return (force - given) / by_slip
