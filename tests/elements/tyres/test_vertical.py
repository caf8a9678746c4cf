"""Radii and radial springs of tyre property files: closed forms, energies, and torques."""

from __future__ import annotations

import warnings
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    LinearTyre,
    MagicFormula,
    Model,
    ModelError,
    ModelWarning,
    Tyre,
    Wheel,
    simulate,
)
from mbcore.elements.tyres.tir_file import read_tir
from tests.elements.tyres.tyre_files import text, write

RADIUS, LOAD, PRESSURE = 0.32, 4000.0, 220000.0
VERTICAL = {
    "VERTICAL_STIFFNESS": 2.1e5,
    "VERTICAL_DAMPING": 60,
    "BREFF": 8.4,
    "DREFF": 0.26,
    "FREFF": 0.07,
    "Q_RE0": 0.998,
    "Q_V1": 7e-4,
    "Q_V2": 0.05,
    "Q_FZ2": 15.0,
    "PFZ1": 0.7,
    "INFLPRES": 1.1 * PRESSURE,
}


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.filterwarnings("ignore", message="tyre property file")


def law(folder: Path, version: int = 62, **changed: object) -> MagicFormula:
    path = write(folder, version, **{**VERTICAL, **changed})
    return MagicFormula.from_tir(path, side="left")


def spring(of: MagicFormula, loaded: float, spin: float = 0.0) -> tuple[float, float, float]:
    found = of.spring(ca.SX(loaded), ca.SX(spin))
    assert found is not None
    values = (found.deflection, found.force, found.energy)
    return tuple(float(ca.evalf(ca.SX(value))) for value in values)  # type: ignore[return-value]


def test_spring_and_radii_are_those_of_the_equations(tmp_path: Path) -> None:
    """[Besselink2010] 4.1, with Q_FZ1 from the stiffness at the nominal load."""
    tyre, spin, loaded = law(tmp_path), 80.0, 0.30
    speed = RADIUS * spin / 16.0
    free = RADIUS * (0.998 + 7e-4 * speed**2)
    linear = np.sqrt((2.1e5 * RADIUS / LOAD) ** 2 - 4 * 15.0)
    share = (free - loaded) / RADIUS
    force = LOAD * (linear * share + 15.0 * share**2) * (1 + 0.05 * speed) * (1 + 0.7 * 0.1)
    assert spring(tyre, loaded, spin)[:2] == pytest.approx((free - loaded, force), rel=1e-13)
    effective = tyre.effective_radius(ca.SX(5000.0), ca.SX(spin))
    assert effective is not None
    expected = free - LOAD / (2.1e5 * 1.07) * (0.26 * np.arctan(8.4 * 1.25) + 0.07 * 1.25)
    assert float(ca.evalf(effective)) == pytest.approx(expected, rel=1e-13)


def test_free_radius_of_pac2002_has_its_name(tmp_path: Path) -> None:
    """R_Ω = R_0 (QRE0 + QV1 (R_0 Ω/V_0)²): a tyre of 0.96 R_0 is not pressed at R_0 - 1 cm."""
    more = {"QRE0": 0.96, "QV1": 1e-3, "QV2": 0.05, "Q_RE0": None, "Q_V1": None, "Q_V2": None}
    path = write(tmp_path, 6, **{**VERTICAL, **more})
    path.write_text(path.read_text() + "PROPERTY_FILE_FORMAT = 'PAC2002'\n")
    tyre = MagicFormula.from_tir(path, side="left")
    free = RADIUS * (0.96 + 1e-3 * (RADIUS * 60.0 / 16.0) ** 2)
    assert spring(tyre, RADIUS - 0.01, 60.0) == pytest.approx((free - 0.31, 0, 0), rel=1e-12)
    linear = np.sqrt((2.1e5 * RADIUS / LOAD) ** 2 - 4 * 15.0)
    share = (free - 0.29) / RADIUS
    force = LOAD * (linear * share + 15.0 * share**2) * (1 + 0.05 * RADIUS * 60 / 16)
    found = spring(tyre, 0.29, 60.0)[1]
    assert found == pytest.approx(force * (1 + 0.7 * 0.21), rel=1e-12)  # 2.42e5 Pa over 2e5 Pa


