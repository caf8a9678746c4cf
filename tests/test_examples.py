"""Every example runs and meets the published or independently derived numbers.

The numbers stand here once more, with their source, so that an example cannot move its own goal.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples import cable_drum, cardan_joint, step_dwell

EXAMPLES = Path(__file__).parents[1] / "examples"

# (expected, absolute accuracy); "derived": by hand, integrated at tolerances of 1e-12
NUMBERS: dict[str, dict[str, tuple[float, float]]] = {
    "rolling_disk": {  # [SchwabMeijaard2003] 3.2, derived
        "contact x at t = 87": (4.8151003700, 1e-6),
        "contact y at t = 87": (-6.1190930252, 1e-6),
        "energy": (1.12712342, 1e-8),
        "largest lean": (0.8388124, 1e-7),
        "path crosses itself at (deg)": (87.011, 1e-3),
        "largest longitudinal force": (0.0712622, 1e-7),
        "largest lateral force": (0.7098677, 1e-7),
        "smallest normal force": (0.8977301, 1e-7),
        "largest normal force": (1.3608947, 1e-7),
        "largest friction ratio": (0.5216184, 1e-7),
    },
    "planimeter": {  # [Schwab2002] 3.5.1, derived; 4 is exact
        "rotation at 50 mm": (-0.9036966846, 1e-9),
        "rotation at 150 mm": (-0.5368691041, 1e-9),
        "rotation at 250 mm": (1.3410644645, 1e-9),
        "rotation at 350 mm": (3.4346772671, 1e-9),
        "rotation, whole square": (4.0, 1e-9),
        "longitudinal rate at 50 mm": (-0.2817258, 1e-7),
        "lateral slip at 50 mm": (0.2505085, 1e-7),
        "rotation, whole circle": (2.010619298297, 1e-10),
    },
    "schiehlen_eismann": {  # [SchiehlenEismann], kappa = 0.5, i² = 0.09, derived
        "circle: radius": (1.3462912, 1e-7),
        "circle: period": (9.8174770, 1e-7),
        "circle: front lateral force": (0.3278400, 1e-7),
        "circle: rear lateral force": (0.256, 1e-12),
        "displacement: x": (1.9332277377, 1e-9),
        "displacement: y": (-0.0033800180, 1e-9),
        "displacement: heading": (12.5640659747, 1e-9),
        "displacement: largest front lateral force": (5.067449, 1e-6),
        "displacement: largest rear lateral force": (2.420998, 1e-6),
        "turning: x": (1.3771406342, 1e-9),
        "turning: y": (0.0057535190, 1e-9),
        "turning: heading": (3.1499483514, 1e-9),
        "turning: largest front lateral force": (1.797293, 1e-6),
        "turning: largest rear lateral force": (0.959727, 1e-6),
        "displacement: exact switching time": (2.661212, 1e-6),
        "turning: exact switching time": (1.498427, 1e-6),
        "slope: time of first rest": (6.7020997804, 1e-9),
        "slope: x at rest": (-1.9358473769, 1e-9),
        "slope: heading at rest": (4.5074541891, 1e-9),
    },
    "cable_drum": {  # [Schwab2002] 3.2.1, closed form at 5.5 turns
        "angular velocity": (1.490711985, 1e-9),
        "angular acceleration": (0.078595034, 1e-9),
        "cable tension": (0.353677651, 1e-9),
        "force of the ground": (-0.025017576, 1e-9),
    },
    "cardan_joint": {  # [Schwab2002] 3.4.1, closed form at 30 degrees
        "speed ratio at 30 deg": (0.8081220, 1e-7),
        "angle A at 30 deg (deg)": (40.8934, 1e-4),
        "angle B at 30 deg (deg)": (20.7048, 1e-4),
        "smallest speed ratio": (np.sqrt(0.5), 1e-12),
        "largest speed ratio": (np.sqrt(2.0), 1e-12),
    },
    "drive_shaft": {  # [Schwab2002] 4.4.4, derived by hand; zones printed as 0.65 to 0.68 and so on
        "bending, two elements, no rotary inertia": (768.735, 5e-4),
        "torsion": (542.4, 0.5),
        "unstable from": (0.6466, 5e-5),
        "to": (0.6799, 5e-5),
        "and from": (0.7848, 5e-5),
        "to, the second": (0.9193, 5e-5),
        "twist at 0.02": (0.011922, 1e-6),
        "deflection at 0.05": (0.000497, 1e-6),
        "deflection at 0.25": (0.002847, 2e-6),
        "deflection at 0.30": (0.000660, 1e-6),
        "deflection at 0.40": (0.001254, 1e-6),
        "deflection at 0.55": (0.003110, 2e-6),
        "deflection at 0.80": (0.000520, 1e-6),
        "deflection at 1.00": (0.000404, 1e-6),
        "twist at 0.05": (0.011964, 1e-5),
        "twist at 0.25": (0.017528, 1e-5),
        "twist at 0.30": (0.017226, 1e-5),
        "twist at 0.40": (0.013695, 1e-5),
        "twist at 0.55": (0.021033, 1e-5),
        "twist at 0.80": (0.012536, 1e-5),
        "twist at 1.00": (0.012114, 1e-5),
        "peak near 0.155": (0.155, 1e-9),
        "peak near 0.1825": (0.1825, 1e-9),
        "peak near 0.25": (0.25, 1e-9),
        "peak near 0.26": (0.26, 1e-9),
        "peak near 0.3375": (0.3375, 1e-9),
        "peak near 0.505": (0.505, 1e-9),
        "peak near 0.5225": (0.5225, 1e-9),
        "(4.21): largest relative difference": (0.0, 1e-12),
        "(4.22): largest relative difference": (0.0, 1e-9),
        "(4.23): largest relative difference": (0.0, 1e-9),
        "exponents: Hill and monodromy apart (ω)": (0.0, 1e-9),
    },
    "rotor": {  # [Schwab2002] 4.4.3, Table 4.1; the others by hand, see test_rotor
        "whirl 1, forward: real": (-7.97, 0.04),
        "whirl 1, forward: imaginary": (223.62, 0.04),
        "whirl 2, backward: real": (-45.93, 0.04),
        "whirl 2, backward: imaginary": (226.44, 0.04),
        "whirl 3, backward: real": (-277.46, 0.2),
        "whirl 3, backward: imaginary": (988.02, 0.2),
        "whirl 4, forward: real": (-205.18, 0.2),
        "whirl 4, forward: imaginary": (1030.30, 0.2),
        "whirl 5, backward: real": (-44.45, 0.4),
        "whirl 5, backward: imaginary": (1893.45, 0.4),
        "whirl 6, forward: real": (-45.51, 0.4),
        "whirl 6, forward: imaginary": (1921.67, 0.4),
        "whirl 7, backward: real": (-158.01, 0.7),
        "whirl 7, backward: imaginary": (4232.13, 0.7),
        "whirl 8, forward: real": (-153.39, 0.7),
        "whirl 8, forward: imaginary": (4302.12, 0.7),
        "critical speed 1": (223.1001307805, 1e-6),
        "critical speed 2": (1034.7364652062, 1e-6),
        "critical speed 3": (1956.5587568960, 1e-6),
        "orbit of node 5 / eccentricity: y": (-0.23527143845, 1e-8),
        "orbit of node 5 / eccentricity: z": (-0.04176210011, 1e-8),
        "sag of node 5: y": (-0.27060476e-3, 1e-8),
        "sag of node 5: z": (-0.04758095e-3, 1e-8),
    },
    "step_dwell": {  # [Schwab2002] 3.3.1, closed form
        "belt displacement at 90 deg": (np.pi / 2 - 1, 1e-12),
        "belt displacement per revolution": (2 * np.pi, 1e-12),
        "largest torque": (1.1221849, 1e-6),
        "smallest torque": (-1.1221849, 1e-6),
        "largest tooth force": (1.6222608, 1e-6),
        "smallest tooth force": (-1.6222608, 1e-6),
    },
    "swivel_wheel": {  # [SchwabMeijaard2003] 3.1; the transient derived
        "lower stability boundary a/l": (0.3, 1e-12),
        "upper stability boundary a/l": (0.7, 1e-12),
        "w/u at a/l = 0.3": (np.sqrt(0.5), 1e-12),
        "phase of w at a/l = 0.3 (rad)": (-np.pi / 4, 1e-12),
        "u(10)": (0.2293354120, 1e-9),
        "phi(10)": (0.1652572713, 1e-9),
        "u(20)": (-0.1325766963, 1e-9),
        "phi(20)": (0.1396081655, 1e-9),
    },
    "kinematic_shimmy": {  # [SchwabMeijaard2003] 3.3; wavelength within 0.3 %, amplitudes 1 %
        "rigid: wavelength, linear": (2 * np.pi, 1e-12),
        "flexible: slow pair, real part": (-1.07e-6, 5e-9),
        "flexible: slow pair, imaginary part": (0.8007856, 1e-7),
        "flexible: fast pair, imaginary part": (14.985, 1e-3),
        "flexible: wavelength, linear": (7.846276, 1e-6),
        "flexible: wavelength, ψ = 0.1": (7.848, 0.02),
        "flexible: amplitude of yaw": (0.0998, 1e-3),
        "flexible: amplitude of roll": (0.0798, 8e-4),
        "flexible: amplitude of deflection": (0.0446, 4.5e-4),
        "flexible: amplitude of contact path": (0.1247, 1.2e-3),
        "flexible: roll/yaw, imaginary part": (0.800786, 1e-6),
        "flexible: deflection/yaw, imaginary part": (-0.447988, 1e-6),
    },
    "rolling_disk_stability": {  # [SchwabMeijaard2003] 3.2: lambda² = 0.8 (1 - 3 v²)
        "critical speed": (1 / np.sqrt(3), 1e-12),
        "growth at v = 0.4116": (0.62722, 5e-6),
        "growth at rest": (np.sqrt(0.8), 1e-12),
        "frequency at v = 1": (np.sqrt(1.6), 1e-12),
        "vanishing eigenvalues at v = 0.4116": (6, 0),
    },
    "bottema": {  # characteristic equation by hand: lambda² = -1 ± sqrt((1 - P)/2), P = 3
        "flutter above P": (1.0, 1e-9),
        "divergence below P": (-1.0, 1e-9),
        "growth at P = 3": (np.sqrt(-1 + 1j).real, 1e-12),
        "frequency at P = 3": (abs(np.sqrt(-1 + 1j).imag), 1e-12),
        "vanishing roots": (1, 0),
        "holonomic: growth": (0.0, 1e-12),
        "holonomic: lower frequency": (np.sqrt(1 - np.sqrt(0.5)), 1e-12),
        "holonomic: higher frequency": (np.sqrt(1 + np.sqrt(0.5)), 1e-12),
        "holonomic: vanishing roots": (0, 0),
    },
    "hertz_sphere": {  # [Schwab2002] Fig. 5.2, derived; energies balance
        "stiffness (5.3) (N/m^1.5)": (6.578265e10, 1e4),
        "largest penetration (m)": (8.452311e-5, 1e-11),
        "largest force (N)": (51239.989, 1e-3),
        "duration of the contact (s)": (5.095838e-5, 1e-11),
        "speed after the contact (m/s)": (4.7675302, 1e-7),
        "effective restitution": (0.953506, 5e-7),
        "loss of kinetic energy (J)": (0.164623, 5e-7),
        "loss in the hysteresis loop (J)": (0.164623, 5e-7),
        "estimated penetration (5.32) (m)": (8.613841e-5, 1e-11),
        "estimated force (5.33) (N)": (52604.291, 1e-3),
    },
    "bouncing_ball": {  # closed form: v = sqrt(2 g h) = 4.429446918, g = 9.81, e = 0.7, μ = 0.15
        "time of rest (s)": (np.sqrt(2 / 9.81) * (1 + 2 * 0.7 / 0.3), 1e-6),
        "impacts": (49, 0),  # 2 e^k v/(g (1 - e)) <= 1e-7
        "mode switches": (1, 0),
        "mode switches per second": (1 / 3, 1e-12),
        "energy lost / m g h": (1.0, 1e-10),
        "largest error of a loss / m g h": (0.0, 1e-10),
        "largest error of a loss, relative": (0.0, 1e-10),
        "largest error of a speed / v": (0.0, 1e-9),
        "force of the floor at rest / m g": (1.0, 1e-12),
        "topspin: first tangential impulse (N.s)": (0.15 * 1.7 * 0.5 * 4.429446918, 1e-9),
        "topspin: sliding after impact 2 (m/s)": (0.0, 1e-12),
        "topspin: speed in the end (m/s)": (5 / 7 * 1.5 + 2 / 7 * 6, 1e-12),
        "no spin: first tangential impulse (N.s)": (-2 / 7 * 0.5 * 1.5, 1e-12),
        "no spin: sliding after impact 1 (m/s)": (0.0, 1e-12),
        "no spin: speed in the end (m/s)": (5 / 7 * 1.5, 1e-12),
        "backspin: first tangential impulse (N.s)": (-0.15 * 1.7 * 0.5 * 4.429446918, 1e-9),
        "backspin: sliding after impact 1 (m/s)": (7.5 - 3.5 * 0.255 * 4.429446918, 1e-8),
        "backspin: sliding after impact 2 (m/s)": (7.5 - 3.5 * 0.255 * 1.7 * 4.429446918, 1e-8),
        "backspin: speed in the end (m/s)": (5 / 7 * 1.5 - 2 / 7 * 6, 1e-12),
        "backspin: place in the end (m)": (-0.2219102003, 1e-9),  # impact by impact
        "backspin: energy in the end and lost (J)": (9.0675, 1e-12),
    },
    "slider_crank_clearance": {  # [Schwab2002] 5.4.1, derived; medians: chaotic, another sample
        "contact 1: time (s)": (2.272853257e-4, 1e-12),
        "contact 1: speed (m/s)": (4.38580344, 1e-7),
        "contact 2: time (s)": (6.427004277e-4, 1e-11),
        "contact 2: speed (m/s)": (2.58133415, 1e-7),
        "contact 3: time (s)": (7.423578078e-4, 1e-11),
        "contact 3: speed (m/s)": (1.89146987, 1e-7),
        "contact 4: time (s)": (9.790350989e-4, 1e-11),
        "contact 4: speed (m/s)": (1.32438845, 1e-7),
        "contact 5: time (s)": (1.265149270e-3, 1e-11),
        "contact 5: speed (m/s)": (2.77663279, 1e-7),
        "contact 1: end (s)": (2.812462402e-4, 1e-12),
        "contact 1: speed of leaving (m/s)": (-4.1168286, 1e-7),
        "contact 1: largest force (N)": (47853.658, 5e-3),
        "no clearance: largest acceleration (m/s²)": (19419.5, 0.05),
        "no clearance: largest velocity (m/s)": (28.4112, 5e-4),
        "no clearance: largest torque (N.m)": (120.870, 5e-3),
        "acceleration: median (m/s²)": (222e3, 55e3),
        "torque: median (N.m)": (1141.0, 200.0),
    },
    "slider_crank_impact": {  # [Schwab2002] 5.4.2, derived; every impact's energy by hand
        "impact 1: time (s)": (2.272853257e-4, 2e-13),
        "impact 1: speed (m/s)": (4.38580344, 2e-8),
        "impact 1: effective mass (kg)": (0.1451176, 5e-8),
        "impact 1: impulse (N.s)": (1.2410919, 5e-8),
        "impact 1: largest force (N)": (44970.47, 5e-3),
        "impact 2: time (s)": (6.031664307e-4, 2e-13),
        "impact 2: speed (m/s)": (2.79341522, 2e-8),
        "impact 3: time (s)": (6.925495754e-4, 2e-13),
        "impact 3: speed (m/s)": (2.93526897, 2e-8),
        "impact 4: time (s)": (7.719779192e-4, 2e-13),
        "impact 4: speed (m/s)": (2.47834608, 2e-8),
        "impact 5: time (s)": (1.175908276e-3, 2e-12),
        "impact 5: speed (m/s)": (3.65095564, 2e-8),
        "superposed, impact 1: time (s)": (2.272855713e-4, 2e-13),
        "superposed, impact 1: speed (m/s)": (4.38577974, 2e-8),
        "superposed, impact 2: time (s)": (6.040498124e-4, 2e-13),
        "superposed, impact 2: speed (m/s)": (2.78017577, 2e-8),
        "superposed, impact 3: time (s)": (6.925580298e-4, 2e-13),
        "superposed, impact 3: speed (m/s)": (2.92064990, 2e-8),
        "superposed, impact 4: time (s)": (7.712875700e-4, 2e-13),
        "superposed, impact 4: speed (m/s)": (2.47120561, 2e-8),
        "superposed, impact 5: time (s)": (1.176445413e-3, 2e-12),
        "superposed, impact 5: speed (m/s)": (3.63955754, 2e-8),
        "error of an impulse (N.s)": (0.0, 1e-10),
        "error of a loss (J)": (0.0, 1e-10),
        "error of a change of energy (J)": (0.0, 1e-10),
        "largest overlap in permanent contact (m)": (0.0, 1e-12),
        # chaotic, another sample: medians of ten single motions are 166e3 to 210e3 and 911 to 1080
        "acceleration: median (m/s²)": (195e3, 25e3),
        "torque: median (N.m)": (981.0, 120.0),
    },
    "slider_crank_flexible": {  # [Schwab2002] 5.4.3, derived with four sine modes for the rod
        # two elements: frequencies in closed form, the second sqrt(120) where the beam has pi²
        "2 elements, first frequency (rad/s)": (49347.05, 0.1),
        "2 elements, second frequency (rad/s)": (218223.41, 0.1),
        "2 elements, contact 1: time (s)": (2.272844522e-4, 5e-12),
        "2 elements, contact 1: speed (m/s)": (4.385816, 2e-6),
        "2 elements, contact 1: largest force (N)": (47846.31, 0.15),
        "2 elements, contact 2: time (s)": (6.503615613e-4, 1e-7),
        "2 elements, contact 2: speed (m/s)": (2.796932, 2e-3),
        "4 elements, first frequency (rad/s)": (49153.0, 15.0),
        "4 elements, second frequency (rad/s)": (196612.2, 1000.0),
        "4 elements, contact 1: time (s)": (2.272844522e-4, 3e-13),
        "4 elements, contact 1: speed (m/s)": (4.385816, 6e-7),
        "4 elements, contact 1: largest force (N)": (47846.31, 0.02),
        "4 elements, contact 2: time (s)": (6.503615613e-4, 1e-8),
        "4 elements, contact 2: speed (m/s)": (2.796932, 5e-4),
        "acceleration: ratio of medians": (0.76, 0.22),  # chaotic: single motions 0.64 to 0.97
        "torque: ratio of medians": (0.86, 0.2),
    },
    "slider_crank_bearing": {  # [Schwab2002] 4.4.5, derived; as many digits as were kept
        "lower frequency at 0 deg (rad/s)": (12146.64, 5e-3),
        "higher frequency at 0 deg (rad/s)": (31073.75, 5e-3),
        "force / K at 0 deg, horizontal (µm)": (-9.274, 5e-4),
        "force / K at 0 deg, vertical (µm)": (-2.564, 5e-4),
        "force / K at 90 deg, horizontal (µm)": (0.0, 1e-9),
        "force / K at 90 deg, vertical (µm)": (-1.19, 5e-3),
        "force / K at 180 deg, horizontal (µm)": (5.01, 5e-3),
        "force / K at 180 deg, vertical (µm)": (1.22, 5e-3),
        "force / K at 270 deg, horizontal (µm)": (4.79, 5e-3),
        "force / K at 270 deg, vertical (µm)": (5.00, 5e-3),
        "start in the lining: loss 1 (deg)": (118.0, 1e-3),
        "start in the lining: loss 2 (deg)": (127.897, 1e-3),
        "start in the lining: loss 3 (deg)": (312.184, 1e-3),
        "start in the lining: loss 4 (deg)": (315.276, 1e-3),
        "start in the lining: r at 30 deg (µm)": (59.1737, 1e-4),
        "start in the lining: r at 60 deg (µm)": (55.4611, 1e-4),
        "start in the lining: r at 90 deg (µm)": (52.1433, 1e-4),
        "start in the lining: r at 120 deg (µm)": (53.7278, 1e-4),
        "start in the lining: r at 150 deg (µm)": (56.5502, 1e-4),
        "start in the lining: r at 180 deg (µm)": (56.5866, 1e-4),
        "start in the lining: r at 240 deg (µm)": (60.8841, 1e-4),
        "start in the lining: r at 270 deg (µm)": (56.3426, 1e-4),
        "superposed: loss 1 (deg)": (118.0, 0.005),  # corresponds "very well"
        "superposed: loss 2 (deg)": (127.897, 0.005),
        "superposed: loss 3 (deg)": (312.184, 0.02),
        "superposed: loss 4 (deg)": (315.276, 0.02),
        "superposed: r at 30 deg (µm)": (59.1737, 2e-3),
        "superposed: r at 90 deg (µm)": (52.1433, 2e-3),
        "superposed: r at 180 deg (µm)": (56.5866, 0.02),
        "superposed: r at 270 deg (µm)": (56.3426, 0.1),
        "start at x = c: loss 1 (deg)": (49.865, 1e-3),
        "start at x = c: loss 2 (deg)": (54.248, 1e-3),
        "start at x = c: loss 3 (deg)": (61.882, 1e-3),
        "start at x = c: loss 4 (deg)": (70.284, 1e-3),
        "start at x = c: first loss after 250 deg": (298.088, 1e-3),
    },
    "journal_bearing": {  # [Schwab2002] Fig. 5.3 and 5.4.4, derived
        "x/c = 0.1: force x": (-0.03186, 5e-6),
        "x/c = 0.1: force y": (0.31192, 5e-6),
        "x/c = 0.5: force x": (-1.16352, 5e-6),
        "x/c = 0.5: force y": (2.11039, 5e-6),
        "x/c = 0.9: force x": (-19.81173, 5e-6),
        "x/c = 0.9: force y": (12.89722, 5e-6),
        "x/c = 0.99: force x": (-254.49539, 5e-6),
        "x/c = 0.99: force y": (55.86561, 5e-6),
        "peak force": (4332.769, 1e-3),
        "peak force at (deg)": (311.295, 0.011),
        "largest eccentricity ratio": (0.998614, 1e-6),
        "largest slider acceleration": (27056.28, 0.1),
        "largest torque": (120.566, 1e-3),
        "smallest torque": (-226.570, 1e-3),
        "largest slider velocity": (29.02122, 1e-5),
        "smallest slider velocity": (-28.60465, 1e-5),
        "60 deg: x (mm)": (-0.417425, 1e-6),
        "60 deg: y (mm)": (0.269822, 1e-6),
        "60 deg: slider acceleration": (-4155.331, 5e-3),
        "240 deg: x (mm)": (0.481731, 1e-6),
        "240 deg: y (mm)": (0.129933, 1e-6),
        "240 deg: slider acceleration": (9698.982, 0.01),
    },
    "statics_benchmarks": {  # published, or rods integrated; as near as the elements come
        "force: x": (1 - 0.55500, 1e-3),  # Mattiasson
        "force: y": (0.81061, 1e-3),
        "force: rotation": (1.43029, 1e-3),
        "force: order of convergence": (2.0, 0.1),
        "follower: x": (0.4761412, 5e-3),
        "follower: y": (-0.2016908, 7e-3),
        "follower: order of convergence": (2.0, 0.1),
        "moment: x": (0.0, 4e-3),
        "moment: y": (0.0, 4e-3),
        "moment: rotation": (2 * np.pi, 0.03),
        "moment: order of convergence": (2.0, 0.1),
        "weight: x": (0.6563538, 1e-3),
        "weight: y": (-0.7001997, 1e-3),
        "weight: order of convergence": (2.0, 0.1),
        "oblique moment: x": (0.4814759, 6e-3),
        "oblique moment: y": (0.6469092, 2e-3),
        "oblique moment: z": (0.2592620, 2e-3),
        "oblique moment: order of convergence": (2.0, 0.1),
        "cable: sag": (0.0326621, 2e-5),  # Irvine
        "cable: order of convergence": (2.0, 0.1),
        "thick cantilever: deflection": (1e-3 * (1 / 3 + 1 / 30), 1e-9),
        "propped cantilever: prop / weight": (3 / 8, 1e-9),
        "propped cantilever: clamp / (weight l)": (1 / 8, 1e-9),
        "string: sag": (0.0271691149, 1e-10),
        "bend, load 300: x": (22.33, 0.2),  # Simo and Vu-Quoc, 8 elements
        "bend, load 300: y": (58.84, 0.2),
        "bend, load 300: z": (40.08, 0.2),
        "bend, load 600: x": (15.79, 0.2),
        "bend, load 600: y": (47.23, 0.2),
        "bend, load 600: z": (53.37, 0.2),
        "toggle: sinking (in)": (0.0984226, 1e-4),
        "toggle: thrust (lb)": (360.8767, 0.2),
        "Lee's frame: limit load (kN)": (1.85567, 0.01),
        "deep arch: limit load R²/EI": (8.97, 0.08),  # DaDeppo and Schmidt
    },
    "bicycle": {  # Meijaard et al. (2007) section 5 and Table 2, Basu-Mandal et al. (2007) Table 1
        "M lean, steer": (-2.31941332208709, 1e-13),
        "C1 steer, steer": (1.68540397397560, 1e-13),
        "K0 steer, steer": (-0.80329488458618, 1e-13),
        "K2 lean, steer": (-76.59734589573222, 1e-12),
        "speed from which the weave oscillates": (0.68428307889246, 1e-12),
        "weave speed": (4.29238253634111, 1e-12),
        "capsize speed": (6.02426201538837, 1e-11),
        "weave at 5 m/s, real": (-0.77534188219585, 1e-12),
        "weave at 5 m/s, imaginary": (4.46486771378823, 1e-12),
        "capsize at 5 m/s": (-0.32286642900409, 1e-12),
        "castering at 5 m/s": (-14.07838969279822, 1e-12),
        "far from straight: lean acceleration": (7.8555281128244, 1e-12),
        "far from straight: steer acceleration": (-4.6198904039403, 1e-12),
        "far from straight: front wheel's": (2.4548072904550, 1e-12),
        "speed long after the push": (4.6224420958, 1e-9),  # by the energy
        "hands-free circles begin at": (6.02426201538837, 1e-6),
    },
    "ball_on_turntable": {  # closed form
        "solid: rate of circling / rate of the table": (2 / 7, 1e-10),
        "solid: radius of the circle (m)": (0.2625, 1e-10),
        "solid: miss after one circle (m)": (0.0, 1e-10),
        "hollow: rate of circling / rate of the table": (2 / 5, 1e-10),
        "hollow: radius of the circle (m)": (0.1875, 1e-10),
        "tilted: drift along the slope (m/s)": (0.0, 1e-10),
        "tilted: drift across the slope (m/s)": (5 * 9.81 * np.sin(np.pi / 1800) / 4, 1e-10),
        "tilted: normal force / m g cos(tilt)": (1.0, 1e-12),
    },
    "rattleback": {  # [KaneLevinson1982], derived
        "spin +5: growth of pitching (1/s)": (2.1206924, 1e-7),
        "spin +5: frequency of pitching (rad/s)": (109.3923228, 1e-7),
        "spin -5: growth of rolling (1/s)": (0.2025213, 1e-7),
        "spin -5: frequency of rolling (rad/s)": (34.1436917, 1e-7),
        "spin +5: turns back at (s)": (2.80441823, 1e-7),
        "spin +5: spin at 2 s (rad/s)": (1.1846516004, 1e-8),
        "spin +5: spin at 4 s (rad/s)": (-2.7282929965, 1e-7),
        "spin +5: spin at 8 s (rad/s)": (-5.0877175904, 1e-7),
        "spin -5: spin at 4 s (rad/s)": (-4.6976442733, 1e-8),
        "spin -5: spin at 8 s (rad/s)": (-2.7234625296, 1e-8),
        "spin -5: reversals within 8 s": (0.0, 0.0),
    },
    "shimmy_limit_cycle": {  # derived: cycles of equations by hand, by a map of their passages
        "viscous: Hopf point, speed": (0.8864611627, 1e-7),
        "viscous: Hopf point, frequency": (1.0722780, 1e-6),
        "viscous: fold, speed": (0.6037024790, 1e-8),
        "viscous, v = 1.2: period": (6.4371426908, 1e-8),
        "viscous, v = 1.2: amplitude": (0.5266353165, 1e-8),
        "viscous, v = 2: period": (6.4346737532, 1e-8),
        "viscous, v = 2: amplitude": (0.4715873528, 1e-8),
        "viscous, v = 1.2: simulated less found": (0.0, 1e-6),
        "viscous, v = 2: simulated less found": (0.0, 1e-5),
        "viscous: power of the amplitude's growth": (0.5, 0.02),
        "rubbing: Hopf point, speed": (1.5633704541, 1e-7),
        "rubbing: fold, speed": (0.5557190377, 1e-8),
        "rubbing, v = 1.2: period": (6.4390365425, 1e-8),
        "rubbing, v = 1.2: amplitude": (0.5083301238, 1e-8),
        "rubbing, v = 2: period": (6.4648753810, 1e-8),
        "rubbing, v = 2: amplitude": (0.4560924917, 1e-8),
        "rubbing, v = 1.2: simulated less found": (0.0, 1e-6),
        "rubbing, v = 2: simulated less found": (0.0, 1e-3),
        "unstable, v = 0.8: period": (6.0514464627, 1e-8),
        "unstable, v = 0.8: amplitude": (0.2420068782, 1e-8),
        # the least multiplier is 2e-8; integrated to 1e-12, four digits of it are left
        "product of the multipliers / exp ∫ trace": (1.0, 1e-3),
        "pushed less than the unstable cycle: shimmies": (0.0, 0.0),
        "pushed more: end less the stable amplitude": (0.0, 5e-3),
    },
    "wavy_road": {  # derived: lateral motions of the disk by hand; 2 and 1 are exact
        "flat road, v = 1: lean (rad/s)": (np.sqrt(1.6), 1e-12),
        "a = 0.1, k = 2, v = 1: lean (rad/s)": (0.7350308252, 1e-9),
        "a = 0.1, k = 2, v = 1: heading (rad/s)": (0.0104260378, 1e-9),
        "a = 0.05, k = 1.7, v = 1: heading (1/s)": (0.0347483499, 1e-9),
        "a = 0.06, k = 2.25: unstable from v =": (0.7748313252, 1e-9),
        "a = 0.06, k = 2.25: unstable to v =": (0.8850587061, 1e-9),
        "a = 0.06, k = 2.25, v = 0.83: growth (1/s)": (0.0566639755, 1e-9),
        "a = 0.06, k = 2.25, v = 0.83: multiplier": (-1.2100302824, 1e-8),
        "the same by simulation": (-1.2100302824, 1e-6),
        "product of the multipliers / exp ∫ trace": (1.0, 1e-9),
        "a = 0.05, v = 1: heading indifferent at k =": (1.9978139282, 1e-8),
        "order of the lean's frequency in a": (2.0, 0.01),
        "energy, less the work of towing: drift": (0.0, 1e-8),
    },
    "regularization": {  # [Deppler]; orders observed in equations derived by hand
        "Chaplygin sleigh, principal": (1.0, 0.05),
        "Chaplygin sleigh, strong": (1.0, 0.05),
        "rolling disk, principal": (1.0, 0.05),
        "rolling disk, strong": (1.0, 0.05),
        "vehicle, principal": (1.0, 0.05),
        "vehicle, strong": (1.0, 0.05),
        "initial layer, velocities, principal": (0.5, 0.05),
    },
}
SHARED = {
    "bicycle_figures",
    "bicycle_rider",
    "bottema_figures",
    "common",
    "cosimulation",
    "drive_shaft_figures",
    "drive_shaft_half_turn",
    "drive_shaft_model",
    "fmu_lqr_figures",
    "fmu_mpc_planner",
    "iltis_anti_roll_figures",
    "iltis_by_hand",
    "iltis_driver",
    "iltis_figures",
    "iltis_handling_figures",
    "iltis_lane_change_figures",
    "iltis_modes_by_hand",
    "iltis_modes_figures",
    "iltis_published",
    "iltis_ramp",
    "iltis_road_figures",
    "iltis_road_profiles",
    "iltis_roll_design",
    "iltis_straight",
    "iltis_understeer",
    "impact_by_hand",
    "lane_change_driver",
    "rattling",
    "rods",
    "rotor_figures",
    "rotor_whirls",
    "schiehlen_eismann_figures",
    "shimmy_figures",
    "slider_crank_periodic_figures",
    "structures",
    "wavy_road_by_hand",
    "wavy_road_figures",
}
"""What examples share; no examples themselves."""
FEWER_POINTS = {"bottema": 9, "rolling_disk_stability": 11, "swivel_wheel": 11, "wavy_road": 3}
"""Points of curves that are only drawn; the numbers are sought at values of their own."""
SLOW = {
    "bottema",
    "cable_drum",
    "cardan_joint",
    "hertz_sphere",
    "rolling_disk",
    "rolling_disk_stability",
    "ball_on_turntable",
    "bicycle",
    "bouncing_ball",
    "regularization",
    "drive_shaft",
    "journal_bearing",
    "kinematic_shimmy",
    "rattleback",
    "rotor",
    "schiehlen_eismann",
    "shimmy_limit_cycle",
    "slider_crank_bearing",
    "slider_crank_clearance",
    "slider_crank_flexible",
    "slider_crank_impact",
    "statics_benchmarks",
    "step_dwell",
    "swivel_wheel",
    "wavy_road",
}


@cache
def run(name: str) -> Any:
    """Return the record of an example, made once for its numbers and what else is asserted."""
    points = {"points": FEWER_POINTS[name]} if name in FEWER_POINTS else {}
    return importlib.import_module(f"examples.{name}").run(**points)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.heavy) if n in SLOW else n for n in NUMBERS],
)
def test_example_meets_its_numbers(name: str, tmp_path: Path) -> None:
    example = importlib.import_module(f"examples.{name}")
    record = run(name)
    for key, (expected, accuracy) in NUMBERS[name].items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key
    example.draw(record, tmp_path)
    pictures = list(tmp_path.glob("*.png"))
    assert pictures and all(picture.stat().st_size > 10_000 for picture in pictures)


@pytest.mark.heavy
def test_rolling_disk_keeps_its_constraints_throughout() -> None:
    record = run("rolling_disk")
    assert record.energy_drift < 1e-9
    assert record.largest_strain < 1e-10
    assert record.largest_slip < 1e-10


@pytest.mark.heavy
def test_cable_drum_meets_its_closed_form() -> None:
    record = run("cable_drum")
    for name, reference in cable_drum.REFERENCE.items():
        assert record.numbers[name] == pytest.approx(reference, abs=1e-9), name
    assert record.largest_difference < 1e-10
    assert record.motion["anchor force"] == pytest.approx(record.motion["tension"], abs=1e-9)


@pytest.mark.heavy
def test_step_dwell_mechanism_meets_its_closed_form() -> None:
    record = run("step_dwell")
    for name, reference in step_dwell.REFERENCE.items():
        tolerance = 6e-4 if "angle" in name else 1e-7
        assert record.numbers[name] == pytest.approx(reference, abs=tolerance), name
    assert record.largest_difference < 1e-12
    assert np.abs(record.motion["closure"]).max() < 1e-13


@pytest.mark.heavy
def test_cardan_joint_meets_its_closed_form() -> None:
    record = run("cardan_joint")
    for numbers in (record.numbers, record.numbers_of_two_hinges):
        for name, reference in cardan_joint.REFERENCE.items():
            tolerance = 6e-5 if "deg)" in name else 6e-8
            assert numbers[name] == pytest.approx(reference, abs=tolerance), name
    assert record.largest_difference < 1e-12


@pytest.mark.heavy
def test_rattleback_keeps_its_energy_over_the_reversal() -> None:
    assert run("rattleback").energy_drift < 1e-9


@pytest.mark.heavy
def test_slipping_disk_tends_to_rolling_and_ends_in_circling() -> None:
    slipping = importlib.import_module("examples.rolling_disk_slipping")
    record = slipping.run()
    for d, distance in {1e2: 0.0504, 1e3: 0.00498, 1e4: 0.000498}.items():
        assert record.distances[d] == pytest.approx(distance, rel=2e-3)
    for motion in record.motions.values():
        end = slipping.circling(motion)
        assert end["slip"] < 1e-3
        assert end["speed of the centre"] < 1e-3
        assert end["rate of circling"] == pytest.approx(end["closed form"], rel=1e-3)


def test_every_example_is_tested() -> None:
    text = "".join(p.read_text() for p in Path(__file__).parent.glob("test_*.py"))
    for file in EXAMPLES.glob("*.py"):
        assert file.stem in SHARED or file.stem in text, file.name
