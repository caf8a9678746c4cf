"""Transient slip: closed forms of relaxation, the spring at rest, a wheel on its way to rest."""

from __future__ import annotations

import warnings
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    BrushTyre,
    CalspanTyre,
    Hinge,
    LinearTyre,
    MagicFormula,
    Model,
    ModelError,
    ModelWarning,
    Speed,
    Tyre,
    TyreContact,
    TyreLaw,
    Wheel,
    linearize,
    simulate,
)
from mbcore.contact.regularized import Regularization, regularize
from mbcore.elements.tyres.law import TyreRelaxation
from tests.elements.tyres.test_tyre import SPEED, rig
from tests.elements.tyres.tyre_files import write

RADIUS, MASS, GRAVITY = 0.32, 400.0, 9.81
LINEAR = LinearTyre(
    40e3, longitudinal_stiffness=60e3, longitudinal_relaxation=0.25, lateral_relaxation=0.5
)
BRUSH = BrushTyre(
    0.9,
    40e3,
    longitudinal_stiffness=60e3,
    longitudinal_relaxation=0.25,
    lateral_relaxation=0.5,
)
CARCASS = {"LONGITUDINAL_STIFFNESS": 3.5e5, "LATERAL_STIFFNESS": 1.6e5}


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.filterwarnings("ignore", message="tyre property file")


def contact(**given: float) -> TyreContact:
    names = ("slip_angle", "slip_ratio", "camber")
    values = dict.fromkeys(names, 0.0) | {"load": 4000.0, "direction": 1.0, "speed": 16.0} | given
    return TyreContact(**{name: ca.SX(value) for name, value in values.items()})


def numbers(relaxation: TyreRelaxation) -> dict[str, tuple[float, float]]:
    return {
        name: tuple(float(ca.evalf(ca.SX(one))) for one in getattr(relaxation, name))  # type: ignore[misc]
        for name in ("lengths", "peaks", "times")
    }


# Relaxation of laws


@pytest.mark.parametrize(("program", "sign"), [("PAC2002", 1), ("MF_05", -1), ("USER", -1)])
@pytest.mark.parametrize(("load", "scale"), [(4000.0, 1.0), (2500.0, 1.0), (2500.0, 0.8)])
def test_relaxation_lengths_of_mf_5_2(
    tmp_path: Path, program: str, sign: int, load: float, scale: float
) -> None:
    """As printed for PAC2002; MF-Tyre has the exponent's other sign."""
    more = {"LFZO": scale, "PROPERTY_FILE_FORMAT": f"'{program}'"}
    path = write(tmp_path, 6, PTX1=0.9, PTX2=0.2, PTX3=-0.3, PTY1=3.0, PTY2=2.2, **more)
    found = numbers(MagicFormula.from_tir(path, side="left").relaxation(contact(load=load)))
    df = load / (4000 * scale) - 1
    along = load * (0.9 + 0.2 * df) * np.exp(-sign * 0.3 * df) * 0.32 / 4000
    across = 3.0 * np.sin(2 * np.arctan(load / (2.2 * 4000 * scale))) * 0.32 * scale
    assert found["lengths"] == pytest.approx((along, across), rel=1e-14)


def test_relaxation_lengths_of_the_carcass(tmp_path: Path) -> None:
    """σ = C_F/c at nominal load and pressure, where C_Fκ = F_z p_Kx1."""
    path = write(tmp_path, 61, INFLPRES=220000, **CARCASS, PCFX1=0.2, PCFY3=0.3)
    law = MagicFormula.from_tir(path, side="right")
    found = numbers(law.relaxation(contact()))
    cornering = 19.5 * 4000 * np.sin(2.1 * np.arctan(1 / 1.9))
    expected = (22 * 4000 / 3.5e5, cornering / 1.6e5)
    assert found["lengths"] == pytest.approx(expected, rel=1e-14)
    # The damper of a tenth of critical damping, of 4000 N: τ = 2 D / ω.
    assert found["times"] == pytest.approx(
        [0.2 * np.sqrt(4000 / 9.81 / c) for c in (3.5e5, 1.6e5)], rel=1e-9
    )
    assert numbers(law.relaxation(contact(load=1e-3)))["lengths"] >= (0.032, 0.032)


