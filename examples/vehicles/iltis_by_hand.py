r"""Steady cornering of the ILTIS by hand: virtual work of a vehicle that turns at a constant rate.

Nothing of mbcore is used here but the data sheet's numbers. In cabin axes a suspension is a plane
four-bar linkage of arm, carrier and leaf spring; the carrier turns about the line through its two
balls (the king pin) by the angle δ that the tie rod's length l asks for, which is A cos δ + B sin δ
= C. With the cabin's velocity (v_x, v_y, 0) and the yaw rate r about the vertical n, every mass
centre p moves with v_p = v + r n × (p - p_0) and has the acceleration r n × v_p; every body has
the angular momentum L, which changes by r n × L. For each of the ten coordinates q (place and
attitude of the cabin, angles of the arms),

    Σ m (g - a)·∂p/∂q - Σ dL/dt·∂φ/∂q - Σ N_s ∂l_s/∂q + Σ F·∂c/∂q + Σ M·∂φ/∂q = 0

with springs N_s on lengths l_s, forces F of the road at contacts c, aligning torques M, and the
drive torque between cabin and wheels. Partial derivatives are central differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import root

from mbcore.fmus.iltis.data import CORNERS, GROUND, REST, HardPoints, hard_points

WEIGHT = np.array([0.0, 0.0, -9.81])
UP = np.array([0.0, 0.0, 1.0])
CABIN_MASS, CABIN_INERTIA = 1260.0, np.array([130.0, 1620.0, 1670.0])
ARM_MASS, WHEEL_MASS = 6.0, 57.35
WHEEL_INERTIA, SPIN_INERTIA = 1.2402, 1.908
ARM_INERTIA = np.diag([0.052099, 0.023235, 0.068864])
TYRE_RATE = 460e3
POINTS = {name: hard_points(*CORNERS[name]) for name in CORNERS}


def leaf_force(up: float) -> float:
    """Return the force that presses a leaf's end down, N; the stop is not reached."""
    return 35906.0 * (up + 0.076)


def rubber_force(length: float) -> float:
    """Return the tension of a shock absorber at rest, N."""
    return ((5.2796e7 * length - 6.7061e7) * length + 2.8397e7) * length - 4.0092e6


def stiffnesses(load: float) -> tuple[float, float, float]:
    """Return C_α and C_γ, N/rad, and the pneumatic trail, m, of small slips."""
    return (
        2625 + 14.47 * load * (1 - load / 12930),
        2.29 * load * (1 - load / 18175),
        1.71e-5 * load,
    )


def friction(load: float) -> float:
    """Return the largest side force, N."""
    return (-0.464e-4 * load + 1.216 + 2.18e-11 * load**2) * 1.0274 * load


def side_force(load: float, slip: float, camber: float) -> tuple[float, float]:
    """Return side force, N, and aligning torque, N.m, of the Calspan tyre."""
    cornering, cambering, _ = stiffnesses(load)
    if load <= 0:
        return 0.0, 0.0
    most = friction(load)
    a = -(cornering * slip + cambering * camber) / most
    force = most * (a - a * abs(a) / 3 + a**3 / 27 if abs(a) < 3 else np.sign(a))
    return force, (-0.171e-4 * load + 0.171e-4 * abs(force)) * force


def across(a: np.ndarray) -> np.ndarray:
    """Return the matrix of a×, which is faster with one vector than NumPy's function for many."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation about a unit vector."""
    skew = across(axis)
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


@dataclass(frozen=True)
class Corner:
    """A suspension in cabin axes."""

    arm: np.ndarray
    """Rotation of the arm."""
    arm_mass_centre: np.ndarray
    carrier: np.ndarray
    """Rotation of the carrier."""
    centre: np.ndarray
    """Of the wheel."""
    leaf: float
    """The leaf's end above its place by design, m."""
    shock: float
    """Length of the shock absorber, m."""


