"""What C leaves out by conditions changes no result: random graphs, in pieces of a few values."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore.codegen import guards, statements
from mbcore.codegen.program import program
from mbcore.fmi.packing.compiler import find_compiler

ENTRIES, DEPTH = 6, 3
POINTS = 8
ALWAYS, REQUESTED, STORED = range(3)


def grown(random: np.random.Generator, pool: list[ca.SX], depth: int) -> ca.SX:
    """Return a value of those in the pool, with parts of it needed in nested conditions only."""

    def some() -> ca.SX:
        return pool[int(random.integers(0, len(pool)))]

    value = some()
    for _ in range(4):
        value = ca.sin(value) * some() + some()
        pool.append(value)
    for _ in range(2 if depth else 0):
        # What was found inside a condition may be needed outside as well.
        inside = pool if random.random() < 0.2 else list(pool)
        value += ca.if_else(some() > some(), grown(random, inside, depth - 1), 0)
    return value


@dataclass(frozen=True)
class Case:
    """A function, which of the entries of its last result are stored, and its C."""

    function: ca.Function
    stored: list[int]
    text: str


def case(name: str, random: np.random.Generator) -> Case:
    argument = ca.SX.sym("argument", ENTRIES)
    pool = ca.vertsplit(argument)
    chosen = [grown(random, pool, DEPTH) for _ in range(2)]
    chosen.append(ca.vertcat(*pool[ENTRIES::2]))
    function = ca.Function(name, [argument], chosen)
    merged = program({name: (function, [0])}, [argument], branches=True)
    results = merged.results[name]
    on_the_way = set(merged.computed(results[:REQUESTED]))
    stored = [i for i, v in enumerate(results[STORED]) if v in on_the_way]
    results[STORED] = [results[STORED][i] for i in stored]
    wanted = statements.Wanted(REQUESTED, STORED)
    text = statements.statements(merged, name, ["arg[0]"], results, {}, wanted)
    return Case(function, stored, text.source)


MANY = [pytest.param(12, piece, marks=pytest.mark.heavy) for piece in (7, 25, 1000)]


@pytest.mark.parametrize(("graphs", "piece"), [(1, 30), *MANY])
def test_results_are_those_without_branches(
    graphs: int, piece: int, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "LEAST", 3)
    monkeypatch.setattr(statements, "PIECE", piece)
    random = np.random.default_rng(1)
    cases = [case(f"graph_{k}", random) for k in range(graphs)]
    assert sum(c.text.count("||res[2]){") for c in cases) > 10 * graphs
    loaded = compiled(tmp_path, [c.text.replace("static void", "void") for c in cases])
    for c in cases:
        for _ in range(POINTS):
            at = random.normal(size=ENTRIES)
            always, requested, everything = (
                np.ravel(r.full()) for r in c.function.call([ca.DM(at)], True, False)
            )
            for wanted in ([], [REQUESTED], [STORED], [REQUESTED, STORED]):
                found = call(loaded[c.function.name()], at, wanted)
                np.testing.assert_allclose(found[ALWAYS][:1], always, rtol=1e-13)
                if REQUESTED in wanted:
                    np.testing.assert_allclose(found[REQUESTED][:1], requested, rtol=1e-13)
                if STORED in wanted:
                    some = found[STORED][: len(c.stored)]
                    np.testing.assert_allclose(some, everything[c.stored], rtol=1e-13)


def compiled(folder: Path, texts: list[str]) -> ctypes.CDLL:
    """Return a library of functions in C, which give no warnings."""
    compiler = find_compiler()
    source = folder / "graphs.c"
    source.write_text("\n".join(["#include <math.h>", "#define D const double", *texts]))
    target = folder / f"graphs{compiler.platform.suffix}"
    flags = (*compiler.position_flags, "-shared", "-Wall", "-Wextra", "-Werror")
    compiler.run("-std=c99", "-O0", *flags, "-Wno-missing-prototypes", source, "-o", target, "-lm")
    return ctypes.CDLL(str(target))


def call(function, at: np.ndarray, wanted: list[int]) -> list[np.ndarray]:
    """Return results of a function in C, of which some are wanted beside the first one."""
    pointer = ctypes.POINTER(ctypes.c_double)
    results = [np.full(1000, np.nan) for _ in range(3)]
    # What is read before it is written is not a number.
    work = np.full(1000, np.nan)
    places = [
        r.ctypes.data_as(pointer) if k == ALWAYS or k in wanted else None
        for k, r in enumerate(results)
    ]
    arguments = (pointer * 1)(at.ctypes.data_as(pointer))
    function(arguments, (pointer * 3)(*places), work.ctypes.data_as(pointer))
    return results
