"""Memory of runs in C: rows come in portions, and a run is closed once nothing holds it."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from mbcore import simulate
from mbcore.contact.impact import Impact
from mbcore.integrators.table import method_named
from mbcore.native.extents import extent_of
from mbcore.native.library import library
from tests.contact.test_impact import G, ball

ROWS = 200_000
"""More numbers than C keeps at a time."""


def test_a_run_of_many_rows_is_whole_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    equations = ball(Impact(0.5)).equations()
    compiled = library(equations, extent_of(method_named("DOP853")))
    close, closed = compiled.close, []

    def counted(run: Any) -> None:
        closed.append(run)
        close(run)

    monkeypatch.setattr(compiled, "close", counted)
    times = np.linspace(0, 0.4, ROWS)  # until it has fallen by 0.79 m of its 1 m
    run = simulate(equations, 0.4, backend="c", method="DOP853", samples=times)
    assert np.array_equal(run.time, times)
    np.testing.assert_allclose(run["height"], 1 - G * times**2 / 2, atol=1e-13)
    gc.collect()
    assert len(closed) == 1
