"""Springs whose stiffness changes: their energy by closed forms, or no energy and their power."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import cos, exp, sin

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, ModelWarning, RigidLink, Truss, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.quantities import Deformation

HEAVY = pytest.mark.heavy
Stiffness = Callable[[Model, Deformation, Deformation], ca.SX]


def sprung(stiffness: Stiffness, rest: float | ca.SX = 0.0) -> Model:
    """A mass of 1 kg on a spring along x and one of 2 N/m along y, with the energies shown."""
    model = Model("sprung")
    point = model.point("p", (0.5, 0.2))
    model.add(Body("mass", point, mass=1.0))
    x, y = point.x.dof("x", "v", start=0.5), point.y.dof("y", start=0.2).spring(2.0)
    x.spring(stiffness(model, x, y), 0.0, rest)
    model.state("work", x.elastic_power)
    model.output("kinetic", model.kinetic_energy)
    model.output("potential", model.potential_energy)
    return model


def cubic(x: float) -> float:
    """∫ (4 + 3 s²) s ds."""
    return 2 * x**2 + 0.75 * x**4


CONSERVATIVE: dict[str, tuple[Stiffness, Callable[[float], float]]] = {
    "cubic": (lambda m, x, y: 4 + 3 * x.value**2, cubic),
    "by the node's place": (lambda m, x, y: 4 + 3 * m.nodes["p"].position[0] ** 2, cubic),
    "exponential": (
        lambda m, x, y: ca.exp(3 * x.value),
        lambda x: exp(3 * x) * (x / 3 - 1 / 9) + 1 / 9,
    ),
    "with a kink at rest": (
        lambda m, x, y: 4 + 3 * ca.fabs(x.value),
        lambda x: 2 * x**2 + abs(x) ** 3,
    ),
    "by a parameter": (lambda m, x, y: m.parameter("k", 4.0), lambda x: 2 * x**2),
}


@pytest.mark.parametrize(
    "name", ["exponential", *(pytest.param(n, marks=HEAVY) for n in CONSERVATIVE if n[0] != "e")]
)
def test_a_spring_by_its_own_deformation_stores_the_integral(name: str) -> None:
    # [Schwab2002] (A.36)
    stiffness, energy = CONSERVATIVE[name]
    model = sprung(stiffness)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        point = Evaluation(model.equations())
    for x in (-0.7, 0.0, 0.5, 1.3):
        point.start({"x": x})
        assert point.output()[1] == pytest.approx(energy(x) + 0.2**2, rel=1e-12)


@HEAVY
def test_energy_is_constant_on_a_hardening_spring_beside_its_rest() -> None:
    """k = 4 + 3 x² from r = 0.2 on: the force is k (x - r), and its integral is kept."""
    run = simulate(
        sprung(lambda m, x, y: 4 + 3 * x.value**2, 0.2).equations(), 5.0, rtol=1e-10, atol=1e-10
    )
    x = run["x"]
    stored = 2 * (x - 0.2) ** 2 + 0.75 * x**4 - 0.2 * x**3 + 0.2**4 / 4
    np.testing.assert_allclose(run["potential"], stored + run["y"] ** 2, atol=1e-13)
    np.testing.assert_allclose(run["kinetic"] + run["potential"], run["potential"][0], atol=1e-8)


NOT_CONSERVATIVE: dict[str, Stiffness] = {
    "p.y": lambda m, x, y: 4 + 3 * y.value**2,
    "time": lambda m, x, y: 4 + 3 * ca.sin(m.time),
    "u": lambda m, x, y: 4 + m.input("u", 0.3),
    "p.x's rate": lambda m, x, y: 4 + x.rate**2,
    "worn": lambda m, x, y: 4 - m.discrete("worn", 0.5),
}


@pytest.mark.parametrize(
    "named", ["p.y", *(pytest.param(n, marks=HEAVY) for n in NOT_CONSERVATIVE if n != "p.y")]
)
def test_a_spring_by_anything_else_has_power_and_no_energy(named: str) -> None:
    """T + V of the other spring changes by the power's integral, in every case."""
    model = sprung(NOT_CONSERVATIVE[named])
    with pytest.warns(ModelWarning, match=f"spring on p.x depends on {named}, .*elastic_power"):
        equations = model.equations()
    run = simulate(equations, 2.0, samples=11, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(run["potential"], run["y"] ** 2, atol=1e-15)
    energy = run["kinetic"] + run["potential"]
    np.testing.assert_allclose(energy - run["work"], energy[0], atol=1e-8)
    assert np.ptp(run["work"]) > 0.01


@HEAVY
def test_energy_that_is_not_shown_needs_no_word() -> None:
    model = Model("quiet")
    point = model.point("p")
    point.y.fix()
    model.add(Body("mass", point, mass=1.0))
    point.x.dof("x").spring(1 + model.time)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.equations()


@HEAVY
def test_a_quadrature_over_a_jump_says_its_error() -> None:
    """k jumps from 4 to 104 N/m at 0.3 m, between the nodes."""
    model = sprung(lambda m, x, y: 4 + 100 * (x.value > 0.3))
    with pytest.warns(ModelWarning, match=r"p\.x is integrated numerically, with an error of 0\.0"):
        model.equations()


@HEAVY
def test_elements_whose_stiffness_changes_store_no_energy() -> None:
    """A bar with a stiffness by time: what is left is gravity's energy."""
    model = Model("bar", gravity=(0, -9.81))
    end = model.point("end", (0.5, -1.0))
    bar = model.add(Truss("bar", model.point("o", (0, 0), fixed=True), end))
    bar.elongation.release().spring(10 + model.time)
    bar.elongation.elastic_energy += model.time * bar.elongation.value**2  # an element's own
    model.add(Body("bob", end, mass=2.0))
    end.x.dof("x", start=0.5)
    end.y.dof("y", start=-1.0)
    model.output("potential", model.potential_energy)
    with pytest.warns(ModelWarning, match=r"bar\.elongation depends on time, "):
        equations = model.equations()
    point = Evaluation(equations)
    point.start()
    assert point.output()[0] == pytest.approx(-2 * 9.81, rel=1e-14)


def test_a_spring_on_a_coordinate_without_a_role_acts() -> None:
    """A rod of l = 1 m, turned by φ, held by k along x: m l² φ̈ = k l² sin φ cos φ."""
    phi, k, m = 0.4, 7.0, 2.0
    model = Model("rod")
    end, turned = model.point("end", (cos(phi), sin(phi))), model.angle("turned", phi)
    model.add(RigidLink("rod", model.point("o", (0, 0), fixed=True), turned, end, offset=(1, 0)))
    model.add(Body("bob", end, mass=m))
    turned.angle.dof("phi", start=phi)
    end.x.spring(k)
    model.output("potential", model.potential_energy)
    point = Evaluation(model.equations())
    point.start()
    assert point.derivative()[0] == pytest.approx(k / m * sin(phi) * cos(phi), rel=1e-12)
    assert point.output()[0] == pytest.approx(k * cos(phi) ** 2 / 2, rel=1e-12)
