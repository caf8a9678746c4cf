"""The car's energy changes by the powers of its outputs, in a few random runs.

`python -m tests.fmu_src.car.energy --count 1000` makes as many as one likes.
"""

from __future__ import annotations

import pytest

from mbcore import Equations
from tests.fmu_src.car.energy import balance, equations_with_energy

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_with_energy()


@pytest.mark.parametrize("number", range(4))
def test_powers_of_outputs_are_the_change_of_energy(equations: Equations, number: int) -> None:
    """The first one makes equations with powers and energies of all parts, which takes seconds."""
    found = balance(equations, number)
    assert found.missing < 1e-8
    # none of them is negligible, so that a wrong power would be seen
    for group in ("tyres", "loads", "springs", "drives", "air", "forces"):
        assert abs(found.works[group]) > 1e-6 * found.exchanged, group
