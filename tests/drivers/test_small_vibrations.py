"""Small vibrations of systems by their derivatives alone, against our equations and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import mbcore
from mbcore import ModelError
from mbcore.vibration import nominal_motion, periodic_solution, small_vibrations
from tests.built import hastily
from tests.drivers.foreign import foreign
from tests.oscillators import NATURAL, excited_pendulum

PERIOD = 2 * np.pi / (1.5 * NATURAL)


@pytest.mark.heavy  # an export and a process
def test_an_fmu_vibrates_as_its_equations(tmp_path):
    equations = excited_pendulum(1.5).equations()
    own, full = nominal_motion(equations, PERIOD), periodic_solution(equations, PERIOD)
    with hastily():
        (file,) = mbcore.fmi.export(equations, tmp_path, fmi="3.0")
    with mbcore.driver(file) as fmu:
        held = small_vibrations(fmu, PERIOD, motion="held")
        moving = small_vibrations(fmu, PERIOD)
    np.testing.assert_allclose(held.exponents(), own.exponents(), atol=1e-8)
    times = np.linspace(0, PERIOD, 7)
    found, expected = held.periodic(8), own.periodic(8)
    for name in ("angle", "rate", "bob.x"):
        np.testing.assert_allclose(found[name](times), expected[name](times), atol=1e-8)
    # about the full motion the exponents are those of its monodromy matrix
    multipliers = np.exp(moving.exponents(harmonics=14) * PERIOD)
    np.testing.assert_allclose(np.sort(multipliers.real), np.sort(full.multipliers.real), atol=1e-8)
    np.testing.assert_allclose(moving.periodic(14)["angle"](times), full["angle"](times), atol=1e-8)


def test_a_state_space_answers_small_inputs_as_its_transfer_function():
    # x'' + 0.2 x' + x = u, as a model
    model = mbcore.Model("mass")
    push = model.input("push", unit="N")
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("x", "v")
    model.add(mbcore.Body("mass", point, mass=1.0))
    model.force(point, (push - point.x.value - 0.2 * point.x.rate, 0))
    model.output("double", 2 * point.x.value + push)
    small = small_vibrations(model, np.pi, motion="held", samples=32)
    np.testing.assert_allclose(
        small.exponents(), [-0.1 - np.sqrt(0.99) * 1j, -0.1 + np.sqrt(0.99) * 1j], atol=1e-12
    )
    found = small.periodic(4, {"push": lambda t: np.cos(2 * t)}, stability=True)
    answer = 1 / (1 - 4 + 0.4j)
    times = np.linspace(0, 3, 7)
    np.testing.assert_allclose(found["x"](times), (answer * np.exp(2j * times)).real, atol=1e-12)
    np.testing.assert_allclose(
        found["double"](times), ((2 * answer + 1) * np.exp(2j * times)).real, atol=1e-12
    )
    assert found.stable


@pytest.mark.heavy  # two processes
def test_what_has_no_small_vibrations_is_refused_by_name():
    with mbcore.driver(foreign("DRIVEN")) as fmu:
        with pytest.raises(ModelError, match="the drive has another period"):
            small_vibrations(fmu, 3.0, motion="held")
        with pytest.raises(ModelError, match="no state 'y'"):
            small_vibrations(fmu, np.pi, motion="held", start={"y": 0.0})
        with pytest.raises(ModelError, match="give small_vibrations samples=18"):
            small_vibrations(fmu, np.pi, motion="held", samples=8).periodic(8)
    with pytest.raises(ModelError, match="give the file of an FMU"):
        small_vibrations(3.0, 1.0)
