"""Published results of the ILTIS benchmark, and of public models of it.

Table 3.2 is [Schwab2002]'s, its NEWEUL and SIMPACK columns from Kortüm and Sharp, Multibody
Computer Codes in Vehicle System Dynamics (Vehicle System Dynamics 22, supplement, 1993). The ramp
steers are those of a public model of the benchmark in Robotran (UCLouvain), whose data the vehicle
here has; a program of its own, written from the same data, meets them and has given the equilibrium
with the tyres' forces at the points of contact.
"""

from __future__ import annotations

TABLE_3_2 = {
    "cabin: vertical displacement (mm)": (-7.111, -7.100, -7.094),
    "cabin: pitch angle (deg)": (0.1503, 0.1509, 0.1468),
    "right front tyre (N)": (-3835.02, -3834.63, -3831.32),
    "right rear tyre (N)": (-3588.81, -3588.60, -3591.91),
    "shock absorber right front (N)": (-337.51, -336.54, -335.51),
    "shock absorber right rear (N)": (-240.35, -240.43, -241.76),
    "leaf spring right front, spring (N)": (-3071.87, -3071.13, -3069.15),
    "leaf spring right front, rod (N)": (-1422.45, -1406.13, -1404.68),
    "leaf spring right rear, spring (N)": (-2883.87, -2883.07, -2885.75),
    "leaf spring right rear, rod (N)": (-1310.38, -1331.68, -1333.80),
}
"""Static equilibrium by SPACAR, NEWEUL and SIMPACK, [Schwab2002] Table 3.2."""
INDEPENDENT = {
    "cabin: vertical displacement (mm)": -7.0845,
    "cabin: pitch angle (deg)": 0.14656,
    "right front tyre (N)": -3831.32,
    "right rear tyre (N)": -3591.91,
    "shock absorber right front (N)": -335.32,
    "shock absorber right rear (N)": -241.65,
    "leaf spring right front, spring (N)": -3068.68,
    "leaf spring right front, rod (N)": -1412.20,
    "leaf spring right rear, spring (N)": -2885.53,
    "leaf spring right rear, rod (N)": -1337.17,
}
"""The same by another program from the same data."""
DESIGN = {
    "design position: leaf spring (N)": -2728.9,
    "design position: shock absorber (N)": -128.0,
    "design position: front tyre (N)": -3829.6,
    "design position: rear tyre (N)": -3593.6,
}
"""Loads of the publication in the design position, which is not an equilibrium."""
WHEELS_AT_REST = {
    "front wheels: toe out (deg)": 0.1027,
    "rear wheels: toe in (deg)": 0.0497,
    "front wheels: camber, top inward (deg)": 0.0438,
    "rear wheels: camber, top inward (deg)": 0.0205,
}
"""Of each wheel in the equilibrium, by the other program."""
TIMES = (
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0,
)  # fmt: skip
"""Of the following values, s."""
YAW_RATES = {
    10: (
        -0.00427, -0.01358, -0.02500, -0.03722, -0.04968, -0.05800, -0.06134, -0.06250, -0.06279,
        -0.06278, -0.06267, -0.06261, -0.06260, -0.06260, -0.06259, -0.06258, -0.06257, -0.06255,
        -0.06253,
    ),
    20: (
        -0.00469, -0.01624, -0.03179, -0.04931, -0.06751, -0.08131, -0.08837, -0.09120, -0.09161,
        -0.09081, -0.08835, -0.08656, -0.08576, -0.08555, -0.08558, -0.08571, -0.08570, -0.08567,
        -0.08564,
    ),
    30: (
        -0.00478, -0.01711, -0.03433, -0.05413, -0.07476, -0.09086, -0.09947, -0.10276, -0.10263,
        -0.10053, -0.09419, -0.08846, -0.08488, -0.08336, -0.08320, -0.08444, -0.08489, -0.08479,
        -0.08484,
    ),
}  # fmt: skip
"""rad/s, in a ramp-to-step steer by speed, m/s."""
ACCELERATIONS = {
    10: (
        0.1029, 0.1887, 0.2869, 0.3975, 0.5156, 0.5363, 0.5750, 0.6019, 0.6164, 0.6230, 0.6261,
        0.6260, 0.6258, 0.6256, 0.6255, 0.6253, 0.6250, 0.6245, 0.6240,
    ),
    20: (
        0.1286, 0.2696, 0.4594, 0.6989, 0.9770, 1.1598, 1.3476, 1.4996, 1.6082, 1.6778, 1.7357,
        1.7387, 1.7271, 1.7172, 1.7119, 1.7090, 1.7078, 1.7043, 1.7008,
    ),
    30: (
        0.1390, 0.3068, 0.5471, 0.8648, 1.2474, 1.5497, 1.8600, 2.1282, 2.3385, 2.4904, 2.6476,
        2.6736, 2.6382, 2.5891, 2.5505, 2.5206, 2.5268, 2.5244, 2.5187,
    ),
}  # fmt: skip
"""Of the cabin's mass centre, horizontal, m/s2."""
EXTREMES = {
    10: {
        "peak yaw rate (rad/s)": -0.06280,
        "time of peak yaw rate (s)": 0.941,
        "peak acceleration (m/s2)": 0.6262,
        "time of peak acceleration (s)": 1.256,
        "speed after 5 s (m/s)": 9.978,
    },
    20: {
        "peak yaw rate (rad/s)": -0.09166,
        "time of peak yaw rate (s)": 0.872,
        "peak acceleration (m/s2)": 1.7409,
        "time of peak acceleration (s)": 1.310,
        "speed after 5 s (m/s)": 19.847,
    },
    30: {
        "peak yaw rate (rad/s)": -0.10303,
        "time of peak yaw rate (s)": 0.843,
        "peak acceleration (m/s2)": 2.6753,
        "time of peak acceleration (s)": 1.356,
        "speed after 5 s (m/s)": 29.655,
    },
}
