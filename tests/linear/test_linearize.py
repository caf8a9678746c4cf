"""The exact linearization against closed forms, high-order differences and the index formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Bearing,
    Body,
    Equations,
    Hinge,
    Linearization,
    Linearizer,
    Model,
    ModelError,
    PlanarWheel,
    RigidLink,
    SpatialBeam,
    linearize,
    root_locus,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.rolling.bottema import AtRest
from mbcore.fmus import caster, caster_flexible, clearance_joint, rolling_disk, vehicle
from tests.conftest import equations_of
from tests.linear.index_formulas import index_formulas

# The swivel wheel


@pytest.fixture(scope="module")
def swivel() -> Equations:
    return equations_of(caster.model)


@pytest.fixture(scope="module")
def disk() -> Equations:
    return equations_of(rolling_disk.model)


def straight(swivel: Equations, **values: float) -> Linearization:
    """Straight running with parameters m, a, r, l, k of the text and speed v."""
    names = {
        "m": "wheel.mass",
        "a": "wheel.to_mass_centre",
        "r": "wheel.gyration_radius",
        "l": "wheel.to_swivel",
        "k": "strut.stiffness",
    }
    speed = values.pop("v", 1.0)
    return linearize(
        swivel,
        {"swivel.angle": 0.0},
        parameters={names[k]: v for k, v in values.items()},
        inputs={"attachment.speed": speed},
    )


@pytest.mark.parametrize("seed", range(4))
def test_swivel_wheel_coefficients_are_those_of_equation_30(swivel: Equations, seed: int) -> None:
    # [Schwab2002] (2.43), (3.44)
    m, a, r, l, k, v = np.random.default_rng(seed).uniform(0.3, 2.0, 6)  # noqa: E741
    found = straight(swivel, m=m, a=a, r=r, l=l, k=k, v=v)
    mixed = (a * (l - a) - r**2) / l**2
    expected = {
        "M": m * (a**2 + r**2) / l**2,
        "C": m * mixed * v / l,
        "K_d": k,
        "K_k": -m * mixed * v**2 / l,
        "A": 1 / l,
        "B_d": 0.0,
        "B_k": -v / l,
        "f_d": 0.0,
    }
    for name, value in expected.items():
        assert getattr(found, name).item() == pytest.approx(value, rel=1e-13, abs=1e-13), name


TABLE = [
    (0.0, -0.728908, 0.364454, 1.351685, 0.520665, -0.780697),
    (0.1, -0.819895, 0.182675, 1.276642, 0.574624, -0.823588),
    (0.2, -0.917539, 0.058769, 1.142100, 0.642110, -0.823243),
    (0.3, -1.0, 0.0, 1.0, 0.707107, -0.785398),
    (0.5, -1.054823, -0.016067, 0.786143, 0.794015, -0.674119),
    (0.7, -1.0, 0.0, 0.654654, 0.836660, -0.579640),
    (0.9, -0.913035, 0.015341, 0.567359, 0.859767, -0.509564),
    (1.0, -0.869320, 0.021437, 0.533615, 0.867737, -0.481419),
]
"""a/l, real eigenvalue, real and imaginary part of the pair, w/u and ψ; derived by hand."""


@pytest.mark.parametrize(("a", "real", "growth", "frequency", "ratio", "phase"), TABLE)
def test_swivel_wheel_eigenvalues_and_mode(
    swivel: Equations,
    a: float,
    real: float,
    growth: float,
    frequency: float,
    ratio: float,
    phase: float,
) -> None:
    # [Schwab2002] (3.45), (3.47)
    modes = straight(swivel, a=a).modes()
    [pair] = [m for m in modes if m.eigenvalue.imag > 0.1]
    assert pair.eigenvalue == pytest.approx(complex(growth, frequency), abs=6e-7)
    assert pair.frequency == pytest.approx(frequency, abs=6e-7)
    assert pair.damping_ratio == pytest.approx(-growth / np.hypot(growth, frequency), abs=1e-6)
    assert min(m.eigenvalue.real for m in modes) == pytest.approx(real, abs=6e-7)
    wheel = 1 - pair.ratio("swivel.angle", "strut.deflection")  # w/u, l = 1
    assert abs(wheel) == pytest.approx(ratio, abs=6e-7)
    assert np.angle(wheel) == pytest.approx(phase, abs=6e-7)
    # [SchwabMeijaard2003] (31), (33)
    assert np.tan(np.angle(wheel)) == pytest.approx(
        -pair.eigenvalue.imag / (1 + pair.eigenvalue.real), rel=1e-12
    )
    assert abs(wheel) == pytest.approx(1 / abs(1 + pair.eigenvalue), rel=1e-12)


@pytest.mark.parametrize(("a", "square"), [(0.3, 0.3 / 0.3), (0.7, 0.3 / 0.7)])
def test_swivel_wheel_stability_boundaries_are_exact(
    swivel: Equations, a: float, square: float
) -> None:
    # [Schwab2002] (3.46)
    found = straight(swivel, a=a)
    [pair] = [m.eigenvalue for m in found.modes() if m.eigenvalue.imag > 0.1]
    assert pair == pytest.approx(1j * np.sqrt(square), abs=1e-14)
    # the real part changes sign with a (l - a) - r², that is at once
    for side in (-1e-9, 1e-9):
        [near] = [
            m.eigenvalue for m in straight(swivel, a=a + side).modes() if m.eigenvalue.imag > 0.1
        ]
        assert np.sign(near.real) == -np.sign((0.5 - a) * side)
        assert abs(near.real) < 1e-8


@pytest.mark.heavy
def test_root_locus_follows_its_branches(swivel: Equations) -> None:
    values = np.linspace(0, 1, 101)
    locus = root_locus(straight(swivel), "wheel.to_mass_centre", values)
    assert locus.eigenvalues.shape == (101, 3)
    assert locus.structural_zeros == ("attachment.x",)
    assert np.abs(np.diff(locus.eigenvalues, axis=0)).max() < 0.03
    for a, real, growth, frequency, *_ in TABLE:
        row = locus.eigenvalues[round(100 * a)]
        expected = np.array([real, growth + 1j * frequency, growth - 1j * frequency])
        assert np.sort_complex(row) == pytest.approx(np.sort_complex(expected), abs=6e-7)
    # each branch stays what it is: a real one, and two that are conjugates throughout
    kinds = np.sign(np.round(locus.eigenvalues.imag, 9))
    assert np.all(kinds == kinds[0]) and sorted(kinds[0]) == [-1, 0, 1]
    alone = root_locus(straight(swivel), "wheel.to_mass_centre", [values[3]]).eigenvalues
    assert np.sort_complex(alone[0]) == pytest.approx(np.sort_complex(locus.eigenvalues[3]))
    with pytest.raises(ModelError, match=r"'wheel\.mas' is neither a parameter nor an input"):
        root_locus(straight(swivel), "wheel.mas", values)


@pytest.mark.heavy
def test_root_locus_is_drawn(swivel: Equations) -> None:
    figure = root_locus(straight(swivel), "wheel.to_mass_centre", [0.1, 0.2]).plot()
    assert figure.axes[0].get_xlabel() == "Re λ (1/s)"


def test_root_locus_over_an_input(swivel: Equations) -> None:
    locus = root_locus(straight(swivel, a=0.3), "attachment.speed", [0.5, 1.0, 2.0])
    # at the critical distance the real one is -v/l, the pair does not change
    for v, row in zip(locus.values, locus.eigenvalues, strict=True):
        assert row.real.min() == pytest.approx(-v, rel=1e-12)
        assert row.imag.max() == pytest.approx(1.0, rel=1e-12)


def test_unknown_names_are_refused(swivel: Equations) -> None:
    with pytest.raises(ModelError, match=r"no state 'angle'"):
        linearize(swivel, {"angle": 0.0})
    with pytest.raises(ModelError, match=r"the state has 4 values, got shape \(3,\)"):
        linearize(swivel, np.zeros(3))
    with pytest.raises(ModelError, match="'actual' or 'held'"):
        linearize(swivel, motion="free")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no state 'w'"):
        straight(swivel).modes()[0].ratio("w", "strut.deflection")


# The rolling disk


@pytest.mark.parametrize("v", [0.05, 0.2, 0.4116, 0.55, 0.6, 0.75, 1.0])
def test_rolling_disk_has_the_closed_eigenvalues(disk: Equations, v: float) -> None:
    found = linearize(disk, {"disk.lean_rate": 0.0, "disk.pitch_rate": v})
    square = 0.8 * (1 - 3 * v**2)
    pair = found.eigenvalues()
    assert pair**2 == pytest.approx([square] * 2, abs=1e-14)
    every = found.eigenvalues(zeros=True)
    assert every.shape == (8,)
    np.testing.assert_array_equal(every[2:], 0)  # a matrix that is defective there
    assert np.trace(np.linalg.matrix_power(found.state_matrix, 2)) / 2 == pytest.approx(
        square, abs=1e-12
    )
    # s⁶ (s² - λ²), nothing else
    expected = np.concatenate([[1, 0, -square], np.zeros(6)])
    assert np.poly(found.state_matrix) == pytest.approx(expected, abs=1e-12)


def test_rolling_disk_grows_as_printed(disk: Equations) -> None:
    found = linearize(disk, {"disk.lean_rate": 0.0})
    assert found.eigenvalues()[0] == pytest.approx(0.62722, abs=5e-6)


@pytest.mark.parametrize("v", [0.7, 1.0])
def test_slalom_of_the_disk_has_yaw_and_lean_a_quarter_apart(disk: Equations, v: float) -> None:
    found = linearize(disk, {"disk.lean_rate": 0.0, "disk.pitch_rate": v})
    [slalom] = [m for m in found.modes() if m.eigenvalue.imag > 0.1]
    # (1/4) ψ'' = -(1/2) v φ'
    expected = 2j * v / np.sqrt(0.8 * (3 * v**2 - 1))
    assert slalom.ratio("disk.yaw", "disk.lean") == pytest.approx(expected, rel=1e-10)


def test_six_zero_eigenvalues_of_the_disk_are_explained(disk: Equations) -> None:
    found = linearize(disk, {"disk.lean_rate": 0.0})
    reasons = found.expected_zeros()
    assert set(reasons) == {"disk.yaw", "disk.pitch", "contact.x", "contact.y"}
    cyclic = [name for name, why in reasons.items() if "cyclic" in why]
    assert cyclic == ["disk.yaw", "disk.pitch"]
    # a cyclic degree of freedom stands for a pair, a kinematic coordinate for one
    assert 2 * len(cyclic) + len(reasons) - len(cyclic) == 6
    assert set(found.structural_zeros) == {*reasons, "disk.yaw_rate", "disk.pitch_rate"}


def test_disk_at_rest_has_a_manifold_of_equilibria(disk: Equations) -> None:
    found = linearize(disk, {"disk.lean_rate": 0.0, "disk.pitch_rate": 0.0})
    assert not found.B_d.any() and not found.B_k.any()
    assert "contact.x" in found.expected_zeros()


def test_equilibrium_has_a_vanishing_root_for_each_constraint(swivel: Equations) -> None:
    stiffness, swivelling = 0.3, 0.4
    found = linearize(
        swivel,
        {"swivel.angle": 0.0},
        parameters={"swivel.stiffness": swivelling},
        inputs={"attachment.speed": 0.0},
    )
    assert not found.B_d.any() and not found.B_k.any()
    assert found.K_k.item() == pytest.approx(swivelling, rel=1e-13)
    reasons = found.expected_zeros()
    assert set(reasons) == {"swivel.angle", "attachment.x"}
    assert "manifold of equilibria" in reasons["swivel.angle"]
    # its mode: Δq^k = 1, Δq^d = -K^d⁻¹ K^k
    assert set(found.structural_zeros) == {"swivel.angle", "attachment.x"}
    zeros = [m for m in found.modes(zeros=True) if abs(m.eigenvalue) < 1e-12]
    assert len(zeros) == 2
    [still] = [m for m in zeros if abs(m.shape["swivel.angle"]) > 0.1]
    assert still.ratio("strut.deflection", "swivel.angle") == pytest.approx(
        -swivelling / stiffness, rel=1e-12
    )


@cache
def at_rest(holonomic: bool) -> AtRest:
    return AtRest(holonomic)


@pytest.mark.parametrize("load", [-2.0, -0.5, 0.0, 0.7, 3.0])
def test_bottema_asymmetric_stiffness(load: float) -> None:
    found, integrated = at_rest(False).at(load), at_rest(True).at(load)
    assert found.K_d == pytest.approx(np.array([[1, load - 1], [-1, 2]]), abs=1e-14)
    assert integrated.K_d == pytest.approx(np.array([[1, -1], [-1, 2]]), abs=1e-14)
    squares = -1 + np.array([1, -1]) * np.emath.sqrt((1 - load) / 2)
    expected = np.concatenate([[0], np.emath.sqrt(squares), -np.emath.sqrt(squares)])
    for value in expected:
        assert np.abs(found.eigenvalues(zeros=True) - value).min() < 1e-13
    assert np.abs(integrated.eigenvalues().real).max() < 1e-14


def steered_knife(through_state: bool) -> Linearization:
    """A knife edge at speed 2 that is steered by how far it is off its course."""
    model = Model("steered knife")
    A, heading = model.point("A", (0, 0)), model.angle("heading")
    locked = model.angle("locked", fixed=True)
    A.x.prescribe(2.0 * model.time)
    knife = model.add(PlanarWheel("knife", A, heading, locked, radius=1.0))
    knife.longitudinal.release()
    model.add(Body("body", A, heading, mass=1.0, inertia=1.0))
    offset, turned = A.y.kinematic("offset"), heading.angle.dof("heading")
    memory = model.state("memory", 0.25 * turned.value)
    turned.law(3.0 * (8 * memory if through_state else offset.value))
    return linearize(model.equations())


@pytest.mark.parametrize("through_state", [False, True])
def test_a_coordinate_that_is_felt_indirectly_gives_no_zero(through_state: bool) -> None:
    found = steered_knife(through_state)
    # λ³ = -6: the heading is felt through the offset or the memory only; the other one by nobody
    expected = {"offset"} if through_state else {"memory"}
    assert set(found.expected_zeros()) == expected
    assert set(found.structural_zeros) == expected
    assert np.abs(found.eigenvalues()) == pytest.approx([6 ** (1 / 3)] * 3, rel=1e-12)


def test_zero_of_the_distance_that_the_swivel_wheel_travels(swivel: Equations) -> None:
    found = straight(swivel)
    assert set(found.expected_zeros()) == {"attachment.x"}


# Everything else: differences of the eighth order

WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Of the central difference of eighth order."""


