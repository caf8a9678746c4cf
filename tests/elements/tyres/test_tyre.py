"""Tyres: the laws against their closed forms and tables, and their forces in a rolling wheel."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    BrushTyre,
    CalspanTyre,
    Hinge,
    LinearTyre,
    Model,
    ModelError,
    Table2D,
    Tyre,
    TyreContact,
    TyreForces,
    TyreLaw,
    Wheel,
    simulate,
)
from mbcore.model.nodes.rotations import about, product

RADIUS, STIFFNESS, SPEED = 0.36, 4.6e5, 12.0


def forces(law: TyreLaw, **contact: float) -> tuple[float, float, float]:
    """Longitudinal, lateral and moment at given slips."""
    given = {"slip_angle": 0.0, "slip_ratio": 0.0, "camber": 0.0, "load": 3000.0, "direction": 1.0}
    given |= contact
    found = law.forces(TyreContact(**{name: ca.SX(value) for name, value in given.items()}))
    return tuple(
        float(ca.evalf(ca.SX(v)))
        for v in (found.longitudinal, found.lateral, found.aligning_moment)
    )


def slope(law: TyreLaw, component: int, by: str, load: float) -> float:
    step = 1e-4
    above, below = (forces(law, load=load, **{by: s})[component] for s in (step, -step))
    return (above - below) / (2 * step)


# Laws


def test_brush_tyre_starts_linear_and_ends_at_coulomb_friction() -> None:
    law = BrushTyre(friction=0.8, cornering_stiffness=40e3, longitudinal_stiffness=60e3, trail=0.03)
    assert slope(law, 1, "slip_angle", 3000) == pytest.approx(-40e3, rel=1e-3)
    assert slope(law, 0, "slip_ratio", 3000) == pytest.approx(60e3, rel=1e-3)
    assert slope(law, 2, "slip_angle", 3000) == pytest.approx(0.03 * 40e3, rel=3e-3)
    sliding = 3 * 0.8 * 3000 / 40e3  # Fiala: all bristles slide from here on
    for angle in (sliding, 0.25, 1.2):
        _, lateral, moment = forces(law, slip_angle=angle)
        assert lateral == pytest.approx(-0.8 * 3000, rel=1e-12)
        assert moment == pytest.approx(0, abs=1e-12)
    assert forces(law, slip_angle=0.999 * sliding)[1] == pytest.approx(-2400, rel=1e-8)
    assert forces(law, slip_angle=-1.0)[1] == pytest.approx(2400, rel=1e-12)


def test_brush_tyre_shares_the_friction_between_both_directions() -> None:
    law = BrushTyre(friction=0.8, cornering_stiffness=40e3, longitudinal_stiffness=60e3)
    angles = np.linspace(-0.6, 0.6, 13)
    for angle in angles:
        for ratio in angles:
            along, across, _ = forces(law, slip_angle=angle, slip_ratio=ratio)
            assert np.hypot(along, across) <= 2400 * (1 + 1e-12)
            assert along * ratio >= 0 >= across * angle
    along, across, _ = forces(law, slip_angle=0.3, slip_ratio=0.4)
    assert (along, across) == pytest.approx(
        (2400 * 24 / np.hypot(24, 12), -2400 * 12 / np.hypot(24, 12))
    )


@pytest.mark.parametrize(
    ("load", "cornering", "camber", "trail"),
    [(3831.31, 41637, 6924, 0.06552), (3591.91, 40161, 6600, 0.06142)],
)
def test_calspan_tyre_has_the_benchmark_s_stiffnesses(
    load: float, cornering: float, camber: float, trail: float
) -> None:
    """Front and rear wheel of the Iltis vehicle in equilibrium, all printed digits."""
    law = CalspanTyre()
    assert -slope(law, 1, "slip_angle", load) == pytest.approx(cornering, rel=2e-3)
    assert -slope(law, 1, "camber", load) == pytest.approx(camber, rel=2e-3)
    small = forces(law, load=load, slip_angle=1e-7)
    assert -small[1] / 1e-7 == pytest.approx(cornering, abs=0.51)
    assert -forces(law, load=load, camber=1e-7)[1] / 1e-7 == pytest.approx(camber, abs=0.51)
    assert -small[2] / small[1] == pytest.approx(trail, abs=6e-6)


@pytest.mark.parametrize("load", [800.0, 3829.6, 9000.0, 12930.0, 15000.0])
@pytest.mark.parametrize("angle", [-0.5, -0.03, 0.01, 0.08, 0.4])
@pytest.mark.parametrize("camber", [-0.1, 0.0, 0.05])
def test_calspan_tyre_is_the_benchmark_s(load: float, angle: float, camber: float) -> None:
    """The benchmark's formulas as they stand in its definition, with both branches of the load."""
    A0, A1, A2, A3, A4 = 2625.0, 14.47, 12930.0, 2.29, 18175.0
    mu = (-0.464e-4 * load + 1.216 + 2.18e-11 * load**2) * 1.0274
    if load <= A2:
        n = A1 * load * (load - A2) - A0 * A2
        equivalent = -A2 * A3 * (A4 - load) * load * camber / (A4 * n)
        a = n * (angle + equivalent) / (A2 * mu * load)
    else:
        equivalent = A2 * A3 * (A4 - A2) * camber / (A0 * A4)
        a = -A0 * (angle + equivalent) / (mu * load)
    g = a - a * abs(a) / 3 + a**3 / 27 if abs(a) < 3 else np.sign(a)
    lateral = mu * load * g
    moment = (-0.171e-4 * load + 0.171e-4 * abs(lateral)) * lateral
    found = forces(CalspanTyre(), load=load, slip_angle=angle, camber=camber)
    assert found == pytest.approx((0, lateral, moment), rel=1e-12, abs=1e-12)