@pytest.mark.parametrize(("name", "axis"), [("PCFX3", 0), ("PCFY3", 1)])
def test_a_carcass_is_stiffer_at_a_higher_pressure(tmp_path: Path, name: str, axis: int) -> None:
    """By 0.5 dp_i at 1.2 of the nominal pressure: relaxation lengths are shorter by 1.1."""
    plain, stiffer = (
        numbers(
            MagicFormula.from_tir(
                write(tmp_path, 61, INFLPRES=1.2 * 220000, **CARCASS, **more), side="left"
            ).relaxation(contact())
        )["lengths"]
        for more in ({}, {name: 0.5})
    )
    assert plain[axis] / stiffer[axis] == pytest.approx(1.1, rel=1e-12)
    assert plain[1 - axis] == stiffer[1 - axis]


def test_a_file_without_relaxation_has_the_free_radius(tmp_path: Path) -> None:
    law = MagicFormula.from_tir(write(tmp_path), side="left")
    with pytest.warns(ModelWarning, match="neither PTX1 nor LONGITUDINAL_STIFFNESS"):
        found = numbers(law.relaxation(contact()))
    assert found["lengths"] == (0.32, 0.32)


@pytest.mark.parametrize("changed", [{}, {"PEX1": 0.6, "PEY1": -8}, {"PCX1": 1.2, "PCY1": 1.1}])
def test_peaks_are_those_of_the_forces(tmp_path: Path, changed: dict[str, float]) -> None:
    zeros = dict.fromkeys(["PHX1", "PHX2", "PVX1", "PVX2", "PEX4", "REX1", "RHX1"], 0)
    zeros |= dict.fromkeys(["PHY1", "PHY2", "PVY1", "PVY2", "PEY3", "RHY1", "RVY1"], 0)
    path = write(tmp_path, 61, **CARCASS, **(zeros | changed))
    law = MagicFormula.from_tir(path, side="left", limits="free")
    along, across = numbers(law.relaxation(contact()))["peaks"]
    slip = ca.SX.sym("slip")
    forces = [
        law.forces(contact(slip_ratio=slip)).longitudinal,
        law.forces(contact(slip_angle=slip)).lateral,
    ]
    for force, peak in zip(forces, (along, np.arctan(across)), strict=True):
        # forces beside the peak are less, and the slope vanishes
        at = ca.Function("force", [slip], [ca.fabs(force), ca.gradient(force, slip)])
        assert abs(float(at(peak)[1])) < 2e-3 * abs(float(at(0)[1]))
        assert float(at(peak)[0]) > max(float(at(0.8 * peak)[0]), float(at(1.2 * peak)[0]))


def test_bristles_of_the_brush_all_slide_at_its_peak() -> None:
    found = numbers(BRUSH.relaxation(contact()))
    assert found["peaks"] == pytest.approx((3 * 0.9 * 4000 / 60e3, 3 * 0.9 * 4000 / 40e3))


# A wheel at speed


@pytest.mark.parametrize("speed", [SPEED, -SPEED])
def test_step_steer_has_the_relaxation_length(speed: float) -> None:
    """Toed in suddenly, the slip of a tyre that has rolled x is tan α (1 - exp(-x/σ))."""
    yaw, until = 0.02, 0.2
    model, _ = rig(LINEAR, yaw=yaw, speed=speed, transient="relaxation")
    run = simulate(model.equations(), until, samples=21, rtol=1e-11, atol=1e-13)
    rolled = np.linspace(0, until, 21) * SPEED * np.cos(yaw)
    slip = np.arctan(np.tan(yaw) * (1 - np.exp(-rolled / 0.5)))
    assert run["lateral"] == pytest.approx(np.sign(speed) * 40e3 * slip, abs=1e-6)


@pytest.mark.parametrize(
    "ratio", [*(pytest.param(r, marks=pytest.mark.heavy) for r in (-1.0, -0.3, 0.02)), 0.5]
)
def test_steady_slip_is_that_of_the_steady_law(ratio: float) -> None:
    """Also beyond the peak, where the contact slides."""
    drive = SPEED * (1 + ratio) / (0.36 - 0.008)
    steady, transient = (
        rig(BRUSH, yaw=0.03, drive=drive, transient=choice)[0]
        for choice in ("steady", "relaxation")
    )
    expected = simulate(steady.equations(), 0.01, samples=2)
    found = simulate(transient.equations(), 3.0, samples=2, rtol=1e-10, atol=1e-12)
    for name in ("longitudinal", "lateral", "slip ratio", "slip angle"):
        assert found.final(name) == pytest.approx(expected.final(name), rel=1e-6), name


