r"""Model-predictive control on an FMU: the double lane change at a friction limit.

CasADi imports `vehicle.fmu` (`DaeBuilder`, Model Exchange): ẋ = f(x, u) and outputs g(x, u) become
functions in its graphs, and their Jacobians are the FMU's directional derivatives. Every T = 0.1 s
the controller plans N steps ahead with steering angle and driving force held in each, by multiple
shooting with two Runge-Kutta steps of order 4 per interval, and applies the first:

    min Σ (2000 Δα² + 100 α² + f²/100 + (v - v*)² + 100 ε + 10⁴ ε²)
    x_{k+1} = RK4(x_k, u_k),    |F_front| <= μ N_front,    |F_rear| <= μ N_rear,    ε_k >= 0,

with forces in kN, lateral forces F limited by the axle loads N at both ends, and the corners in the
lane of ISO 3888-1 where they are, a margin inside but for ε. Where along the track the vehicle will
be is taken from the plan before. There is no path to follow: the controller finds its own. The cost
is quadratic, so its Hessian is constant; given to Ipopt in place of that of the Lagrangian
(`hess_lag`, Gauss and Newton's method), no second derivatives of the FMU are needed.

The loop is closed around the same FMU in Co-Simulation. At 100 km/h a driver who follows
a path that was planned without the limit has friction ratios of 0.61
(`examples/vehicles/vehicle_lane_change.py --speed 100`); the controller keeps to 0.5.

Reference: the vehicle's equations of [SchiehlenEismann] (34), (35) and the balance of forces,
written by hand in CasADi, in the same problem: the plans have to agree.

CasADi declares a stop time of 1 to every FMU, so time is not an argument of the function here; this
model does not depend on it.

Run: python examples/controllers/fmu_mpc.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Model, Result
from mbcore.drawing import line
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save
from mbcore.examples.controllers.fmu_mpc_planner import (
    FRICTION,
    INTERVAL,
    REAR_TO_CENTRE,
    SPEED,
    STATES,
    WHEELBASE,
    Controller,
    Plan,
    Planner,
    by_hand,
    imported,
)
from mbcore.examples.drive_picture import Stretch, add_cones, show_drive
from mbcore.examples.vehicles.lane_change_driver import (
    FRONT_OVERHANG,
    REAR_OVERHANG,
    RUN_UP,
    WIDTH,
    Lane,
    cones,
    read_lanes,
)
from mbcore.fmi import LoopOptions, closed_loop, export
from mbcore.fmus import vehicle

RECORD = 0.01
"""Communication step in which the FMU is recorded, s."""
SEEN = Stretch(begin=2.3, times=(2.4, 2.8), origin=36.0)
"""Of the picture: the vehicle enters the second lane."""
FORESEEN = 2
"""Intervals of the plan that the picture shows."""
END, LONGEST = 128.0, 20.0
"""Where the drive ends, m, and when at the latest, s."""


@dataclass(frozen=True)
class Record:
    """A drive.

    Attributes
    ----------
    run : Result
        Every 10 ms.
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

    run: Result
    plans: list[Plan]
    predicted: float
    apart: float
    costs: tuple[float, float]
    lanes: list[Lane]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.run[name]

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


def drive(fmu: Path, controller: Controller, hand: Controller) -> Record:
    """Drive the FMU through the track; compare every tenth plan with that of ``hand``."""
    planner, rows = Planner(controller, hand), round(INTERVAL / RECORD)
    found = closed_loop(
        fmu,
        planner,
        sample_time=INTERVAL,
        until=LONGEST,
        start={"chassis.speed": SPEED, "chassis.x": -RUN_UP},
        measurements=STATES,
        options=LoopOptions(
            rows=rows, stop=lambda time, state: state["chassis.x"] >= END, tolerance=1e-8
        ),
    )
    reached = np.column_stack([found[name][rows::rows] for name in STATES])
    planned = np.array([plan.states[:, 1] for plan in planner.plans])
    predicted = float(np.abs(reached - planned).max())
    costs = float(planner.costs[0]), float(planner.costs[1])
    return Record(found, planner.plans, predicted, planner.apart, costs, read_lanes())


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
    plain(track, "", "y (m)")
    head(track, "Path (lateral scale stretched)", 3)

    command, angle = (np.degrees(record[n]) for n in ("steer.angle", "front.steer_angle"))
    steering.plot(x, command, color="#999999", drawstyle="steps-post", label="commanded")
    steering.plot(x, angle, color="#5c3566", label="actual")
    plain(steering, "", "angle (°)")
    head(steering, "Steering angle of the front axle", 2)

    speed.plot(x, 3.6 * record["chassis.speed"], color="black")
    speed.set_title("Speed", loc="left")
    plain(speed, "", "speed (km/h)")

    for axle, color in (("front", "#c4501b"), ("rear", "#1f5fa8")):
        ratios.plot(x, record[f"{axle}.friction_ratio"], color=color, linewidth=1.3, label=axle)
    ratios.axhline(FRICTION, color="#a40000", linestyle="--", label="limit in the plans")
    ratios.set_ylim(0, 1.2 * FRICTION)
    plain(ratios, "x of the mass centre (m)", "lateral force / axle load")
    head(ratios, "Friction ratio", 3)
    ratios.set_xlim(-RUN_UP, END)
    figure.align_ylabels([track, steering, speed, ratios])
    save(figure, folder, "fmu_mpc")


def _on_track(record: Record) -> Model:
    """Return the vehicle with cones and the plan that is made where it is drawn last."""
    car = vehicle.model()
    add_cones(car, record.lanes, 44.0, 46.0, SEEN)
    plan = record.plans[round(SEEN.times[-1] / INTERVAL)]
    x, y = plan.states[2:4, : FORESEEN + 1]
    places = [(float(a) - SEEN.origin, float(b), 0.0) for a, b in zip(x, y, strict=True)]
    car.show(line(places, name="plan", colour="#1f5fa8"))
    return car


def main() -> None:
    """Drive, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    given = ("steer.angle", "drive.force")
    title = "Steered into a lane by a plan (blue); forces of the road (red)"
    show_drive(
        _on_track(record), record.run.time, record.run, given, SEEN, folder, "fmu_mpc", title
    )
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
