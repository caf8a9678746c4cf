"""Periodic motions asked for wrongly: what returned wrong numbers without a word."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model
from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError, ModelWarning, SimulationError
from mbcore.vibration import (
    AppliedForce,
    Equilibria,
    Periodic,
    PeriodicOptions,
    continuation,
    nominal_motion,
    periodic_solution,
    stability_boundary,
)
from tests.oscillators import duffing, slider
from tests.small_vibrations.models import mathieu


def forced() -> Equations:
    """Return x'' + 0.2 x' + 4 x = F(t)."""
    model = Model("forced")
    point = model.point("point", (0, 0))
    point.y.fix()
    force = model.input("force", unit="N")
    point.x.dof("x", "v").law(0.2 * point.x.rate + 4 * point.x.value - force)
    model.add(Body("mass", point, mass=1.0))
    model.output("place", point.position[0], unit="m")
    return model.equations()


def test_samples_that_take_a_harmonic_for_a_lower_one_are_told() -> None:
    model = slider("fast", lambda model, x, v: 0.2 * v + 4 * x - ca.cos(9 * model.time))
    equations = model.equations()
    with pytest.warns(ModelWarning, match=r"8 samples in the period .* too few"):
        nominal_motion(equations, 2 * np.pi, samples=8)
    found = nominal_motion(equations, 2 * np.pi, samples=24).periodic(9)
    # closed form of x'' + 0.2 x' + 4 x = cos 9 t
    assert found.amplitude("x") == pytest.approx(1 / np.hypot(4 - 81, 1.8), rel=1e-9)


def test_pulse_between_samples_is_told() -> None:
    def pulse(t: float) -> float:
        return 50.0 if 4.40 < t % (2 * np.pi) < 4.44 else 0.0

    with pytest.warns(ModelWarning, match="give more samples"):
        nominal_motion(forced(), 2 * np.pi, inputs={"force": pulse})


def test_other_period_of_what_multiplies_the_state_is_refused() -> None:
    # at rest nothing depends on time, but what excites Mathieu's equation has the period π
    equations, chosen = mathieu().equations(), {"c": 0.05}
    with pytest.raises(SimulationError, match="has another period"):
        periodic_solution(equations, 1.234, parameters=chosen)
    assert not periodic_solution(equations, np.pi, parameters=chosen).stable
    with pytest.raises(ModelError, match="depends on time"):
        periodic_solution(equations, np.pi, autonomous=True, parameters=chosen)


def test_undamped_motions_are_stable_where_multipliers_are_on_the_circle() -> None:
    # stable between the tongues of Mathieu's equation, unstable inside the first one
    equations = mathieu().equations()
    for a, stable in ((0.3, True), (0.5, True), (2.0, True), (3.0, True), (1.0, False)):
        found = periodic_solution(equations, np.pi, parameters={"a": a, "q": 0.05})
        assert found.stable == stable


def test_stability_boundary_passes_over_coordinates_nothing_depends_on() -> None:
    model = Model("beside")
    point = model.point("point", (0, 0))
    damping = model.parameter("damping", 0.1)
    stiffness = 4 + 0.1 * ca.cos(2 * model.time)
    point.x.dof("x", "v").law(damping * point.x.rate + stiffness * point.x.value)
    point.y.dof("y", "w").law(0.3 * point.y.rate)
    model.add(Body("mass", point, mass=1.0))
    equations = model.equations()

    def at(value: float) -> object:
        return nominal_motion(equations, np.pi, parameters={"damping": value}).small_motions

    found = stability_boundary(at, (0.3, -0.3))
    # Liouville: the product of both multipliers is exp(-damping T), one for a pair on the circle
    # unless the second tongue, of width (5 + 1) q²/12 with q = 0.05, is met
    assert abs(found.value) < 0.01
    assert abs(abs(found.multiplier) - 1) < 1e-9


@pytest.mark.parametrize(
    "given",
    [
        {"force": lambda t: [np.sin(t / 2)]},  # zero at both ends of the period
        {"law": lambda y, v, t: np.sin(0.37 * t)[:, None]},
    ],
)
def test_applied_force_of_another_period_is_refused(given: dict) -> None:
    nominal = nominal_motion(forced(), 2 * np.pi)
    with pytest.raises(ModelError, match=r"changes by .* in the period"):
        nominal.with_forces(AppliedForce(("force",), ("place",), **given)).periodic()


def test_averaging_tells_of_second_order_in_long_times() -> None:
    # in the second tongue of Mathieu's equation motions grow, which first order does not show
    nominal = nominal_motion(mathieu().equations(), np.pi, parameters={"a": 4.04, "q": 0.6})
    with pytest.warns(ModelWarning, match="second order"):
        nominal.transient(300, {"y": 0.1})


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"harmonics": 0}, "harmonic_balance"),
        ({"rtol": 1.0}, "rtol = 1 must be"),
        ({"rtol": -1e-9}, "rtol"),
        ({"atol": np.nan}, "atol"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(given: dict, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        equations, options = duffing().equations(), PeriodicOptions(**given)
        periodic_solution(equations, 2 * np.pi / 1.2, options=options)


def test_continuation_takes_whole_harmonics() -> None:
    with pytest.raises(ModelError, match="whole number"):
        continuation(
            Periodic(duffing().equations(), period=2 * np.pi / 1.2, harmonics=1.5),
            "strength",
            (0.1, 0.2),
        )


@pytest.mark.heavy
def test_continuation_refuses_a_period_that_does_not_follow_its_parameter() -> None:
    with pytest.raises(SimulationError, match=r"as a function of speed"):
        continuation(Periodic(duffing().equations(), period=2 * np.pi), "speed", (1.0, 1.5))


@pytest.mark.heavy
def test_multipliers_past_a_law_that_jumps_are_told() -> None:
    # -0.622 +- 0.145i by integration between jumps; -0.572 +- 0.283i by the law's derivative
    def force(m: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return 0.1 * v + x + 0.5 * ca.sign(x) - 1.5 * ca.cos(0.7 * m.time)

    model = slider("relay", force, 0.5)
    model.event("far", model.nodes["point"].position[0] - 100)  # another one
    with pytest.warns(ModelWarning, match=r"relay: .* a law jumps .* Make the jump an event"):
        periodic_solution(model.equations(), 2 * np.pi / 0.7)


def test_driven_systems_have_no_equilibria_to_follow() -> None:
    def force(m: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return 0.1 * v + m.parameter("c", 1.0) * x - ca.cos(0.7 * m.time)

    equations = slider("driven", force).equations()
    with pytest.raises(ModelError, match=r"driven: the rate of v changes .* no equilibrium"):
        continuation(Equilibria(equations), "c", (1.0, 2.0))
