"""The rattling slider-crank with an elastic rod, [Schwab2002] 5.4.3, against Lagrange's equations.

The rod is written here by Ritz: in a frame on its chord it deflects by w = Σ w_k(ξ) q_k, and keeps
its length to second order, by -½ ∫ w'² along the chord. With four sine modes that is what the
reference was derived with, with cubics on two halves it is what two beam elements are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.contact.rattling import first_contacts
from mbcore.examples.mechanisms.slider_crank_flexible import frequencies, slider_crank

CRANK, ROD, MASS, SPEED, GAP = 0.05, 0.12, 0.145, 523.6, 0.5e-3
STIFFNESS, CONTACT, RESTITUTION = 6.2146e3, 65.8e9, 0.95
FIRST = np.pi**2 * np.sqrt(STIFFNESS / (MASS * ROD**3))
END = 6.6e-4

Shapes = Callable[[np.ndarray], np.ndarray]
"""From places ξ, shape (n,), to deflections, slopes and curvatures by ξ, shape (3, modes, n)."""


def sines(xi: np.ndarray) -> np.ndarray:
    """Four modes of the simply supported beam."""
    k = np.pi * np.arange(1, 5)[:, None]
    return np.array([np.sin(k * xi), k * np.cos(k * xi), -(k**2) * np.sin(k * xi)])


def cubics(xi: np.ndarray) -> np.ndarray:
    """Hermite's cubics on two halves, by the slopes at both ends and slope and place half-way."""
    z, left = 2 * xi % 1, xi < 0.5
    steep = np.array([z * (1 - z) ** 2, 1 - 4 * z + 3 * z**2, 6 * z - 4])
    flat = np.array([z**2 * (z - 1), 3 * z**2 - 2 * z, 6 * z - 2])
    rise = np.array([z**2 * (3 - 2 * z), 6 * z - 6 * z**2, 6 - 12 * z])
    fall = np.array([1 - rise[0], -rise[1], -rise[2]])
    pieces = ((steep, 0 * z), (flat, steep), (0 * z, flat), (2 * rise, 2 * fall))
    by_place = 2.0 ** np.arange(-1, 2)[:, None]  # slopes by ξ, not by z
    return np.stack([by_place * np.where(left, *piece) for piece in pieces], axis=1)


class Contacts(NamedTuple):
    times: list[float]
    speeds: list[float]
    force: float
    """Largest in the first contact, N."""


def motion(shapes: Shapes) -> ca.Function:
    """From states, approach speed and mode of contact to rates, force, depth and its rate."""
    points, weights = np.polynomial.legendre.leggauss(10)
    xi = np.concatenate([(points + 1) / 4, (points + 3) / 4])  # of each half
    weights = np.tile(weights, 2) / 4
    w, _, bent = shapes(xi)
    modes = len(w)

    def shortening(end: float) -> np.ndarray:
        """∫ w_i' w_j' dξ from 0 to a place, (modes, modes)."""
        total = np.zeros((modes, modes))
        for begin, stop in ((0.0, min(end, 0.5)), (0.5, max(end, 0.5))):
            slope = shapes(begin + (stop - begin) * (points + 1) / 2)[1]
            half = (stop - begin) / 2 * np.polynomial.legendre.leggauss(10)[1]
            total += (slope * half) @ slope.T
        return total

    x, y, theta = (ca.SX.sym(name) for name in ("x", "y", "theta"))
    q, rates = ca.SX.sym("q", modes), ca.SX.sym("rates", modes + 2)
    places = ca.vertcat(x, y, q)

    def rate_of(expression: ca.SX) -> ca.SX:
        return ca.jtimes(expression, ca.vertcat(places, theta), ca.vertcat(rates, SPEED))

    chord = ROD - ca.bilin(ca.DM(shortening(1.0)), q, q) / (2 * ROD)
    sine = (y - CRANK * ca.sin(theta)) / chord
    along = ca.vertcat(ca.sqrt(1 - sine**2), sine)
    across = ca.vertcat(-along[1], along[0])
    pin = CRANK * ca.vertcat(ca.cos(theta), ca.sin(theta))
    kinetic = MASS / 2 * rate_of((pin + chord * along)[0] - x) ** 2
    for i, weight in enumerate(weights):
        axial = xi[i] * ROD - ca.bilin(ca.DM(shortening(xi[i])), q, q) / (2 * ROD)
        velocity = rate_of(pin + axial * along + ca.dot(w[:, i], q) * across)
        kinetic += MASS / 2 * weight * ca.dot(velocity, velocity)
    stiffness = ca.DM(STIFFNESS / ROD**3 * (bent * weights) @ bent.T)
    momentum = ca.gradient(kinetic, rates)
    bending = stiffness @ (q + 2 * 0.01 / FIRST * rates[2:])

    approach, touching = ca.SX.sym("approach"), ca.SX.sym("touching")
    r = ca.sqrt(x**2 + y**2 + 1e-24)
    depth, rate = r - GAP, (x * rates[0] + y * rates[1]) / r
    hysteresis = 1 + 0.75 * (1 - RESTITUTION**2) * rate / approach
    force = touching * ca.fmax(0, CONTACT * ca.fmax(depth, 0) ** 1.5 * hysteresis)
    stress = ca.vertcat(force * x / r, force * y / r, bending)
    right = ca.gradient(kinetic, places) - rate_of(momentum) - stress
    accelerations = ca.solve(ca.jacobian(momentum, rates), right)
    state = ca.vertcat(places, rates, theta)
    result = ca.vertcat(rates, accelerations, SPEED)
    return ca.Function("motion", [state, approach, touching], [result, force, depth, rate])


