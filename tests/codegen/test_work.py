"""The limit on the work of one call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from mbcore.codegen.work import CALL, most_evaluations
from mbcore.equations.equations import Equations


@pytest.mark.parametrize(
    ("instructions", "most"), [(100, 5e6), (500, 1e6), (501, 5e5), (5000, 1e5), (10**6, 2e4)]
)
def test_it_is_one_two_or_five_times_a_power_of_ten(instructions: int, most: float) -> None:
    """Half a second at 1 ns for an instruction, rounded down; 500 of them are a million calls."""
    size = instructions - CALL
    derivative = SimpleNamespace(n_instructions=lambda: size)
    equations = cast(Equations, SimpleNamespace(functions={"derivative": derivative}))
    assert most_evaluations(equations) == pytest.approx(most, rel=1e-12)
