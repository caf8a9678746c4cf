"""Forces of subsystems outside of the nominal motion, beside models that have them built in."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, ModelError, RigidLink
from mbcore.vibration import AppliedForce, NominalMotion, nominal_motion

SPEED = 4.0
STIFFNESS = np.array([[30.0, 7.0], [-9.0, 45.0]])
DAMPING = np.array([[2.0, 0.4], [-0.3, 1.5]])
ADDED = 0.8


def turntable(built_in: bool) -> Model:
    """Return a mass on springs on a turntable, about its axis; perhaps with a seal at rest."""
    model = Model("turntable")
    centre, table = model.point("centre", (0, 0), fixed=True), model.angle("table")
    mass = model.point("mass", (0, 0))
    table.angle.prescribe(SPEED * model.time)
    link = model.add(RigidLink("link", centre, table, mass, offset=(0, 0)))
    link.x.dof("u", "u_rate").spring(100.0, 0.5)
    link.y.dof("w", "w_rate").spring(140.0, 0.5)
    model.add(Body("mass", mass, mass=1.3))
    x, v = mass.position, mass.velocity
    if built_in:
        model.add(Body("seal", mass, mass=ADDED))
        push = ca.vertcat(3.0 * ca.cos(SPEED * model.time), 1.0)
        model.force(mass, push - ca.mtimes(STIFFNESS, x) - ca.mtimes(DAMPING, v))
    else:
        model.force(mass, [model.input(name, unit="N") for name in ("f_x", "f_y")])
    model.output("x", x[0], unit="m")
    model.output("y", x[1], unit="m")
    model.output("x_rate", v[0], unit="m/s")
    model.output("x_acceleration", mass.x.acceleration, unit="m/s2")
    return model


SEAL = AppliedForce(
    ("f_x", "f_y"),
    ("x", "y"),
    stiffness=STIFFNESS,
    damping=DAMPING,
    mass=ADDED * np.eye(2),
    force=lambda t: (3.0 * np.cos(SPEED * t), 1.0),
)


@pytest.fixture(scope="module")
def built_in() -> NominalMotion:
    return nominal_motion(turntable(built_in=True).equations(), 2 * np.pi / SPEED, 16)


@pytest.fixture(scope="module")
def bare() -> NominalMotion:
    return nominal_motion(turntable(built_in=False).equations(), 2 * np.pi / SPEED, 16)


def test_a_seal_at_rest_on_axes_that_turn(built_in: NominalMotion, bare: NominalMotion) -> None:
    """[Schwab2002] (2.15): velocities and accelerations come with the rates of the turning axes."""
    # [Schwab2002] (2.14)
    applied = bare.with_forces(SEAL)
    for name in "MCKf":
        assert getattr(applied, name) == pytest.approx(getattr(built_in, name), abs=1e-10)
    assert applied.exponents(harmonics=6) == pytest.approx(built_in.exponents(harmonics=6))
    found, wanted = applied.periodic(6), built_in.periodic(6)
    for name in ("u", "w_rate", "x", "x_rate", "x_acceleration"):
        assert found.harmonics(name) == pytest.approx(wanted.harmonics(name), abs=1e-12)


def test_forces_add_up(bare: NominalMotion) -> None:
    parts = [
        AppliedForce(SEAL.inputs, SEAL.outputs, **{what: getattr(SEAL, what)})
        for what in ("stiffness", "damping", "mass", "force")
    ]
    whole = bare.with_forces(SEAL)
    for found in (bare.with_forces(*parts), bare.with_forces(*parts[:2]).with_forces(*parts[2:])):
        for name in "MCKf":
            assert getattr(found, name) == pytest.approx(getattr(whole, name), abs=1e-12)


def test_a_linear_law_is_a_linear_force(bare: NominalMotion) -> None:
    def law(y: np.ndarray, v: np.ndarray, t: np.ndarray) -> np.ndarray:
        push = np.column_stack([3.0 * np.cos(SPEED * t), np.ones_like(t)])
        return push - y @ STIFFNESS.T - v @ DAMPING.T

    found = bare.with_forces(
        AppliedForce(SEAL.inputs, SEAL.outputs, mass=ADDED * np.eye(2), law=law)
    )
    solution, wanted = found.periodic(6, stability=True), bare.with_forces(SEAL).periodic(6)
    for name in ("u", "x_acceleration"):
        assert solution.harmonics(name) == pytest.approx(wanted.harmonics(name), abs=1e-8)
    linear = np.exp(bare.with_forces(SEAL).exponents(harmonics=6) * bare.period)
    assert solution.multipliers == pytest.approx(linear, abs=1e-8)
    with pytest.raises(ModelError, match=r"exponents belong to a periodic solution"):
        found.exponents()


def test_outputs_feel_the_acceleration_of_an_added_mass() -> None:
    """One that shows the force F on a mass that carries another one of m: -m by q̈."""
    model = Model("carrier")
    mass = model.point("mass", (0, 0))
    mass.y.fix()
    mass.x.dof("x", "v").spring(5.0, 0.1)
    force = model.input("force", unit="N")
    mass.x.law(-force)
    model.add(Body("mass", mass, mass=1.0))
    model.output("moved", mass.x.value, unit="m")
    model.output("shown", force, unit="N")
    nominal = nominal_motion(model.equations(), 1.0, 4)
    found = nominal.with_forces(
        AppliedForce(["force"], ["moved"], mass=[[ADDED]], stiffness=[[2.0]])
    )
    assert found.M.ravel() == pytest.approx(1 + ADDED)
    shown = found.matrices.output_by_acceleration[:, -1]
    assert shown.ravel() == pytest.approx(-ADDED)


def test_cubic_spring_with_a_known_solution() -> None:
    """x = cos 2t + 0.2 sin 4t solves x'' + 5 x + 0.1 x' + 2 x³ + 0.3 |x'| x' = g with this g."""
    # [Schwab2002] (2.14)

    def known(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = np.cos(2 * t) + 0.2 * np.sin(4 * t)
        v = -2 * np.sin(2 * t) + 0.8 * np.cos(4 * t)
        return x, v, -4 * np.cos(2 * t) - 3.2 * np.sin(4 * t)

    def resisting(x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -2 * x**3 - 0.3 * v**3

    def law(y: np.ndarray, v: np.ndarray, t: np.ndarray) -> np.ndarray:
        x, rate, acceleration = known(t)
        driving = acceleration + 5 * x + 0.1 * rate - resisting(x, rate)
        return driving[:, None] + resisting(y, v)

    model = Model("cubic")
    mass = model.point("mass", (0, 0))
    mass.y.fix()
    mass.x.dof("x", "v").spring(5.0, 0.1)
    mass.x.law(-model.input("force", unit="N"))
    model.add(Body("mass", mass, mass=1.0))
    model.output("moved", mass.x.value, unit="m")
    nominal = nominal_motion(model.equations(), np.pi, 64)
    found = nominal.with_forces(AppliedForce(["force"], ["moved"], law=law)).periodic(12)
    t = np.linspace(0, np.pi, 7)
    assert found["x"](t) == pytest.approx(known(t)[0], abs=1e-9)
    assert found["v"](t) == pytest.approx(known(t)[1], abs=1e-8)
    assert found.iterations < 20


def test_wrong_forces_are_refused(bare: NominalMotion) -> None:
    both = {"inputs": ("f_x", "f_y"), "outputs": ("x", "y")}
    for wrong, told in (
        ({"inputs": "f_x"}, r"inputs = 'f_x'; give names"),
        ({"inputs": ("f_z",), "outputs": ("x",), "stiffness": [[1]]}, "no input 'f_z'; there is"),
        ({"outputs": ("z", "x"), "stiffness": STIFFNESS}, "no output 'z'; there is x, y, x_rate"),
        ({"outputs": ("x_rate", "y"), "damping": DAMPING}, "output x_rate depends on rates"),
        ({"stiffness": [1.0, 2.0]}, r"stiffness has the shape \(2,\); 2 inputs and 2 outputs"),
        ({"stiffness": STIFFNESS * np.nan}, "give finite numbers"),
        ({"force": [1.0]}, r"force has the shape \(1,\); give 2 numbers"),
        ({"force": lambda t: (t, 0.0)}, r"force on f_x changes by 1\.57.* one that has this per"),
        ({}, "on f_x, f_y: it has no stiffness, damping, mass, force or law; give"),
        ({"law": 3.0}, "law = 3.0; give a function"),
    ):
        with pytest.raises(ModelError, match=told):
            bare.with_forces(AppliedForce(**{**both, **wrong}))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"its law returns the shape \(16,\); give \(16, 2\)"):
        bare.with_forces(AppliedForce(**both, law=lambda y, v, t: t)).periodic(6)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"give an AppliedForce"):
        bare.with_forces(3.0)  # type: ignore[arg-type]
