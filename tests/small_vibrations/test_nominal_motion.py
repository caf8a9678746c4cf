"""Nominal motions and the matrices along them, against closed forms and single linearizations."""

from __future__ import annotations

from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest
from scipy.special import jv

from mbcore import (
    Body,
    ConfigurationError,
    Coupling,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    RigidLink,
    linearize,
)
from mbcore.contact import Impact, unilateral_contact
from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.nominal_samples import _held
from mbcore.small_vibrations.gross_motion import _refuse_other_period
from mbcore.vibration import nominal_motion
from tests.small_vibrations.models import (
    DAMPING,
    ECCENTRICITY,
    NATURAL,
    RADIUS,
    excited_pendulum,
    skate,
)

SPEED = 1.9
PERIOD = 2 * np.pi / SPEED


def test_matrices_of_the_pendulum_are_those_of_its_equation() -> None:
    """[Schwab2002] (4.19), with ρ = r/l = 0.5."""
    # [Schwab2002] (2.10), (2.11)
    nominal = nominal_motion(excited_pendulum().equations(), PERIOD, 16, {"omega": SPEED})
    t = nominal.time
    assert t == pytest.approx(PERIOD * np.arange(16) / 16)
    stiffness = NATURAL**2 + (1 + ECCENTRICITY) * RADIUS * SPEED**2 * np.cos(SPEED * t)
    friction = 2 * DAMPING * NATURAL
    force = friction * SPEED - (1 - ECCENTRICITY) * RADIUS * SPEED**2 * np.sin(SPEED * t)
    assert nominal.M[:, 0, 0] == pytest.approx(np.ones(16), abs=1e-12)
    assert nominal.C[:, 0, 0] == pytest.approx(np.full(16, friction), abs=1e-12)
    assert nominal.K[:, 0, 0] == pytest.approx(stiffness, abs=1e-11)
    assert nominal.f[:, 0] == pytest.approx(force, abs=1e-11)
    assert not nominal.states.any()
    assert nominal.forces["pivot.angle"] == pytest.approx(-force, abs=1e-11)


def test_matrices_are_those_of_single_linearizations() -> None:
    # [Schwab2002] (2.13), (A.114), (A.115), (A.116), (A.117)
    equations = skate().equations()
    nominal = nominal_motion(equations, 2 * np.pi / 3, 8)
    for time, state, *rest in zip(
        nominal.time, nominal.states, nominal.M, nominal.C, nominal.K, nominal.A, strict=True
    ):
        one = linearize(equations, state, time=float(time), motion="held")
        for found, wanted in zip(rest, (one.M, one.C, one.K_k, one.A), strict=True):
            assert found == pytest.approx(wanted, abs=1e-13)


def test_kinematic_coordinates_advance() -> None:
    """A skate with heading a sin 3t goes on by v T J_0(a), and y comes back."""
    # [Schwab2002] (A.109)
    nominal = nominal_motion(skate(0.4, 2.0).equations(), 2 * np.pi / 3, 16)
    heading = 0.4 * np.sin(3 * nominal.time)
    assert nominal.advance == pytest.approx([0, 2 * 2 * np.pi / 3 * jv(0, 0.4), 0], abs=1e-9)
    assert nominal.A[:, :, 0] == pytest.approx(
        np.column_stack([np.cos(heading), np.sin(heading)]), abs=1e-12
    )
    assert not nominal.B.any()
    assert nominal.f[:, 0] == pytest.approx(0.0, abs=1e-12)
    # m v times the rate of the heading, towards the left; the blade feels the opposite
    side = 2.0 * 2.0 * 1.2 * np.cos(3 * nominal.time)
    assert nominal.held_outputs["side"] == pytest.approx(-side, abs=1e-10)


def test_inputs_may_be_functions_of_time() -> None:
    model, mass = Model("pushed"), None
    point = model.point("mass", (0, 0))
    point.y.fix()
    mass = point.x.dof("x", "v")
    mass.spring(8.0, 0.1)
    mass.law(-model.input("force", unit="N"))
    model.add(Body("mass", point, mass=2.0))
    nominal = nominal_motion(
        model.equations(), np.pi, 12, inputs={"force": lambda t: 3 * np.cos(2 * t)}
    )
    assert nominal.f[:, 0] == pytest.approx(-3 * np.cos(2 * nominal.time), abs=1e-12)
    # 3 / (8 - 2 * 4 + 0.2 i), half of it in the coefficient of exp(2it)
    assert nominal.periodic(2).harmonics("x")[1] == pytest.approx(1.5 / 0.2j)
    with pytest.raises(ModelError, match=r"input force is 0 at 0 and 1 after .* give its period"):
        nominal_motion(model.equations(), 1.0, inputs={"force": lambda t: t})
    with pytest.raises(ModelError, match=r"no input 'push'; there is force"):
        nominal_motion(model.equations(), 1.0, inputs={"push": lambda t: t})


