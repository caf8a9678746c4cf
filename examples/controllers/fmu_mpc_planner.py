"""The controller of `examples.controllers.fmu_mpc`: an FMU's functions in CasADi, and its plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np

from mbcore.examples.vehicles.lane_change_driver import (
    FRONT_OVERHANG,
    MARGIN,
    REAR_OVERHANG,
    WIDTH,
    Lane,
)

SPEED, FRICTION = 100 / 3.6, 0.5
"""To be held, m/s, and coefficient of friction of the road."""
INTERVAL, AHEAD, SUBSTEPS = 0.1, 20, 2
"""T, s; N; Runge-Kutta steps in an interval."""
STATES = (
    "chassis.speed",
    "rear.rolled_distance",
    "chassis.x",
    "chassis.y",
    "chassis.yaw",
    "steer.actuator_angle",
)
FORCES = ("front.lateral_force", "rear.lateral_force")
MASS, INERTIA, WHEELBASE, REAR_TO_CENTRE, LAG = 1200.0, 675.0, 2.5, 1.25, 0.05
AXLE_LOAD = MASS * 9.81 / 2
ALONG = (-REAR_OVERHANG, REAR_TO_CENTRE, WHEELBASE + FRONT_OVERHANG)
"""Distances from the rear axle of points that stay in the lanes, m."""


def imported(fmu: Path, folder: Path) -> ca.Function:
    """Return (states, steering angle and force in kN) -> (rates, lateral forces) of an FMU.

    States and lateral forces are in the order of ``STATES`` and ``FORCES``.
    """
    dae = ca.DaeBuilder("vehicle", str(fmpy.extract(str(fmu), str(folder))))
    if not hasattr(dae, "set_y"):
        raise ImportError(
            "examples/controllers/fmu_mpc.py needs CasADi 3.8: pip install --upgrade casadi"
        )
    dae.set_y(list(FORCES))  # CasADi reads all outputs as real numbers, and `valid` is none
    # without the forward mode, whose directions without seeds get what others got in CasADi 3.8
    whole = dae.create("whole", ["x", "u"], ["ode", "y"], {"enable_forward": False})
    x, u = ca.MX.sym("x", len(STATES)), ca.MX.sym("u", 2)
    given = dict.fromkeys(dae.u(), ca.MX(0)) | {"steer.angle": u[0], "drive.force": 1000 * u[1]}
    order = [STATES.index(name) for name in dae.x()]
    rates, forces = whole(x[order], ca.vertcat(*given.values()))
    back = [dae.x().index(name) for name in STATES]
    return ca.Function("fmu", [x, u], [rates[back], forces])


def by_hand() -> ca.Function:
    """Return the same function from the equations."""
    x, u = ca.SX.sym("x", len(STATES)), ca.SX.sym("u", 2)
    v, _, _, _, yaw, angle = ca.vertsplit(x)
    turned, rate = ca.tan(angle), (u[0] - angle) / LAG
    inertia = (INERTIA + MASS * REAR_TO_CENTRE**2) / WHEELBASE**2
    acceleration = 1000 * u[1] - inertia * turned / ca.cos(angle) ** 2 * rate * v
    acceleration /= MASS + inertia * turned**2
    side = REAR_TO_CENTRE / WHEELBASE * turned
    yaw_rate = v * turned / WHEELBASE
    yaw_acceleration = (acceleration * turned + v * rate / ca.cos(angle) ** 2) / WHEELBASE
    lateral = MASS * (REAR_TO_CENTRE * yaw_acceleration + v * yaw_rate)
    rear = (lateral * (WHEELBASE - REAR_TO_CENTRE) - INERTIA * yaw_acceleration) / WHEELBASE
    front = (lateral - rear) / ca.cos(angle)
    rates = ca.vertcat(
        acceleration,
        v,
        v * (ca.cos(yaw) - side * ca.sin(yaw)),
        v * (ca.sin(yaw) + side * ca.cos(yaw)),
        yaw_rate,
        rate,
    )
    return ca.Function("by_hand", [x, u], [rates, ca.vertcat(front, rear)])


def stepped(rates: ca.Function) -> ca.Function:
    """Return the state after an interval, by Runge and Kutta's steps."""
    start, u = ca.MX.sym("x", len(STATES)), ca.MX.sym("u", 2)
    x, h = start, INTERVAL / SUBSTEPS
    for _ in range(SUBSTEPS):
        first = rates(x, u)[0]
        second = rates(x + h / 2 * first, u)[0]
        third = rates(x + h / 2 * second, u)[0]
        fourth = rates(x + h * third, u)[0]
        x = x + h / 6 * (first + 2 * second + 2 * third + fourth)
    return ca.Function("stepped", [start, u], [x])


@dataclass(frozen=True)
class Plan:
    """A plan: states (6, N + 1), controls (2, N), distances out of the lanes (N,)."""

    states: np.ndarray
    controls: np.ndarray
    outside: np.ndarray
    cost: float
    iterations: int

    def moved_on(self, state: np.ndarray) -> Plan:
        """Return a guess for the plan an interval later, from a state."""
        states = np.column_stack([state, self.states[:, 2:], self.states[:, -1]])
        states[2, -1] += INTERVAL * states[0, -1]
        controls = np.column_stack([self.controls[:, 1:], self.controls[:, -1]])
        outside = np.append(self.outside[1:], self.outside[-1])
        return Plan(states, controls, outside, self.cost, self.iterations)


