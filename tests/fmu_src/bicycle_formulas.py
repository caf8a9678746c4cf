"""What the literature says about the benchmark bicycle; its data and matrices are an example's.

[Meijaard2007] Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982;
[BasuMandal2007] Basu-Mandal, Chatterjee, Papadopoulos, the same volume, 1983-2003. Both have x
forward, y to the right and z down; here y is to the left and z up.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.examples.bicycles.bicycle_canonical import DATA as DATA
from mbcore.examples.bicycles.bicycle_canonical import canonical_matrices as canonical_matrices

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


def rolling_mass(data: Mapping[str, float] = DATA) -> float:
    """Return the mass that a driving force at the rear contact feels, kg."""
    mass = sum(value for name, value in data.items() if name.endswith(".mass"))
    for wheel in ("rear_wheel", "front_wheel"):
        mass += data[f"{wheel}.inertia_yy"] / data[f"{wheel}.radius"] ** 2
    return mass
