"""The Magic Formula: published values, closed forms, symmetries and derivatives."""

from __future__ import annotations

import warnings
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    ROAD_CAR_TYRE,
    Body,
    Hinge,
    MagicFormula,
    Model,
    ModelError,
    Tyre,
    TyreContact,
    Wheel,
    simulate,
)
from mbcore.elements.tyres.coefficients import TURN_SLIP
from tests.elements.tyres.tyre_files import text, write

NAMES = ("longitudinal", "lateral", "aligning_moment", "overturning_moment", "rolling_resistance")


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.filterwarnings("ignore", message="tyre property file")


def contact(**given: float | ca.SX) -> TyreContact:
    values: dict[str, float | ca.SX] = {
        "slip_angle": 0.0,
        "slip_ratio": 0.0,
        "camber": 0.0,
        "load": 4000.0,
        "direction": 1.0,
        "speed": 16.0,
        "turn_slip": 0.0,
    }
    return TyreContact(**{name: ca.SX(value) for name, value in (values | given).items()})


def forces(law: MagicFormula, **given: float) -> np.ndarray:
    found = law.forces(contact(**given))
    return np.array([float(ca.evalf(ca.SX(getattr(found, name)))) for name in NAMES])


def law(folder: Path, version: int = 61, side: str = "left", **changed: object) -> MagicFormula:
    return MagicFormula.from_tir(write(folder, version, **changed), side=side)  # type: ignore[arg-type]


