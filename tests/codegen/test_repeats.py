"""Operations that repeat are loops in C: the same bits as statements, in a text that does not grow.

Statements are what the same function is written as where no repetition is looked for.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore.codegen import statements
from mbcore.codegen.program import Program, program
from mbcore.codegen.repeats import finding
from mbcore.fmi.packing.compiler import find_compiler

PARTS, WIDTH = 24, 2
STORED, REQUESTED = 2, 1
SIZE = 4000


def function(parts: int, name: str) -> ca.Function:
    """Return a function of equal parts: apart, in a row, with others far away, in any order.

    The results are one of all parts, one on request, and values on the way to the first.
    """
    random = np.random.default_rng(parts)
    states, places = ca.SX.sym("s", WIDTH * parts), random.permutation(parts)
    weight = random.normal(size=parts)
    apart, row, before = [], [], states[0]
    for k in range(parts):
        angle, rate = states[WIDTH * k], states[WIDTH * k + 1]
        other = states[WIDTH * int(places[k])]
        length = ca.sqrt(1 + angle**2) * float(weight[k])
        force = ca.sin(angle - other) / length + ca.if_else(rate < 0.1, ca.cos(rate), -2.5 * rate)
        before = ca.fmax(before, force) + 0.25 * before * ca.exp(-(rate**2))
        apart.append(force * length)
        row.append(before)
    turned = [apart[int(places[k])] for k in range(parts)]
    asked = [ca.tan(a) * b + ca.atan(b) * ca.exp(a) for a, b in zip(turned, row, strict=True)]
    results = [ca.vertcat(*row, sum(turned)), ca.vertcat(*asked)]
    return ca.Function(name, [states], [*results, ca.vertcat(*turned, *row)])


def written(of: ca.Function, name: str) -> statements.Text:
    argument = ca.SX.sym("argument", of.numel_in(0))
    merged: Program = program({name: (of, [0])}, [argument])
    wanted = statements.Wanted(REQUESTED, STORED, 3)
    return statements.statements(merged, name, ["arg[0]"], merged.results[name], {}, wanted)


@pytest.fixture(autouse=True)
def looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "SHORTEST", 100)


def test_bits_are_those_of_statements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = function(PARTS, "parts")
    whole = written(of, "whole")
    monkeypatch.setattr(statements, "PIECE", 7)
    cut = written(of, "cut")
    monkeypatch.setattr(finding, "SHORTEST", SIZE)
    plain = written(of, "plain")
    assert whole.source.count("for(v=0") > 1 and "int v)" in cut.source
    assert "for(v=0" not in plain.source
    assert whole.statements == cut.statements == plain.statements
    loaded = compiled(tmp_path, [text.source for text in (whole, cut, plain)])
    random = np.random.default_rng(1)
    for wanted in ([], [1], [2], [3], [1, 2, 3]):
        at = random.normal(size=WIDTH * PARTS)
        expected = call(loaded.plain, at, wanted, plain.work)
        for name, text in (("whole", whole), ("cut", cut)):
            assert call(getattr(loaded, name), at, wanted, text.work) == expected
        values = np.frombuffer(expected)[: PARTS + 1]
        np.testing.assert_allclose(values, np.ravel(of(at)[0]), rtol=1e-13)


def test_text_does_not_grow() -> None:
    """Twice the parts bring digits of longer numbers, and tables where the order is random."""
    one, other = (
        [line for line in written(function(n, "f"), "f").source.splitlines() if "{" not in line]
        for n in (40, 80)
    )
    bodies = [[line for line in text if line.startswith("D ")] for text in (one, other)]
    assert len(bodies[1]) <= len(bodies[0]) + 4


def test_nothing_is_cut_where_little_repeats() -> None:
    of = function(finding.FEWEST - 1, "few")
    merged = program({"few": (of, [0])}, [ca.SX.sym("argument", of.numel_in(0))])
    order = merged.computed(merged.results["few"])
    assert len(order) > finding.SHORTEST
    assert finding.in_repeats(merged, order, {}) == [order]


def compiled(folder: Path, texts: list[str]) -> ctypes.CDLL:
    """Return a library of functions in C, which give no warnings."""
    compiler = find_compiler()
    source = folder / "repeats.c"
    visible = [text.replace("static void", "void") for text in texts]
    source.write_text("\n".join(["#include <math.h>", "#define D const double", *visible]))
    target = folder / f"repeats{compiler.platform.suffix}"
    flags = (*compiler.position_flags, "-shared", "-Wall", "-Wextra", "-Werror")
    compiler.run("-std=c99", "-O1", "-ffp-contract=off", *flags, source, "-o", target, "-lm")
    return ctypes.CDLL(str(target))


def call(of: Any, at: np.ndarray, wanted: list[int], work: int) -> bytes:
    """Return all results of a function in C, of which some are wanted beside the first one."""
    pointer = ctypes.POINTER(ctypes.c_double)
    results = [np.zeros(SIZE) for _ in range(4)]
    # What is read before it is written is not a number.
    space = np.full(work, np.nan)
    places: list[Any] = [
        r.ctypes.data_as(pointer) if k in (0, *wanted) else None for k, r in enumerate(results)
    ]
    arguments = (pointer * 1)(at.ctypes.data_as(pointer))
    of(arguments, (pointer * 4)(*places), space.ctypes.data_as(pointer))
    found = np.concatenate(results)
    assert not np.isnan(found).any()
    return found.tobytes()