def derived(shapes: Shapes) -> Contacts:
    """The first two contacts."""
    f = motion(shapes)
    s, time, approach, touching = np.zeros(f.size1_in(0)), 0.0, 1.0, 0.0
    found = Contacts([], [], 0.0)

    def derivative(t: float, s: np.ndarray, *mode: float) -> np.ndarray:
        return np.array(f(s, *mode)[0])[:, 0]

    def crossing(t: float, s: np.ndarray, *mode: float) -> float:
        return float(f(s, *mode)[2]) + (1e-13 if mode[1] else -1e-13)

    crossing.terminal = True  # type: ignore[attr-defined]
    while len(found.times) < 2:
        run = solve_ivp(
            derivative, (time, END), s, args=(approach, touching), events=crossing,
            method="DOP853", rtol=1e-11, atol=1e-15, dense_output=True,
        )  # fmt: skip
        assert run.status == 1
        if touching:
            fine = np.linspace(run.t[0], run.t[-1], 2001)
            forces = [float(f(run.sol(t), approach, 1.0)[1]) for t in fine]
            found = found._replace(force=max(forces))
        time, s, touching = run.t[-1], run.y[:, -1], 1.0 - touching
        if touching:
            approach = float(f(s, 1.0, 0.0)[3])
            found.times.append(time)
            found.speeds.append(approach)
    return found


@pytest.mark.heavy
def test_the_reference_was_derived_with_four_sine_modes() -> None:
    contacts = derived(sines)
    assert contacts.times == pytest.approx([2.272844522e-4, 6.503615613e-4], abs=2e-13)
    assert contacts.speeds == pytest.approx([4.385816, 2.796932], abs=1e-6)
    assert contacts.force == pytest.approx(47846.31, abs=0.02)


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_two_beam_elements_are_cubics_on_two_halves() -> None:
    expected = derived(cubics)
    found = first_contacts(slider_crank(2), 2, END)
    for i, accuracy in enumerate((1e-13, 1e-9)):
        contact = f"contact {i + 1}"
        assert found[f"{contact}: time (s)"] == pytest.approx(expected.times[i], abs=accuracy)
        assert found[f"{contact}: speed (m/s)"] == pytest.approx(expected.speeds[i], rel=1e-4)
    assert found["contact 1: largest force (N)"] == pytest.approx(expected.force, abs=0.05)


def test_frequencies_of_two_elements() -> None:
    # one half, both ends supported: stiffness (4 2; 2 4), mass (4 -3; -3 4)/420, antisymmetric
    first, second = frequencies(2).values()
    assert second == pytest.approx(4 * np.sqrt(120) * FIRST / np.pi**2, rel=1e-9)
    # symmetric: slope a at the end, deflection b half-way, all by the half's length
    stiffness = np.array([[4.0, -6.0], [-6.0, 12.0]])
    mass = np.array([[4.0, 13.0], [13.0, 156.0]]) / 420
    lowest = np.linalg.eigvals(np.linalg.solve(mass, stiffness)).min()
    assert first == pytest.approx(4 * np.sqrt(lowest) * FIRST / np.pi**2, rel=1e-9)
    assert 0.003 < first / FIRST - 1 < 0.005


@pytest.mark.heavy
def test_a_rod_of_many_elements_is_not_taken_for_a_singular_one() -> None:
    evaluation = Evaluation(slider_crank(6).equations())
    evaluation.start()
    assert abs(evaluation.call("conditioning").results[0]).min() > 0.1
