"""A slider-crank with friction in all four joints as a complementarity problem of free bodies.

Positions and velocities of crank, rod and slider are the state, with no coordinates of the
mechanism. Joints are rows of constraints; friction y of each joint obeys

    y ∈ μ r |R(y)| Sgn(s),

where Sgn is the set-valued sign of its rate s, and where s is zero, that of its acceleration. This
is solved for all joints at once by projected Gauss-Seidel to convergence: nothing says which joints
stick, and no derivative is taken. Integration begins anew where a rate passes zero, and where the
force of the slide does, at which |R| has a kink. Nothing here is mbcore's, nor the other judge's
but the sizes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from tests.elements.friction.judge import SliderCrank

STOPPED = 1e-9
"""Rate, rad/s or m/s, that is zero."""
CONVERGED = 1e-14
"""Change of the frictions, in their own size, after which they are found."""
SWEEPS = 10_000
"""Of Gauss-Seidel, at most."""


class Complementarity:
    """The bodies' equations of motion at a state.

    Parameters
    ----------
    made : SliderCrank
        Its sizes.
    angle : float
        Angle of the crank at the start, rad.
    """

    def __init__(self, made: SliderCrank, angle: float) -> None:
        self.made, (m1, m2, m3) = made, made.masses
        self.mass = np.array([m1, m1, made.inertias[0], m2, m2, made.inertias[1], m3, m3])
        self.weight = -made.gravity * self.mass * [0, 1, 0, 0, 1, 0, 0, 1]
        beta = -np.arcsin(made.crank / made.rod * np.sin(angle))
        a, b = (
            size / 2 * np.array([np.cos(at), np.sin(at)])
            for size, at in ((made.crank, angle), (made.rod, beta))
        )
        self.start = np.array([*a, angle, *(2 * a + b), beta, *(2 * a + 2 * b), *np.zeros(8)])
        # What slides in each joint: differences of velocities, (4, 8).
        self.slides = np.zeros((4, 8))
        self.slides[0, 2], self.slides[1, [2, 5]], self.slides[2, 5] = 1, (-1, 1), 1
        self.slides[3, 6] = 1
        self.near = np.zeros(4)
        self.pressed = 0.0  # the force of the slide where accelerations were last asked for
        self.shares = made.coefficient * np.array([made.pin] * 3 + [1.0])

    def constraints(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows (7, 8) of the joints, and their accelerations by velocities, (7,)."""
        rows, bent, eye = np.zeros((7, 8)), np.zeros(7), np.eye(2)
        arms, pulls = [], []
        for size, at, rate in (
            (self.made.crank, state[2], state[10]),
            (self.made.rod, state[5], state[13]),
        ):
            e = size / 2 * np.array([np.cos(at), np.sin(at)])
            arms.append(np.array([-e[1], e[0]]))
            pulls.append(e * rate**2)
        rows[0:2, 0:2], rows[0:2, 2], bent[0:2] = eye, -arms[0], pulls[0]
        rows[2:4, 0:2], rows[2:4, 2] = -eye, -arms[0]
        rows[2:4, 3:5], rows[2:4, 5] = eye, -arms[1]
        bent[2:4] = pulls[0] + pulls[1]
        rows[4:6, 3:5], rows[4:6, 5], rows[4:6, 6:8] = -eye, -arms[1], eye
        bent[4:6], rows[6, 7] = pulls[1], 1.0
        return rows, bent

    def accelerations(self, state: np.ndarray, torque: float, senses: np.ndarray) -> np.ndarray:
        """Return the accelerations of the bodies, (8,).

        Parameters
        ----------
        senses : ndarray (4,)
            Signs of the rates of the joints; 0 for those at rest, whose acceleration decides.

        Raises
        ------
        ArithmeticError
            If Gauss-Seidel does not converge.
        """
        rows, bent = self.constraints(state)
        force = self.weight.copy()
        force[2] += torque
        system = np.block([[np.diag(self.mass), -rows.T], [rows, np.zeros((7, 7))]])
        right = np.column_stack([force, -self.slides.T])
        right = np.vstack([right, np.column_stack([-bent, np.zeros((7, 4))])])
        solved = np.linalg.solve(system, right)
        slipping = self.slides @ solved[:8]
        loads = [solved[8 + 2 * i : 10 + 2 * i] for i in range(4)]
        y = self.near.copy()
        for _ in range(SWEEPS):
            before = y.copy()
            for i in range(4):
                bound = self.shares[i] * np.linalg.norm(loads[i][:, 0] + loads[i][:, 1:] @ y)
                if senses[i]:
                    y[i] = senses[i] * bound
                else:
                    speeding = slipping[i, 0] + slipping[i, 1:] @ y
                    y[i] = np.clip(y[i] - speeding / slipping[i, 1 + i], -bound, bound)
            if np.abs(y - before).max() <= CONVERGED * np.abs(y).max():
                self.near = y
                self.pressed = float((loads[3][:, 0] + loads[3][:, 1:] @ y)[0])
                return np.asarray(solved[:8, 0] + solved[:8, 1:] @ y)
        raise ArithmeticError(f"no friction found at {state}")