def test_calspan_tyre_s_moment_aligns_with_the_way_it_rolls() -> None:
    """Backwards the same lateral force has its trail on the other side."""
    (_, ahead, moment), (_, back, turned) = (
        forces(CalspanTyre(), load=3829.6, slip_angle=0.05, direction=d) for d in (1.0, -1.0)
    )
    assert back == ahead < -1000
    assert turned == -moment < -50


def test_calspan_tyre_keeps_its_stiffnesses_above_its_load_limit() -> None:
    law, limit = CalspanTyre(Omega=0.5), 0.5 * 12930.0
    cornering = 2625.0 + 14.47 * limit * 0.5
    camber = 2.29 * limit * (1 - limit / 18175.0)
    for load in (limit, 9000.0, 14000.0):
        assert -forces(law, load=load, slip_angle=1e-8)[1] == pytest.approx(
            1e-8 * cornering, rel=1e-6
        )
        assert -forces(law, load=load, camber=1e-8)[1] == pytest.approx(1e-8 * camber, rel=1e-6)


def test_calspan_tyre_saturates_at_its_friction() -> None:
    mu = (-0.464e-4 * 3829.6 + 1.216 + 2.18e-11 * 3829.6**2) * 1.0274
    assert forces(CalspanTyre(), load=3829.6, slip_angle=-0.6)[1] == pytest.approx(mu * 3829.6)


# In a wheel


