"""Cars are compiled without optimization: that takes longer than their runs."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from types import SimpleNamespace

import pytest

from mbcore.examples.cars import car_parking, car_sine_with_dwell
from mbcore.fmus import car
from tests.built import hastily
from tests.conftest import equations_of


@pytest.fixture(scope="module", autouse=True)
def compiled_hastily() -> Iterator[None]:
    """Let each of these modules compile hastily."""
    with hastily():
        yield


@pytest.fixture
def car_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let examples on the shipped car compile a copy of the equations that all tests share."""
    equations = copy(equations_of(car.model))
    made = SimpleNamespace(model=lambda: SimpleNamespace(equations=lambda: equations))
    for example in (car_parking, car_sine_with_dwell):
        monkeypatch.setattr(example, "car", made)
