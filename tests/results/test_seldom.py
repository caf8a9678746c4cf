"""Values that change seldom: the table that was given, to the bit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mbcore import simulate
from mbcore.contact.impact import Impact
from mbcore.results.blocks import Blocks
from mbcore.results.seldom import Changes, Columns, Seldom
from tests.contact.test_impact import ball

GIVEN = np.array(
    [
        [0.0, 1.0, np.nan],
        [0.0, 1.0, np.nan],
        [-0.0, 1.0, 5.0],
        [-0.0, 2.0, 5.0],
        [7.0, 2.0, 5.0],
        [7.0, 1.0, np.inf],
    ]
)


def kept(*ends: int) -> Seldom:
    """Return the table, taken in parts that are changed afterwards."""
    changes = Changes()
    for part in np.split(GIVEN.copy(), ends):
        changes.add(part)
        part[:] = 99.0
    return changes.table(3)


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    return found.shape == expected.shape and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("ends", [(), (1,), (2, 3), (1, 2, 3, 4, 5), (3, 3)])
def test_a_table_is_the_same_to_the_bit(ends: tuple[int, ...]) -> None:
    table = kept(*ends)
    assert table.shape == GIVEN.shape
    assert same(np.asarray(table), GIVEN) and same(table[:, 1:], GIVEN[:, 1:])
    for number in range(3):
        assert same(table.column(number), GIVEN[:, number])
    for rows in ([5, 0, 3, 3], [-1], []):
        chosen = np.array(rows, int)
        assert same(table[chosen], GIVEN[chosen])
    mask = np.array([True, False, False, True, True, False])
    assert same(table[mask], GIVEN[mask]) and same(table[2], GIVEN[2])


def test_tables_without_rows_or_columns() -> None:
    none = Changes()
    none.add(np.zeros((4, 0)))
    assert np.asarray(none.table(0)).shape == (4, 0)
    assert none.table(0)[np.array([1, 2])].shape == (2, 0)
    assert np.asarray(Changes().table(2)[:0]).shape == (0, 2)


def test_columns_are_those_of_a_mapping() -> None:
    often = Blocks([np.arange(6.0)[:, np.newaxis]])
    columns = Columns(often, ["x"], ["a", "x", "b", "c"], kept(2))
    assert list(columns) == ["a", "x", "b", "c"] and len(columns) == 4
    assert "b" in columns and "d" not in columns
    assert same(columns["b"], GIVEN[:, 1]) and columns["b"] is columns["b"]
    assert same(pickle.loads(pickle.dumps(columns))["c"], GIVEN[:, 2])
    with pytest.raises(KeyError):
        columns["d"]


def test_impacts_of_a_run_are_counted_row_by_row() -> None:
    """A ball falls from 0.5 m: at the row behind its first impact, at √(2h/g), one is counted."""
    run = simulate(ball(Impact(0.5), height=0.5).equations(), 0.5, backend="python")
    after = run.time >= np.sqrt(2 * 0.5 / 9.81)
    assert run["floor.impacts"][after].tolist()[1:3] == [1.0, 1.0]
    assert set(run["floor.impacts"][~after]) == {0.0}
    assert run.motion is not None
    place = list(run.motion.solved().discretes).index(
        next(d for d in run.motion.solved().discretes if d.name == "floor.impacts")
    )
    assert same(np.asarray(run.motion.discretes)[:, place], run["floor.impacts"])