def moved(
    made: SliderCrank, angle: float, pieces: list[tuple[float, float]], times: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return angle and rate of the crank at times, (n, 2), and how far joints come apart, m.

    Parameters
    ----------
    pieces : list of (float, float)
        Ends of intervals, and the torque in each.
    """
    bodies = Complementarity(made, angle)
    found, t, state, apart = np.full((len(times), 2), np.nan), 0.0, bodies.start, 0.0
    for end, torque in pieces:
        while t < end:
            rates = bodies.slides @ state[8:]
            senses = np.where(np.abs(rates) <= STOPPED, 0.0, np.sign(rates))
            if not senses.any():
                state[8:] = 0.0
            speeding = bodies.slides @ bodies.accelerations(state, torque, senses)
            inside = (times >= t) & (times <= end)
            if not senses.any() and np.abs(speeding).max() <= STOPPED:
                found[inside] = state[2], 0.0
                break
            senses = np.where(senses == 0, np.sign(speeding), senses)
            t, state, run = _slide(bodies, (t, end), state, torque, senses)
            inside &= times <= t
            if inside.any():
                found[inside] = run(times[inside])[[2, 10]].T
            tip = state[3:5] + made.rod / 2 * np.array([np.cos(state[5]), np.sin(state[5])])
            apart = max(apart, float(np.abs(tip - state[6:8]).max()), abs(float(state[7])))
        t = end
    return found, apart


def _slide(
    bodies: Complementarity,
    span: tuple[float, float],
    state: np.ndarray,
    torque: float,
    senses: np.ndarray,
) -> tuple[float, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Integrate until the rate of a joint or the force of the slide comes to zero."""

    def rates(_: float, given: np.ndarray) -> np.ndarray:
        return np.concatenate([given[8:], bodies.accelerations(given, torque, senses)])

    events = []
    for i in range(4):

        def comes_to_rest(_: float, given: np.ndarray, i: int = i) -> float:
            return float(senses[i] * (bodies.slides[i] @ given[8:]))

        comes_to_rest.terminal, comes_to_rest.direction = True, -1  # type: ignore[attr-defined]
        events.append(comes_to_rest)

    def pressed(t: float, given: np.ndarray) -> float:
        rates(t, given)
        return bodies.pressed

    ahead = state + 1e-6 * rates(span[0], state)
    pressed.terminal = True  # type: ignore[attr-defined]
    pressed.direction = -np.sign(pressed(span[0], ahead))  # type: ignore[attr-defined]
    events.append(pressed)
    run = solve_ivp(
        rates, span, state, "DOP853", events=events, dense_output=True, rtol=3e-13, atol=1e-14
    )
    return float(run.t[-1]), run.y[:, -1].copy(), run.sol
