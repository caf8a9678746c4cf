"""Rows of a run in a file: the bits of those in memory, and what an interrupt leaves."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray

from mbcore import Model, ModelError, simulate
from mbcore.contact.impact import Impact
from mbcore.equations.equations import Equations
from mbcore.results.store import Store
from mbcore.simulation import recorder
from tests.contact.test_impact import ball

UNTIL = 0.7


@pytest.fixture(autouse=True)
def portions_of_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "SPILL", 100)


def bouncing() -> Equations:
    """Return a ball that meets the floor several times: events, and discrete variables."""
    return ball(Impact(restitution=0.5)).equations()


def warming() -> Equations:
    """Return an array of states with an input."""
    rod = Model("rod")
    ends = rod.input("ends", [1.0, 0.0], unit="K")
    warmth = rod.state("warmth", start=np.zeros(3), unit="K")
    places = [ends[0], *(warmth[i] for i in range(3)), ends[1]]
    flow = [2.0 * (places[i] - places[i + 1]) for i in range(4)]
    rod.derivative("warmth", [flow[i] - flow[i + 1] for i in range(3)])
    return rod.equations()


@pytest.mark.parametrize("options", [{}, {"samples": 301}], ids=["steps", "samples"])
@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_a_file_holds_the_bits_of_the_memory(
    backend: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    equations = bouncing()
    expected = simulate(equations, UNTIL, backend=backend, **options)
    found = simulate(equations, UNTIL, backend=backend, store=tmp_path / "run.nc", **options)
    assert [*found] == [*expected] and found.events == expected.events and found.events
    assert found.time.tobytes() == expected.time.tobytes()
    assert len(found.time) * len(expected) > 3 * recorder.SPILL  # several portions
    with xarray.open_dataset(tmp_path / "run.nc") as file:
        for name, values in expected.items():
            assert found[name].tobytes() == file[name].values.tobytes() == values.tobytes()
            assert file[name].units == expected.units[name]


@pytest.mark.heavy
def test_modes_go_on_where_c_returns_several_times(tmp_path: Path) -> None:
    """It returns after a million numbers at the latest; modes and counts change seldom."""
    equations, samples = bouncing(), 450_001
    expected = simulate(equations, UNTIL, samples=samples, backend="c")
    found = simulate(equations, UNTIL, samples=samples, backend="c", store=tmp_path / "run.nc")
    assert found.final("floor.impacts") == 1  # it falls for 0.45 s, and flies for as long
    for name, values in expected.items():
        assert found[name].tobytes() == values.tobytes()


def test_arrays_are_whole_in_a_file(tmp_path: Path) -> None:
    inputs = {"ends": lambda t: [1.0, np.sin(t)]}
    expected = simulate(warming(), 1, inputs=inputs)
    found = simulate(warming(), 1, inputs=inputs, store=tmp_path / "run.nc")
    for name in ("warmth", "warmth[3]", "ends"):
        assert np.array_equal(found[name], expected[name])
    with xarray.open_dataset(tmp_path / "run.nc") as file:
        assert file.warmth.dims == ("time", "warmth_index")
    with pytest.raises(ModelError, match=r"holds no configurations.*without store"):
        found.draw()


def test_an_interrupt_keeps_the_rows_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Store.append

    def interrupted(store: Store, portion: xarray.Dataset) -> None:
        append(store, portion)
        if store.count > 50:
            monkeypatch.setattr(Store, "append", append)
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "append", interrupted)
    expected = simulate(bouncing(), UNTIL, samples=301, backend="python")
    with pytest.raises(KeyboardInterrupt):
        simulate(bouncing(), UNTIL, samples=301, backend="python", store=tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as file:
        kept = file.sizes["time"]
        assert 50 < kept < 301
        for name in expected:
            assert np.array_equal(file[name], expected[name][:kept])


@pytest.mark.parametrize(
    ("store", "says"),
    [
        ("run.csv", "store = .*run.csv'; give the name of a file that ends in .nc"),
        ("none/run.nc", "there is no folder"),
        ("there.nc", "is a file that is there already; give another name, or delete it"),
    ],
)
def test_impossible_files_are_refused(store: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "there.nc").touch()
    with pytest.raises(ModelError, match=says):
        simulate(bouncing(), 0.1, store=tmp_path / store)


def test_many_samples_are_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the memory a file is the remedy, beyond the disk fewer."""
    monkeypatch.setattr("mbcore.host.memory.memory", lambda: 2**20)
    with pytest.raises(ModelError, match=r'take .* GiB.*fewer in samples, or store="run.nc"$'):
        simulate(bouncing(), UNTIL, samples=30_000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100))
    with pytest.raises(ModelError, match="free there; give fewer in samples, or give another"):
        simulate(bouncing(), UNTIL, samples=30_000, store=tmp_path / "run.nc")
    assert not [*tmp_path.iterdir()]
