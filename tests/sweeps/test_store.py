"""Results of many instances in a file: the bits of those in memory, and what bad luck leaves."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import xarray
from scipy.interpolate import make_interp_spline

from mbcore import Model, ModelError, ModelWarning, SimulationError, simulate_many
from mbcore.equations.equations import Equations
from mbcore.native import batch
from mbcore.results.store import Store
from mbcore.sweeps import instance_portion
from tests.sweeps.test_simulate_many import pendulum

if sys.platform != "win32":
    import resource

many = partial(simulate_many, backend="c", progress=False)
RATES = np.linspace(-1, 1, 50)
EACH = 8 * 5 * 2
"""Bytes of an instance's five samples of two columns."""


@pytest.fixture(scope="module")
def hanging() -> Equations:
    return pendulum().equations()


@pytest.fixture(autouse=True)
def portions_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbcore.sweeps.simulate_many.memory", lambda: 64 * 5 * EACH)


def courses(equations: Equations, **more: Any) -> xarray.Dataset:
    """Return five samples of two columns of 50 pendulums."""
    given = {"start": {"omega": RATES}, "samples": 5, "outputs": ["phi", "omega"]}
    return many(equations, 0.5, **(given | more))


def test_a_file_holds_the_bits_of_the_memory(hanging: Equations, tmp_path: Path) -> None:
    expected, file = courses(hanging), tmp_path / "runs.nc"
    found = courses(hanging, store=file)
    xarray.testing.assert_identical(found.load(), expected)
    with xarray.open_dataset(file) as opened:  # as who has the file alone opens it
        assert opened.omega.units == "rad/s"
        for name in ("phi", "omega", "omega.start", "time"):
            assert opened[name].values.tobytes() == expected[name].values.tobytes()
        assert (opened.error == "").all()


def test_nothing_is_read_before_it_is_asked_for(hanging: Equations, tmp_path: Path) -> None:
    found = courses(hanging, store=tmp_path / "runs.nc")
    assert not found.phi.variable._in_memory
    assert found.phi[7, -1].item() == courses(hanging).phi[7, -1].item()
    assert not found.phi.variable._in_memory


def test_functions_of_time_are_each_instance_s_own(hanging: Equations, tmp_path: Path) -> None:
    times, slopes = np.array([0.0, 1.0]), np.linspace(0, 1, 12)
    lines = make_interp_spline(times, np.outer(times, slopes), k=1)
    listed = [lambda t, a=a: a * t for a in slopes]
    for k, torque in enumerate((lines, listed)):
        given = {"start": {}, "inputs": {"torque": torque}}
        found = courses(hanging, **given, store=tmp_path / f"{k}.nc")
        assert np.array_equal(found.phi, courses(hanging, **given).phi)


def test_failures_are_told_by_number(hanging: Equations, tmp_path: Path) -> None:
    lengths = np.where(np.arange(20) % 8 == 7, -1.0, 2.0)
    with pytest.warns(ModelWarning, match="2 of 20 instances have no values.*first instance 7: "):
        found = courses(
            hanging, parameters={"length": lengths}, start={}, store=tmp_path / "runs.nc"
        )
    assert list(np.flatnonzero(found.error != "")) == [7, 15]
    assert "length" in str(found.error.values[15])
    assert np.array_equal(np.isnan(found.phi.values[:, -1]), lengths < 0)
    with pytest.raises(SimulationError, match="all 12 instances fail, first instance 0"):
        courses(hanging, start={"omega": np.full(12, np.inf)}, store=tmp_path / "none.nc")


def test_long_messages_end_within_a_sign(tmp_path: Path) -> None:
    one = xarray.Dataset({"error": ("instance", np.array(["µ" * 400], object))})
    with Store("tests", tmp_path / "runs.nc", one, "instance") as store:
        store.append(one)
    assert store.dataset().error.item() == "µ" * 250


