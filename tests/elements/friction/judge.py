"""A slider-crank with friction in all four joints, in maximal coordinates and plain NumPy.

Crank, connecting rod and slider are free bodies, held together by constraint forces. Their torques
of friction are μ r |R| with the constraint forces R that they change themselves, against the sign
of each joint's own rate, which events of the integration tell. Another event is where the slide's
force changes its side: |R| has a kink there, and a step over it has an error that no estimate sees.
Nothing here is mbcore's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

TIGHT = 3e-13
"""Relative tolerance of the integration."""
ITERATIONS = 20
"""Steps of Newton's method for the frictions at most."""


@dataclass(frozen=True)
class SliderCrank:
    """Its sizes in SI units, and its motion over the angle of the crank.

    The crank turns about the origin; the slider moves along the x-axis. Centres of mass are in the
    middle of crank and rod.
    """

    crank: float = 0.15
    rod: float = 0.3
    masses: tuple[float, float, float] = (0.38, 0.76, 0.5)
    inertias: tuple[float, float] = (7.4e-4, 5.9e-3)
    gravity: float = 9.81
    pin: float = 0.02
    coefficient: float = 0.1

    def rod_angle(self, angle: float) -> float:
        """Return the angle of the rod."""
        return -float(np.arcsin(self.crank / self.rod * np.sin(angle)))

    def joint_rates(self, angle: float) -> np.ndarray:
        """Return the rates of the pins at origin, crank and slider, and of the slide, (4,).

        They are those at a crank's rate of one.
        """
        beta = self.rod_angle(angle)
        turned = -self.crank * np.cos(angle) / (self.rod * np.cos(beta))
        along = -self.crank * np.sin(angle) - self.rod * np.sin(beta) * turned
        return np.array([1.0, turned - 1.0, turned, along])

    def forces(
        self,
        angle: float,
        rate: float,
        torque: float,
        senses: np.ndarray,
        near: np.ndarray | None = None,
    ) -> tuple[float, np.ndarray, float]:
        """Return the crank's acceleration, the friction of the joints, (4,), and the slide's force.

        Parameters
        ----------
        senses : ndarray (4,)
            Signs of the joints' rates.
        near : ndarray (4,), optional
            Where to begin the search for the friction.

        Raises
        ------
        ArithmeticError
            If the friction is not found.
        """
        beta = self.rod_angle(angle)
        turned = self.joint_rates(angle)[2]
        A, gamma = self._constraints(angle, beta, rate, rate * turned)
        m1, m2, m3 = self.masses
        mass = np.array([m1, m1, self.inertias[0], m2, m2, self.inertias[1], m3, m3])
        weight = -self.gravity * mass * np.array([0, 1, 0, 0, 1, 0, 0, 1])
        weight[2] += torque
        # What the friction in each joint acts on: crank, rod and crank, rod, slider.
        acts = np.zeros((8, 4))
        acts[2, 0] = -1.0
        acts[5, 1], acts[2, 1] = -1.0, 1.0
        acts[5, 2] = -1.0
        acts[6, 3] = -1.0
        system = np.zeros((15, 15))
        system[:8, :8], system[:8, 8:], system[8:, :8] = np.diag(mass), -A.T, A
        columns = np.zeros((15, 5))
        columns[:8, 0], columns[8:, 0], columns[:8, 1:] = weight, -gamma, acts
        solved = np.linalg.solve(system, columns)
        pulled, by_friction = solved[8:14, 0].reshape(3, 2), solved[8:14, 1:].reshape(3, 2, 4)
        shares = self.coefficient * senses
        friction = np.zeros(4) if near is None else near
        loads, slope = np.zeros(4), np.zeros((4, 4))
        for _ in range(ITERATIONS):
            pulls = pulled + by_friction @ friction
            pressed = solved[14, 0] + solved[14, 1:] @ friction
            sizes = np.sqrt(np.sum(pulls**2, axis=1))
            loads[:3], loads[3] = self.pin * sizes, abs(pressed)
            slope[:3] = self.pin * np.einsum("ij,ijk->ik", pulls / sizes[:, None], by_friction)
            slope[3] = np.sign(pressed) * solved[14, 1:]
            step = np.linalg.solve(np.eye(4) - shares[:, None] * slope, shares * loads - friction)
            friction = friction + step
            # Newton's method squares errors.
            if np.abs(step).max() <= 1e-9 * (1 + np.abs(friction).max()):
                pressed = solved[14, 0] + solved[14, 1:] @ friction
                return float(solved[2, 0] + solved[2, 1:] @ friction), friction, float(pressed)
        raise ArithmeticError(f"no friction found at {angle}, {rate}")

    def _constraints(
        self, angle: float, beta: float, rate: float, turning: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows (7, 8) of what joins the bodies, and their rates at no acceleration."""

        def arm(size: float, at: float, pace: float) -> tuple[np.ndarray, np.ndarray]:
            e = np.array([np.cos(at), np.sin(at)])
            return size / 2 * np.array([-e[1], e[0]]), -size / 2 * pace**2 * e

        a, a_bent = arm(self.crank, angle, rate)
        b, b_bent = arm(self.rod, beta, turning)
        A, gamma = np.zeros((7, 8)), np.zeros(7)
        A[0:2, 0:2], A[0:2, 2], gamma[0:2] = np.eye(2), -a, -a_bent
        A[2:4, 0:2], A[2:4, 2], A[2:4, 3:5], A[2:4, 5] = -np.eye(2), -a, np.eye(2), -b
        gamma[2:4] = -a_bent - b_bent
        A[4:6, 3:5], A[4:6, 5], A[4:6, 6:8] = -np.eye(2), -b, np.eye(2)
        gamma[4:6] = -b_bent
        A[6, 7] = 1.0
        return A, gamma

    def leaves(self, angle: float, torque: float) -> int:
        """Return in which sense a crank at rest begins to turn; 0 where friction holds it.

        It can turn where its acceleration, with all friction against that sense, is along it.
        """
        found = [
            s
            for s in (1, -1)
            if s * self.forces(angle, 0.0, torque, s * np.sign(self.joint_rates(angle)))[0] > 0
        ]
        assert len(found) < 2
        return found[0] if found else 0


def motion(
    made: SliderCrank, angle: float, pieces: list[tuple[float, float]], times: np.ndarray
) -> tuple[np.ndarray, list[float]]:
    """Return angle and rate at times, (n, 2), and the times at which it comes to rest and sticks.

    Parameters
    ----------
    pieces : list of (float, float)
        Ends of intervals, and the torque in each.
    """
    found = np.full((len(times), 2), np.nan)
    t, state, rests = 0.0, np.array([angle, 0.0]), list[float]()
    for end, torque in pieces:
        sense = int(np.sign(state[1])) or made.leaves(state[0], torque)
        while t < end:
            inside = (times >= t) & (times <= end)
            if not sense:
                found[inside] = state
                break
            t, state, run, stopped = _slide(made, (t, end), state, torque, sense)
            inside &= times <= t
            if inside.any():
                found[inside] = run(times[inside]).T
            if stopped:
                state = np.array([state[0], 0.0])
                sense = made.leaves(state[0], torque)
                if not sense:
                    rests.append(t)
        t = end
    return found, rests


def _slide(
    made: SliderCrank, span: tuple[float, float], state: np.ndarray, torque: float, sense: int
) -> tuple[float, np.ndarray, Callable, bool]:
    """Integrate until a joint's rate or the slide's force changes its sign; return whether the
    crank's own rate has.
    """
    # Senses hold from here on: those a little further along, as one of the rates may be zero now.
    senses = sense * np.sign(made.joint_rates(state[0] + 1e-6 * sense))

    near: np.ndarray | None = None

    def forces(s: np.ndarray) -> tuple[float, float]:
        nonlocal near
        acceleration, near, pressed = made.forces(s[0], s[1], torque, senses, near)
        return acceleration, pressed

    def rates(_: float, s: np.ndarray) -> list[float]:
        return [s[1], forces(s)[0]]

    def slide(_: float, s: np.ndarray) -> float:
        return forces(s)[1]

    def crank(_: float, s: np.ndarray) -> float:
        return s[1]

    def rod(_: float, s: np.ndarray) -> float:
        return float(np.cos(s[0]))

    def slider(_: float, s: np.ndarray) -> float:
        return float(np.sin(s[0]))

    crank.terminal = rod.terminal = slider.terminal = True  # type: ignore[attr-defined]
    slide.terminal = True  # type: ignore[attr-defined]
    crank.direction = -sense  # type: ignore[attr-defined]
    # The rates' signs change at cos = 0 and sin = 0; they rise or fall by the quarter it is in.
    middle = state[0] + 1e-6 * sense
    rod.direction = -np.sign(np.cos(middle))  # type: ignore[attr-defined]
    slider.direction = -np.sign(np.sin(middle))  # type: ignore[attr-defined]
    ahead = np.array([middle, state[1]])
    slide.direction = -np.sign(slide(span[0], ahead))  # type: ignore[attr-defined]
    run = solve_ivp(
        rates,
        span,
        state,
        "DOP853",
        events=[crank, rod, slider, slide],
        dense_output=True,
        rtol=TIGHT,
        atol=1e-14,
    )
    return float(run.t[-1]), run.y[:, -1], run.sol, bool(run.t_events[0].size)
