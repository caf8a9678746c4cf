"""What the literature says about the benchmark bicycle, and how its matrices follow from its data.

[Meijaard2007] Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982;
[BasuMandal2007] Basu-Mandal, Chatterjee, Papadopoulos, the same volume, 1983-2003. Both have x
forward, y to the right and z down; here y is to the left and z up.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

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

PUBLISHED = {
    "M": ((80.81722, 2.31941332208709), (2.31941332208709, 0.29784188199686)),
    "C1": ((0.0, 33.86641391492494), (-0.85035641456978, 1.68540397397560)),
    "K0": ((-80.95, -2.59951685249872), (-2.59951685249872, -0.80329488458618)),
    "K2": ((0.0, 76.59734589573222), (0.0, 2.65431523794604)),
}
"""[Meijaard2007] section 5: of lean and steer, both to the right."""

WEAVE = {
    1: (3.52696170990070, 0.80774027519930),
    2: (2.68234517512745, 1.68066296590675),
    3: (1.70675605663975, 2.31582447384325),
    4: (0.41325331521125, 3.07910818603206),
    5: (-0.77534188219585, 4.46486771378823),
    6: (-1.52644486584142, 5.87673060598709),
    7: (-2.13875644258362, 7.19525913329805),
    8: (-2.69348683581097, 8.46037971396931),
    9: (-3.21675402252485, 9.69377351531791),
    10: (-3.72016840437287, 10.90681139476287),
}
"""[Meijaard2007] Table 2: real and imaginary part of the weave mode by speed, m/s."""
CAPSIZE_AND_CASTERING = {
    0: (-3.13164324790656, -5.53094371765393),
    1: (-3.13423125066578, -7.11008014637442),
    2: (-3.07158645641514, -8.67387984831735),
    3: (-2.63366137253667, -10.35101467245920),
    4: (-1.42944427361326, -12.15861426576447),
    5: (-0.32286642900409, -14.07838969279822),
    6: (-0.00406690076970, -16.08537123098026),
    7: (0.10268170574766, -18.15788466125262),
    8: (0.14327879765713, -20.27940894394569),
    9: (0.15790184030917, -22.43788559040858),
    10: (0.16105338653172, -24.62459635017404),
}
"""[Meijaard2007] Table 2: the two real ones; at rest they come with both signs."""
WEAVE_SPEED, CAPSIZE_SPEED = 4.29238253634111, 6.02426201538837

# [BasuMandal2007] Table 1: a state, with its rates and accelerations. Angles 3-1-3 of the rear
# frame, which faces the other way; wheels' rotations relative to their frames.
STATE = {"psi": 0.9501292851472, "phi": 3.1257073014894, "psif": 0.2311385135743}
RATE = {
    "x": -2.8069345714545, "y": -0.1480982396001, "z": 0.1058778746261,
    "theta": 0.7830033527065, "psi": 0.6068425835418, "phi": -0.0119185528069,
    "psif": 0.4859824687093, "betar": 8.9129896614890, "betaf": 8.0133620584155,
}  # fmt: skip
ACCELERATION = {
    "x": -0.5041626315047, "y": -0.3449706619454, "z": -1.4604528332980,
    "theta": 0.8353281706379, "psi": -7.8555281128244, "phi": 0.1205543897884,
    "psif": -4.6198904039403, "betar": 1.8472554144217, "betaf": 2.4548072904550,
}  # fmt: skip


def other_axes(matrix: np.ndarray) -> np.ndarray:
    """Return a (2, 2) matrix for steer to the left instead of to the right."""
    return matrix * np.array([[1, -1], [-1, 1]])


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


def rolling_mass(data: Mapping[str, float] = DATA) -> float:
    """Return the mass that a driving force at the rear contact feels, kg."""
    mass = sum(value for name, value in data.items() if name.endswith(".mass"))
    for wheel in ("rear_wheel", "front_wheel"):
        mass += data[f"{wheel}.inertia_yy"] / data[f"{wheel}.radius"] ** 2
    return mass


def _wheel(data: Mapping[str, float], name: str) -> tuple[float, ...]:
    return tuple(data[f"{name}.{what}"] for what in ("radius", "mass", "inertia_xx", "inertia_yy"))


def _frame(data: Mapping[str, float], name: str) -> tuple[float, ...]:
    """Return x, z, mass, I_xx, I_xz, I_zz with z down."""
    signs = {"x": 1, "z": -1, "mass": 1, "inertia_xx": 1, "inertia_xz": -1, "inertia_zz": 1}
    return tuple(sign * data[f"{name}.{what}"] for what, sign in signs.items())