def rig(
    law: TyreLaw,
    *,
    yaw: float = 0.0,
    lean: float = 0.0,
    pressed: float = 0.008,
    speed: float = SPEED,
    drive: float | None = None,
    **options: object,
) -> tuple[Model, Tyre]:
    """A wheel on a carriage that moves along x, pressed on the ground, turned and leaning.

    It rolls without longitudinal slip, or turns at ``drive`` rad/s. Yaw is counter-clockwise, a
    positive lean is to the right (about x forward).
    """
    model = Model("tyre rig")
    turned = product(ca.SX(about((0, 0, 1), yaw)), ca.SX(about((1, 0, 0), lean)))
    orientation = ca.vertsplit(turned)
    fork, turning = (
        model.rotation("fork", orientation, fixed=True),
        model.rotation("w", orientation),
    )
    spoke = RADIUS - pressed
    height = spoke * np.cos(lean)
    centre, contact = model.point("centre", (0, 0, height)), model.point("contact", (0, 0, 0))
    aside = -spoke * np.sin(lean)  # the wheel leans to the right, the contact is on its left
    contact.x.start, contact.y.start = ca.SX(aside * np.sin(yaw)), ca.SX(-aside * np.cos(yaw))
    centre.x.prescribe(speed * model.time)
    centre.y.fix()
    centre.z.fix()
    spin = model.add(Hinge("axle", fork, turning, axis=(0, 1, 0)))
    wheel = model.add(Wheel("wheel", centre, turning, contact, radius=RADIUS))
    wheel.radial.release()
    wheel.lateral.release()
    if drive is None:
        spin.angle.kinematic("spin")
    else:
        wheel.longitudinal.release()
        spin.angle.prescribe(drive * model.time)
    tyre = Tyre(wheel, law, **({"radial_stiffness": STIFFNESS} | options))
    model.output("longitudinal", wheel.longitudinal_force)
    model.output("lateral", wheel.lateral_force)
    model.output("moment", wheel.spin_moment)
    model.output("normal", wheel.normal_force)
    model.output("load", tyre.load)
    model.output("slip angle", tyre.contact.slip_angle)
    model.output("camber", tyre.contact.camber)
    model.output("slip ratio", tyre.contact.slip_ratio)
    return model, tyre


def at_rest(model: Model) -> dict[str, float]:
    run = simulate(model.equations(), 0.01, samples=2)
    return {name: run.final(name) for name in run}


@pytest.mark.parametrize("yaw", [0.05, -0.12])
def test_linear_tyre_gives_cornering_force_and_aligning_moment(yaw: float) -> None:
    """A wheel toed to the left by ψ drifts to its right: α = -ψ, F_y = C ψ, M_z = -t C ψ."""
    model, _ = rig(LinearTyre(40e3, trail=0.03), yaw=yaw)
    found = at_rest(model)
    assert found["slip angle"] == pytest.approx(-yaw, rel=1e-9)
    assert found["lateral"] == pytest.approx(40e3 * yaw, rel=1e-9)
    assert found["moment"] == pytest.approx(-0.03 * 40e3 * yaw, rel=1e-9)
    assert found["load"] == pytest.approx(STIFFNESS * 0.008, rel=1e-9)
    assert found["normal"] == pytest.approx(STIFFNESS * 0.008, rel=1e-9)
    assert found["longitudinal"] == pytest.approx(0, abs=1e-9)


def test_moment_also_aligns_backwards() -> None:
    found = at_rest(rig(LinearTyre(40e3, trail=0.03), yaw=0.05, speed=-SPEED)[0])
    assert found["lateral"] == pytest.approx(-40e3 * 0.05, rel=1e-9)
    assert found["moment"] == pytest.approx(-0.03 * 40e3 * 0.05, rel=1e-9)


@pytest.mark.parametrize("lean", [0.2, -0.1])
@pytest.mark.parametrize("along", ["normal", "spoke"])
def test_leaning_wheel_is_pushed_to_where_it_leans_and_carries_the_spring(
    along: str, lean: float
) -> None:
    """The spring's force is normal to the road, or along the spoke, as it is asked."""
    law = LinearTyre(40e3, camber_stiffness=5e3)
    model, tyre = rig(law, lean=lean, spring_along=along)
    assert tyre.radial_force is not None
    model.output("radial", tyre.radial_force)
    found = at_rest(model)
    assert found["camber"] == pytest.approx(lean, rel=1e-9)
    assert found["lateral"] == pytest.approx(-5e3 * lean, rel=1e-9)
    # The spoke from the contact to the centre leans to the right: (-sin γ, cos γ).
    on_spoke = found["normal"] * np.cos(lean) - found["lateral"] * np.sin(lean)
    assert found["radial"] == pytest.approx(on_spoke, rel=1e-9)
    assert found["load"] == pytest.approx(STIFFNESS * 0.008, rel=1e-9)
    assert found["normal" if along == "normal" else "radial"] == pytest.approx(
        found["load"], rel=1e-9
    )


