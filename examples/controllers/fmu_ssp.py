r"""A vehicle and its driver as one package: System Structure and Parameterization, SSP 1.0.

Two FMUs, the vehicle and the controller of `examples.controllers.path_driver`, are put into an
archive together with a description of how their inputs and outputs are connected, by names, and
with a set of start values. Any importer of packages can run it; here two do: `mbcore.fmi.System`
(FMUs of either version), and FMPy's (`fmpy.ssp`, FMI 2.0 only).

Both step all components side by side, and hold the values from the beginning of a step h, so every
signal is late by up to a step, and results are of first order in h. That is the check: with the
vehicle's equations of [SchiehlenEismann] (34) and the driver's law written by hand as one system of
differential equations, integrated at 1e-12, the package's error halves with the step, and
2 y_{h/2} - y_h comes closer by an order.

FMPy's importer applies no parameters by itself, and gives 0 to all inputs during the first step
instead of the outputs at the start: its driver believes that he stands still, which adds some 2 v h
to the speed, and takes a few seconds to forget it.

Run: python examples/controllers/fmu_ssp.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssv
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

from mbcore.examples.common import ABOVE, figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.controllers import path_driver
from mbcore.fmi import System, export
from mbcore.fmi.export import Toolchain
from mbcore.fmus import vehicle

STOP, STEP = 9.0, 0.01
"""End of the drive, and communication step, s."""
PARAMETERS = "resources/start.ssv"
MEASURED = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")
COMMANDED = ("steer.angle", "drive.force")
SHOWN = [
    *(f"vehicle.{name}" for name in (*MEASURED, "front.steer_angle", "front.friction_ratio")),
    *(f"driver.{name}" for name in (*COMMANDED, "path.error")),
]
START = {
    "vehicle.chassis.speed": 14.0,
    "vehicle.chassis.y": 0.5,
    "vehicle.steer.angle": 0.0,
    "driver.wanted.speed": 15.0,
    "driver.preview.distance": 8.0,
}
OFFSET, BEGIN, END, LENGTH, WANTED, PREVIEW = 3.5, 35.0, 90.0, 8.0, 15.0, 8.0
"""The driver's parameters."""
MASS, INERTIA, WHEELBASE, REAR_TO_CENTRE, LAG = 1200.0, 675.0, 2.5, 1.25, 0.05
"""The vehicle's."""


@dataclass(frozen=True)
class Record:
    """Signals by name of the package at both steps, by FMPy's importer, and by hand."""

    coarse: dict[str, np.ndarray]
    """At steps of 10 ms."""
    fine: dict[str, np.ndarray]
    """At steps of 5 ms."""
    fmpy: dict[str, np.ndarray]
    """By FMPy's importer at steps of 5 ms."""
    by_hand: dict[str, np.ndarray]
    """Without any step, at the coarse one's times."""

    def error(self, name: str, which: str) -> np.ndarray:
        """Return the error of a signal at the coarse times.

        Parameters
        ----------
        name : str
            Of the signal.
        which : str
            ``coarse``, ``fine``, or ``extrapolated`` from both.
        """
        coarse, fine = self.coarse[name], self.fine[name][::2]
        values = {"coarse": coarse, "fine": fine, "extrapolated": 2 * fine - coarse}[which]
        return values - self.by_hand[name]

    @property
    def ratio(self) -> float:
        """Largest error of y at the coarse step over that at the fine one."""
        coarse, fine = (np.abs(self.error("chassis.y", w)).max() for w in ("coarse", "fine"))
        return float(coarse / fine)


def law(x: float, y: float, yaw: float, speed: float, behind: float) -> tuple[float, float, float]:
    """Return steering angle, force and lateral error of the driver, differentiated by hand."""
    rear_x, rear_y = x - REAR_TO_CENTRE * np.cos(yaw), y - REAR_TO_CENTRE * np.sin(yaw)
    to, back = (np.tanh((rear_x - at) / LENGTH) for at in (BEGIN, END))
    slope = OFFSET / (2 * LENGTH) * (back**2 - to**2)
    bend = OFFSET / LENGTH**2 * (back * (1 - back**2) - to * (1 - to**2))
    heading = np.arctan(slope)
    error = (rear_y - OFFSET / 2 * (to - back)) * np.cos(heading)
    curvature = bend / (1 + slope**2) ** 1.5
    curvature -= 2 * (error + PREVIEW * (yaw - heading)) / PREVIEW**2
    force = MASS * (2.0 * (WANTED - speed) + 0.5 * behind)
    return float(np.arctan(WHEELBASE * curvature)), float(force), float(error)


