"""The benchmark bicycle's matrices by the formulas of its paper, and its self-stable speeds.

[Meijaard2007] Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982. It has x
forward, y to the right and z down; here y is to the left and z up. Nothing of mbcore is used, so
that `bicycle_widest_range` and tests compare with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.polynomial import Polynomial

TRAIL, TILT = "geometry.trail", "geometry.tilt"
DATA = {
    "gravity": 9.81,
    "geometry.wheelbase": 1.02,
    "geometry.trail": 0.08,
    "geometry.tilt": np.pi / 10,
    "rear_wheel.radius": 0.3,
    "rear_wheel.mass": 2.0,
    "rear_wheel.inertia_xx": 0.0603,
    "rear_wheel.inertia_yy": 0.12,
    "rear_frame.x": 0.3,
    "rear_frame.z": 0.9,
    "rear_frame.mass": 85.0,
    "rear_frame.inertia_xx": 9.2,
    "rear_frame.inertia_xz": -2.4,
    "rear_frame.inertia_yy": 11.0,
    "rear_frame.inertia_zz": 2.8,
    "front_frame.x": 0.9,
    "front_frame.z": 0.7,
    "front_frame.mass": 4.0,
    "front_frame.inertia_xx": 0.05892,
    "front_frame.inertia_xz": 0.00756,
    "front_frame.inertia_yy": 0.06,
    "front_frame.inertia_zz": 0.00708,
    "front_wheel.radius": 0.35,
    "front_wheel.mass": 3.0,
    "front_wheel.inertia_xx": 0.1405,
    "front_wheel.inertia_yy": 0.28,
}
"""[Meijaard2007] Table 1, with z and products of inertia on the present axes."""


def canonical_matrices(data: Mapping[str, float] = DATA) -> dict[str, np.ndarray]:
    """Return M, C1, K0 and K2 by the steps of [Meijaard2007] Appendix A, on the axes there."""
    w, c, tilt = (data[f"geometry.{name}"] for name in ("wheelbase", "trail", "tilt"))
    sine, cosine = np.sin(tilt), np.cos(tilt)
    r_R, m_R, I_Rxx, I_Ryy = _wheel(data, "rear_wheel")
    r_F, m_F, I_Fxx, I_Fyy = _wheel(data, "front_wheel")
    x_B, z_B, m_B, I_Bxx, I_Bxz, I_Bzz = _frame(data, "rear_frame")
    x_H, z_H, m_H, I_Hxx, I_Hxz, I_Hzz = _frame(data, "front_frame")

    # everything
    m_T = m_R + m_B + m_H + m_F
    x_T = (x_B * m_B + x_H * m_H + w * m_F) / m_T
    z_T = (-r_R * m_R + z_B * m_B + z_H * m_H - r_F * m_F) / m_T
    I_Txx = I_Rxx + I_Bxx + I_Hxx + I_Fxx
    I_Txx += m_R * r_R**2 + m_B * z_B**2 + m_H * z_H**2 + m_F * r_F**2
    I_Txz = I_Bxz + I_Hxz - m_B * x_B * z_B - m_H * x_H * z_H + m_F * w * r_F
    I_Tzz = I_Rxx + I_Bzz + I_Hzz + I_Fxx + m_B * x_B**2 + m_H * x_H**2 + m_F * w**2
    # what turns with the steer
    m_A = m_H + m_F
    x_A, z_A = (x_H * m_H + w * m_F) / m_A, (z_H * m_H - r_F * m_F) / m_A
    I_Axx = I_Hxx + I_Fxx + m_H * (z_H - z_A) ** 2 + m_F * (r_F + z_A) ** 2
    I_Axz = I_Hxz - m_H * (x_H - x_A) * (z_H - z_A) + m_F * (w - x_A) * (r_F + z_A)
    I_Azz = I_Hzz + I_Fxx + m_H * (x_H - x_A) ** 2 + m_F * (w - x_A) ** 2
    u_A = (x_A - w - c) * cosine - z_A * sine
    I_All = m_A * u_A**2 + I_Axx * sine**2 + 2 * I_Axz * sine * cosine + I_Azz * cosine**2
    I_Alx = -m_A * u_A * z_A + I_Axx * sine + I_Axz * cosine
    I_Alz = m_A * u_A * x_A + I_Axz * sine + I_Azz * cosine
    mu = c / w * cosine
    S_R, S_F = I_Ryy / r_R, I_Fyy / r_F
    S_T, S_A = S_R + S_F, m_A * u_A + mu * m_T * x_T
    M_off = I_Alx + mu * I_Txz
    C_off = mu * S_T + S_F * cosine
    return {
        "M": np.array([[I_Txx, M_off], [M_off, I_All + 2 * mu * I_Alz + mu**2 * I_Tzz]]),
        "C1": np.array([
            [0, C_off + I_Txz / w * cosine - mu * m_T * z_T],
            [-C_off, I_Alz / w * cosine + mu * (S_A + I_Tzz / w * cosine)],
        ]),
        "K0": np.array([[m_T * z_T, -S_A], [-S_A, -S_A * sine]]),
        "K2": np.array([
            [0, (S_T - m_T * z_T) / w * cosine],
            [0, (S_A + S_F * sine) / w * cosine],
        ]),
    }  # fmt: skip


def self_stable_speeds(data: Mapping[str, float]) -> tuple[float, float]:
    """Return the weave and the capsize speed of a bicycle, m/s; NaN for none."""
    m, c1, k0, k2 = (canonical_matrices(data)[name] for name in ("M", "C1", "K0", "K2"))
    return boundaries(m, c1, data["gravity"] * k0, k2)


def boundaries(
    m: np.ndarray, c1: np.ndarray, k0: np.ndarray, k2: np.ndarray
) -> tuple[float, float]:
    """Return the weave and the capsize speed by the matrices of lean and steer; NaN for none.

    With M q̈ + v C1 q̇ + (K0 + v² K2) q = 0, K0 by gravity, and its characteristic polynomial
    a λ⁴ + b λ³ + c λ² + d λ + e, the weave neither grows nor decays where b c d - a d² - b² e = 0
    (Routh) and its squared frequency d/b is positive. The capsize has an eigenvalue of zero where
    e = 0.
    """
    v = Polynomial([0, 1])

    def product(i: int, j: int, k: int, n: int) -> list[Polynomial]:
        """Return the coefficients of (m λ² + v c1 λ + k0 + v² k2)_ij (...)_kn by λ."""
        one, other = (
            [k0[at] + k2[at] * v**2, c1[at] * v, Polynomial([m[at]])] for at in ((i, j), (k, n))
        )
        found = [Polynomial([0])] * 5
        for power, x in enumerate(one):
            for more, y in enumerate(other):
                found[power + more] = found[power + more] + x * y
        return found

    pairs = zip(product(0, 0, 1, 1), product(0, 1, 1, 0), strict=True)
    e, d, c, b, a = (x - y for x, y in pairs)
    routh = b * c * d - a * d * d - b * b * e
    weave = [
        r.real
        for r in routh.roots()
        if abs(r.imag) < 1e-6 and r.real > 1e-3 and d(r.real) / b(r.real) > 0
    ]
    capsize = [r.real for r in e.roots() if abs(r.imag) < 1e-9 and r.real > 0]
    return max(weave, default=np.nan), min(capsize, default=np.nan)


def width(trail: float, tilt: float) -> float:
    """Return the width of the range of self-stable speeds, m/s; NaN for none."""
    weave, capsize = self_stable_speeds({**DATA, TRAIL: trail, TILT: tilt})
    return capsize - weave if capsize > weave else np.nan


def _wheel(data: Mapping[str, float], name: str) -> tuple[float, ...]:
    return tuple(data[f"{name}.{what}"] for what in ("radius", "mass", "inertia_xx", "inertia_yy"))


def _frame(data: Mapping[str, float], name: str) -> tuple[float, ...]:
    """Return x, z, mass, I_xx, I_xz, I_zz with z down."""
    signs = {"x": 1, "z": -1, "mass": 1, "inertia_xx": 1, "inertia_xz": -1, "inertia_zz": 1}
    return tuple(sign * data[f"{name}.{what}"] for what, sign in signs.items())
