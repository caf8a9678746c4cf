"""Tables in blocks and rows that are made when asked for, against NumPy's arrays."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest

from benchmarks.scaling.contacts import dropped_balls
from mbcore import simulate
from mbcore.results import blocks
from mbcore.results.blocks import Blocks, gathered

WHOLE = np.arange(35.0).reshape(7, 5)
PIECES = [WHOLE[:1], WHOLE[1:4], WHOLE[4:7]]


@pytest.mark.parametrize(
    "chosen",
    [0, -1, slice(None), slice(5, 1, -2), [3, 0, 6, 3], np.arange(7) % 2 == 0, (slice(2), 1), []],
)
def test_a_table_in_blocks_is_indexed_as_an_array(chosen: object) -> None:
    table, array = Blocks(PIECES).part(1, 4), WHOLE[:, 1:4]
    chosen = np.array(chosen, int) if isinstance(chosen, list) else chosen
    assert np.array_equal(table[chosen], array[chosen])  # type: ignore[index]
    assert np.array_equal(np.asarray(table), array)
    assert np.array_equal(table.column(2), WHOLE[:, 3])
    assert table.shape == (7, 3)
    assert np.array_equal(table.T, array.T)


def test_many_blocks_are_joined_in_a_time_like_their_number() -> None:
    """A row a block; 0.02 s, and 13 s where the size of all is summed anew at each."""
    begun = time.process_time()
    (whole,) = gathered([np.array([[k, 0.0]]) for k in range(30_000)])
    assert time.process_time() - begun < 2
    assert np.array_equal(whole[:, 0], np.arange(30_000))


@pytest.mark.parametrize(("smallest", "expected"), [(1, [1, 3, 3]), (16, [4, 3]), (99, [7])])
def test_small_blocks_are_joined(
    smallest: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "SMALLEST", smallest)
    given = list(PIECES)
    found = gathered(given)
    assert [len(block) for block in found] == expected
    assert np.array_equal(np.concatenate(found), WHOLE)
    assert given == []


def test_configurations_that_follow_are_those_of_the_balls() -> None:
    """Heights are states, also on the way to another process."""
    run = simulate(dropped_balls(2).equations(), 0.2, backend="python")
    assert run.motion is not None
    names = run.motion.solved().coordinate_names
    for motion in (run.motion, pickle.loads(pickle.dumps(run.motion))):
        x = np.asarray(motion.configuration)
        for i in (0, 1):
            assert np.array_equal(x[:, names.index(f"ball_{i}.y")], run[f"y_{i}"])