def test_an_interrupt_keeps_what_has_ended(
    hanging: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, really = iter(range(100)), batch.wait

    def interrupted(*given: Any, **more: Any) -> Any:
        if next(waits) == 2:  # each portion is so small that it is waited for once
            raise KeyboardInterrupt
        return really(*given, **more)

    expected = courses(hanging)
    monkeypatch.setattr(batch, "LOOK", 60.0)
    monkeypatch.setattr(batch, "wait", interrupted)
    with pytest.warns(ModelWarning, match=r"interrupted; 1\d of 50 .*runs.nc holds the first 1\d"):
        found = courses(hanging, store=tmp_path / "runs.nc")
    kept = found.sizes["instance"]
    there = (found.error == "").values
    assert 10 <= kept <= 15 and there[:10].all()
    assert there[-1]  # those behind the last one that has ended are left out
    assert np.array_equal(found.phi[there], expected.phi[:kept][there])


def test_an_interrupt_while_a_portion_is_written(
    hanging: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(store: Store, portion: xarray.Dataset) -> None:
        if store.count == 10:
            raise KeyboardInterrupt
        append(store, portion)

    append = Store.append
    monkeypatch.setattr(Store, "append", interrupted)
    with pytest.warns(ModelWarning, match="interrupted; 10 of 50 .*runs.nc holds the first 10"):
        found = courses(hanging, store=tmp_path / "runs.nc")
    assert np.array_equal(found.phi, courses(hanging).phi[:10])


def test_an_interrupt_keeps_those_behind_one_that_is_repeated(
    hanging: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An impossible instance 0 is left to Python, while lanes have ended with 1 to 4."""

    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("mbcore.sweeps.instance_portion.outcome", interrupted)
    lengths = np.where(np.arange(20) == 0, -1.0, 2.0)
    with pytest.warns(ModelWarning, match="interrupted; 4 of 20 .*runs.nc holds the first 5"):
        found = courses(
            hanging, parameters={"length": lengths}, start={}, store=tmp_path / "runs.nc"
        )
    assert list(found.error.values == "") == [False, True, True, True, True]


def test_the_first_warning_has_its_number_among_all(
    hanging: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, really = iter(range(100)), instance_portion.outcome

    def creaking(*given: Any) -> Any:
        found = really(*given)
        return replace(found, warning="it creaks") if next(calls) in (12, 13) else found

    monkeypatch.setattr(instance_portion, "outcome", creaking)
    start = {"omega": RATES[:15]}
    with pytest.warns(ModelWarning, match="first instance 12: it creaks"):
        courses(hanging, start=start, backend="python", store=tmp_path / "runs.nc")


@pytest.fixture
def little_room() -> Iterator[None]:
    """Let files have 8 kB: a header, and some of the instances with 616 bytes each."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_a_disk_that_becomes_full(hanging: Equations, tmp_path: Path, little_room: None) -> None:
    with pytest.raises(ModelError, match=r"runs.nc cannot be written: .*it holds the first 10 of"):
        courses(hanging, store=tmp_path / "runs.nc")
    with xarray.open_dataset(tmp_path / "runs.nc") as left:
        assert np.array_equal(left.phi, courses(hanging).phi[:10])
    # nothing is left of those that found no room
    courses(hanging, start={"omega": RATES[:10]}, store=tmp_path / "ten.nc")
    assert (tmp_path / "runs.nc").read_bytes() == (tmp_path / "ten.nc").read_bytes()


def test_a_disk_that_is_full(
    hanging: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    with pytest.raises(ModelError, match=r"runs.nc would take .* GiB are free there; take fewer"):
        courses(hanging, store=tmp_path / "runs.nc")
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_for_reading_only(
    hanging: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ModelError, match=r"runs.nc cannot be written: .*give another place"):
        courses(hanging, store=tmp_path / "runs.nc")


def test_places_that_cannot_be(hanging: Equations, tmp_path: Path) -> None:
    (tmp_path / "there.nc").write_text("something")
    (tmp_path / "folder.nc").mkdir()
    for store, said in {
        tmp_path / "there.nc": "there.nc is a file that is there already; give another name",
        tmp_path / "folder.nc": "folder.nc is a folder that is there already",
        tmp_path / "runs.csv": r"give the name of a file that ends in \.nc",
        tmp_path / "none" / "runs.nc": "there is no folder",
        "": "is not the name of a file",
    }.items():
        with pytest.raises(ModelError, match=f"simulate_many: .*{said}"):
            courses(hanging, store=store)
    assert (tmp_path / "there.nc").read_text() == "something"


def test_names_that_no_file_holds(tmp_path: Path) -> None:
    model = Model("angle")
    model.angle("wheel").angle.dof("φ", "ω", 1.0)
    equations = model.equations()
    with pytest.raises(
        ModelError,
        match=r"files of results have only ASCII characters, not φ, φ\.start; rename them",
    ):
        many(equations, 1.0, start={"φ": [0.0]}, outputs=["φ"], store=tmp_path / "runs.nc")
    assert not list(tmp_path.iterdir())


LIMITED = """
import resource, sys
from mbcore import ModelError, simulate_many
from tests.sweeps.test_simulate_many import pendulum
import numpy as np, xarray

equations = pendulum().equations()
given = {"start": {"omega": np.linspace(-1, 1, 40)}, "samples": 5, "backend": "c"}
simulate_many(equations, 0.1, **given, threads=1, store=sys.argv[1] + "first.nc").phi.values
[used] = [int(l.split()[1]) << 10 for l in open("/proc/self/status") if l.startswith("VmData")]
room = used + (12 << 20)
resource.setrlimit(resource.RLIMIT_DATA, (room, room))
given = given | {"start": {"omega": np.linspace(-1, 1, 3150)}, "samples": np.linspace(0, 0.1, 1000)}
columns = {"outputs": ["phi", "omega"], "threads": 1}
assert 3150 * 1000 * 2 * 8 > 3.9 * (room - used)
found = simulate_many(equations, 0.1, **given, **columns, store=sys.argv[1] + "runs.nc")
print(*found.phi[::999].mean("time").values.view(np.int64))
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="no other system limits what is written to")
def test_four_times_the_memory(hanging: Equations, tmp_path: Path) -> None:
    """What is more than the memory that is allowed takes some seconds to calculate and write."""
    given = [sys.executable, "-c", LIMITED, f"{tmp_path}{os.sep}"]
    run = subprocess.run(given, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert run.returncode == 0, run.stderr
    rates = np.linspace(-1, 1, 3150)[::999]
    found = many(hanging, 0.1, start={"omega": rates}, samples=np.linspace(0, 0.1, 1000))
    expected = found.phi.mean("time").values.view(np.int64)
    assert [int(number) for number in run.stdout.split()] == list(expected)