@lru_cache(maxsize=100)
def corner(at: HardPoints, angle: float, rack: float) -> Corner:
    """Return a suspension at an angle of its arm; most differences of `partial` move no arm."""
    x_axis = np.array([1.0, 0.0, 0.0])
    pivot, ball, hung, leaf = (
        np.array(p) for p in (at.arm_pivot, at.arm_ball, at.leaf_pivot, at.leaf_ball)
    )
    arm = turn(x_axis, at.side * angle)
    end = pivot + arm @ (ball - pivot)
    # the leaf's end, on circles about its pivot and the arm's end
    span, rod, pin = hung - end, np.linalg.norm(leaf - hung), np.linalg.norm(leaf - ball)
    apart = np.linalg.norm(span)
    along = (pin**2 - rod**2 + apart**2) / (2 * apart)
    outwards = -at.side * across(x_axis) @ span / apart
    top = end + along * span / apart + np.sqrt(pin**2 - along**2) * outwards
    before, now = leaf - ball, top - end
    tilt = np.arctan2((across(before) @ now)[0], before @ now)
    tilted = turn(x_axis, tilt)
    # the angle about the king pin, such that the tie rod keeps its length
    king_pin = now / pin
    offset = tilted @ (np.array(at.tie_rod_carrier) - ball)
    inner = np.array(at.tie_rod_rack) + [0.0, rack, 0.0] - end
    length = np.linalg.norm(np.array(at.tie_rod_carrier) - np.array(at.tie_rod_rack))
    still = king_pin * (king_pin @ offset)
    cosine, sine = inner @ (offset - still), inner @ across(king_pin) @ offset
    wanted = (offset @ offset + inner @ inner - length**2) / 2 - inner @ still
    size, at_most = np.hypot(cosine, sine), np.arctan2(sine, cosine)
    solutions = at_most + np.arccos(wanted / size) * np.array([1.0, -1.0])
    solutions = (solutions + np.pi) % (2 * np.pi) - np.pi
    carrier = turn(king_pin, solutions[np.argmin(np.abs(solutions))]) @ tilted
    foot = pivot + arm @ (np.array(at.damper_arm) - pivot)
    return Corner(
        arm,
        pivot + arm @ (np.array(at.arm_mass_centre) - pivot),
        carrier,
        end + carrier @ (np.array(at.wheel_centre) - ball),
        float(top[2] - leaf[2]),
        float(np.linalg.norm(foot - np.array(at.damper_cabin))),
    )


