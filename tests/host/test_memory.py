"""What takes more than half of the memory is refused before any of it is made."""

from __future__ import annotations

import pytest

from mbcore import Body, Model, simulate
from mbcore.host import memory
from mbcore.model.errors import ModelError


def test_results_that_fit_into_no_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mass has a time, a position and a speed: three columns of 8 bytes, half of the memory."""
    model = Model("mass")
    point = model.point("point")
    point.y.fix()
    point.x.dof("x", start=1.0).spring(1.0)
    model.add(Body("body", point, mass=1))
    equations = model.equations()
    monkeypatch.setattr(memory, "memory", lambda: 2 * 3 * 8 * 1000)
    assert len(simulate(equations, 0.1, samples=1000, backend="python").time) == 1000
    with pytest.raises(ModelError, match=r"simulate: 1001 results take .* GiB.*fewer in samples"):
        simulate(equations, 0.1, samples=1001, backend="python")