def test_a_law_gets_the_normal_force_of_a_wheel_that_leans_and_corners() -> None:
    """F_y = -μ F_z of a tyre that slides, F_z that of the ground on the contact point."""
    found = at_rest(rig(BrushTyre(0.8, 40e3), yaw=0.9, lean=0.2)[0])
    assert found["lateral"] == pytest.approx(0.8 * found["normal"], rel=1e-9)
    assert found["normal"] == pytest.approx(STIFFNESS * 0.008, rel=1e-9)


@pytest.mark.parametrize(
    ("speed", "share"), [(0.0, 0.0), (0.4, 0.04), (-0.4, 0.04), (2.0, 1.0), (5.0, 1.0), (-5.0, 1.0)]
)
def test_camber_gives_a_force_to_a_wheel_that_rolls(speed: float, share: float) -> None:
    """Below the slowest speed v_0 it fades with (v/v_0)²; the camber shown does not."""
    lean, law = 0.2, LinearTyre(40e3, camber_stiffness=5e3, trail=0.03)
    found = at_rest(rig(law, lean=lean, speed=speed, slowest=2.0)[0])
    assert found["camber"] == pytest.approx(lean, rel=1e-9)
    assert found["lateral"] == pytest.approx(-share * 5e3 * lean, rel=1e-9, abs=1e-9)
    backwards = np.clip(speed / 2.0, -1, 1)
    assert found["moment"] == pytest.approx(backwards * share * 0.03 * 5e3 * lean, abs=1e-9)


def test_slips_below_the_slowest_speed_are_related_to_it() -> None:
    """A wheel toed by ψ, pushed on at v < v_0, slides with -v sin ψ: tan α = -v sin ψ/v_0."""
    yaw, speed = 0.1, 0.5
    found = at_rest(rig(LinearTyre(40e3), yaw=yaw, speed=speed, slowest=2.0)[0])
    assert found["slip angle"] == pytest.approx(-np.arctan(speed * np.sin(yaw) / 2.0), rel=1e-9)


@pytest.mark.parametrize("ratio", [-0.02, 0.01])
def test_driven_wheel_pulls(ratio: float) -> None:
    drive = SPEED * (1 + ratio) / (RADIUS - 0.008)
    found = at_rest(rig(LinearTyre(40e3, longitudinal_stiffness=60e3), drive=drive)[0])
    assert found["slip ratio"] == pytest.approx(ratio, rel=1e-6)
    assert found["longitudinal"] == pytest.approx(60e3 * ratio, rel=1e-6)


def test_wheel_in_the_air_has_no_forces() -> None:
    found = at_rest(rig(BrushTyre(0.8, 40e3, trail=0.03), yaw=0.1, pressed=-0.01)[0])
    assert found["load"] == 0
    assert abs(found["lateral"]) < 1e-3
    assert found["normal"] == pytest.approx(0, abs=1e-9)


@pytest.mark.heavy
def test_saturated_wheel_slides_with_friction_on_the_load_of_its_spring() -> None:
    for pressed in (0.004, 0.008):
        found = at_rest(rig(BrushTyre(0.8, 40e3), yaw=0.9, pressed=pressed)[0])
        assert found["lateral"] == pytest.approx(0.8 * STIFFNESS * pressed, rel=1e-9)


@dataclass(frozen=True)
class Degressive(TyreLaw):
    """What a user may write."""

    stiffness: float

    def forces(self, contact: TyreContact) -> TyreForces:
        lateral = -contact.load * ca.tanh(self.stiffness * contact.slip_angle)
        return TyreForces(ca.SX(0), lateral, ca.SX(0))


