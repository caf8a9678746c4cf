"""The three-dimensional wheel on surfaces other than the plane z = 0."""

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, Model, Truss, Wheel, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.rotations import about


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
    slope, found, regularity = 0.3, [], []
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
        measure = point.equations.functions["regularity"]
        at = (point.t, point.s, point.d, point.u, point.p, point.x)
        regularity.append(np.abs(np.array(measure(*at)).ravel()))
    assert abs(found[0][2]) > 1.0
    assert found[1] == pytest.approx(found[0], rel=1e-11, abs=1e-11)
    assert regularity[1] == pytest.approx(regularity[0], rel=1e-9)
    assert regularity[0].max() <= 1.0