def test_rates_of_inputs_that_contradict_them_are_told() -> None:
    """A mass on a spring in a slot that an input swings: x'' + (900 - φ'²) x = φ'²."""
    model = Model("slot")
    rates = [model.input("second_rate")]
    rates.append(model.input("rate", rate=rates[0]))
    angle = model.input("angle", rate=rates[1])
    centre, table = model.point("centre", (0, 0), fixed=True), model.angle("table")
    mass = model.point("mass", (1, 0))
    table.angle.prescribe(angle)
    link = model.add(RigidLink("link", centre, table, mass, offset=(1, 0)))
    link.x.dof("x", "v").spring(900.0)
    model.add(Body("mass", mass, mass=1.0))
    equations = model.equations()
    right = {
        "angle": lambda t: 0.3 * np.sin(2 * t),
        "rate": lambda t: 0.6 * np.cos(2 * t),
        "second_rate": lambda t: -1.2 * np.sin(2 * t),
    }
    nominal = nominal_motion(equations, np.pi, 12, inputs=right)
    rate = 0.6 * np.cos(2 * nominal.time)
    assert nominal.K[:, 0, 0] == pytest.approx(900.0 - rate**2, abs=1e-10)
    with pytest.warns(ModelWarning, match="input angle changes by .* but its rate rate is"):
        nominal_motion(equations, np.pi, 12, inputs={**right, "rate": 0.0, "second_rate": 0.0})


def test_rounding_alone_is_no_change_of_a_period() -> None:
    """Rates of kinematic coordinates that do not depend on these leave 1e-16 in A."""
    equations = skate().equations()
    nd, nk = equations.dofs, len(equations.states) - 2 * equations.dofs + equations.speeds
    shapes = {"M": (nd, nd), "C": (nd, nd), "K": (nd, len(equations.states) - nd), "f": (nd,)}
    shapes |= {"A": (nk, nk), "B": (nk, nd)}
    found = SimpleNamespace(**{name: np.zeros((3, *shape)) for name, shape in shapes.items()})
    for of in (found.A, found.B):
        of[1] = 1e-16
        _refuse_other_period(equations, found, 1, 0, 4.0, np.zeros(len(equations.states)))
        of[1] = 1e-3
        with pytest.raises(ModelError, match="does not repeat"):
            _refuse_other_period(equations, found, 1, 0, 4.0, np.zeros(len(equations.states)))
        of[1] = 0.0


@pytest.mark.parametrize("period", [0.5 * PERIOD, 0.7 * PERIOD, 1.01 * PERIOD])
def test_a_period_that_contradicts_the_motion_is_refused(period: float) -> None:
    """Half the period too, where sines are zero at both ends."""
    equations = excited_pendulum().equations()
    with pytest.raises(
        ModelError, match=r"does not repeat after the period of .* in the row of ph"
    ):
        nominal_motion(equations, period, parameters={"omega": SPEED})


def test_a_multiple_of_the_period_is_one() -> None:
    equations = excited_pendulum().equations()
    twice = nominal_motion(equations, 2 * PERIOD, parameters={"omega": SPEED})
    once = nominal_motion(equations, PERIOD, 32, parameters={"omega": SPEED})
    assert twice.K[:32] == pytest.approx(once.K)
    harmonics = twice.periodic(8).harmonics("phi")
    assert harmonics[::2] == pytest.approx(once.periodic(4).harmonics("phi"), abs=1e-12)
    assert harmonics[1::2] == pytest.approx(0.0, abs=1e-12)


def test_wrong_arguments_are_refused() -> None:
    equations = excited_pendulum().equations()
    for wrong, told in (
        ({"period": -1.0}, "period = -1"),
        ({"period": PERIOD, "samples": 3}, "samples = 3; give a whole number of at least 4"),
        ({"period": PERIOD, "start": {"phi_rate": 1.0}}, "phi_rate = 1; degrees of freedom are"),
        ({"period": PERIOD, "start": {"psi": 1.0}}, "no state 'psi'"),
    ):
        with pytest.raises(ModelError, match=told):
            nominal_motion(equations, **wrong)  # type: ignore[arg-type]


def test_auxiliary_states_are_refused_by_name() -> None:
    model = skate()
    model.state("work", model.time)
    with pytest.raises(ModelError, match="auxiliary states work, which a held motion"):
        nominal_motion(model.equations(), 2 * np.pi / 3)


