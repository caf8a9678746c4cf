"""Simulation in C and in Python, by many models: where they end, their events, what they say."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mbcore import ConfigurationError, Model, ModelWarning, Result, simulate
from mbcore.contact.impact import Impact
from mbcore.evaluation.stepper import Stepper
from mbcore.fmus import (
    bicycle,
    car,
    caster,
    caster_flexible,
    clearance_joint,
    iltis,
    rolling_disk,
    vehicle,
    vehicle_grip,
)
from mbcore.integrators.table import methods_in_c
from tests import oscillators, singular_models
from tests.conftest import FURTHER, equations_of
from tests.contact.test_impact import ball
from tests.equations.test_switched_constraints import at_wall, rink, sleigh
from tests.model.mistakes import analyses, arguments, contacts
from tests.model.mistakes.case import Parts
from tests.native.test_native import both, largest_difference
from tests.shipped import SHIPPED


@dataclass(frozen=True)
class Case:
    """A model, how it is run, and how far from each other its final states may be."""

    make: Callable[[], Model]
    until: float
    close: float = 1e-7
    options: dict[str, Any] = field(default_factory=dict)


STEER = {"steer.angle": lambda t: 0.02 * math.sin(t)}
CASES = {
    "van_der_pol": Case(oscillators.van_der_pol, 10.0),
    "duffing": Case(oscillators.duffing, 10.0),
    "excited_pendulum": Case(lambda: oscillators.excited_pendulum(2.0), 3.0),
    "double_pendulum": Case(lambda: singular_models.double_pendulum(True), 2.0),
    "pendulum in coordinates that change": Case(lambda: singular_models.pendulum("y", "x"), 2.0),
    "top": Case(singular_models.free_body, 3.0, options={"singular": "switch"}),
    "four_bar": Case(lambda: singular_models.four_bar((1, 1, 1, 1), False, 3.0), 1.5),
    "slider_crank": Case(lambda: singular_models.slider_crank(False), 1.0),
    "bicycle": Case(bicycle.model, 3.0),
    "caster": Case(caster.model, 3.0),
    "caster_flexible": Case(caster_flexible.model, 1.0),
    # 26 contacts magnify errors: both ways are 1e-6 off at 1e-9, and 1e-8 at 1e-11.
    "clearance_joint": Case(clearance_joint.model, 0.004, 3e-6, {"rtol": 1e-11, "atol": 1e-13}),
    "rolling_disk": Case(rolling_disk.model, 10.0),
    "vehicle": Case(vehicle.model, 3.0, options={"inputs": STEER}),
    "vehicle_grip": Case(vehicle_grip.model, 2.0, options={"inputs": STEER}),
    "iltis": Case(iltis.model, 0.1),
    "car": Case(car.model, 0.1),
}
STATELESS = {"clearance", "journal_bearing"}
"""What has no motion of its own."""
CASES |= {
    name: Case(shipped.model, 10 * shipped.experiment.step)
    for name, shipped in SHIPPED.items()
    if name not in CASES.keys() | STATELESS
}


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=FURTHER) if n == "car" else n for n in CASES]
)
def test_models_end_where_they_end_in_python(name: str) -> None:
    """Making the functions of a road vehicle takes 10 s, the motion an instant; one of both does.

    In C the car moves in its examples, beside equations by hand.
    """
    case = CASES[name]
    equations = equations_of(case.make)
    python, c = both(equations, case.until, **{"rtol": 1e-9, "atol": 1e-11} | case.options)
    for state in equations.states:
        size = state.nominal + np.abs(python[state.name]).max()
        assert abs(c.final(state.name) - python.final(state.name)) < case.close * size, state.name
    assert [name for _, name in c.events] == [name for _, name in python.events]
    times = [[t for t, _ in run.events] for run in (python, c)]
    assert times[1] == pytest.approx(times[0], abs=1e-8)
    assert [what for _, what in c.switches] == [what for _, what in python.switches]
    assert c.motion is not None and c.motion.configuration.shape[0] == c.time.size
    assert c.motion.configuration[-1] == pytest.approx(
        python.motion.configuration[-1],
        rel=1e-5,
        abs=1e-5,  # type: ignore[union-attr]
    )


SWITCHED = {
    "slip held": (sleigh, 2.0),
    "slips held in turn": (lambda: rink(Model("rink")), 2.0),
    "slip held at a closed contact": (lambda: at_wall(1.0, 0.3), 0.4),
    "bounces that end in rest": (lambda: ball(Impact(0.5)), 1.6),
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", SWITCHED)
def test_held_slips_and_closed_contacts_take_no_step_of_python(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, until = SWITCHED[name]
    equations, accurate = equations_of(make), {"samples": 41, "rtol": 1e-11, "atol": 1e-13}
    python = simulate(equations, until, backend="python", **accurate)  # type: ignore[arg-type]
    monkeypatch.setattr(Stepper, "advance", None)  # what makes steps in Python
    c = simulate(equations, until, backend="c", **accurate)  # type: ignore[arg-type]
    assert [name for _, name in c.events] == [name for _, name in python.events]
    assert largest_difference(python, c) < 1e-9


SINGULAR = {
    "pendulum": (lambda: singular_models.pendulum("y"), {}),
    "top": (singular_models.free_body, {"singular": "stop"}),
    "slider_crank": (lambda: singular_models.slider_crank(True), {"singular": "stop"}),
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", SINGULAR)
def test_singular_configurations_are_refused_in_the_same_words(name: str) -> None:
    make, options = SINGULAR[name]
    equations = make().equations()
    said = []
    for backend in ("python", "c"):
        with pytest.raises(ConfigurationError) as refused:
            simulate(equations, 3.0, backend=backend, **options)
        said.append(re.sub(r"t = [\d.]+|conditioning [\d.e-]+", "", str(refused.value)))
    assert said[0] == said[1]
    assert "does not determine the motion" in said[0] or "do not determine the motion" in said[0]


def _in_c(*args: object, **options: object) -> Result:
    """Simulate in C where Python was not asked for."""
    if options.get("method", "DOP853") in [m.name for m in methods_in_c()]:
        options.setdefault("backend", "c")
    return simulate(*args, **options)  # type: ignore[arg-type]


@pytest.mark.heavy
@pytest.mark.parametrize("table", [analyses, arguments, contacts])
def test_mistakes_are_told_in_c_as_in_python(
    table: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "simulate", _in_c, raising=False)
    for name, mistake in table.TABLE.items():
        said = "".join(f".*{re.escape(words)}" for words in mistake.says)
        expected = pytest.warns(ModelWarning) if mistake.warns else pytest.raises(mistake.error)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if not mistake.warns else "always", ModelWarning)
            with expected as told:
                mistake.make(Parts())
        texts = [str(w.message) for w in told] if mistake.warns else [str(told.value)]
        assert any(re.search(f"(?s){said}", text) for text in texts), name