def straight(state: np.ndarray) -> Plan:
    """Return a first guess: straight on."""
    states = np.repeat(state[:, None], AHEAD + 1, axis=1)
    states[2] += state[0] * INTERVAL * np.arange(AHEAD + 1)
    return Plan(states, np.zeros((2, AHEAD)), np.zeros(AHEAD), 0.0, 0)


class Controller:
    """The optimization problem, made once, solved again and again.

    Parameters
    ----------
    rates : casadi.Function
        From `imported` or `by_hand`.
    lanes : list of Lane
        The track.
    """

    def __init__(self, rates: ca.Function, lanes: list[Lane]) -> None:
        self._lanes = lanes
        problem = self._problem = ca.Opti()
        self._x, self._u = problem.variable(6, AHEAD + 1), problem.variable(2, AHEAD)
        self._outside = problem.variable(AHEAD)
        self._now, self._before = problem.parameter(6), problem.parameter(2)
        self._right, self._left = (problem.parameter(len(ALONG), AHEAD) for _ in range(2))
        step = stepped(rates)
        problem.subject_to(self._x[:, 0] == self._now)
        cost = ca.MX(0)
        for k in range(AHEAD):
            x, u, after = self._x[:, k], self._u[:, k], self._x[:, k + 1]
            problem.subject_to(after == step(x, u))
            for end in (x, after):
                ratios = rates(end, u)[1] / AXLE_LOAD
                problem.subject_to(problem.bounded(-FRICTION, ratios, FRICTION))
            for i, distance in enumerate(ALONG):
                y = after[3] + (distance - REAR_TO_CENTRE) * ca.sin(after[4])
                problem.subject_to(y + self._outside[k] >= self._right[i, k])
                problem.subject_to(y - self._outside[k] <= self._left[i, k])
            change = u[0] - (self._u[0, k - 1] if k else self._before[0])
            cost += 2e3 * change**2 + 1e2 * u[0] ** 2 + 1e-2 * u[1] ** 2 + (after[0] - SPEED) ** 2
            cost += 1e2 * self._outside[k] + 1e4 * self._outside[k] ** 2
        problem.subject_to(self._outside >= 0)
        problem.subject_to(problem.bounded(-0.5, self._u[0, :], 0.5))
        problem.subject_to(problem.bounded(-6, self._u[1, :], 4))
        problem.minimize(cost)
        factor, multipliers = ca.MX.sym("factor"), ca.MX.sym("multipliers", problem.ng)
        hessian = ca.triu(factor * ca.hessian(problem.f, problem.x)[0])
        arguments = [problem.x, problem.p, factor, multipliers]
        problem.solver("ipopt", {
            "print_time": False,
            "hess_lag": ca.Function("gauss_newton", arguments, [hessian]),
            "ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-6, "mu_init": 1e-3},
        })  # fmt: skip

    def solve(self, state: np.ndarray, before: np.ndarray, guess: Plan) -> Plan:
        """Return the plan from a state, given the control before and a guess."""
        problem = self._problem
        right, left = self._bounds(guess.states[2, 1:] - REAR_TO_CENTRE)
        for parameter, value in (
            (self._now, state),
            (self._before, before),
            (self._right, right),
            (self._left, left),
        ):
            problem.set_value(parameter, value)
        for variable, value in (
            (self._x, guess.states),
            (self._u, guess.controls),
            (self._outside, guess.outside),
        ):
            problem.set_initial(variable, value)
        found = problem.solve()
        return Plan(
            *(np.asarray(found.value(v)) for v in (self._x, self._u, self._outside)),
            float(found.value(problem.f)),
            int(found.stats()["iter_count"]),
        )

    def _bounds(self, rear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the least and largest y of the middle of the vehicle at ``ALONG``."""
        right, left = np.full((2, len(ALONG), rear.size), [[[-3.0]], [[7.0]]])
        half = SPEED * INTERVAL / 2  # lanes begin or end between two points of the plan
        for i, distance in enumerate(ALONG):
            for lane in self._lanes:
                x = rear + distance
                inside = (x >= lane.begin - half) & (x <= lane.end + half)
                right[i, inside] = lane.right + WIDTH / 2 + MARGIN
                left[i, inside] = lane.left - WIDTH / 2 - MARGIN
        return right, left


class Planner:
    """Plans in each interval and applies the first control; ``hand`` plans every tenth, too."""

    def __init__(self, controller: Controller, hand: Controller) -> None:
        self._controller, self._hand = controller, hand
        self.plans: list[Plan] = []
        self.apart = 0.0
        self.costs = np.zeros(2)

    def __call__(self, time: float, measured: Mapping[str, float]) -> dict[str, float]:
        """Return the controls of an interval."""
        state, before = np.array([measured[name] for name in STATES]), np.zeros(2)
        guess = straight(state)
        if self.plans:
            before, guess = self.plans[-1].controls[:, 0], self.plans[-1].moved_on(state)
        plan = self._controller.solve(state, before, guess)
        if len(self.plans) % 10 == 0:
            other = self._hand.solve(state, before, guess)
            pairs = (plan.states, other.states), (plan.controls[0], other.controls[0])
            self.apart = max(self.apart, *(float(np.abs(a - b).max()) for a, b in pairs))
            self.costs += plan.cost, other.cost
        self.plans.append(plan)
        return {"steer.angle": plan.controls[0, 0], "drive.force": 1000 * plan.controls[1, 0]}
