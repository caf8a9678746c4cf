r"""Rolling without slip as the limit of stiff contacts: the convergence of [Deppler].

A constraint G q̇ = 0 is replaced by spring and damper on the slip, (3): z' = G q̇ and

    λ = c/ε z + d/ε^κ z',    κ = 1/2 principal damping, κ = 1 strong damping.

Three systems, each with and without its constraint: the Chaplygin sleigh (a body on a knife edge
that cannot move sideways), the rolling disk, the vehicle. The text bounds the distance between the
two solutions by √ε for principal and by ε for strong damping. The observed distance is of
order ε for both, after the initial layer. Only inside the layer, t = O(√ε), and only with z(0) = 0
is the distance of the velocities of order √ε for principal damping: there the spring has no force
yet. (Strong damping has a layer of O(ε) and then a spring that builds up within d/c: order ε from
the beginning.)

Distance: Euclidean norm of the differences in coordinates and rates, as numbers, at the end;
for the layer the largest norm in rates alone for t < 10 √ε. Orders: slope of a straight line
through the three smallest ε, in logarithms. The reference's sleigh has other moments of inertia and
start values than this one, so that only orders compare, not distances. c = 1, d = 2, as there; a
thousand times that for the vehicle, which weighs 1200 kg, starts straight ahead and is steered
gently.

Run: python examples/rolling/regularization.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, Equations, Hinge, Model, PlanarWheel, Result, RigidLink, Wheel, simulate
from mbcore.contact.regularized import Regularization, regularize
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show
from mbcore.examples.drive_picture import show_slips
from mbcore.examples.rolling.rolling_disk import model as rolling_model
from mbcore.fmus import vehicle, vehicle_grip
from mbcore.model.quantities import Slip

Damping = Literal["principal", "strong"]
DAMPINGS: tuple[Damping, ...] = ("principal", "strong")
EXPONENT = {"principal": 0.5, "strong": 1.0}
C, D = 1.0, 2.0
COMPLIANCES = np.logspace(-1, -6, 6)
"""ε."""
FITTED = 3
"""Smallest ε through which the straight line goes."""
REFERENCE = {
    "principal": (0.142, 0.0184, 2.00e-3, 2.06e-4, 2.07e-5, 2.08e-6),
    "strong": (0.0791, 7.95e-3, 7.95e-4, 7.95e-5, 7.95e-6, 7.95e-7),
}
"""Distances of a Chaplygin sleigh, m = 1, at t = 5, by hand."""
STIFF = {"method": "rosenbrock", "rtol": 1e-11, "atol": 1e-14}


def sleigh(regularized: bool) -> Model:
    """Return a body on a knife edge, mass centre in front of it by 0.5; m = I = 1."""
    system = Model("sleigh")
    edge, heading = system.point("edge", (0, 0)), system.angle("heading")
    centre, rolled = system.point("centre", (0.5, 0)), system.angle("rolled")
    system.add(RigidLink("body", edge, heading, centre))
    system.add(Body("sleigh", centre, heading, mass=1, inertia=1))
    knife = system.add(PlanarWheel("knife", edge, heading, rolled, radius=1.0))
    heading.angle.dof("yaw", "yaw_rate", rate_start=1.0)
    if regularized:
        _regularize(system, knife.lateral)
        knife.longitudinal.release()  # a knife slides along itself; the wheel stands
        rolled.angle.rigid()
        edge.x.dof("x", "x_rate", rate_start=1.0)
        edge.y.dof("y", "y_rate")
    else:
        rolled.angle.dof("travelled", "speed", rate_start=1.0)
        edge.x.kinematic("x")
        edge.y.kinematic("y")
        system.output("x_rate", edge.velocity[0], unit="m/s")
        system.output("y_rate", edge.velocity[1], unit="m/s")
    system.output("energy", system.kinetic_energy, unit="J")
    return system


def disk(regularized: bool) -> Model:
    """Return the disk of ``rolling_disk.py``, or the same with regularized rolling."""
    if not regularized:
        rolling = rolling_model()
        for i, axis in enumerate("xy"):
            velocity = rolling.nodes["contact"].velocities[i]
            rolling.output(f"contact.{axis}_rate", velocity, unit="m/s")
        return rolling
    system = Model("regularized disk", gravity=(0, 0, -1))
    yaw, lean, pitch = (system.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = system.point("centre", (0, 0, 1)), system.point("contact", (0, 0, 0))
    start = {"yaw": 0.0, "lean": -0.01, "pitch": 0.4116}
    axes = {"yaw": (0, 0, 1), "lean": (1, 0, 0), "pitch": (0, 1, 0)}
    before = system.ground
    for name, node in (("yaw", yaw), ("lean", lean), ("pitch", pitch)):
        hinge = system.add(Hinge(f"{name} hinge", before, node, axis=axes[name]))
        hinge.angle.dof(f"disk.{name}", f"disk.{name}_rate", rate_start=start[name])
        before = node
    wheel = system.add(Wheel("wheel", centre, pitch, contact, radius=1))
    _regularize(system, wheel.longitudinal)
    _regularize(system, wheel.lateral)
    contact.x.dof("contact.x", "contact.x_rate", rate_start=start["pitch"])
    contact.y.dof("contact.y", "contact.y_rate")
    system.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    return system


def _regularize(system: Model, slip: Slip) -> None:
    if "compliance" not in system.parameters:
        system.parameter("compliance", 1e-3, positive=True)
        system.parameter("exponent", 0.5)
    compliance, exponent = (system.parameters[n].symbol for n in ("compliance", "exponent"))
    contact = regularize(system, slip, Regularization(C, D, compliance, exponent))
    system.output(f"{slip.name}.energy", contact.energy, unit="J")


@dataclass(frozen=True)
class System:
    """A compared system: a model with and without its constraint."""

    title: str
    model: Callable[[bool], Model]
    until: float
    coordinates: tuple[str, ...]
    rates: tuple[str, ...]
    parameters: Callable[[float, Damping], Mapping[str, float]]
    inputs: Mapping[str, Callable[[float], float]] = field(default_factory=dict)


def _plain_parameters(compliance: float, damping: Damping) -> Mapping[str, float]:
    return {"compliance": compliance, "exponent": EXPONENT[damping]}


def _car_parameters(compliance: float, damping: Damping) -> Mapping[str, float]:
    return {
        "contact.stiffness": 1e3 * C,
        "contact.damping": 1e3 * D,
        "contact.compliance": compliance,
        "contact.damping_exponent": EXPONENT[damping],
    }


_DISK = ("disk.yaw", "disk.lean", "disk.pitch", "contact.x", "contact.y")
SYSTEMS = {
    "sleigh": System(
        "Chaplygin sleigh",
        sleigh,
        5.0,
        ("x", "y", "yaw"),
        ("x_rate", "y_rate", "yaw_rate"),
        _plain_parameters,
    ),
    "disk": System(
        "rolling disk", disk, 3.0, _DISK, tuple(f"{name}_rate" for name in _DISK), _plain_parameters
    ),
    "vehicle": System(
        "vehicle",
        lambda regularized: (vehicle_grip if regularized else vehicle).model(),
        5.0,
        ("chassis.x", "chassis.y", "chassis.yaw"),
        ("chassis.speed", "chassis.yaw_rate"),
        _car_parameters,
        {"steer.angle": lambda t: 0.05 * np.sin(t)},
    ),
}


@dataclass(frozen=True)
class Record:
    """Distances by system and damping, shape (6,) each, and those inside the sleigh's layer."""

    distances: dict[tuple[str, Damping], np.ndarray]
    layer: dict[Damping, np.ndarray]

    @property
    def numbers(self) -> dict[str, float]:
        """Observed orders by name."""
        found = {
            f"{SYSTEMS[name].title}, {damping}": order(values)
            for (name, damping), values in self.distances.items()
        }
        return found | {"initial layer, velocities, principal": order(self.layer["principal"])}


