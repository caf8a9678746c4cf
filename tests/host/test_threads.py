"""What runs on one thread of BLAS, and that the process has its own number again afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from mbcore import Model, SimulationError, simulate
from mbcore.elements.beams.truss import Truss
from mbcore.host.threads import single_threaded
from mbcore.model.statements import Inertia, Spin

BLAS = ThreadpoolController().select(user_api="blas")
"""Found once, for that takes 20 ms."""


def threads() -> set[int]:
    return {library["num_threads"] for library in BLAS.info()}


@pytest.fixture
def two_threads() -> Iterator[None]:
    with threadpool_limits(2, "blas"):
        if threads() != {2}:
            pytest.skip("no BLAS that has two threads")
        yield


def test_simulation_has_one_thread_and_gives_the_others_back(two_threads: None) -> None:
    model, seen = Model("grows"), []
    model.state("z", model.input("rate", unit="1/s"))

    def rate(t: float) -> float:
        seen.append(threads())
        if t > 0.5:
            raise ValueError("it ends")
        return 1.0

    with pytest.raises(SimulationError, match="it ends"):
        simulate(model.equations(), 1.0, inputs={"rate": rate}, max_step=0.1)
    assert all(found == {1} for found in seen[1:])
    assert threads() == {2}


def test_equations_are_made_on_one_thread(two_threads: None) -> None:
    class Watched(Truss):
        def inertias(self) -> list[Inertia | Spin]:
            seen.append(threads())
            return super().inertias()

    model, seen = Model("pendulum", gravity=(0, -9.81)), []
    pivot, end = model.point("pivot", (0, 0)), model.point("end", (1, 0))
    pivot.fix()
    model.add(Watched("rod", pivot, end, mass=1))
    model.equations(roles="auto")
    assert seen
    assert all(found == {1} for found in seen)
    assert threads() == {2}


def test_calls_inside_and_beside_each_other_leave_nothing_behind(two_threads: None) -> None:
    """One in a thread goes on when the one beside it, which has set the limit, is over."""
    both, is_over = Barrier(2), Barrier(2)

    @single_threaded
    def beside() -> None:
        both.wait(10)
        is_over.wait(10)

    @single_threaded
    def around() -> set[int]:
        going.append(pool.submit(beside))
        both.wait(10)
        return single_threaded(threads)()

    going: list[Future[None]] = []
    with ThreadPoolExecutor(1) as pool:
        assert around() == {1}
        assert threads() == {2}
        is_over.wait(10)
        going[0].result()
    assert threads() == {2}