def differences(point: Evaluation, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return d(derivative, output)/d(states, inputs), and the size of a unit of each variable."""
    equations = point.equations
    sizes = np.array([s.nominal for s in equations.states] + [max(1.0, abs(u)) for u in point.u])
    saved = point.save()
    s, u = point.s.copy(), point.u.copy()
    ns = s.size

    def values(change: np.ndarray) -> np.ndarray:
        point.s[:], point.u[:] = s + change[:ns], u + change[ns:]
        point.configure()
        return np.concatenate([point.derivative(), point.output()])

    columns = []
    for i, size in enumerate(sizes):
        unit = np.zeros(sizes.size)
        unit[i] = step * size
        columns.append(
            sum(w * (values(k * unit) - values(-k * unit)) for k, w in enumerate(WEIGHTS, start=1))
            / (step * size)
        )
    point.restore(saved)
    return np.array(columns).T, sizes


@dataclass
class Case:
    """A model away from equilibrium."""

    model: Callable[[], Model]
    parameters: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, float] = field(default_factory=dict)
    about: dict[str, float] = field(default_factory=dict)
    spread: float = 0.3
    """How far random states go, in nominal values."""
    step: float = 1e-2
    seeds: int = 3


def beam_pendulum() -> Model:
    """A flexible spatial beam that hangs from a moving hinge, two elements, with damping."""
    model = Model("beam pendulum", gravity=(0.5, 0.2, -9.81))
    turn = model.input("hub.acceleration")
    hub = model.state("hub.rate", turn, 1.5)
    angle = model.state("hub.angle", hub)
    top = model.point("top", (0, 0, 0), fixed=True)
    axis, arm = model.rotation("axis"), model.rotation("arm")
    model.add(Hinge("drive", model.ground, axis, axis=(0, 0, 1))).angle.prescribe(angle)
    model.add(Hinge("swing", axis, arm, axis=(0, 1, 0))).angle.dof("swing", start=0.2)
    p, p_turn = top, arm
    for i in range(2):
        q, q_turn = model.point(f"p{i}", (0, 0, -0.5 * (i + 1))), model.rotation(f"r{i}")
        beam = model.add(
            SpatialBeam(
                f"beam {i}", p, p_turn, q, q_turn,
                axial_stiffness=3e2, torsional_stiffness=4.0, bending_stiffness_y=6.0,
                bending_stiffness_z=9.0, damping=0.02, mass_per_length=0.7, polar_inertia=1e-2,
                rotary_inertia_y=5e-3, rotary_inertia_z=5e-3,
            )
        )  # fmt: skip
        for name, strain in beam.deformations.items():
            strain.dof(f"beam{i}.{name}", nominal=0.1)
        p, p_turn = q, q_turn
    model.output("tip.x", p.position[0])
    model.output("tip.acceleration", p.acceleration[2])
    model.output("hinge.force", top.z.reaction)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


def driven_sleigh() -> Model:
    """A sleigh whose motor and rudder are auxiliary states that feel the motion."""
    model = Model("driven sleigh")
    demand, demand_rate = model.input("rudder.demand", 0.2), model.input("rudder.demand_rate")
    rate = model.state("rudder.rate")
    rudder = model.state("rudder.angle", rate, 0.1)
    pressure = model.state("motor.pressure", start=0.5)
    C, gamma = model.point("C", (0, 0)), model.angle("gamma")
    R, keel = model.point("R", (-1.2, 0)), model.angle("keel")
    model.add(RigidLink("hull", R, gamma, C))
    model.add(Body("load", C, gamma, mass=2.0, inertia=0.7))
    locked = model.angle("locked", fixed=True)
    joint = model.add(Bearing("stock", R, gamma, R, keel))
    for strain in (joint.x, joint.y):
        strain.release()
    joint.rotation.prescribe(rudder)
    knife = model.add(PlanarWheel("keel", R, keel, locked, radius=1.0))
    knife.longitudinal.release().law(0.3 * knife.longitudinal.velocity * ca.cos(rudder))
    x = C.x.dof("x", rate_start=1.0)
    turned = gamma.angle.dof("gamma")
    y = C.y.kinematic("y")
    y.spring(0.5, 0.1)
    model.derivative(
        "rudder.rate", 9 * (demand - rudder) - 2 * rate + 0.4 * demand_rate - turned.rate * x.rate
    )
    model.derivative("motor.pressure", 1 - pressure * x.rate + 0.3 * ca.sin(y.value) + 0.2 * y.rate)
    thrust = pressure**2
    model.force(C, thrust * ca.vertcat(ca.cos(gamma.value), ca.sin(gamma.value)))
    model.output("keel.force", knife.lateral.force)
    model.output("stock.moment", joint.rotation.stress)
    model.output("power", thrust * x.rate)
    model.output("C.acceleration", C.acceleration[1])
    return model


LOADS = {"drive.force": 800.0, "load.force_x": 300.0, "load.force_y": -500.0}
CASES = {
    "swivel wheel": Case(
        caster.model,
        {"strut.damping": 0.2, "swivel.damping": 0.1, "swivel.stiffness": 0.3},
        {"attachment.speed": 1.7, "attachment.acceleration": 0.6, "swivel.torque": 0.5},
        {"swivel.angle": 0.4},
        spread=3.0,
    ),
    "flexible caster": Case(
        caster_flexible.model, inputs={"attachment.acceleration": 0.4}, spread=0.2, step=3e-2
    ),
    "rolling disk": Case(
        rolling_disk.model,
        {"disk.mass": 1.3, "disk.radius": 0.8},
        {"axle.torque": 0.2, "yaw.torque": -0.1},
        {"disk.lean": 0.2, "disk.pitch_rate": 1.2},
    ),
    **{
        f"vehicle, {name}": Case(
            vehicle.model,
            {"steering": law},
            {"steer.angle": 0.3, "steer.rate": 0.4, **LOADS},
            {"chassis.speed": 8.0, "steer.actuator_angle": 0.2},
            spread=0.1,
        )
        for law, name in enumerate(("lag", "direct", "speed law"), start=1)
    },
    "clearance joint": Case(
        clearance_joint.model,
        {"joint.restitution": 0.9, "joint.friction": 0.2, "joint.friction_speed": 1.0},
        {"crank.acceleration": 2e3, "slider.force": 100.0},
        {
            "joint.x": 5.3e-4,
            "joint.y": 2e-4,
            "joint.x_rate": 0.6,
            "joint.y_rate": 0.4,
            "crank.angle": 0.7,
        },
        spread=0.2,
    ),
    "beam pendulum": Case(beam_pendulum, inputs={"hub.acceleration": 0.7}, spread=0.2, seeds=2),
    "driven sleigh": Case(driven_sleigh, inputs={"rudder.demand_rate": 0.3}, spread=0.3),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.heavy) if n in ("beam pendulum", "flexible caster") else n
        for n in CASES
    ],
)
def test_linearization_agrees_with_differences_of_eighth_order(name: str) -> None:
    # [Schwab2002] (2.12), (2.39), (A.112)
    case = CASES[name]
    equations = equations_of(case.model)
    linearizer = Linearizer(equations)
    states = equations.states
    for seed in range(case.seeds):
        random = np.random.default_rng(seed)
        start = {
            s.name: case.about.get(s.name, s.start)
            + case.spread * s.nominal * random.uniform(-1, 1)
            for s in states
        }
        # a brake that is off has the end of its range there, where quotients would see a kink
        braked = {"brake.force": 400.0} if name.startswith("vehicle") else {}
        point = Evaluation(equations, case.parameters, {**(case.inputs or {}), **braked})
        point.start(start)
        assert np.abs(point.derivative()[: len(states)]).max() > 1e-2  # no equilibrium
        if name == "clearance joint":
            assert point.d[0] == 1.0  # in contact
        found = linearizer.at_point(point)
        exact = np.block(
            [
                [found.state_matrix, found.input_matrix],
                [found.output_matrix, found.feedthrough],
            ]
        )
        numeric, sizes = differences(point, case.step)
        scale = np.maximum(np.abs(exact * sizes).max(axis=1, keepdims=True), 1e-6)
        error = np.abs((exact - numeric) * sizes) / scale
        row, column = np.unravel_index(np.argmax(error), error.shape)
        assert error.max() < 1e-8, (row, column, exact[row, column], numeric[row, column])


@pytest.mark.heavy
def test_state_matrix_is_made_of_the_reduced_matrices() -> None:
    equations = equations_of(beam_pendulum)
    state = {"swing": 0.4, "swing_rate": 1.0, "beam0.elongation": 0.01}
    found = linearize(equations, state, unsteady=True)
    nd = found.degrees_of_freedom
    for block, columns in ((found.C, slice(0, nd)), (found.K_d, slice(nd, 2 * nd))):
        ours = -np.linalg.solve(found.M, block)
        assert found.state_matrix[:nd, columns] == pytest.approx(ours, rel=1e-10, abs=1e-8)
    assert np.allclose(found.M, found.M.T, rtol=0, atol=1e-12)


# Held and actual motion


def governor(speed: float = 2.5) -> Equations:
    """A pendulum in a plane that turns about the vertical."""
    model = Model("governor", gravity=(0, 0, -9.81))
    axis, arm = model.rotation("axis"), model.rotation("arm")
    turned = model.add(Hinge("drive", model.ground, axis, axis=(0, 0, 1))).angle
    turned.prescribe(speed * model.time)
    # a positive turn about y swings what hangs down towards -x
    model.add(Hinge("swing", axis, arm, axis=(0, 1, 0))).angle.dof("swing")
    origin = model.point("pivot", (0, 0, 0), fixed=True)
    model.add(Body("bob", origin, arm, mass=1.3, inertia=(0, 0, 0), offset=(0, 0, -0.8)))
    return model.equations()


@pytest.mark.parametrize("motion", ["held", "actual"])
def test_forces_that_hold_a_rotating_pendulum(motion: str) -> None:
    # [Schwab2002] (2.38)
    m, l, g, W, swing, rate = 1.3, 0.8, 9.81, 2.5, 0.9, 1.7  # noqa: E741
    state = {"swing": swing, "swing_rate": rate}
    found = linearize(governor(W), state, time=0.3, motion=motion, unsteady=True)  # type: ignore[arg-type]
    held = m * g * l * np.sin(swing) - m * l**2 * W**2 * np.sin(swing) * np.cos(swing)
    expected = held if motion == "held" else 0.0
    assert found.f_d.item() == pytest.approx(expected, rel=1e-13, abs=1e-13)
    assert found.M.item() == pytest.approx(m * l**2, rel=1e-13)
    assert found.C.item() == pytest.approx(0, abs=1e-13)
    stiffness = m * g * l * np.cos(swing) - m * l**2 * W**2 * np.cos(2 * swing)
    assert found.K_d.item() == pytest.approx(stiffness, rel=1e-12)


def test_actual_motion_adds_what_the_mass_changes_by(swivel: Equations) -> None:
    phi, state = 0.6, {"swivel.angle": 0.6, "strut.deflection": 0.4, "strut.deflection_rate": 0.7}
    actual = linearize(swivel, state, unsteady=True)
    held = linearize(swivel, state, motion="held")
    # M = m [sin²φ + cos²φ (a² + r²)/l²]
    slope = 2 * np.sin(phi) * np.cos(phi) * (1 - 0.25)
    point = Evaluation(swivel)
    point.start(state)
    acceleration = point.derivative()[0]
    assert held.f_d.item() == pytest.approx(-held.M.item() * acceleration, rel=1e-12)
    assert (actual.K_k - held.K_k).item() == pytest.approx(slope * acceleration, rel=1e-12)
    for name in ("M", "C", "K_d", "A", "B_d", "B_k"):
        assert getattr(actual, name) == pytest.approx(getattr(held, name), abs=1e-13)


# The index formulas of Appendix A


INDEXED = (
    "swivel wheel",
    "rolling disk",
    "vehicle, lag",
    "clearance joint",
    "beam pendulum",
    "driven sleigh",
    "flexible caster",
)


@pytest.mark.parametrize("motion", ["actual", "held"])
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.heavy) if n == "beam pendulum" else n for n in INDEXED],
)
def test_index_formulas_agree_term_by_term(name: str, motion: str) -> None:
    # [Schwab2002] (A.56), (A.64), (A.99), (A.102), (A.104), (A.108), (A.113), (A.114), (A.115),
    # (A.116), (A.117), (A.118)
    case = CASES[name]
    equations = equations_of(case.model)
    point = Evaluation(equations, case.parameters, case.inputs)
    random = np.random.default_rng(7)
    point.start(
        {
            s.name: case.about.get(s.name, s.start)
            + case.spread * s.nominal * random.uniform(-1, 1)
            for s in equations.states
        }
    )
    found = Linearizer(equations).at_point(point, motion)
    terms = index_formulas(equations, point, motion)
    nd, nk = found.degrees_of_freedom, found.kinematic_coordinates
    for label, value in terms.C.items():
        assert value.shape == (nd, nd), label
    for label, value in terms.K.items():
        assert value.shape == (nd, nd + nk), label
    for label, value in terms.B.items():
        assert value.shape == (nk, nd + nk), label
    size = max(np.abs(v).max(initial=0.0) for group in (terms.C, terms.K) for v in group.values())
    for label, value in terms.matrices.items():
        ours = getattr(found, label)
        assert ours.shape == value.shape, label
        bound = 1e-9 * max(np.abs(value).max(initial=0.0), 1e-3 * size)
        assert np.abs(ours - value).max(initial=0.0) <= bound, label


def test_every_term_of_the_swivel_wheel_counts(swivel: Equations) -> None:
    case = CASES["swivel wheel"]
    point = Evaluation(swivel, case.parameters, case.inputs)
    point.start({"swivel.angle": 0.7, "strut.deflection": 0.2, "strut.deflection_rate": 0.9})
    terms = index_formulas(swivel, point, "actual")
    for label in ("s", "f", "d2", "h2", "m", "g1", "g2", "g3"):
        assert np.abs(terms.K[label]).max() > 1e-2, label
    for label in ("d", "g", "h"):
        assert np.abs(terms.C[label]).max() > 1e-2, label


# Handing on


def test_state_space_of_the_control_package(swivel: Equations) -> None:
    pytest.importorskip("control", reason="the package control is not installed")
    found = straight(swivel, a=0.3)
    system = found.to_control()
    assert np.array_equal(system.A, found.state_matrix)
    assert np.array_equal(system.D, found.feedthrough)
    assert list(system.state_labels) == [n.replace(".", "_") for n in found.state_names]


def test_missing_control_package_is_named(
    swivel: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "control", None)
    with pytest.raises(ModelError, match="pip install control"):
        straight(swivel).to_control()
