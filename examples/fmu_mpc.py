r"""Model-predictive control on an FMU: the double lane change at a friction limit.

CasADi imports `vehicle.fmu` (`DaeBuilder`, Model Exchange): ẋ = f(x, u) and outputs g(x, u) become
functions in its graphs, and their Jacobians are the FMU's directional derivatives. Every T = 0.1 s
the controller plans N steps ahead with steering angle and driving force held in each, by multiple
shooting with two Runge-Kutta steps of order 4 per interval, and applies the first:

    min  Σ 2000 Δα² + 100 α² + f²/100 + (v - v*)² + 100 ε + 10⁴ ε²
    x_{k+1} = RK4(x_k, u_k);   |lateral force of each axle| <= μ axle load at both ends;
    corners in the lane of ISO 3888-1 where they are, a margin inside but for ε_k >= 0,

with forces in kN. Where along the track the vehicle will be is taken from the plan before. There is
no path to follow: the controller finds its own. The cost is quadratic, so its Hessian is constant;
given to Ipopt in place of that of the Lagrangian (`hess_lag`, Gauss and Newton's method), no second
derivatives of the FMU are needed.

The loop is closed around the same FMU in Co-Simulation. At 100 km/h a driver who follows
a path that was planned without the limit has friction ratios of 0.61
(`examples/vehicle_lane_change.py --speed 100`); the controller keeps to 0.5.

Reference: the vehicle's equations of [SchiehlenEismann] (34), (35) and the balance of forces,
written by hand in CasADi, in the same problem: the plans have to agree.

CasADi declares a stop time of 1 to every FMU, so time is no argument of the function here; this
model does not depend on it.

Run: python examples/fmu_mpc.py [--figures DIR]
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.common import figures_folder, head, plain, print_comparison, save
from examples.cosimulation import Unit
from examples.lane_change_driver import (
    FRONT_OVERHANG,
    MARGIN,
    REAR_OVERHANG,
    RUN_UP,
    WIDTH,
    Lane,
    cones,
    read_lanes,
)
from mbcore.fmi import export
from mbcore.fmus import vehicle

SPEED, FRICTION = 100 / 3.6, 0.5
"""To be held, m/s, and coefficient of friction of the road."""
INTERVAL, AHEAD, SUBSTEPS = 0.1, 20, 2
"""T, s; N; Runge-Kutta steps in an interval."""
RECORD = 0.01
"""Communication step in which the FMU is recorded, s."""
END = 128.0
"""Where the drive ends, m."""
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
        raise ImportError("examples/fmu_mpc.py needs CasADi 3.8: pip install --upgrade casadi")
    dae.set_y(list(FORCES))  # CasADi reads all outputs as real numbers, and `valid` is none
    whole = dae.create("whole", ["x", "u"], ["ode", "y"])
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
    """What is planned: states (6, N + 1), controls (2, N), how far out of the lanes (N,)."""

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


@dataclass(frozen=True)
class Record:
    """A drive.

    Attributes
    ----------
    time : ndarray
        Every 10 ms, s.
    signals : dict of str to ndarray
        Of the FMU, by name.
    plans : list of Plan
        One for each interval.
    predicted : float
        Largest distance of the FMU's state after an interval from what was planned.
    apart : float
        Largest distance of a plan, states and steering, from that with equations by hand.
    costs : tuple of float
        Sums of the costs of compared plans: FMU, by hand.
    lanes : list of Lane
        The track.
    """

    time: np.ndarray
    signals: dict[str, np.ndarray]
    plans: list[Plan]
    predicted: float
    apart: float
    costs: tuple[float, float]
    lanes: list[Lane]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    @property
    def friction_ratio(self) -> float:
        """Largest of both axles."""
        return max(float(self[f"{axle}.friction_ratio"].max()) for axle in ("front", "rear"))

    @property
    def clearance(self) -> float:
        """Least distance of the vehicle's corners from the lanes' boundaries, m."""
        x, y, yaw = (self[f"chassis.{name}"] for name in ("x", "y", "yaw"))
        least = np.inf
        for distance in (-REAR_OVERHANG, WHEELBASE + FRONT_OVERHANG):
            for side in (-WIDTH / 2, WIDTH / 2):
                ahead = distance - REAR_TO_CENTRE
                corner_x = x + ahead * np.cos(yaw) - side * np.sin(yaw)
                corner_y = y + ahead * np.sin(yaw) + side * np.cos(yaw)
                for lane in self.lanes:
                    inside = corner_y[(corner_x >= lane.begin) & (corner_x <= lane.end)]
                    least = min(least, (lane.left - inside).min(), (inside - lane.right).min())
        return float(least)


RECORDED = (*STATES, "front.steer_angle", "front.friction_ratio", "rear.friction_ratio")


def drive(fmu: Path, controller: Controller, hand: Controller | None) -> Record:
    """Drive the FMU through the track; compare every tenth plan with that of ``hand``."""
    state = np.array([SPEED, 0.0, -RUN_UP, 0.0, 0.0, 0.0])
    guess, before = straight(state), np.zeros(2)
    plans, rows, predicted, apart, costs = [], [], [0.0], [0.0], np.zeros(2)
    start = dict(zip(STATES, state, strict=True)) | {"steer.angle": 0.0}
    with Unit(fmu, start, tolerance=1e-8) as car:
        while state[2] < END:
            plan = controller.solve(state, before, guess)
            if hand is not None and len(plans) % 10 == 0:
                other = hand.solve(state, before, guess)
                apart.append(float(np.abs(plan.states - other.states).max()))
                apart.append(float(np.abs(plan.controls[0] - other.controls[0]).max()))
                costs += plan.cost, other.cost
            plans.append(plan)
            before = plan.controls[:, 0]
            car.set({"steer.angle": before[0], "drive.force": 1000 * before[1]})
            for _ in range(round(INTERVAL / RECORD)):
                rows.append([car.time, *car.get(RECORDED), *before])
                car.step(RECORD)
            state = np.array(car.get(STATES))
            predicted.append(float(np.abs(state - plan.states[:, 1]).max()))
            guess = plan.moved_on(state)
    time, *signals = np.array(rows).T
    named = dict(zip((*RECORDED, "steer.angle", "drive.force"), signals, strict=True))
    total = float(costs[0]), float(costs[1])
    return Record(time, named, plans, max(predicted), max(apart), total, read_lanes())


def run(fmu: Path | None = None) -> Record:
    """Drive through the track.

    Parameters
    ----------
    fmu : Path, optional
        The vehicle, FMI 3.0; exported into a temporary folder where absent.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = fmu or export(vehicle.component(), folder, fmi="3.0")[0]
        lanes = read_lanes()
        controller = Controller(imported(path, Path(folder) / "vehicle"), lanes)
        return drive(path, controller, Controller(by_hand(), lanes))


