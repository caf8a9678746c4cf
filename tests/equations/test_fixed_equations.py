"""Equations with constants in place of parameters: the same numbers, and less to depend on."""

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, ModelError, Table, linearize
from mbcore.equations.fixed_equations import FixedEquations
from mbcore.equations.functions import FUNCTIONS
from mbcore.fmus import rolling_disk
from mbcore.model.variables import type_of
from tests.conftest import equations_of
from tests.shipped import SHIPPED


def values_at_random(function, random):
    return [random.uniform(0.2, 1, function.numel_in(i)) for i in range(function.n_in())]


def called(function, values):
    """Results as flat arrays."""
    return [np.array(r).ravel() for r in function.call([ca.DM(v) for v in values])]


def test_functions_are_those_of_the_equations_at_the_constants():
    whole = SHIPPED["vehicle"].component.equations
    values = {"steering": 1.0, "chassis.mass": 1300.0}
    fixed = FixedEquations(whole, values)
    places = [i for i, p in enumerate(whole.parameters) if p.name in values]
    kept = [i for i in range(len(whole.parameters)) if i not in places]
    assert [p.name for p in fixed.parameters] == [whole.parameters[i].name for i in kept]
    first = len(whole.states) + 1 + len(whole.inputs)
    random = np.random.default_rng(3)
    for name, row in FUNCTIONS.items():
        try:
            function = whole.functions[name]
        except ModelError:  # this model has none
            continue
        given = values_at_random(function, random)
        given[4][places] = [values[whole.parameters[i].name] for i in places]
        for k, extra in enumerate(row.extra, start=6):
            if extra in ("variation", "whole_variation"):
                given[k][[first + i for i in places]] = 0.0
        smaller = [*given]
        smaller[4] = given[4][kept]
        for k, extra in enumerate(row.extra, start=6):
            if extra in ("variation", "whole_variation"):
                smaller[k] = np.delete(given[k], [first + i for i in places])
        expected, found = called(function, given), called(fixed.functions[name], smaller)
        if name == "adjoint_change":
            expected = [np.delete(expected[0], [first + i for i in places])]
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-12, err_msg=name)


def braked():
    """A mass that is pushed, whose output shows the push where an event has come."""
    model = Model("braked")
    p = model.point("p", (0.0, 0.0))
    p.y.fix()
    push = model.input("push", unit="N")
    p.x.dof("x", "v").law(-push)
    model.add(Body("body", p, mass=2.0))
    held = model.enumeration("held", ("no", "yes"))
    came = model.events.add("came", held - 1.5)
    model.output("seen", came * push, unit="N")
    return model


def test_an_event_that_cannot_come_is_left_out():
    whole = braked().equations()
    fixed = FixedEquations(whole, {"held": 1.0})
    assert fixed.fixed_modes == (0,)
    assert FixedEquations(whole, {"held": 2.0}).fixed_modes == ()
    by_push = [e.functions["output"].jac_sparsity(0, 3).nnz() for e in (whole, fixed)]
    assert by_push == [1, 0]


def test_ordinates_of_a_table_become_numbers():
    model = Model("spring")
    p = model.point("p", (0.0, 0.0))
    p.y.fix()
    force = Table([-1, 0, 1], [-3, 0, 5], name="force", parameter=True, units=("m", "N"))
    p.x.dof("x", "v").law(force(p.x.value))
    model.add(Body("body", p, mass=2.0))
    whole = model.equations()
    names = [parameter.name for parameter in whole.parameters]
    fixed = FixedEquations(whole, dict(zip(names, (-3.0, 0.0, 7.0), strict=True)))
    assert (names, fixed.parameters) == ([f"force[{i}]" for i in (1, 2, 3)], ())
    modes = np.zeros(len(whole.discretes))
    rates = fixed.functions["derivative"](0, [0, 0.5], modes, [], [], 0.5)
    # x'' = -7 x / m
    assert float(rates[0]) == pytest.approx(-7.0 * 0.5 / 2.0, rel=1e-15)


def test_what_is_no_parameter_is_refused():
    with pytest.raises(ModelError, match=r"brakes is not a parameter; name one"):
        FixedEquations(braked().equations(), {"brakes": 1.0})


def test_only_real_parameters_are_left_to_vary():
    whole = SHIPPED["vehicle"].component.equations
    choices = {p.name: p.value for p in whole.parameters if type_of(p) != "real"}
    fixed = FixedEquations(whole, choices)
    assert choices and all(type_of(p) == "real" for p in fixed.parameters)
    assert [p.name for p in fixed.fixed] == list(choices)


def test_a_linearization_of_the_whole_equations_is_not_taken_for_theirs() -> None:
    """M is m r² + J: another radius gives another one, or a refusal with the remedy."""
    whole = equations_of(rolling_disk.model)
    linearize(whole, unsteady=True, backend="python")
    fixed = FixedEquations(whole, {"disk.radius": 2.0})
    with pytest.raises(ModelError, match=r"disk\.radius are constants .* parameters={...}"):
        linearize(fixed, unsteady=True, backend="python")
