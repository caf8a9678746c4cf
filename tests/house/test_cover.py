"""What is left of products of parameters: each pair, and no more combinations than that needs."""

from __future__ import annotations

from itertools import product

import pytest

from tests.cover import cover, is_product, pairs, singles

SIZES = [(2, 2, 2), (2, 10, 3), (2, 2, 3, 10), (4, 3, 2)]


def rows(sizes: tuple[int, ...]) -> list[dict[str, int]]:
    return [dict(zip("abcd", values, strict=False)) for values in product(*map(range, sizes))]


@pytest.mark.parametrize("sizes", SIZES)
def test_every_pair_of_values_is_met(sizes: tuple[int, ...]) -> None:
    given = rows(sizes)
    kept = [given[i] for i in cover(given)]
    for one, other in ((i, j) for i in range(len(sizes)) for j in range(i)):
        met = {(row["abcd"[one]], row["abcd"[other]]) for row in kept}
        assert met == set(product(range(sizes[one]), range(sizes[other])))
    largest, second = sorted(sizes, reverse=True)[:2]
    assert largest * second <= len(kept) <= 1.35 * largest * second  # the product of two is needed


@pytest.mark.parametrize("sizes", [(2, 10), (2, 2), (3, 7, 2)])
def test_every_single_value_is_met_and_each_as_often(sizes: tuple[int, ...]) -> None:
    given = rows(sizes)
    kept = [given[i] for i in singles(given)]
    assert len(kept) == max(sizes)
    for name, size in zip("abcd", sizes, strict=False):
        counts = [sum(row[name] == value for row in kept) for value in range(size)]
        assert min(counts) >= max(sizes) // size
        assert max(counts) <= -(-max(sizes) // size)


def test_the_first_rows_are_preferred() -> None:
    assert cover([{"a": 0, "b": 0}, {"a": 0, "b": 0}]) == {0}
    assert pairs({"b": 1, "a": 0}) == {(("a", 0), ("b", 1))}


def test_cases_that_are_no_product_are_known() -> None:
    assert is_product(rows((2, 3, 2)))
    assert not is_product(rows((2, 3, 2))[1:])
    assert not is_product([{"a": 0, "b": 0}, {"a": 1}])
