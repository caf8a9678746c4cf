r"""Small cornering of the car by hand: its understeer gradient, roll and linear single track.

Each wheel is linearized at its load on the level: side force and moments by slip angle, camber and
load. Left and right tyres are mirror images, so that in a left turn, with the camber of both equal
to the roll φ and the load ΔF going from left to right, an axle carries

    F = 2 (F_α α + F_γ φ - F_F ΔF),   ΔF = K φ/t,

t its track and K its roll stiffness: springs and anti-roll bar in series with the tyres. Roll
follows from the moments about the road's middle, of all masses, of overturning moments and of the
gyroscopic moments of the wheels; the slip angles follow from the balance of side forces and of
yaw moments. A circle with the yaw rate r needs the steer δ = l r/v + K_us a_y, with

    K_us = d/da_y [α_r - α_f - c M_zf],

c the compliance of the steering, and M_zf the aligning moments of the front wheels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

from mbcore import ROAD_CAR_TYRE, MagicFormula, TyreContact

BODY, WHEEL, GRAVITY = 965.711, 31.896, 9.81
INERTIA, SPIN_INERTIA = 1512.9, 1.7
TO_FRONT, WHEELBASE, HEIGHT = 1.156196, 2.578913, 0.61373
TRACKS = np.array([1.38684, 1.36398])
SPRINGS, BARS = np.array([24453.1, 19635.5]), np.array([6914.88, 2643.6])
COMPLIANCE, RATIO = 4e-5, 16.0
"""Of the steering, rad/(N.m), and of steering wheel and road wheels."""
MASS = BODY + 4 * WHEEL
REAR_SHARE = TO_FRONT / WHEELBASE
LOADS = (BODY * np.array([1 - REAR_SHARE, REAR_SHARE]) / 2 + WHEEL) * GRAVITY
"""Of a front and a rear wheel, N."""
BEHIND, AHEAD = 2 * LOADS / GRAVITY / MASS * WHEELBASE
"""Distances of the rear and the front axle from the mass centre, m."""
RADIUS, STIFFNESS = 0.302, np.array([2.087e5, 2.058e5])
"""Of the tyres at these loads and 80 km/h: loaded radius, m, and vertical stiffness, N/m."""
CARCASS = 150e3 * (1 + 0.15 * (LOADS / 4200 - 1))
"""Lateral stiffness of the carcass at these loads, N/m."""
FORCE, MOMENT, OVERTURNING, ROLLING = range(4)
EFFECTS = ("tyres", "aligning moment", "steering compliance", "camber by roll", "transfer of load")


@dataclass(frozen=True)
class Axle:
    """Both wheels of an axle, by slip angle and roll."""

    forces: np.ndarray
    """F, M_z and M_x of both wheels by slip angle, N/rad and N.m/rad, and by roll; shape (3, 2)."""
    resistance: float
    """Yaw moment by roll of the rolling resistance, which grows with load, N.m/rad."""
    roll_stiffness: float
    """N.m/rad."""


def axles(camber: bool = True, transfer: bool = True) -> tuple[Axle, Axle]:
    """Return the front and the rear axle, without some effects."""
    law = MagicFormula.from_tir(ROAD_CAR_TYRE, side="left")
    x = ca.SX.sym("slip angle, camber, load", 3)
    at = law.forces(TyreContact(x[0], ca.SX(0), x[1], x[2], ca.SX(1)))
    acting = (at.lateral, at.aligning_moment, at.overturning_moment, at.rolling_resistance)
    slopes = ca.Function("slopes", [x], [ca.jacobian(ca.vertcat(*acting), x)])
    springs, tyres = SPRINGS * TRACKS**2 / 2 + BARS, STIFFNESS * TRACKS**2 / 2
    stiffness = springs * tyres / (springs + tyres)
    found = []
    for load, rolling, track in zip(LOADS, stiffness, TRACKS, strict=True):
        by = np.array(slopes([0, 0, load]))
        by_roll = camber * by[:ROLLING, 1] - transfer * by[:ROLLING, 2] * rolling / track
        resistance = transfer * by[ROLLING, 2] / RADIUS * rolling
        forces = 2 * np.column_stack([by[:ROLLING, 0], by_roll])
        found.append(Axle(forces, resistance, rolling))
    return found[0], found[1]


def cornering(front: Axle, rear: Axle, aligning: bool = True) -> tuple[float, float, float]:
    """Return slip angles of both axles and roll by lateral acceleration, rad s2/m."""
    lever = BODY * HEIGHT + 4 * WHEEL * RADIUS
    balance = np.zeros((3, 3))
    for axle, place, column in ((front, AHEAD, 0), (rear, -BEHIND, 1)):
        force, moment, overturning = axle.forces
        turning = place * force + aligning * moment
        balance[0, [column, 2]] += force
        balance[1, [column, 2]] += turning + [0, aligning * axle.resistance]
        balance[2, [column, 2]] -= overturning - [0, axle.roll_stiffness]
    balance[2, 2] -= lever * GRAVITY
    asked = [MASS, 0.0, lever + 4 * SPIN_INERTIA / RADIUS]
    first, second, roll = np.linalg.solve(balance, asked)
    return float(first), float(second), float(roll)


def understeer() -> dict[str, float]:
    """Return what each effect adds to the understeer gradient, rad s2/m."""
    steps, before = {}, 0.0
    for i, effect in enumerate(EFFECTS):
        front, rear = axles(camber=i >= 3, transfer=i >= 4)
        ahead, behind, roll = cornering(front, rear, aligning=i >= 1)
        gradient = behind - ahead
        if i >= 2:
            gradient -= COMPLIANCE * float(front.forces[MOMENT] @ [ahead, roll])
        steps[effect], before = gradient - before, gradient
    return steps


def single_track(speed: float, steer: Callable[[float], float], times: np.ndarray) -> np.ndarray:
    """Return the yaw rate of the linear single track with relaxation, without roll, rad/s.

    ``steer`` gives the angle of the steering wheel over the ratio, rad, over time. The lag of the
    slip angles is σ/v, σ the cornering stiffness over the stiffness of the carcass.
    """
    front, rear = axles(camber=False, transfer=False)
    stiffness, trails = np.array([[-axle.forces[i, 0] for axle in (front, rear)] for i in (0, 1)])
    lags = stiffness / 2 / CARCASS / speed
    inertia = INERTIA + WHEEL * (2 * (AHEAD**2 + BEHIND**2) + (TRACKS**2).sum() / 2) + 4
    inertia += BODY * (AHEAD - TO_FRONT) ** 2

    def rates(t: float, state: np.ndarray) -> list[float]:
        drift, turning, *slips = state
        forces, moments = -stiffness * slips, -trails * slips
        turned = steer(t) + COMPLIANCE * moments[0]
        wanted = np.array(
            [drift + AHEAD * turning / speed - turned, drift - BEHIND * turning / speed]
        )
        yaw = AHEAD * forces[0] - BEHIND * forces[1] + moments.sum()
        return [forces.sum() / MASS / speed - turning, yaw / inertia, *(wanted - slips) / lags]

    found = solve_ivp(
        rates, (0, times[-1]), np.zeros(4), t_eval=times, rtol=1e-9, atol=1e-12, max_step=0.01
    )
    return np.asarray(found.y[1])
