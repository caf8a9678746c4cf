"""What C leaves out where a condition makes it needless."""

from __future__ import annotations

import casadi as ca

from mbcore.codegen.guards import LEAST, guards, in_runs, places

ARGUMENT, CONDITION, OTHER = 0, 1, 2


def chain(first: int, of: int) -> dict[int, tuple[int, ...]]:
    """Values, each a function of the one before."""
    return {first + k: (of if k == 0 else first + k - 1,) for k in range(LEAST)}


def test_what_only_a_condition_needs_has_it_as_guard() -> None:
    needs = chain(10, ARGUMENT) | {200: (CONDITION, 9 + LEAST), 201: (200, ARGUMENT)}
    codes = dict.fromkeys(needs, ca.OP_ADD) | {200: ca.OP_IF_ELSE_ZERO}
    found = guards(codes, needs, [201])
    assert found == dict.fromkeys(range(10, 10 + LEAST), (CONDITION,))
    assert guards(codes, needs, [201, 9 + LEAST]) == {}


def test_what_two_conditions_need_has_none_but_what_they_share() -> None:
    """Of (a ? (b ? x : 0) : 0) + (a ? x : 0) with a long chain x, only a guards the chain."""
    last = 9 + LEAST
    needs = chain(10, ARGUMENT) | {
        200: (OTHER, last),
        201: (CONDITION, 200),
        202: (CONDITION, last),
        203: (201, 202),
    }
    codes = dict.fromkeys(needs, ca.OP_IF_ELSE_ZERO) | dict.fromkeys(chain(10, 0), ca.OP_ADD)
    codes[203] = ca.OP_ADD
    found = guards(codes, needs, [203])
    assert {found[v] for v in range(10, last + 1)} == {(CONDITION,)}


def test_runs_keep_what_a_value_needs_before_it() -> None:
    needs = chain(10, ARGUMENT) | {200: (CONDITION, 9 + LEAST), 201: (200, ARGUMENT)}
    needs |= chain(300, 201) | {500: (CONDITION, 299 + LEAST)}
    codes = dict.fromkeys(needs, ca.OP_ADD) | {200: ca.OP_IF_ELSE_ZERO, 500: ca.OP_IF_ELSE_ZERO}
    found = guards(codes, needs, [500])
    order = in_runs(sorted(needs), needs, found)
    assert sorted(order) == sorted(needs)
    place = {v: k for k, v in enumerate(order)}
    assert all(place[o] < place[v] for v in needs for o in needs[v] if o in place)


def test_a_condition_that_is_zero_without_another_brings_that_one() -> None:
    """Of (b = a ? x : 0), then (b ? y : 0) with long chains x and y, a and b guard y."""
    first, second = chain(10, ARGUMENT), chain(300, ARGUMENT)
    inner = 200
    needs = first | {inner: (CONDITION, 9 + LEAST)} | second
    needs |= {500: (inner, 299 + LEAST), 501: (500, ARGUMENT)}
    codes = dict.fromkeys(needs, ca.OP_ADD)
    codes |= {inner: ca.OP_IF_ELSE_ZERO, 500: ca.OP_IF_ELSE_ZERO}
    found = guards(codes, needs, [501])
    assert {found[v] for v in first} == {(CONDITION,)}
    assert {found[v] for v in second} == {(CONDITION, inner)}


def test_what_is_zero_without_a_condition_is_computed_where_it_holds() -> None:
    needs = chain(10, ARGUMENT) | {200: (CONDITION, 9 + LEAST), 201: (200, ARGUMENT)}
    codes = dict.fromkeys(needs, ca.OP_ADD) | {200: ca.OP_IF_ELSE_ZERO}
    found = places(codes, needs, guards(codes, needs, [201]))
    assert found[200] == (CONDITION,)
    assert 201 not in found


def test_inner_conditions_follow_while_the_outer_one_is_open() -> None:
    """Values without a condition that could come between come after."""
    outer, inner = (1,), (1, 2)
    guard = {10: outer, 11: inner, 12: inner, 14: outer}
    needs = {10: (), 11: (10,), 12: (11,), 13: (10,), 14: (12,)}
    assert in_runs([10, 11, 12, 13, 14], needs, guard) == [10, 11, 12, 14, 13]