def test_slope_at_the_nominal_load_is_the_stiffness(tmp_path: Path) -> None:
    tyre = law(tmp_path, Q_RE0=1, INFLPRES=PRESSURE)
    linear = np.sqrt((2.1e5 * RADIUS / LOAD) ** 2 - 4 * 15.0)
    share = (-linear + np.sqrt(linear**2 + 60)) / 30  # where the force is the nominal load
    ends = [spring(tyre, RADIUS * (1 - share) + s)[1] for s in (1e-6, -1e-6)]
    assert (ends[1] - ends[0]) / 2e-6 == pytest.approx(2.1e5, rel=1e-6)


CURVE = "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n0.01, 1500 $ of a rig\n0.03 6.0d3\n0.05 12000\n"


@pytest.mark.parametrize("kind", ["polynomial", "curve", "rim"])
def test_force_is_the_slope_of_the_energy(tmp_path: Path, kind: str) -> None:
    changed = {"BOTTOM_STIFF": 2e6, "BOTTOM_OFFST": 0.01, "RIM_RADIUS": 0.25}
    path = write(tmp_path, 62, **VERTICAL, **(changed if kind == "rim" else {}))
    path.write_text(path.read_text() + (CURVE if kind == "curve" else ""))
    tyre = MagicFormula.from_tir(path, side="left")
    for loaded in (0.325, 0.312, 0.301, 0.28, 0.255, 0.24):
        ends = [spring(tyre, loaded + s)[2] for s in (1e-6, -1e-6)]
        force = spring(tyre, loaded)[1]
        assert (ends[1] - ends[0]) / 2e-6 == pytest.approx(force, rel=1e-6, abs=1e-6)
    assert spring(tyre, 0.325)[1:] == (0, 0)