def test_closed_contacts_are_refused_by_name() -> None:
    model = Model("standing", gravity=(0, -9.81))
    ball = model.point("ball", (0, 0))
    ball.x.fix()
    ball.y.dof("height", "speed")
    model.add(Body("ball", ball, mass=0.3))
    gap = ball.y.value - 0.1 * ca.sin(model.time)
    unilateral_contact(model, "floor", gap, Impact(restitution=0.0))
    with pytest.raises(ModelError, match=r"floor.*motions may open the contact"):
        nominal_motion(model.equations(), 2 * np.pi)


def test_a_mass_that_vanishes_on_the_way_is_refused_by_name() -> None:
    """A mass at the end of a bar that is drawn in to no length: then turning moves no mass."""
    model = Model("shrinking")
    pivot, mass = model.point("pivot", (0, 0), fixed=True), model.point("mass", (2, 0))
    bar = model.angle("bar")
    bar.angle.dof("turn", "turn_rate").spring(1.0)
    link = model.add(RigidLink("link", pivot, bar, mass, offset=(2, 0)))
    link.x.prescribe(ca.cos(model.time) - 1)
    model.add(Body("mass", mass, mass=1.0))
    nominal = nominal_motion(model.equations(), 2 * np.pi, 16)
    assert nominal.M[:, 0, 0] == pytest.approx((1 + np.cos(nominal.time)) ** 2, abs=1e-12)
    with pytest.raises(ConfigurationError, match="no mass moves with turn_rate"):
        nominal.periodic(4)


def test_compiled_rows_are_read_with_generalized_speeds_before_them() -> None:
    """The skate's only degree of freedom has no value: its coordinates follow right behind."""
    # [Schwab2002] (A.117)
    equations = skate(0.4, 2.0).equations()
    point = Evaluation(equations)
    point.t[0] = 0.2
    point.start()
    arguments = [point.t, point.s, point.d, point.u, point.p, point.x]
    values = np.ravel(equations.functions["held"](*arguments).full())
    change = equations.functions["held_change"]
    unit = np.eye(change.size1_in(change.n_in() - 1))
    changes = np.hstack([change(*arguments, column).full() for column in unit])
    found = _held(equations, values[None], changes[None])
    heading = 0.4 * np.sin(3 * 0.2)
    along = np.array([np.cos(heading), np.sin(heading)])
    assert found.A[0, :, 0] == pytest.approx(along, abs=1e-12)
    assert found.rates[0] == pytest.approx(2.0 * along, abs=1e-12)


def test_each_sample_has_its_own_side_of_a_kink() -> None:
    """With y = cos(2 π t) x, max(y, 0) follows x upwards where the cosine is positive alone."""
    model = Model("kinked")
    place, share = model.point("place"), ca.cos(2 * np.pi * model.time)
    x, y = place.x.dof("x"), place.y.release()
    x.spring(4.0)
    model.add(Coupling("tilt", y.value - share * x.value))
    model.add(Body("mass", place, mass=1.0))
    model.output("above", ca.fmax(y.value, 0))
    nominal = nominal_motion(model.equations(), 1.0, 8, backend="python")
    slopes = nominal.matrices.output_by_state[:, 0, 1]
    assert slopes == pytest.approx(np.maximum(np.cos(2 * np.pi * nominal.time), 0), abs=1e-12)


def test_outputs_contain_what_the_state_adds_to_accelerations() -> None:
    """The bob of a pendulum of length b, on a crank that turns with ω: x'' = -b cos(ω t + q) ω²."""
    # [Schwab2002] (A.113): x, then v and a follow the state
    omega, crank, rod = 1.5, 0.4, 0.7
    model = Model("bob")
    turn, swing = model.angle("turn"), model.angle("swing")
    pin, bob = model.point("pin", (crank, 0)), model.point("bob", (crank + rod, 0))
    turn.angle.prescribe(omega * model.time)
    model.add(PlanarHinge("joint", turn, swing)).angle.dof("q")
    model.add(RigidLink("crank", model.point("pivot", (0, 0), fixed=True), turn, pin))
    model.add(RigidLink("rod", pin, swing, bob))
    model.add(Body("mass", bob, mass=1.0))
    model.output("felt", bob.x.acceleration)
    nominal = nominal_motion(model.equations(), 2 * np.pi / omega, 8, backend="python")
    turned = omega * nominal.time
    by_rate, by_value = nominal.matrices.output_by_state[:, 0].T
    assert by_rate == pytest.approx(-2 * omega * rod * np.cos(turned), abs=1e-12)
    assert by_value == pytest.approx(omega**2 * rod * np.sin(turned), abs=1e-12)
