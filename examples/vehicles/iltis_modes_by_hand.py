"""The ILTIS by hand: slopes of its laws, and the classical models of ride and handling.

The ride model has seven degrees of freedom, z, θ and φ of the cabin and the heights w of the wheels
at (x, y), with springs and dampers reduced to the wheels by the ratios of travels,

    T = ½ (m ż² + I_y θ̇² + I_x φ̇² + m_w Σ ẇ²),  V = ½ Σ (k s² + k_t w²),  s = w - z + x θ - y φ.

The handling model is the two-track one without roll, with the side force C (v + x r)/u of each axle
at its pneumatic trail t behind the axle,

    m (v̇ + u r) = Y_f + Y_r,   I_z ṙ = (x_f - t_f) Y_f + (x_r - t_r) Y_r,   Y = -C (v + x r)/u.

Coefficients and ratios are those of a public model of the benchmark, where nothing else is said.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.optimize import brentq

from mbcore import CalspanTyre, Model, TyreContact
from mbcore.examples.vehicles.iltis_straight import ARM, CABIN, INERTIAS, TOTAL, WHEEL
from mbcore.fmus.iltis.data import CORNERS, data_sheet, hard_points

LEAF, DAMPING, TYRE = 35906.0, 9945.627, 460000.0
"""Stiffness, N/m; damping at rest, N.s/m; radial stiffness, N/m."""
SHOCK = {"front": 24529.0, "rear": 36975.0}
"""Stiffness of the shock absorbers' rubber in the equilibrium, N/m."""
LEAF_RATIO, SHOCK_RATIO = 0.990, {"front": 0.598, "rear": 0.594}
"""Travel of the leaf's end, and change of the shock absorber's length, by the wheel's travel."""
CORNERING = {"front": 41641.0, "rear": 40162.0}
"""Of one tyre, N/rad."""
TRAIL = {"front": 0.06553, "rear": 0.06142}
"""m."""
MASS_CENTRE = -0.00645
"""x of the whole vehicle's, m."""


def ride() -> np.ndarray:
    """Return the eigenvalues of the ride model with positive imaginary part, by their size."""
    M = np.diag([CABIN + 2 * ARM, INERTIAS["pitch"], INERTIAS["roll"], *[WHEEL + ARM / 2] * 4])
    K, C = np.zeros((7, 7)), np.zeros((7, 7))
    for i, (axle, side) in enumerate(CORNERS.values()):
        x, y, _ = hard_points(axle, side).wheel_centre
        travel = np.zeros(7)
        travel[:3], travel[3 + i] = (-1.0, x, -y), 1.0
        ratio = SHOCK_RATIO[axle] ** 2
        stiffness = LEAF * LEAF_RATIO**2 + SHOCK[axle] * ratio
        K += stiffness * np.outer(travel, travel)
        C += DAMPING * ratio * np.outer(travel, travel)
        K[3 + i, 3 + i] += TYRE
    system = np.block([[np.zeros((7, 7)), np.eye(7)], [-K, -C]])
    system[7:] = np.linalg.solve(M, system[7:])
    found = np.linalg.eigvals(system)
    found = found[found.imag > 0]
    return found[np.argsort(np.abs(found))]


def handling(speed: float) -> np.ndarray:
    """Return the two eigenvalues of the handling model at a speed, m/s."""
    inertia = INERTIAS["yaw"] + CABIN * MASS_CENTRE**2
    matrix = np.array([[0.0, -speed], [0.0, 0.0]])
    for axle, side in CORNERS.values():
        ahead, left, _ = hard_points(axle, side).wheel_centre
        x = ahead - MASS_CENTRE
        inertia += (WHEEL + ARM) * (x**2 + left**2)
        felt = -CORNERING[axle] / speed * np.array([1.0, x])
        matrix[0] += felt / TOTAL
        matrix[1] += (x - TRAIL[axle]) * felt
    matrix[1] /= inertia
    return np.linalg.eigvals(matrix).astype(complex)


def slopes(loads: dict[str, float], damper_forces: dict[str, float]) -> dict[str, float]:
    """Return the derivatives of the laws at the equilibrium, by name.

    Parameters
    ----------
    loads, damper_forces : mapping of str to float
        By axle, N; the shock absorbers' lengths are found from their forces.
    """
    model = Model("laws")
    data = data_sheet(model)
    symbols = [record.symbol for record in model.parameters.values()]
    values = [record.value for record in model.parameters.values()]
    at = ca.SX.sym("at")
    rubber, damping = data.rubber(at), data.damping(at)
    laws = ca.Function("laws", [at, *symbols], [rubber, ca.jacobian(rubber, at)])
    rate = ca.Function("rate", [at, *symbols], [ca.jacobian(damping, at)])
    numbers = {"damping at rest (N s/m)": float(rate(0.0, *values))}
    for axle, force in damper_forces.items():
        length = brentq(lambda z, f=force: float(laws(z, *values)[0]) - f, 0.40, 0.46, xtol=1e-14)
        numbers[f"{axle} shock absorber (N/m)"] = float(laws(length, *values)[1])
    for axle, load in loads.items():
        numbers |= {f"{axle} {name}": v for name, v in _slopes_of_tyre(load).items()}
    return numbers


def _slopes_of_tyre(load: float) -> dict[str, float]:
    slip, camber = ca.SX.sym("slip"), ca.SX.sym("camber")
    forces = CalspanTyre().forces(
        TyreContact(
            slip_angle=slip,
            slip_ratio=ca.SX(0),
            camber=camber,
            load=ca.SX(load),
            direction=ca.SX(1),
        )
    )
    both = ca.vertcat(forces.lateral, forces.aligning_moment)
    slope = ca.Function("slope", [slip, camber], [ca.jacobian(both, ca.vertcat(slip, camber))])
    (cornering, leaning), (turning, _) = np.array(slope(0.0, 0.0))
    return {
        "tyre, cornering (N/rad)": -cornering,
        "tyre, camber (N/rad)": -leaning,
        "tyre, trail (m)": -turning / cornering,
    }
