"""The three-dimensional wheel on surfaces other than the plane z = 0."""

import re

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad

from mbcore import (
    Body,
    Equations,
    Hinge,
    LinearTyre,
    Model,
    SimulationError,
    Truss,
    Tyre,
    Wheel,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.nodes.rotations import about


def disk_on(surface, centre, contact, orientation, gravity) -> Model:
    """A thin disk, m = r = 1, three hinges; kinematic coordinates are the contact point's x, y."""
    model = Model("disk on a surface", gravity=gravity)
    base = model.rotation("base", orientation, fixed=True)
    frames = [model.rotation(n, orientation) for n in ("yaw", "lean", "pitch")]
    hinges = {}
    for name, p, q, axis in (
        ("yaw", base, frames[0], (0, 0, 1)),
        ("lean", frames[0], frames[1], (1, 0, 0)),
        ("pitch", frames[1], frames[2], (0, 1, 0)),
    ):
        hinges[name] = model.add(Hinge(f"hinge {name}", p, q, axis=axis))
        hinges[name].angle.dof(name)
    w, c = model.point("centre", centre), model.point("contact", contact)
    wheel = model.add(Wheel("wheel", w, frames[2], c, radius=1.0, surface=surface))
    c.x.kinematic("contact.x", contact[0])
    c.y.kinematic("contact.y", contact[1])
    model.add(Body("disk", w, frames[2], mass=1.0, inertia=(0.25, 0.5, 0.25)))
    model.output("energy", model.kinetic_energy + model.potential_energy)
    model.output("gap", wheel.gap)
    model.output("normal", wheel.normal_force)
    model.output("longitudinal", wheel.longitudinal_force)
    return model


def test_disk_rolls_down_a_slope_with_two_thirds_of_gravity() -> None:
    slope, g = 0.3, 9.81
    normal = np.array([np.sin(slope), 0, np.cos(slope)])  # downhill is +x
    model = disk_on(
        lambda c: ca.dot(ca.DM(normal), c), tuple(normal), (0, 0, 0),
        about((0, 1, 0), slope), (0, 0, -g),
    )  # fmt: skip
    run = simulate(model.equations(), 1.0, rtol=1e-11, atol=1e-12)
    acceleration = 2 / 3 * g * np.sin(slope)
    assert run.final("contact.x") == pytest.approx(acceleration / 2 * np.cos(slope), rel=1e-9)
    assert run.final("normal") == pytest.approx(g * np.cos(slope), rel=1e-9)
    # friction uphill: m g sin/3 against the rolling direction
    assert run.final("longitudinal") == pytest.approx(-g * np.sin(slope) / 3, rel=1e-9)


def test_disk_on_a_sphere_keeps_its_energy_and_stays_on_it() -> None:
    radius = 6.0
    model = disk_on(
        lambda c: (ca.dot(c, c) - radius**2) / (2 * radius), (0.0, 0.0, radius + 1),
        (0.0, 0.0, radius), (1, 0, 0, 0), (0, 0, -1.0),
    )  # fmt: skip
    start = {"pitch_rate": 0.6, "lean_rate": 0.05, "yaw_rate": 0.3}
    run = simulate(model.equations(), 2.0, start=start, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["energy"]) < 1e-10
    assert np.abs(run["gap"]).max() < 1e-13
    assert abs(run["contact.x"]).max() > 0.3


def test_disk_rolls_straight_inside_a_cylinder_like_a_pendulum() -> None:
    # In the vertical plane: centre on a circle of radius R - r, kinetic energy 3/4 m v², hence
    # small oscillations with omega² = 2 g / (3 (R - r)).
    R, g = 5.0, 9.81
    model = disk_on(
        lambda c: (R**2 - c[0] ** 2 - (c[2] - R) ** 2) / (2 * R), (0, 0, 1), (0, 0, 0),
        (1, 0, 0, 0), (0, 0, -g),
    )  # fmt: skip
    omega = np.sqrt(2 * g / (3 * (R - 1)))
    period = 2 * np.pi / omega
    run = simulate(
        model.equations(), period, start={"pitch_rate": 1e-4}, samples=[period / 4, period],
        rtol=1e-11, atol=1e-14,
    )  # fmt: skip
    # the wheel spins at v/r, so the contact angle's amplitude is v/((R - r) omega)
    assert run["contact.x"][0] == pytest.approx(R * 1e-4 / ((R - 1) * omega), rel=1e-4)
    assert run["contact.x"][1] == pytest.approx(0.0, abs=1e-9)


def test_conical_pendulum_of_a_spatial_truss() -> None:
    g, length, tilt = 9.81, 2.0, 0.6
    rate = np.sqrt(g / (length * np.cos(tilt)))
    model = Model("conical pendulum", gravity=(0, 0, -g))
    top = model.point("top", (0, 0, 0), fixed=True)
    x = length * np.sin(tilt)
    bob = model.point("bob", (x, 0, -length * np.cos(tilt)))
    rod = model.add(Truss("rod", top, bob))
    model.add(Body("bob", bob, mass=1.5))
    bob.x.dof("x", "vx", x)
    bob.y.dof("y", "vy", 0.0, x * rate)
    model.output("tension", rod.elongation.stress)
    evaluation = Evaluation(model.equations())
    evaluation.start()
    assert evaluation.output()[0] == pytest.approx(1.5 * g / np.cos(tilt), rel=1e-12)
    run = simulate(model.equations(), 0.9, rtol=1e-11, atol=1e-12)
    assert run.final("x") == pytest.approx(x * np.cos(rate * 0.9), abs=1e-9)


@pytest.mark.parametrize("factor", [0.2, pytest.param(5.0, marks=pytest.mark.heavy)])
def test_forces_do_not_depend_on_how_long_the_surface_s_gradient_is(factor: float) -> None:
    """g = 0 and 5 g = 0 are the same surface; the disk turns and leans on a slope."""
    slope, found, measures = 0.3, [], []
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    for scale in (1.0, factor):
        model = disk_on(
            lambda c, scale=scale: scale * ca.dot(ca.DM(normal), c), tuple(normal), (0, 0, 0),
            about((0, 1, 0), slope), (0, 0, -9.81),
        )  # fmt: skip
        wheel = model.elements["wheel"]
        model.output("lateral", wheel.lateral_force)
        model.output("spin", wheel.spin_moment)
        point = Evaluation(model.equations())
        point.start({"lean": 0.3, "yaw": 0.4, "pitch_rate": 2.0, "yaw_rate": 0.7})
        found.append(point.output()[2:])
        measure = point.equations.functions["conditioning"]
        at = (point.t, point.s, point.d, point.u, point.p, point.x)
        measures.append(np.abs(np.array(measure(*at)).ravel()))
    assert abs(found[0][2]) > 1.0
    assert found[1] == pytest.approx(found[0], rel=1e-11, abs=1e-11)
    assert measures[1] == pytest.approx(measures[0], rel=1e-9)
    assert measures[0].max() <= 1.0


def test_aligning_moment_does_not_depend_on_how_long_the_surface_s_gradient_is() -> None:
    """A wheel that drifts on g = 0 and on 5 g = 0 is turned into its way by its trail."""
    found = []
    for scale in (1.0, 5.0):
        model = Model("drifting")
        turned = about((0, 0, 1), 0.1)
        fork, turning = model.rotation("fork", turned), model.rotation("w", turned)
        centre, contact = model.point("centre", (0, 0, 0.3)), model.point("contact", (0, 0, 0))
        steer = model.add(Hinge("steer", model.ground, fork, axis=(0, 0, 1)))
        spin = model.add(Hinge("axle", fork, turning, axis=(0, 1, 0)))
        surface = lambda c, scale=scale: scale * c[2]  # noqa: E731
        wheel = model.add(Wheel("wheel", centre, turning, contact, radius=0.3, surface=surface))
        wheel.lateral.release()
        steer.angle.dof("yaw", start=0.1)
        spin.angle.kinematic("spin")
        centre.x.prescribe(10 * model.time)
        contact.y.prescribe(0)
        model.add(Body("rim", centre, turning, mass=20, inertia=(0.4, 0.8, 0.4)))
        Tyre(wheel, LinearTyre(40e3, trail=0.03), load=1000.0)
        model.output("moment", wheel.spin_moment)
        point = Evaluation(model.equations())
        point.start()
        found.append((point.output()[0], point.derivative()[0]))
    assert found[0] == pytest.approx((-120.0, -120.0 / 0.4), rel=1e-9)  # -t C ψ, over the inertia
    assert found[1] == pytest.approx(found[0], rel=1e-11)


# On which side of its surface a wheel is


def falling(size: float = 1.0, gravity: float = 1.0) -> Model:
    """The disk on a plane, its size and the acceleration of free fall given."""
    model = Model("falling disk", gravity=(0, 0, -gravity))
    before = model.ground
    for name, axis in (("yaw", (0, 0, 1)), ("lean", (1, 0, 0)), ("pitch", (0, 1, 0))):
        node = model.rotation(name)
        model.add(Hinge(f"hinge {name}", before, node, axis=axis)).angle.dof(name, f"{name}_rate")
        before = node
    w, c = model.point("centre", (0, 0, size)), model.point("contact", (0, 0, 0))
    model.add(Wheel("wheel", w, before, c, radius=size))
    c.x.kinematic("contact.x")
    c.y.kinematic("contact.y")
    moment = size**2 / 4
    model.add(Body("disk", w, before, mass=1.0, inertia=(moment, 2 * moment, moment)))
    return model


@pytest.fixture(scope="module")
def unit_disk() -> Equations:
    return falling().equations()


def time_of_fall(rate: float, end: float, gravity: float = 1.0, size: float = 1.0) -> float:
    """Return when an upright disk that falls over at a rate has a lean: T + V = constant.

    5/8 m r² φ̇² + m g r cos φ, for the centre turns about the contact point's tangent.
    """

    def slowness(lean: float) -> float:
        return 1 / np.sqrt(rate**2 + 1.6 * gravity / size * (1 - np.cos(lean)))

    return float(quad(slowness, 0, end, epsabs=0, epsrel=1e-12)[0])


def told_time(error: BaseException) -> float:
    """Return the time that an error tells."""
    return float(re.search(r"t = ([^:]*):", str(error))[1])


def refused_at(model: Model | Equations, end: float, limit: str, **options: object) -> float:
    """Simulate; return when the limit was reached."""
    equations = model if isinstance(model, Equations) else model.equations()
    with pytest.raises(SimulationError, match=f"wheel.{limit} is reached at t =") as refused:
        simulate(equations, end, **options)
    return told_time(refused.value)


@pytest.mark.parametrize(
    ("size", "gravity"),
    [(1.0, 1.0), *(pytest.param(r, 9.81, marks=pytest.mark.heavy) for r in (100.0, 1e-3))],
)
@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_disk_that_falls_flat_is_refused_when_it_does(
    unit_disk: Equations, size: float, gravity: float, backend: str
) -> None:
    """Through the floor it would go on as a motion without a fault: all sizes, and energy kept."""
    unit = np.sqrt(size / gravity)
    start = {"lean_rate": 0.1 / unit}
    disk = unit_disk if size == 1 else falling(size, gravity)
    reached = refused_at(
        disk, 10 * unit, "side", start=start, rtol=1e-8, atol=1e-10, backend=backend
    )  # fmt: skip
    assert reached == pytest.approx(time_of_fall(0.1, np.pi / 2) * unit, rel=1e-7)


@pytest.mark.heavy
@pytest.mark.parametrize("backend", ["python", "c"])
@pytest.mark.parametrize("method", ["DOP853", "RK45", "classical"])
def test_disk_does_not_fall_through_a_sphere(method: str, backend: str) -> None:
    """Here nothing is singular where the disk is flat; on top it falls as on a plane."""
    model = disk_on(
        lambda c: (ca.dot(c, c) - 36) / 12, (0.0, 0.0, 7.0), (0.0, 0.0, 6.0), (1, 0, 0, 0),
        (0, 0, -1.0),
    )  # fmt: skip
    steps = {"max_step": 0.01} if method == "classical" else {}
    reached = refused_at(
        model, 10.0, "side", start={"lean_rate": 0.1}, method=method, backend=backend, **steps
    )
    assert reached == pytest.approx(time_of_fall(0.1, np.pi / 2), rel=1e-4)


@pytest.mark.heavy
@pytest.mark.parametrize("backend", ["python", "c"])
def test_disk_that_falls_over_in_a_drum_touches_elsewhere_before_it_is_flat(backend: str) -> None:
    """Its rim is an ellipse seen along the drum: as curved as this where cos φ = r/R."""
    model = disk_on(
        lambda c: (25 - c[0] ** 2 - (c[2] - 5) ** 2) / 10, (0, 0, 1), (0, 0, 0), (1, 0, 0, 0),
        (0, 0, -9.81),
    )  # fmt: skip
    reached = refused_at(model, 5.0, "fits", start={"lean_rate": 0.1}, backend=backend, rtol=1e-8)
    assert reached == pytest.approx(time_of_fall(0.1, np.arccos(0.2), 9.81), rel=1e-6)


def rocked(amplitude: float) -> Equations:
    """A disk on a sphere whose lean is given; nothing else moves, so that steps are as long."""
    model = Model("rocked disk", gravity=(0, 0, -1))
    frames = [model.ground, *(model.rotation(name) for name in ("yaw", "lean", "pitch"))]
    hinges = [
        model.add(Hinge(f"hinge {b.name}", a, b, axis=axis))
        for a, b, axis in zip(frames, frames[1:], ((0, 0, 1), (1, 0, 0), (0, 1, 0)), strict=False)
    ]
    hinges[0].angle.dof("yaw")
    hinges[1].angle.prescribe(amplitude * ca.sin(model.time))
    hinges[2].angle.dof("pitch")
    w, c = model.point("centre", (0, 0, 7)), model.point("contact", (0, 0, 6))
    model.add(
        Wheel("wheel", w, frames[3], c, radius=1.0, surface=lambda c: (ca.dot(c, c) - 36) / 12)
    )
    model.add(Body("disk", w, frames[3], mass=1.0, inertia=(0.25, 0.5, 0.25)))
    c.x.kinematic("x")
    c.y.kinematic("y")
    return model.equations()


@pytest.mark.heavy
def test_disk_that_is_below_its_surface_inside_one_step_only_is_noticed() -> None:
    """From t = 1.379 to 1.762, and back before the step ends; never where 1.2 < π/2."""
    for options in ({"backend": "python"}, {"backend": "c"}, {"method": "BDF"}):
        reached = refused_at(rocked(1.6), 10.0, "side", **options)
        assert reached == pytest.approx(np.arcsin(np.pi / 2 / 1.6), rel=1e-4), options
    assert simulate(rocked(1.2), 10.0).statistics["steps"] < 20


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_disk_that_whirls_nearly_flat_goes_on(unit_disk: Equations, backend: str) -> None:
    """Euler's disk: without friction's work it whirls at ψ̇² = 4 g/(r sin α), its centre at rest."""
    tilt = 0.02
    whirl = np.sqrt(4 / np.sin(tilt))
    start = {
        "lean": np.pi / 2 - tilt, "yaw_rate": whirl, "pitch_rate": -np.cos(tilt) * whirl,
    }  # fmt: skip
    run = simulate(unit_disk, 1.0, start=start, backend=backend, rtol=1e-9, atol=1e-12)
    assert run["lean"] == pytest.approx(np.pi / 2 - tilt, abs=1e-6)


def test_disk_that_starts_flat_is_refused_by_its_side(unit_disk: Equations) -> None:
    with pytest.raises(SimulationError, match=r"wheel\.side at t = 0: the wheel falls flat"):
        simulate(unit_disk, 1.0, start={"lean": np.pi / 2})


def test_wheel_under_a_ceiling_rolls_there() -> None:
    """Pressed upwards by 9.81 m/s2, its centre is on the side to which the normal points."""
    model = disk_on(
        lambda c: 2 - c[2], (0, 0, 1), (0, 0, 2), (1, 0, 0, 0), (0, 0, 9.81)
    )  # fmt: skip
    run = simulate(model.equations(), 0.5, start={"pitch_rate": -1.0})
    assert run.final("contact.x") == pytest.approx(0.5)
    assert run.final("normal") == pytest.approx(9.81)


@pytest.mark.heavy
def test_change_of_kinematic_coordinates_alone_is_told_by_their_names() -> None:
    """Up the wall of a drum the contact point's height says what its x says at the bottom."""
    model = disk_on(
        lambda c: (9 - c[0] ** 2 - (c[2] - 3) ** 2) / 6, (0, 0, 1), (0, 0, 0), (1, 0, 0, 0),
        (0, 0, -1.0),
    )  # fmt: skip
    run = simulate(model.equations(), 1.5, start={"pitch_rate": 6.0}, singular="switch")
    said = [what for _, what in run.switches]
    assert said[:2] == [
        "kinematic coordinates now contact.z, contact.y",
        "kinematic coordinates now contact.x, contact.y",
    ]