def test_law_of_the_user_acts() -> None:
    found = at_rest(rig(Degressive(9.0), yaw=0.06)[0])
    assert found["lateral"] == pytest.approx(STIFFNESS * 0.008 * np.tanh(9 * 0.06), rel=1e-9)


@dataclass(frozen=True)
class Measured(TyreLaw):
    side: Table2D

    def forces(self, contact: TyreContact) -> TyreForces:
        lateral = -self.side(contact.slip_angle, contact.load)
        return TyreForces(ca.SX(0), lateral, ca.SX(0))


def test_a_measured_tyre_is_a_table_over_slip_angle_and_load() -> None:
    """At 3 degrees and 3680 N: 600 N at 2 kN and 1600 N at 5 kN for 2 degrees, twice for 4."""
    degrees, loads = [-4, -2, 0, 2, 4], [0, 2, 5]
    rows = [[0, 600 * i, 1600 * i] for i in (-2, -1, 0, 1, 2)]
    units = ("deg", "kN", "N")
    law = Measured(Table2D(degrees, loads, rows, units=units, beyond="hold", name="side"))
    wanted = 1.5 * (600 + (1600 - 600) * (STIFFNESS * 0.008 - 2000) / 3000)
    assert forces(law, slip_angle=-np.radians(3), load=STIFFNESS * 0.008)[1] == pytest.approx(
        wanted
    )
    assert at_rest(rig(law, yaw=np.radians(3))[0])["lateral"] == pytest.approx(wanted)


def test_load_may_be_given() -> None:
    found = at_rest(rig(Degressive(9.0), yaw=0.06, load=1234.0, radial_stiffness=None)[0])
    assert found["lateral"] == pytest.approx(1234 * np.tanh(9 * 0.06), rel=1e-9)


def bouncing(damping: float) -> Model:
    """A wheel that bounces on its radial spring while it slides sideways and rolls."""
    model = Model("bouncing wheel", gravity=(0, 0, -9.81))
    turning = model.rotation("w")
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    spin = model.add(Hinge("axle", model.ground, turning, axis=(0, 1, 0)))
    wheel = model.add(Wheel("wheel", centre, turning, contact, radius=RADIUS))
    wheel.radial.release()
    wheel.lateral.release()
    centre.x.dof("x", rate_start=5.0)
    centre.y.dof("y", rate_start=0.4)
    centre.z.dof("z", start=RADIUS)
    spin.angle.kinematic("spin")
    Tyre(wheel, LinearTyre(2e3 if damping else 0.0), radial_stiffness=2e4, radial_damping=damping)
    model.add(Body("rim", centre, turning, mass=20, inertia=(0.4, 0.8, 0.4)))
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.mark.heavy
def test_radial_spring_keeps_energy_and_damping_and_slip_take_it() -> None:
    free = simulate(bouncing(0.0).equations(), 1.0, rtol=1e-11, atol=1e-12)
    assert np.ptp(free["energy"]) < 1e-7
    # ½ k d² = m g d from a drop without height
    assert RADIUS - free["z"].min() == pytest.approx(2 * 20 * 9.81 / 2e4, rel=1e-3)
    damped = simulate(bouncing(200.0).equations(), 3.0, rtol=1e-10, samples=301)
    assert np.all(np.diff(damped["energy"]) < 1e-7)
    assert damped.final("z") == pytest.approx(RADIUS - 20 * 9.81 / 2e4, abs=1e-4)
    assert damped.final("y_rate") == pytest.approx(0, abs=1e-4)


