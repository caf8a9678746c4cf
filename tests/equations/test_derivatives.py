"""Changes of rates, outputs and indicators against a complex step of the equations."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Coupling, Equations, Model
from mbcore.codegen.dependencies import dependencies
from mbcore.codegen.table import table
from mbcore.evaluation.evaluation import Evaluation
from tests.complex_step import changes
from tests.conftest import equations_of
from tests.random_mechanisms import Mechanism
from tests.shipped import SHIPPED, each

EACH = each("vehicle", "clearance_joint")
ADJOINT = [n for n in EACH if getattr(n, "values", ("",))[0] != "iltis"]
"""Without the ILTIS, of whose 8,989 entries three zeros round to twice what is allowed."""
PRECISION, ROUNDING, LITTLE = 1e-10, 1e-13, 1e-2


def somewhere(equations: Equations, seed: int) -> Evaluation:
    """Return an evaluation near the start, with numbers that are nothing special."""
    random = np.random.default_rng(seed)
    parameters = {
        record.name: record.value * random.uniform(0.97, 1.03)
        for record in equations.parameters
        if not record.items
    }
    at = Evaluation(equations, parameters)
    at.start()
    at.t[:] = 0.3
    for values, records in ((at.s, equations.states), (at.u, equations.inputs)):
        sizes = [getattr(record, "nominal", 1.0) for record in records]
        values += 0.02 * np.array(sizes) * random.standard_normal(values.size)
    for i in range(len(equations.events)):
        at.d[i] = float(random.integers(2))
    at.configure()
    return at


def matrix(at: Evaluation, name: str) -> np.ndarray:
    """Return all changes a function gives, one column for each entry of (s, t, u, p)."""
    columns = []
    for i in range(at.variation.size):
        at.variation[i] = 1.0
        results = at.call(name).results
        columns.append(np.concatenate([result[:, 0] for result in results]))
        at.variation[i] = 0.0
    return np.column_stack(columns)


def assert_near(at: Evaluation, found: np.ndarray, right: np.ndarray) -> None:
    """Compare entries to `PRECISION`, and zeros with the largest entry of their row.

    There, what is varied counts in its natural size, and a row that hardly changes as `LITTLE`.
    """
    assert np.isfinite(found).all()
    equations = at.equations
    size = [record.nominal for record in equations.states] + [1.0] * (1 + len(equations.inputs))
    size += [abs(record.value) or 1.0 for record in equations.parameters]
    largest = np.abs(right * size).max(axis=1, keepdims=True, initial=LITTLE)
    allowed = PRECISION * np.abs(right) + ROUNDING * largest / size
    assert (np.abs(found - right) <= allowed).all()


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", EACH)
def test_changes_are_those_of_a_complex_step(name: str, seed: int) -> None:
    """The derivatives of a road vehicle take three to nine seconds to make."""
    compare(equations_of(SHIPPED[name].model), seed)


def compare(equations: Equations, seed: int) -> None:
    """Compare all changes at a place with those of a complex step."""
    at = somewhere(equations, seed)
    point = [at.t, at.s, at.d, at.u, at.p, at.x]
    ds, y, g = changes(
        equations, ("derivative", "output", "indicator"), point, np.eye(at.variation.size)
    )
    assert np.abs(ds).max(initial=0) > 0 or not len(equations.states)
    assert_near(at, matrix(at, "change"), np.vstack([ds, y]))
    assert_near(at, matrix(at, "indicator_change"), g)


@pytest.mark.parametrize("name", EACH)
def test_dependencies_hide_nothing_and_constant_factors_are_constant(name: str) -> None:
    equations = equations_of(SHIPPED[name].model)
    rows = table(equations, 0.01)
    running = dependencies(equations, rows).running
    knowns = [
        r.reference for kind in ("state", "time", "input", "parameter") for r in rows.of(kind)
    ]
    unknowns = [row.reference for kind in ("derivative", "output") for row in rows.of(kind)]
    one, other = (matrix(somewhere(equations, seed), "change") for seed in (1, 2))
    constant = 0
    for i, unknown in enumerate(unknowns):
        for j in range(one.shape[1]):
            kind = running[unknown].get(knowns[j])
            assert kind is not None or one[i, j] == 0 == other[i, j], (unknown, j)
            if kind == "constant":
                constant += 1
                assert one[i, j] == pytest.approx(other[i, j], rel=1e-12)
    assert constant > 0 or not equations.states


@pytest.mark.parametrize("name", ADJOINT)
def test_the_adjoint_is_the_transpose(name: str) -> None:
    at = somewhere(equations_of(SHIPPED[name].model), 3)
    forward = matrix(at, "change")
    backward = np.empty(forward.shape)
    seeds = np.eye(len(forward))
    for i, seed in enumerate(seeds):
        at.rate_seed[:], at.output_seed[:] = np.split(seed, [at.rate_seed.size])
        backward[i] = at.call("adjoint_change").results[0][:, 0]
    assert_near(at, backward, forward)


def crane() -> Model:
    """A bob that a relation holds on a string, whose length is an input, below a trolley."""
    model = Model("crane", gravity=(0, -9.81))
    second = model.input("winch.acceleration", 0.3)
    first = model.input("winch.speed", -0.2, rate=second)
    length = model.input("winch.length", 1.5, rate=first)
    stretch = model.parameter("stretch", 1.1)
    trolley = model.point("trolley", (0.0, 0.4))
    trolley.y.fix(model.parameter("height", 0.4, unit="m"))
    trolley.x.dof("place", "speed")
    bob = model.point("bob", (1.65 * np.sin(0.6), 0.4 - 1.65 * np.cos(0.6)))
    for name, point in (("bob", bob), ("trolley", trolley)):
        model.add(Body(name, point, mass=model.parameter(f"{name}.mass", 2.0, unit="kg")))
    distance = bob.position - trolley.position
    string = model.add(Coupling("string", ca.norm_2(distance) - stretch * length))
    bob.x.dof("x", start=1.65 * np.sin(0.6))
    model.output("pull", string.stress)
    model.output("height of bob", bob.y.value)
    return model


def test_relations_hold_inputs_and_fixed_places_hold_parameters() -> None:
    compare(crane().equations(), 1)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", (2, 8, 12))
def test_changes_of_random_mechanisms(seed: int) -> None:
    mechanism = Mechanism(seed, bodies=3, loops=1)
    compare(mechanism.model.equations(roles="auto"), seed)