def test_a_curve_goes_through_its_points(tmp_path: Path) -> None:
    path = write(tmp_path, 6, VERTICAL_STIFFNESS=2e5)
    path.write_text(path.read_text() + CURVE)
    assert read_tir(path).curve == [(0, 0), (0.01, 1500), (0.03, 6000), (0.05, 12000)]
    tyre = MagicFormula.from_tir(path, side="left")
    for deflection, load in ((0.01, 1500), (0.03, 6000), (0.05, 12000)):
        assert spring(tyre, RADIUS - deflection)[1] == pytest.approx(load, rel=1e-12)
    forces = [spring(tyre, RADIUS - d)[1] for d in np.linspace(0, 0.07, 71)]
    assert np.all(np.diff(forces) > 0)
    path.write_text(path.read_text() + CURVE.replace("6.0d3", "7000"))
    with pytest.warns(ModelWarning, match="is another curve; the first one counts"):
        assert read_tir(path).curve[2] == (0.03, 6000)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0 0\n", "", "does not rise from 0 0 on"),
        ("0.03 6.0d3", "0.005 6000", "does not rise from 0 0 on"),
        ("0.03 6.0d3", "0.03 6000 1", "give 2 to 200 rows of a deflection and a load"),
        ("0.03 6.0d3\n0.05 12000", "", None),
        ("0.03 6.0d3", "0.03 1e999", "does not rise from 0 0 on"),
        ("0.03 6.0d3", "0.03 nan", "is not a statement"),
    ],
)
def test_wrong_curves_are_named(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    path = tmp_path / "tyre.tir"
    path.write_text(text(6) + CURVE.replace(old, new))
    if message is None:
        assert len(read_tir(path).curve) == 2
    else:
        with pytest.raises(ModelError, match=message):
            read_tir(path)


def rig(tyre: MagicFormula, torque: float = 0.0) -> Model:
    """A wheel that spins freely, or is driven, under a carriage of 400 kg at 16 m/s."""
    model = Model("rig", gravity=(0, 0, -9.81))
    turning = model.rotation("w")
    centre, ground = model.point("centre", (0, 0, 0.30)), model.point("contact", (0, 0, 0))
    axle = model.add(Hinge("axle", model.ground, turning, axis=(0, 1, 0)))
    wheel = model.add(Wheel("wheel", centre, turning, ground, radius=RADIUS))
    for quantity in (wheel.radial, wheel.longitudinal, wheel.lateral):
        quantity.release()
    centre.x.prescribe(16.0 * model.time)
    centre.y.fix()
    centre.z.dof("z", start=0.30)
    axle.angle.dof("spin", rate_start=52.0)
    axle.angle.law(-torque)
    model.add(Body("car", centre, model.ground, mass=400.0, inertia=(1, 1, 1)))
    model.add(Body("rim", centre, turning, mass=1e-3, inertia=(0.5, 1.0, 0.5)))
    found = Tyre(wheel, tyre, radial_damping=8e3)
    assert found.effective_radius is not None
    model.output("effective", found.effective_radius)
    model.output("loaded", ca.norm_2(wheel.radius))
    model.output("along", found.forces.longitudinal)
    model.output("load", found.load)
    model.output("moment", found.forces.rolling_resistance)
    return model


NO_DRAG = dict.fromkeys(["QSY1", "QSY2", "QSY3", "QSY4", "QSY5", "QSY6"], 0)
NO_SHIFT = dict.fromkeys(["PHX1", "PHX2", "PVX1", "PVX2", "RHX1"], 0)


@pytest.mark.heavy
def test_a_free_wheel_spins_with_the_effective_radius(tmp_path: Path) -> None:
    run = simulate(
        rig(law(tmp_path, **NO_DRAG, **NO_SHIFT)).equations(), 3.0, samples=2, rtol=1e-11
    )
    assert run.final("load") == pytest.approx(400.001 * 9.81, rel=1e-6)
    assert run.final("along") == pytest.approx(0, abs=1e-3)
    assert run.final("spin_rate") == pytest.approx(16.0 / run.final("effective"), rel=1e-9)
    assert run.final("effective") > run.final("loaded") + 0.005


def test_a_driven_wheel_pulls_on_the_effective_radius(tmp_path: Path) -> None:
    """So its power is that of the force and the slip velocity; torque T = F_x R_e."""
    run = simulate(rig(law(tmp_path, **NO_DRAG), torque=300.0).equations(), 3.0, samples=2)
    assert run.final("along") == pytest.approx(300.0 / run.final("effective"), rel=1e-6)
    arm = run.final("effective") - run.final("loaded")
    assert run.final("moment") == pytest.approx(-arm * run.final("along"), rel=1e-9)


def test_the_arm_of_a_file_with_one_is_the_file_s(tmp_path: Path) -> None:
    """QSY2 is that arm in free radii, measured: (A48)."""
    only = NO_DRAG | {"QSY2": 0.03, "QSY7": 0, "QSY8": 0}
    run = simulate(rig(law(tmp_path, **only), torque=300.0).equations(), 3.0, samples=2)
    assert run.final("moment") == pytest.approx(-0.03 * RADIUS * run.final("along"), rel=1e-9)


def test_what_a_file_lacks_is_named(tmp_path: Path) -> None:
    lacking = dict.fromkeys(VERTICAL)
    tyre = law(tmp_path, **lacking)
    assert tyre.effective_radius(ca.SX(LOAD), ca.SX(0)) is None
    with pytest.warns(ModelWarning, match="has no VERTICAL_STIFFNESS"):
        assert spring(tyre, 0.94 * RADIUS)[1] == pytest.approx(LOAD, rel=1e-12)
    with pytest.raises(ModelError, match=r"line \d+: VERTICAL_STIFFNESS = 50000 contradicts Q_FZ2"):
        law(tmp_path, VERTICAL_STIFFNESS=5e4)
    model = Model("m")
    centre, ground = model.point("w", (0, 0, 0.3)), model.point("c", (0, 0, 0))
    wheel = model.add(Wheel("left", centre, model.rotation("e"), ground, radius=0.3))
    wheel.lateral.release()
    with pytest.raises(ModelError, match="LinearTyre has no radial spring of its own"):
        Tyre(wheel, LinearTyre(1e3))
    with pytest.warns(ModelWarning, match=r"radius is 0.3 m, and the unloaded radius of its tyre"):
        Tyre(wheel, law(tmp_path))