def test_a_parameter_chooses() -> None:
    forces = {}
    for choice in (0, 1):
        model, _ = rig(LINEAR, yaw=0.02, transient=ca.SX(choice))
        forces[choice] = simulate(model.equations(), 1e-3, samples=2).final("lateral")
    assert forces[0] == pytest.approx(40e3 * 0.02, rel=1e-9)
    assert forces[1] == pytest.approx(40e3 * 0.02 * (1 - np.exp(-1e-3 * SPEED / 0.5)), rel=1e-3)


# A wheel near rest


def quarter_car(
    law: TyreLaw, slope: float = 0.0, speed: float = 0.0, brake: float = 5000.0, until: float = 1e9
) -> Model:
    """A car of one wheel, which spins in it, uphill along x; its brake is on until a time."""
    down = -MASS * GRAVITY * np.sin(slope)
    model = Model("quarter car", gravity=(0, 0, -GRAVITY * np.cos(slope)))
    turning = model.rotation("w")
    height = RADIUS - MASS * GRAVITY * np.cos(slope) / 4e5
    centre, ground = model.point("centre", (0, 0, height)), model.point("contact", (0, 0, 0))
    axle = model.add(Hinge("axle", model.ground, turning, axis=(0, 1, 0)))
    wheel = model.add(Wheel("wheel", centre, turning, ground, radius=RADIUS))
    for quantity in (wheel.radial, wheel.longitudinal, wheel.lateral):
        quantity.release()
    centre.x.dof("x", rate_start=speed)
    centre.y.dof("y")
    centre.z.dof("z", start=height)
    axle.angle.dof("spin", rate_start=speed / height)
    model.add(Body("car", centre, model.ground, mass=MASS, inertia=(1, 1, 1)))
    model.add(Body("rim", centre, turning, mass=1e-3, inertia=(0.5, 1.0, 0.5)))
    model.force(centre, (down, 0.3 * down, 0))
    Tyre(wheel, law, radial_stiffness=4e5, radial_damping=4e3, transient="relaxation")
    slip = model.add(Speed("brake", axle.angle.rate, unit="rad/s")).slip
    limit = ca.if_else(model.event("released", model.time - until), 0.0, brake)
    spring = Regularization(2e4, 30.0, compliance=1.0)
    regularize(model, slip, spring, limit=limit, name="brake", nominal=0.01, band=1.0)
    model.output("along", wheel.longitudinal_force)
    model.output("across", wheel.lateral_force)
    return model


def test_a_tyre_at_rest_is_a_spring() -> None:
    """Frequency across of a mass on C/σ, and its damping by τ: D = τ ω/2."""
    found = linearize(quarter_car(LINEAR).equations())
    values = np.linalg.eigvals(found.state_matrix)
    omega = np.sqrt(40e3 / 0.5 / MASS)
    nearest = values[np.argmin(abs(values - 1j * omega))]
    assert abs(nearest) == pytest.approx(omega, rel=1e-3)
    assert -nearest.real / abs(nearest) == pytest.approx(0.01 * omega / 2, rel=1e-3)


def parked(law: TyreLaw) -> None:
    equations = quarter_car(law, slope=np.arctan(0.2)).equations()
    rest = simulate(equations, 60.0, samples=2, method="rosenbrock", backend="c")
    assert rest.final("along") == pytest.approx(MASS * GRAVITY * np.sin(np.arctan(0.2)), rel=1e-9)
    states = {
        name: rest.final(name)
        for name in rest
        if name.partition("_")[0] in ("x", "y", "z", "spin") or "deflection" in name
    }
    long = simulate(equations, 1e6, samples=5, start=states, method="rosenbrock", backend="c")
    for name in ("x", "y", "z", "spin"):
        assert np.ptp(long[name]) < 1e-15, name


@pytest.mark.heavy
def test_a_wheel_parked_on_a_slope_of_20_percent_stands_for_a_million_seconds() -> None:
    parked(BRUSH)


@pytest.mark.heavy
def test_a_measured_tyre_parked_on_a_slope_stands_for_a_million_seconds(tmp_path: Path) -> None:
    parked(MagicFormula.from_tir(write(tmp_path, **CARCASS), side="left"))