def test_the_shipped_tyre_is_complete_and_usual() -> None:
    """Of passenger cars' tyres: 15 to 25 cornering stiffness over load, friction about 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tyre = MagicFormula.from_tir(ROAD_CAR_TYRE, side="right", turn_slip=True)
        lengths = tyre.relaxation(contact(load=4200.0)).lengths
        spring = tyre.spring(ca.SX(0.297), ca.SX(50.0))
    step, angle = 1e-4, ca.SX.sym("angle")
    across = tyre.forces(contact(slip_angle=angle, load=4200.0)).lateral
    side_force = ca.Function("side_force", [angle], [across])
    ends = [float(side_force(end)) for end in (-step, step)]
    assert 15 < (ends[0] - ends[1]) / (2 * step) / 4200 < 25
    most = np.max(side_force(np.linspace(-0.3, 0, 61)[None, :]).full())
    assert 0.9 < most / 4200 < 1.15
    assert all(0.2 < float(ca.evalf(length)) < 0.7 for length in lengths)
    assert spring is not None
    assert 3000 < float(ca.evalf(spring.force)) < 5000


COMMONROAD = """\
PCX1=1.6411 PDX1=1.1739 PEX1=0.46403 PKX1=22.303 PHX1=0.0012297 RBX1=13.276 RBX2=-13.778
RCX1=1.2568 REX1=0.65225 RHX1=0.0050722 PCY1=1.3507 PDY1=1.0489 PEY1=-0.0074722 PKY1=-21.92 PKY2=1
RBY1=7.1433 RBY2=9.1916 RBY3=-0.027856 RCY1=1.0719 REY1=-0.27572 RHY1=5.7448e-06 RVY1=-0.027825
RVY4=12.12 RVY5=1.9 RVY6=-10.704"""
COMMONROAD_VALUES = [
    # longitudinal slip, slip angle, forces along and across, N
    (0.05, 0.0, 3514.011728441927, 93.83923770388256),
    (-0.2, 0.0, -4632.685297265178, -97.43106736061745),
    (0.0, 0.08, 63.91162587290823, -3918.304927452504),
    (0.03, -0.06, 1914.2212910908736, 3524.895361749616),
    (-0.1, 0.2, -2014.7908207283444, -3989.9890001320555),
]
"""Of `vehiclemodels.utils.tire_model` in commonroad-vehicle-models 3.0.2 with its own parameters
but p_vx1 = 0, since it adds this shift inside of the sine; at 4000 N and without camber, where its
cornering stiffness F_z p_ky1 is that of the formula for p_ky2 = 1, its slip
mirrored."""


@pytest.mark.parametrize(("ratio", "angle", "along", "across"), COMMONROAD_VALUES)
def test_values_of_commonroad_vehicle_models(
    tmp_path: Path, ratio: float, angle: float, along: float, across: float
) -> None:
    header = text(6).partition("[COEFFICIENTS]")[0]
    path = tmp_path / "commonroad.tir"
    path.write_text(header + COMMONROAD.replace(" ", "\n"))
    tyre = MagicFormula.from_tir(path, side="left")
    found = forces(tyre, slip_ratio=ratio, slip_angle=angle)
    # its quotients have no ε in them
    assert found[:2] == pytest.approx([along, across], rel=1e-8, abs=1e-6)


@pytest.mark.parametrize("version", [6, 61, 62])
def test_slopes_and_peaks_are_the_coefficients(tmp_path: Path, version: int) -> None:
    shifts = dict.fromkeys(["PHX1", "PHX2", "PVX1", "PVX2", "PHY1", "PHY2", "PVY1", "PVY2"], 0)
    upright = law(tmp_path, version, INFLPRES=220000, REX1=0, RHX1=0, RHY1=0, RVY1=0, **shifts)
    step = 1e-6
    slope = (forces(upright, slip_ratio=step) - forces(upright, slip_ratio=-step)) / (2 * step)
    assert slope[0] == pytest.approx(22 * 4000, rel=1e-6)  # K_xκ = F_z p_Kx1
    slope = (forces(upright, slip_angle=step) - forces(upright, slip_angle=-step)) / (2 * step)
    power = 2.1 if version > 60 else 2.0
    cornering = -19.5 * 4000 * np.sin(power * np.arctan(1 / 1.9))
    assert slope[1] == pytest.approx(cornering, rel=1e-6)  # (4.E25)
    angle = ca.SX.sym("angle")
    across = ca.Function("across", [angle], [upright.forces(contact(slip_angle=angle)).lateral])
    most = across(np.linspace(-0.6, 0, 300)).full().max()
    assert most == pytest.approx(1.02 * 4000, rel=1e-4)  # D_y = μ_y F_z


@pytest.mark.parametrize("version", [6, 61, 62])
@pytest.mark.parametrize("spin", [False, True])
def test_the_other_side_is_the_mirror_image(tmp_path: Path, version: int, spin: bool) -> None:
    path = write(tmp_path, version)
    left, right = (
        MagicFormula.from_tir(path, side=side, turn_slip=spin) for side in ("left", "right")
    )
    given = {"slip_angle": 0.07, "slip_ratio": -0.04, "camber": 0.03, "turn_slip": 0.1}
    mirrored = {name: -value for name, value in given.items()} | {"slip_ratio": -0.04}
    found, image = forces(left, **given), forces(right, **mirrored)
    assert image == pytest.approx(found * [1, -1, -1, -1, 1], rel=1e-14)
    assert abs(found).min() > 1e-3


@pytest.mark.parametrize("version", [6, 61, 62])
def test_combined_slip_without_one_slip_is_pure(tmp_path: Path, version: int) -> None:
    tyre = law(tmp_path, version, RHX1=0, RHY1=0, RVY1=0, RVY2=0, RVY3=0)
    pure = law(tmp_path, version, RBX1=0, RBX3=0, RBY1=0, RBY4=0, RVY1=0, RVY2=0, RVY3=0)
    assert forces(tyre, slip_ratio=0.1)[0] == pytest.approx(forces(pure, slip_ratio=0.1)[0])
    assert forces(tyre, slip_angle=0.1)[1] == pytest.approx(forces(pure, slip_angle=0.1)[1])
    both = {"slip_ratio": 0.1, "slip_angle": 0.1}
    assert abs(forces(tyre, **both)[0]) < 0.8 * abs(forces(pure, **both)[0])
    assert abs(forces(tyre, **both)[1]) < 0.8 * abs(forces(pure, **both)[1])


def test_rolling_resistance_is_against_the_motion(tmp_path: Path) -> None:
    tyre = law(tmp_path, 62, PHX1=0, PHX2=0, PVX1=0, PVX2=0, INFLPRES=220000)
    arm = 0.32 * (0.009 + 0.0007 + 0.00008)  # at F_z0, V_0 and p_0: (A48)
    assert forces(tyre)[4] == pytest.approx(-4000 * arm, rel=1e-12)
    assert forces(tyre, direction=-1.0, speed=-16.0)[4] == pytest.approx(4000 * arm, rel=1e-12)


def test_overturning_moment_of_a_leaning_tyre_without_side_force(tmp_path: Path) -> None:
    names = {f"QSX{i}": 0 for i in range(1, 15)}
    changed = dict.fromkeys(names, 0) | {"QSX2": 0.75, "QSX12": 0.5, "PPMX1": 0}
    tyre = law(tmp_path, 62, **changed)
    moment = forces(tyre, camber=0.05)[3]
    assert moment == pytest.approx(-0.32 * 4000 * (0.75 * 0.05 + 0.5 * 0.05**2), rel=1e-12)


def test_arguments_are_held_at_the_ends_of_their_ranges(tmp_path: Path) -> None:
    tyre = law(tmp_path)
    free = MagicFormula.from_tir(tmp_path / "tyre.tir", side="left", limits="free")
    for name, inside, beyond in (
        ("slip_angle", 1.2, 1.4),
        ("slip_ratio", -1.2, -2.0),
        ("camber", 0.25, 0.4),
        ("load", 9000.0, 12000.0),
    ):
        assert forces(tyre, **{name: beyond}) == pytest.approx(forces(tyre, **{name: inside}))
        assert forces(free, **{name: beyond}) != pytest.approx(forces(tyre, **{name: beyond}))
        seen = [float(ca.evalf(tyre.in_range(contact(**{name: x})))) for x in (inside, beyond)]
        assert seen == [1, 0]
    # below the least load, 200 N, forces are in proportion to the load
    low = {"slip_angle": 0.05, "slip_ratio": 0.02}
    ends = forces(tyre, load=200.0, **low)
    assert forces(tyre, load=2.0, **low) == pytest.approx(ends / 100, rel=1e-12)


@pytest.mark.parametrize("spin", [False, True])
def test_derivatives_are_finite_and_those_of_differences(tmp_path: Path, spin: bool) -> None:
    path = write(tmp_path, 62)
    ice = MagicFormula.from_tir(path, side="left", turn_slip=spin, scaling={"LMUX": 0})
    tyre = MagicFormula.from_tir(path, side="left", turn_slip=spin)
    x = ca.SX.sym("x", 4)
    names = ("slip_angle", "slip_ratio", "camber", "turn_slip")
    for given in (tyre, ice):
        found = given.forces(contact(**{n: x[i] for i, n in enumerate(names)}))
        values = ca.vertcat(*(getattr(found, name) for name in NAMES))
        both = ca.Function("f", [x], [values, ca.jacobian(values, x)])
        for at in (np.zeros(4), np.array([0.04, 0, 0.02, 0]), np.array([0, 0.05, 0, 0.0])):
            value, slopes = (np.array(part) for part in both(at))
            assert np.isfinite(value).all()
            assert np.isfinite(slopes).all()
    at, step = np.array([0.04, 0.03, 0.02, 0.05]), 1e-6
    _, slopes = (np.array(part) for part in both(at))
    for i in range(4):
        ahead, behind = (np.array(both(at + s * np.eye(4)[i])[0]) for s in (step, -step))
        assert slopes[:, i] == pytest.approx(
            ((ahead - behind) / (2 * step)).ravel(), rel=1e-5, abs=1e-3
        )


def test_scaling_factors_may_be_parameters(tmp_path: Path) -> None:
    path, factor = write(tmp_path), ca.SX.sym("friction")
    tyre = MagicFormula.from_tir(path, side="left", scaling={"LMUY": factor})
    force = tyre.forces(contact(slip_angle=-0.15)).lateral
    value = ca.Function("f", [factor], [force])
    assert float(value(1.0)) == pytest.approx(forces(law(tmp_path), slip_angle=-0.15)[1])
    assert float(value(0.5)) < 0.6 * float(value(1.0))
    with pytest.raises(ModelError, match="LMUZ is not a scaling factor"):
        MagicFormula.from_tir(path, side="left", scaling={"LMUZ": 1})
    with pytest.raises(ModelError, match="LMUY = -1"):
        MagicFormula.from_tir(path, side="left", scaling={"LMUY": -1})


def test_derivatives_are_finite_without_friction(tmp_path: Path) -> None:
    """On ice that gives nothing, no force remains along the ground, nor a slope of one by slips."""
    friction, angle, ratio = ca.SX.sym("friction"), ca.SX.sym("angle"), ca.SX.sym("ratio")
    made = MagicFormula.from_tir(
        write(tmp_path), side="left", scaling={"LMUX": friction, "LMUY": friction}
    )
    found = made.forces(contact(slip_angle=angle, slip_ratio=ratio))
    moved = ca.vertcat(angle, ratio, friction)
    ground = ca.vertcat(found.longitudinal, found.lateral, found.aligning_moment)
    slopes = ca.Function("slopes", [moved], [ground, ca.jacobian(ground, moved)])
    for at in ([0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.0, 0.02, 0.0], [0.05, -0.1, 0.0]):
        forces, slope = (np.array(value) for value in slopes(at))
        assert np.isfinite(slope).all()
        np.testing.assert_allclose(forces, 0, atol=1e-9)
        np.testing.assert_allclose(slope[:, :2], 0, atol=1e-9)


def test_wrong_choices_are_named(tmp_path: Path) -> None:
    path = write(tmp_path)
    with pytest.raises(ModelError, match="side is 'front'"):
        MagicFormula.from_tir(path, side="front")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="limits is 'clip'"):
        MagicFormula.from_tir(path, side="left", limits="clip")  # type: ignore[arg-type]
    for factors in (0.8, "LMUY", ["LMUY"]):
        with pytest.raises(ModelError, match=r"scaling is .*; give factors"):
            MagicFormula.from_tir(path, side="left", scaling=factors)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="have no UNLOADED_RADIUS"):
        MagicFormula({"PDY1": 1}, 61)
    with pytest.raises(ModelError, match="version is 7"):
        MagicFormula({"PDY1": 1}, 7)
    changed = dict.fromkeys(TURN_SLIP)
    with pytest.raises(ModelError, match="has no turn slip coefficients"):
        MagicFormula.from_tir(write(tmp_path, **changed), side="left", turn_slip=True)


def rig(law: MagicFormula, steering: float = 0.0) -> tuple[Model, Tyre]:
    """A wheel that spins freely on a carriage that moves along x, and is steered at a rate."""
    model = Model("tyre rig")
    fork, turning = model.rotation("fork"), model.rotation("w")
    centre, ground = model.point("centre", (0, 0, 0.31)), model.point("contact", (0, 0, 0))
    centre.x.prescribe(16.0 * model.time)
    centre.y.fix()
    centre.z.fix()
    steer = model.add(Hinge("steer", model.ground, fork, axis=(0, 0, 1)))
    steer.angle.prescribe(steering * model.time)
    axle = model.add(Hinge("axle", fork, turning, axis=(0, 1, 0)))
    axle.angle.dof("spin", rate_start=50.0)
    model.add(Body("rim", centre, turning, mass=20.0, inertia=(0.5, 1.0, 0.5)))
    wheel = model.add(Wheel("wheel", centre, turning, ground, radius=0.32))
    for quantity in (wheel.radial, *wheel.slips.values()):
        quantity.release()
    tyre = Tyre(wheel, law, radial_stiffness=4e5)
    for name in NAMES:
        model.output(name, getattr(tyre.forces, name))
    model.output("turn slip", tyre.contact.turn_slip)
    return model, tyre


def test_rolling_resistance_drags_a_free_wheel(tmp_path: Path) -> None:
    """A wheel that spins freely settles where the drag's moment holds it: F_x R = M_y."""
    model, _ = rig(law(tmp_path))
    run = simulate(model.equations(), 0.5, samples=2)
    assert run.final("longitudinal") < 0
    assert run.final("longitudinal") * 0.31 == pytest.approx(
        run.final("rolling_resistance"), rel=1e-6
    )


