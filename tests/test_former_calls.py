"""Calls from before options were records: taken with a warning, or refused by the new line."""

from __future__ import annotations

import re
from typing import Any

import pytest
from oscillators import duffing

from mbcore import Equations, ModelError, ModelWarning
from mbcore.vibration import Equilibria, Periodic, SteadyMotions, continuation


@pytest.fixture(scope="module")
def oscillator() -> Equations:
    return duffing().equations()


@pytest.mark.parametrize(
    ("former", "line"),
    [
        (
            {"of": "periodic", "period": 6.5, "autonomous": True, "longest": 0.2},
            "of = 'periodic' is removed; a family of solutions is an object now: "
            "continuation(Periodic(equations, period=6.5, autonomous=True), 'speed', (3, 9), "
            "steps=Steps(longest=0.2)); import Periodic, Steps from mbcore.vibration",
        ),
        (
            {"of": "steady", "find": ["torque"], "conditions": {"v": 1.0}, "progress": False},
            "continuation(SteadyMotions(equations, conditions={'v': 1.0}, find=['torque']), "
            "'speed', (3, 9), progress=False); import SteadyMotions from",
        ),
        ({"parameters": {"c": 2}}, "continuation(Equilibria(equations, parameters={'c': 2}), 'sp"),
        ({"of": "periodic", "period": lambda v: 1 / v}, "Periodic(equations, period=...), 'speed'"),
        ({"step": 0.1, "points": 9}, "Equilibria(equations), 'speed', (3, 9), steps=Steps(first="),
    ],
)
def test_continuation_of_equations_names_the_line_that_does_the_same(
    oscillator: Equations, former: dict[str, Any], line: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(line)):
        continuation(oscillator, "speed", (3, 9), **former)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=re.escape(line)):
        continuation(equations=oscillator, parameter="speed", between=(3, 9), **former)  # type: ignore[call-arg]


def test_arguments_of_a_family_are_refused_beside_it(oscillator: Equations) -> None:
    for family in (Equilibria, SteadyMotions, Periodic):
        line = f"arguments have changed; .*{family.__name__}\\(equations, parameters="
        with pytest.raises(ModelError, match=line):
            continuation(family(oscillator), "speed", (3, 9), parameters={})  # type: ignore[call-arg]
    with pytest.raises(ModelError, match="'duffing' is no family of solutions; give Equilibria"):
        continuation("duffing", "speed", (3, 9))  # type: ignore[arg-type]


def test_lengths_of_steps_are_taken_with_a_warning(oscillator: Equations) -> None:
    family = Equilibria(oscillator)
    for former, line in (
        ({"step": 2.0}, r"step is given in a record now, steps=Steps\(first=2\.0\)"),
        ({"step": 0.1, "points": 1}, r"step, points are .*, steps=Steps\(first=0\.1, points=1\)"),
    ):
        with pytest.warns(ModelWarning, match=line), pytest.raises(ModelError, match="steps"):
            continuation(family, "speed", (3, 9), **former)  # type: ignore[call-arg]