def test_a_locked_wheel_slides_with_its_friction_and_stops_for_good() -> None:
    """v²/2 μ g away; then a spring that was pulled by μ F swings and comes to rest."""
    run = simulate(quarter_car(BRUSH, speed=10.0).equations(), 12.0, samples=1201, backend="c")
    time = np.linspace(0, 12, 1201)
    sliding = (time > 0.2) & (time < 1.0)
    assert run["along"][sliding] == pytest.approx(-0.9 * MASS * GRAVITY, rel=1e-3)
    assert abs(run.final("x_rate")) < 1e-3
    assert run["x"].max() == pytest.approx(10.0**2 / (2 * 0.9 * GRAVITY), rel=0.03)
    # bounded by the deflection of the peak, a = 3
    assert abs(run["wheel.deflection_x"]).max() < 3 * 0.9 * 1.1 * MASS * GRAVITY / 60e3 * 0.25


def test_an_unlocked_wheel_rolls_again() -> None:
    run = simulate(
        quarter_car(BRUSH, speed=15.0, brake=3000.0, until=0.5).equations(),
        2.0,
        samples=2,
        backend="c",
    )
    assert run.final("x_rate") == pytest.approx(15 - 0.5 * 0.9 * GRAVITY, rel=0.05)
    assert run.final("spin_rate") * (RADIUS - MASS * GRAVITY / 4e5) == pytest.approx(
        run.final("x_rate"), rel=2e-3
    )


def test_rolls_up_the_slope_and_back_without_loss() -> None:
    """Released it passes where it began as fast: relaxation without slip takes next to nothing."""
    run = simulate(
        quarter_car(BRUSH, slope=0.1, speed=3.0, brake=0.0).equations(),
        8.0,
        samples=801,
        backend="c",
    )
    inertia = MASS * (1 + 1.0 / MASS / 0.31**2)  # the wheel's spin
    again = np.argmin(abs(run["x"][100:])) + 100
    assert run["x"].max() == pytest.approx(
        inertia * 9 / (2 * MASS * GRAVITY * np.sin(0.1)), rel=1e-2
    )
    assert run["x_rate"][again] == pytest.approx(-3.0, rel=1e-2)


# Powers


def test_a_steady_law_without_shifts_never_gives_power(tmp_path: Path) -> None:
    """F_x V_sx + F_y V_sy <= 0 at zero camber."""
    shifts = ["PHX1", "PHX2", "PVX1", "PVX2", "RHX1", "PHY1", "PHY2", "PVY1", "PVY2", "RHY1"]
    zeros = dict.fromkeys([*shifts, "RHY2", "RVY1", "RVY2", "RBY3"], 0)
    random = np.random.default_rng(7)
    laws = [LINEAR, BRUSH, CalspanTyre()]
    laws += [MagicFormula.from_tir(write(tmp_path, v, **zeros), side="left") for v in (6, 61, 62)]
    slips = ca.SX.sym("slips", 3)
    for law in laws:
        given = law.forces(contact(slip_ratio=slips[0], slip_angle=slips[1], load=slips[2]))
        power = -given.longitudinal * slips[0] + given.lateral * ca.tan(slips[1])
        at = ca.Function("power", [slips], [power])
        for values in random.uniform((-1.2, -1.1, 300), (1.2, 1.1, 9000), (300, 3)):
            assert float(at(values)) <= 0


# Wrong use


def test_wrong_use_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="CalspanTyre has no relaxation lengths"):
        rig(CalspanTyre(), transient="relaxation")
    with pytest.raises(ModelError, match="longitudinal_relaxation = 0"):
        rig(LinearTyre(4e4), transient="relaxation")
    for wrong in ("linear", 1, None):
        with pytest.raises(ModelError, match=f"transient is {wrong!r}; give 'steady' or"):
            rig(LINEAR, transient=wrong)
    with pytest.raises(ModelError, match="LATERAL_STIFFNESS = -1; it must not be negative"):
        MagicFormula.from_tir(write(tmp_path, LATERAL_STIFFNESS=-1), side="left")
    with pytest.raises(ModelError, match="PTY1 needs the load"):
        MagicFormula.from_tir(write(tmp_path, 6, PTY1=2), side="left")