def order(distances: np.ndarray) -> float:
    """Return the slope of the distances over ε in logarithms, by the smallest ε."""
    x, y = np.log10(COMPLIANCES[-FITTED:]), np.log10(distances[-FITTED:])
    return float(np.polyfit(x, y, 1)[0])


@cache
def equations(name: str, regularized: bool) -> Equations:
    """Return a system's equations, made once for all ε and dampings."""
    return SYSTEMS[name].model(regularized).equations()


def differences(
    name: str, damping: Damping, compliance: float, times: np.ndarray, names: Sequence[str]
) -> np.ndarray:
    """Return what the constraint's replacement changes in columns, shape (nt, len(names))."""
    system = SYSTEMS[name]
    motion = simulate(
        equations(name, True),
        times[-1],
        parameters=system.parameters(compliance, damping),
        samples=times,
        inputs=system.inputs,
        progress=False,
        **STIFF,  # type: ignore[arg-type]
    )
    exact = ideal(name, tuple(times))
    return np.column_stack([motion[name] - exact[name] for name in names])


@cache
def ideal(name: str, times: tuple[float, ...]) -> Result:
    """Return a system's motion with the constraint, which is the same for all ε and dampings."""
    system = SYSTEMS[name]
    return simulate(
        equations(name, False), times[-1], samples=times, inputs=system.inputs, progress=False,
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip


def distances(name: str, damping: Damping) -> np.ndarray:
    """Return the distances at the end of the motion for all ε, shape (6,)."""
    system = SYSTEMS[name]
    names, times = (*system.coordinates, *system.rates), np.array([0.0, system.until])
    ends = [differences(name, damping, float(e), times, names)[-1] for e in COMPLIANCES]
    return np.linalg.norm(ends, axis=1)


def layer(damping: Damping, compliances: np.ndarray = COMPLIANCES) -> np.ndarray:
    """Return the sleigh's largest distances in rates for t < 10 √ε, one for each ε."""
    found = []
    for compliance in compliances:
        times = np.linspace(0, 10 * np.sqrt(compliance), 501)
        apart = differences("sleigh", damping, float(compliance), times, SYSTEMS["sleigh"].rates)
        found.append(np.linalg.norm(apart, axis=1).max())
    return np.array(found)


def run() -> Record:
    """Simulate all systems for all ε and both dampings."""
    return Record(
        {(name, damping): distances(name, damping) for name in SYSTEMS for damping in DAMPINGS},
        {damping: layer(damping) for damping in DAMPINGS},
    )


def draw(record: Record, folder: Path) -> None:
    """Draw distances over ε with their slopes, one axes for each damping, and the layer."""
    figure = Figure(figsize=(8.5, 13), layout="constrained")
    figure.suptitle(
        "Spring and damper on the slip, of compliance ε:\ndistance from rolling without slip"
    )
    axes = figure.subplots(3, 1)
    colors = {"sleigh": "#204a87", "disk": "#4e9a06", "vehicle": "#c4501b"}
    for place, damping in zip(axes, DAMPINGS, strict=False):
        for name, color in colors.items():
            values = record.distances[name, damping]
            label = f"{SYSTEMS[name].title}, order {order(values):.3f}"
            place.loglog(COMPLIANCES, values, "o-", color=color, markersize=4, label=label)
        plain(place, "compliance ε (dimensionless)", "distance of coordinates and rates")
        place.set_title(f"{damping.title()} damping, at the end", loc="left", fontsize="medium")
    for damping, marker in zip(DAMPINGS, ("o-", "s-"), strict=True):
        values = record.layer[damping]
        label = f"{damping} damping, order {order(values):.3f}"
        axes[2].loglog(COMPLIANCES, values, marker, markersize=4, label=label)
    axes[2].set_title("Chaplygin sleigh, initial layer t < 10 √ε", loc="left", fontsize="medium")
    plain(axes[2], "compliance ε (dimensionless)", "largest distance of rates")
    for place in axes:
        low, high = place.get_ylim()
        for slope, style in ((1.0, "--"), (0.5, ":")):
            line = 4 * high * (COMPLIANCES / COMPLIANCES[0]) ** slope
            label = f"slope {slope:g}"
            place.loglog(COMPLIANCES, line, style, color="#888888", linewidth=1.2, label=label)
        place.set_ylim(low / 300, 8 * high)
        place.legend(loc="lower right", fontsize="small")
    note = "Distances are dimensionless: norms of numbers, for the vehicle in m, rad and s"
    figure.supxlabel(note, fontsize="small")
    save(figure, folder, "regularization")


def show_slip(folder: Path) -> None:
    """Write the picture of the vehicle just after it is steered, when its axles slip most."""
    car = vehicle_grip.model()
    show_slips(car)
    seen = simulate(
        car.equations(),
        0.3,
        parameters=_car_parameters(COMPLIANCES[0], "principal"),
        inputs={"steer.angle": 0.2},
        backend="python",
    )
    title = "Steered vehicle: its axles slip (green), the road pushes back (red)"
    show(seen, folder, "regularization", title, view=(-70.0, 60.0))


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_slip(folder)
    record = run()
    print_comparison(
        "Observed orders; reference: what theory says",
        [(key, value, 0.5 if "layer" in key else 1.0) for key, value in record.numbers.items()],
    )
    print_comparison(
        "Observed orders of Chaplygin sleighs; reference: one of other inertia and start, by hand",
        [
            (damping, order(record.distances["sleigh", damping]), order(np.array(values)))
            for damping, values in REFERENCE.items()
        ],
    )
    print("Their distances are those of two different sleighs and cannot be compared.")
    draw(record, folder)


if __name__ == "__main__":
    main()
