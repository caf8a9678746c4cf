"""Cars are compiled without optimization: that takes longer than their runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from mbcore import Model
from mbcore.fmus import car
from tests.built import hastily


@pytest.fixture(scope="module", autouse=True)
def compiled_hastily() -> Iterator[None]:
    """Let each of these modules compile hastily."""
    with hastily():
        yield


BUILD = car.model


@cache
def _as_built() -> Model:
    """Return the car, whose equations and their functions are made once."""
    model = BUILD()
    made = model.equations()
    model.equations = lambda: made  # type: ignore[method-assign]
    return model


@pytest.fixture
def one_car(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give examples that drive the car as it is built the same one: its functions take 8 s."""
    monkeypatch.setattr(car, "model", _as_built)