def placed(q: np.ndarray, rack: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points (9, 3), rotations (9, 3, 3), lengths (8,): cabin, arms, wheels; leaf, shock."""
    z, y, x = np.eye(3)[::-1]
    cabin = turn(z, q[3]) @ turn(y, q[4]) @ turn(x, q[5])
    corners = [
        corner(at, q[6 + i], rack if at.forward > 0 else 0.0)
        for i, at in enumerate(POINTS.values())
    ]
    points = [np.zeros(3)] + [c.arm_mass_centre for c in corners] + [c.centre for c in corners]
    turned = [np.eye(3)] + [c.arm for c in corners] + [c.carrier for c in corners]
    lengths = [c.leaf for c in corners] + [c.shock for c in corners]
    return q[:3] + np.array(points) @ cabin.T, cabin @ np.array(turned), np.array(lengths)


def partial(q: np.ndarray, rack: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return derivatives by q of points, of rotations (as vectors), and of lengths."""
    step = 1e-5
    by = []
    for unit in np.eye(10):
        (p, A, s), (p0, A0, s0) = (placed(q + h * unit, rack) for h in (step, -step))
        spin = (A - A0) @ ((A + A0) / 2).transpose(0, 2, 1) / (2 * step)
        vector = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        by.append(((p - p0) / (2 * step), vector, (s - s0) / (2 * step)))
    return tuple(np.array(part) for part in zip(*by, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True)
class Wheels:
    """Forces of the road on the four wheels."""

    force: np.ndarray
    """(4, 3), N."""
    moment: np.ndarray
    """Of road and drive together, less the change of angular momentum, (4, 3), N.m."""
    drive: np.ndarray
    """Drive torque as vectors, (4, 3)."""
    spoke: np.ndarray
    load: np.ndarray
    side_force: np.ndarray
    longitudinal_force: np.ndarray
    slip: np.ndarray
    camber: np.ndarray
    steer: np.ndarray
    """Heading of the wheel relative to that of the cabin, to the left, rad."""


def on_wheels(
    points: np.ndarray, turned: np.ndarray, moving: np.ndarray, rate: float, torque: float
) -> Wheels:
    """Return forces and moments on the wheels, each driven by ``torque``."""
    rows = []
    for i, at in enumerate(POINTS.values()):
        centre, axle, velocity = points[5 + i], turned[5 + i][:, 1], moving[5 + i]
        ahead = -across(UP) @ axle
        ahead /= np.linalg.norm(ahead)
        down = across(axle) @ ahead
        radius = (GROUND - centre[2]) / down[2]
        camber = np.arcsin(axle @ UP)
        left = across(UP) @ ahead
        load = TYRE_RATE * max(at.radius - radius, 0.0)
        slip = np.arctan2(velocity @ left, velocity @ ahead)
        side, aligning = side_force(load, slip, camber)
        normal = (load + side * np.sin(camber)) / np.cos(camber)
        # the point of the rim on the road does not move ahead
        carried = across(rate * UP) @ (radius * down)
        spin = ((velocity + carried) @ ahead) / radius
        turning = rate * UP + spin * axle
        momentum = (
            WHEEL_INERTIA * turning + (SPIN_INERTIA - WHEEL_INERTIA) * (turning @ axle) * axle
        )
        change = across(rate * UP) @ momentum
        forward = (torque + (aligning * UP - change) @ axle) / radius
        rows.append(
            (
                normal * UP + side * left + forward * ahead,
                aligning * UP + torque * axle - change,
                torque * axle,
                radius * down,
                load,
                side,
                forward,
                slip,
                camber,
                np.arctan2(ahead[1], ahead[0]),
            )
        )
    return Wheels(*(np.array(part) for part in zip(*rows, strict=True)))


def unbalanced(unknown: np.ndarray, speed: float, rate: float) -> tuple[np.ndarray, Wheels]:
    """Return generalized forces of the ten coordinates, (10,), and the wheels."""
    side_speed, rack_mm, torque = unknown[0], unknown[1], unknown[2]
    rack = 1e-3 * rack_mm
    q = np.concatenate([[0.0, 0.0, unknown[3], 0.0], unknown[4:]])
    points, turned, lengths = placed(q, rack)
    by_points, by_turns, by_lengths = partial(q, rack)
    velocity = np.array([speed, side_speed, 0.0])
    moving = velocity + np.cross(rate * UP, points - points[0])
    masses = np.array([CABIN_MASS] + 4 * [ARM_MASS] + 4 * [WHEEL_MASS])
    inertial = masses[:, None] * (WEIGHT - np.cross(rate * UP, moving))
    wheels = on_wheels(points, turned, moving, rate, torque)
    moments = np.zeros((9, 3))
    moments[0] = -wheels.drive.sum(axis=0)
    for i, at in [(0, None), *enumerate(POINTS.values(), start=1)]:
        own = np.diag(CABIN_INERTIA)
        if at is not None:
            lean = turn(np.array([1.0, 0.0, 0.0]), -at.side * at.arm_slope)
            own = lean @ ARM_INERTIA @ lean.T
        inertia = turned[i] @ own @ turned[i].T
        moments[i] -= across(rate * UP) @ inertia @ (rate * UP)
    moments[5:] += wheels.moment + np.cross(wheels.spoke, wheels.force)
    forces = inertial.copy()
    forces[5:] += wheels.force
    springs = np.array([-leaf_force(up) for up in lengths[:4]])
    springs = np.r_[springs, [-rubber_force(length) for length in lengths[4:]]]
    work = np.einsum("jik,ik->j", by_points, forces) + np.einsum("jik,ik->j", by_turns, moments)
    return work + by_lengths @ springs, wheels


@dataclass(frozen=True)
class Cornering:
    """A steady motion."""

    side_speed: float
    rack: float
    drive_torque: float
    """Of all wheels together, N.m."""
    roll: float
    wheels: Wheels


def steer_at_rest(rack: float) -> float:
    """Return the mean steer of the front wheels on suspensions at rest, to the left, rad."""
    q = np.zeros(10)
    q[[2, 4]] = REST["cabin.z"], REST["cabin.pitch"]
    q[6:] = [REST[f"{name}.arm_angle"] for name in CORNERS]
    axles = placed(q, rack)[1][5:7, :, 1]
    return float(np.mean(np.arctan2(-axles[:, 0], axles[:, 1])))


def cornering(speed: float, rate: float, guess: Mapping[str, float]) -> Cornering:
    """Return the steady motion of a forward speed and a yaw rate, near a guess.

    ``guess`` has the states of the vehicle's model, ``rack`` (m) and ``torque`` (N.m, of a wheel).
    """
    names = ["cabin.side_speed", "cabin.z", "cabin.pitch", "cabin.roll"]
    begin = [guess[n] for n in names] + [guess[f"{n}.arm_angle"] for n in CORNERS]
    begin[1:1] = [1e3 * guess["rack"], guess["torque"]]
    found = root(lambda u: unbalanced(u, speed, rate)[0], np.array(begin), tol=1e-12)
    left, wheels = unbalanced(found.x, speed, rate)
    if not np.abs(left).max() < 1e-5:
        raise RuntimeError(f"by hand, {np.abs(left).max():.3g} N or N.m is left")
    side, rack_mm, torque, _, _, roll = found.x[:6]
    return Cornering(side, 1e-3 * rack_mm, 4 * torque, roll, wheels)