def test_turn_slip_is_the_yaw_rate_over_the_speed(tmp_path: Path) -> None:
    model, _ = rig(law(tmp_path), steering=0.3)
    run = simulate(model.equations(), 1e-3, samples=2)
    assert run.final("turn slip") == pytest.approx(0.3 / 16.0, rel=1e-6)


@pytest.mark.parametrize("version", [52, 61, 62])
def test_an_upright_tyre_without_shifts_never_gives_power(tmp_path: Path, version: int) -> None:
    """At 10,000 slips and loads F·V_s < 0 and M_y ω < 0, where the wheel rolls straight ahead.

    QSY2 is a lever of F_x, from the loaded to the effective radius; V_s, of the latter, has its
    power already.
    """
    shifts = [f"P{of}{axis}{i}" for of in "HV" for axis in "XY" for i in (1, 2)]
    shifts += ["RHX1", "RHY1", "RHY2", "QSX1", "QSY2", *(f"RVY{i}" for i in range(1, 7))]
    tyre = law(tmp_path, version, **dict.fromkeys(shifts, 0))
    slips = ca.SX.sym("slips", 3)
    ratio, angle, load = ca.vertsplit(slips)
    found = tyre.forces(contact(slip_ratio=ratio, slip_angle=angle, load=load))
    speed = 16.0
    power = speed * (found.lateral * ca.tan(angle) - found.longitudinal * ratio)
    resisted = found.rolling_resistance * (1 + ratio) * speed / 0.32
    at = ca.Function("power", [slips], [power, resisted])
    random = np.random.default_rng(5)
    lowest, highest = np.array([(-1.0, -1.0, 50.0), (1.0, 1.0, 9000.0)])
    points = random.uniform(lowest[:, None], highest[:, None], (3, 10_000))
    sliding, rolling = (values.full() for values in at(points))
    assert sliding.max() < 0
    assert rolling.max() < 0