def draw(record: Record, folder: Path) -> None:
    """Draw path and plans, steering, speed, and friction ratios."""
    figure = Figure(figsize=(9.4, 9.6), layout="constrained")
    track, steering, speed, ratios = figure.subplots(
        4, 1, sharex=True, height_ratios=(1.3, 1, 0.8, 1)
    )
    figure.suptitle(
        f"vehicle.fmu at {3.6 * SPEED:.0f} km/h, steered and driven by model-predictive control"
    )
    x = record["chassis.x"]
    for lane in record.lanes:
        track.fill_between([lane.begin, lane.end], lane.right, lane.left, color="#eeeeee")
    cone = {"color": "#f57900", "markersize": 5, "markeredgewidth": 0}
    track.plot(*cones(record.lanes).T, "^", label="cones", **cone)
    for k, plan in enumerate(record.plans[::4]):
        label = None if k else "every fourth plan"
        _, _, planned_x, planned_y, *_ = plan.states
        track.plot(planned_x, planned_y, color="#1f5fa8", linewidth=0.7, alpha=0.7, label=label)
    track.plot(x, record["chassis.y"], color="black", linewidth=1.6, label="mass centre")
    plain(track, "", "y / m")
    head(track, "Path (lateral scale stretched)", 3)

    command, angle = (np.degrees(record[n]) for n in ("steer.angle", "front.steer_angle"))
    steering.plot(x, command, color="#999999", drawstyle="steps-post", label="commanded")
    steering.plot(x, angle, color="#5c3566", label="actual")
    plain(steering, "", "angle / °")
    head(steering, "Steering angle of the front axle", 2)

    speed.plot(x, 3.6 * record["chassis.speed"], color="black")
    speed.set_title("Speed", loc="left")
    plain(speed, "", "speed / (km/h)")

    for axle, color in (("front", "#c4501b"), ("rear", "#1f5fa8")):
        ratios.plot(x, record[f"{axle}.friction_ratio"], color=color, linewidth=1.3, label=axle)
    ratios.axhline(FRICTION, color="#a40000", linestyle="--", label="limit in the plans")
    ratios.set_ylim(0, 1.2 * FRICTION)
    plain(ratios, "x of the mass centre / m", "lateral force / axle load")
    head(ratios, "Friction ratio", 3)
    ratios.set_xlim(-RUN_UP, END)
    figure.align_ylabels([track, steering, speed, ratios])
    save(figure, folder, "fmu_mpc")


def main() -> None:
    """Drive, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Plans on vehicle.fmu; reference: equations by hand, and the limits",
        [
            ("cost of all compared plans", *record.costs),
            ("largest distance of the plans", record.apart, 0.0),
            ("largest error of an interval's prediction", record.predicted, 0.0),
            ("largest friction ratio", record.friction_ratio, FRICTION),
        ],
    )
    slowest = 3.6 * record["chassis.speed"].min()
    iterations = np.mean([plan.iterations for plan in record.plans])
    print(f"least clearance {100 * record.clearance:.1f} cm, slowest {slowest:.1f} km/h")
    print(f"{len(record.plans)} plans, {iterations:.1f} iterations of Ipopt each")
    draw(record, folder)


if __name__ == "__main__":
    main()