def _rates(_: float, state: np.ndarray) -> list[float]:
    x, y, yaw, speed, angle, behind = state
    steer, force, _ = law(x, y, yaw, speed, behind)
    turned = np.tan(angle)
    rate = (steer - angle) / LAG
    inertia = (INERTIA + MASS * REAR_TO_CENTRE**2) / WHEELBASE**2
    side = REAR_TO_CENTRE / WHEELBASE * turned
    return [
        speed * (np.cos(yaw) - side * np.sin(yaw)),
        speed * (np.sin(yaw) + side * np.cos(yaw)),
        speed * turned / WHEELBASE,
        (force - inertia * turned / np.cos(angle) ** 2 * rate * speed)
        / (MASS + inertia * turned**2),
        rate,
        WANTED - speed,
    ]


def drive_by_hand(times: np.ndarray) -> dict[str, np.ndarray]:
    """Return the signals of vehicle and driver as one system of differential equations."""
    start = [0.0, START["vehicle.chassis.y"], 0.0, START["vehicle.chassis.speed"], 0.0, 0.0]
    found = solve_ivp(_rates, (0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12)
    x, y, yaw, speed, angle, behind = found.y
    laws = np.array([law(*row) for row in np.column_stack([x, y, yaw, speed, behind])])
    names = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed", "front.steer_angle")
    signals = dict(zip(names, (x, y, yaw, speed, angle), strict=True))
    outputs = ("steer.angle", "drive.force", "path.error")
    return signals | dict(zip(outputs, laws.T, strict=True))


def packages(folder: Path, tools: Sequence[Toolchain] | None = None) -> tuple[Path, Path]:
    """Export both FMUs and write packages with those of FMI 3.0 and of FMI 2.0.

    Parameters
    ----------
    folder : Path
        For FMUs and packages.
    tools : sequence of Toolchain, optional
        From `mbcore.fmi.export.toolchains`, to share them with other exports.
    """
    parts = {"vehicle": vehicle.component(), "driver": path_driver.component()}
    files = {
        name: export(part, folder, fmi=("3.0", "2.0"), tools=tools) for name, part in parts.items()
    }
    written = []
    for which, version in enumerate("32"):
        target = folder / f"lane_change_fmi{version}.ssp"
        fmus = {name: paths[which] for name, paths in files.items()}
        written.append(connected(fmus).write(target, "1.0", STOP))
    return written[0], written[1]


def connected(fmus: Mapping[str, Path]) -> System:
    """Return vehicle and driver, connected."""
    system = System("lane_change", fmus, START)
    for name in MEASURED:
        system.connect(f"vehicle.{name}", f"driver.{name}")
    for name in COMMANDED:
        system.connect(f"driver.{name}", f"vehicle.{name}")
    system.show(*SHOWN)
    return system


def drive(package: Path, stop: float, step: float) -> dict[str, np.ndarray]:
    """Return the signals of a package by their short names, with ``time``, inputs being held."""
    run = System.read(package).simulate(stop, step, "held", tolerance=1e-10)
    return {"time": run.time} | {name.partition(".")[2]: run[name] for name in SHOWN}


def drive_by_fmpy(path: Path, step: float) -> dict[str, np.ndarray]:
    """Run a package by FMPy's importer; its rows hold the outputs at the end of a step."""
    rows = simulate_ssp(
        str(path),
        stop_time=STOP - step / 2,
        step_size=step,
        parameter_set=read_ssv(str(path), PARAMETERS),
    )
    signals = {name.partition(".")[2]: rows[name] for name in SHOWN}
    return {"time": rows["time"] + step} | signals


def run(packed: tuple[Path, Path] | None = None) -> Record:
    """Run the packages.

    Parameters
    ----------
    packed : tuple of Path, optional
        From `packages`, which are made in a temporary folder where absent.
    """
    if packed is None:
        with tempfile.TemporaryDirectory() as folder:
            return run(packages(Path(folder)))
    ours, theirs = packed
    runs = [drive(ours, STOP, step) for step in (STEP, STEP / 2)]
    return Record(*runs, drive_by_fmpy(theirs, STEP / 2), drive_by_hand(runs[0]["time"]))


def draw(record: Record, folder: Path) -> None:
    """Draw path, speed, steering, and what the steps cost."""
    figure = Figure(figsize=(9.4, 9.6), layout="constrained")
    road, speed, steering, errors = figure.subplots(4, 1, height_ratios=(1.2, 1, 1, 1.1))
    figure.suptitle("lane_change.ssp: vehicle.fmu and driver.fmu, connected by a package")
    exact, late, imported = record.by_hand, record.coarse, record.fmpy
    x = np.linspace(0, late["chassis.x"][-1], 600)
    to, back = (np.tanh((x - at) / LENGTH) for at in (BEGIN, END))
    road.plot(x, OFFSET / 2 * (to - back), color="#888888", linewidth=5, alpha=0.4, label="path")
    road.plot(late["chassis.x"], late["chassis.y"], color="black", label="mass centre, package")
    road.plot(exact["chassis.x"], exact["chassis.y"], ":", color="#c4501b", label="by hand")
    plain(road, "x (m)", "y (m)")
    head(road, "Path (lateral scale stretched)", 3)

    for signals, style, color, label in (
        (late, "-", "black", "package, 10 ms"),
        (imported, "-", "#1f5fa8", "package by FMPy, 5 ms, inputs 0 at first"),
        (exact, ":", "#c4501b", "by hand"),
    ):
        time = signals.get("time", late["time"])
        speed.plot(time, signals["chassis.speed"], style, color=color, label=label)
    plain(speed, "", "speed (m/s)")
    head(speed, "Speed", 3)

    steer = np.degrees(late["steer.angle"])
    steering.plot(late["time"], steer, color="#999999", drawstyle="steps-post", label="driver")
    angle = np.degrees(late["front.steer_angle"])
    steering.plot(late["time"], angle, color="#5c3566", label="front axle")
    plain(steering, "", "angle (°)")
    head(steering, "Steering angle", 2)

    for which, label in (
        ("coarse", "steps of 10 ms"),
        ("fine", "steps of 5 ms"),
        ("extrapolated", "extrapolated from both"),
    ):
        error = 1000 * np.abs(record.error("chassis.y", which))
        errors.semilogy(late["time"][1:], error[1:], linewidth=1.2, label=label)
    errors.set_ylim(1e-4, 100)
    plain(errors, "time (s)", "error of y (mm)")
    head(errors, "Error of the lateral place, to the system solved as one", 3)
    for axes in (speed, steering, errors):
        axes.set_xlim(0, STOP)
    figure.align_ylabels([road, speed, steering, errors])
    save(figure, folder, "fmu_ssp")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(vehicle.model(), folder, "fmu_ssp", "Vehicle without slip", view=ABOVE)
    record = run()
    exact = {name: float(record.by_hand[name][-1]) for name in ("chassis.x", "chassis.y")}
    found = {
        (name, which): exact[name] + float(record.error(name, which)[-1])
        for name in exact
        for which in ("coarse", "extrapolated")
    }
    x, y = exact.values()
    theirs, ours = record.fmpy["chassis.y"][-1], record.fine["chassis.y"][-1]
    print_comparison(
        "Vehicle and driver in a package; reference: one system of differential equations by hand",
        [
            ("x at the end, steps of 10 ms (m)", found["chassis.x", "coarse"], x),
            ("x at the end, extrapolated (m)", found["chassis.x", "extrapolated"], x),
            ("y at the end, steps of 10 ms (m)", found["chassis.y", "coarse"], y),
            ("y at the end, extrapolated (m)", found["chassis.y", "extrapolated"], y),
            ("error at 10 ms over error at 5 ms", record.ratio, 2.0),
        ],
    )
    print_comparison(
        "FMPy's importer, steps of 5 ms; reference: our importer",
        [("y at the end (m)", float(theirs), float(ours))],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