def test_radial_damping_is_along_the_spoke() -> None:
    """r_0 = 0.3 m, |r| = 0.27 m, d|r|/dt = -0.1 m/s, c = 1000 N s/m: 100 N beside the spring."""
    model = Model("pressed")
    turning = model.rotation("w", fixed=True)
    centre, contact = model.point("centre", (0, 0, 0.27)), model.point("contact", (0, 0, 0))
    wheel = model.add(Wheel("wheel", centre, turning, contact, radius=0.3))
    wheel.radial.release()
    wheel.lateral.release()
    wheel.longitudinal.release()
    centre.x.fix()
    centre.y.fix()
    centre.z.prescribe(0.27 - 0.1 * model.time)
    tyre = Tyre(wheel, LinearTyre(1e3), radial_stiffness=2e4, radial_damping=1000.0)
    model.output("load", tyre.load)
    model.output("normal", wheel.normal_force)
    run = simulate(model.equations(), 0.01, samples=2)
    assert run["load"][0] == pytest.approx(2e4 * 0.03 + 100.0, rel=1e-12)
    assert run["normal"][0] == pytest.approx(2e4 * 0.03 + 100.0, rel=1e-12)


def test_flying_wheel_keeps_its_energy() -> None:
    """Thrown up by 0.2 m: until it lands, at 2 v/g, nothing takes any of it."""
    thrown = np.sqrt(2 * 9.81 * 0.2)
    start = {"z": RADIUS + 1e-6, "z_rate": thrown}
    run = simulate(
        bouncing(2000.0).equations(), 1.9999 * thrown / 9.81, start=start, rtol=1e-11, atol=1e-12
    )
    assert run["z"].max() == pytest.approx(RADIUS + 0.2, abs=1e-4)
    assert np.ptp(run["energy"]) < 1e-6
    assert run.final("z_rate") == pytest.approx(-thrown, rel=1e-3)


@pytest.mark.heavy
def test_slip_angle_of_the_centre() -> None:
    """Rolling over sideways: the centre moves to the side, the contact does not."""
    values = {}
    for point in ("contact", "centre"):
        model = Model("leaning wheel")
        turning = model.rotation("w")
        fork = model.rotation("fork")
        centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
        lean = model.add(Hinge("lean", model.ground, fork, axis=(1, 0, 0)))
        spin = model.add(Hinge("axle", fork, turning, axis=(0, 1, 0)))
        wheel = model.add(Wheel("wheel", centre, turning, contact, radius=RADIUS))
        wheel.lateral.release()
        lean.angle.prescribe(0.5 * model.time)
        centre.x.prescribe(SPEED * model.time)
        contact.y.prescribe(0)
        spin.angle.kinematic("spin")
        tyre = Tyre(wheel, LinearTyre(0.0), load=1000.0, slip_point=point)
        model.output("slip", tyre.contact.slip_angle)
        run = simulate(model.equations(), 0.1, samples=[0.0])
        values[point] = run["slip"][0]
    assert values["contact"] == pytest.approx(0, abs=1e-12)
    assert values["centre"] == pytest.approx(np.arctan(-0.5 * RADIUS / SPEED), rel=1e-9)


# Wrong use


def test_wrong_use_is_told_by_name() -> None:
    model = Model("m")
    w, c = model.point("w", (0, 0, 1)), model.point("c", (0, 0, 0))
    wheel = Wheel("left", w, model.rotation("e"), c, radius=1)
    law = LinearTyre(1e3)
    with pytest.raises(ModelError, match="tyre of wheel left: add the wheel to a model"):
        Tyre(wheel, law, load=1.0)
    model.add(wheel)
    with pytest.raises(ModelError, match="tyre of wheel left: the lateral slip is forbidden"):
        Tyre(wheel, law, load=1.0)
    wheel.lateral.release()
    with pytest.raises(ModelError, match="either radial_stiffness or load"):
        Tyre(wheel, law)
    with pytest.raises(ModelError, match="either radial_stiffness or load"):
        Tyre(wheel, law, load=1.0, radial_stiffness=1.0)
    with pytest.raises(ModelError, match="slip_point"):
        Tyre(wheel, law, load=1.0, slip_point="hub")
    with pytest.raises(ModelError, match="spring_along is 'up'; give"):
        Tyre(wheel, law, radial_stiffness=1.0, spring_along="up")
