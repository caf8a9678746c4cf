"""Linear functions as tables of sums: the bits of their statements, and the transposed matrix."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore.codegen.program import Operation, Program, program
from mbcore.codegen.runtime import ROOMS
from mbcore.codegen.statements import Wanted, statements
from mbcore.codegen.sums import writing
from mbcore.codegen.sums.sums import Sums
from mbcore.codegen.sums.writing import Columns, Linear, in_sums
from mbcore.fmi.packing.compiler import find_compiler
from mbcore.host.vectors import Vectors, widest

POINT, ENTRIES, RATES, OUTPUTS = 5, 4, 3, 2
SIZES = {"point": POINT, "argument": ENTRIES, "rate_seed": RATES, "output_seed": OUTPUTS}
OF = Linear("change", "adjoint_change", argument=1, entries=ENTRIES, point=1, cached=())


@pytest.fixture(autouse=True)
def short_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SHORTEST", 0)


def grown(random: np.random.Generator, point: list[ca.SX], linear: list[ca.SX]) -> list[ca.SX]:
    """Return values that are linear in those of ``linear``, by all operations that there are."""

    def some(pool: list[ca.SX]) -> ca.SX:
        return pool[int(random.integers(0, len(pool)))]

    pool = list(linear)
    for _ in range(40):
        factor = some(point) * some(point) + some(point)
        pool.append(
            [
                factor * some(pool) - some(point) * some(pool),
                some(pool) + (some(pool) - some(pool)),
                some(pool) / factor,
                ca.if_else(factor > 1, some(pool), 0),
                -some(pool) + 2 * some(pool),
                some(pool) - some(pool) * factor + some(pool),
            ][int(random.integers(0, 6))]
        )
    return pool


def merged(seed: int, extra: float = 0.0) -> tuple[Program, ca.Function]:
    """Return a program with a random linear function, and the function."""
    random = np.random.default_rng(seed)
    symbols = [ca.SX.sym(name, size) for name, size in SIZES.items()]
    pool = grown(random, ca.vertsplit(symbols[0]), ca.vertsplit(symbols[1]))
    rates, outputs = ca.vertcat(pool[0], *pool[-2:]), ca.vertcat(0, pool[-3] + extra)
    change = ca.Function("change", symbols[:2], [rates, outputs])
    transposed = ca.jacobian(ca.vertcat(rates, outputs), symbols[1]).T @ ca.vertcat(*symbols[2:])
    adjoint = ca.Function("adjoint", [symbols[0], *symbols[2:]], [transposed])
    of = {"change": (change, [0, 1]), "adjoint_change": (adjoint, [0, 2, 3])}
    return program(of, symbols), change


@dataclass(frozen=True)
class Library:
    """Functions in C, of which one is written as statements."""

    loaded: ctypes.CDLL

    def __call__(self, name: str, given: list[np.ndarray], sizes: list[int | None]) -> np.ndarray:
        """Return the results of a function, those that have a size."""
        pointer = ctypes.POINTER(ctypes.c_double)
        found = [None if size is None else np.full(size, np.nan) for size in sizes]
        places = [None if r is None else r.ctypes.data_as(pointer) for r in found]
        taken = [array.ctypes.data_as(pointer) for array in given]
        work = np.full(5000, np.nan)  # what is read before it is written is not a number
        function = getattr(self.loaded, f"mb_model_{name}")
        function(
            (pointer * (len(taken) + 1))(*taken),
            (pointer * len(places))(*places),
            work.ctypes.data_as(pointer),
        )
        return np.concatenate([r for r in found if r is not None])


def library(of: Program, folder: Path, linear: Linear = OF) -> Library:
    """Compile both ways, without warnings."""
    texts = in_sums(of, linear)
    assert texts is not None
    own = ["arg[0]", "arg[1]"]
    plain = statements(of, "mb_model_plain", own, of.results["change"], {}, Wanted(1))
    parts = ["#include <math.h>", "#define D const double", plain.source]
    parts += [text.source for text in texts.values()]
    compiler = find_compiler()
    source = folder / "sums.c"
    source.write_text("\n".join(parts).replace("static void mb_model", "void mb_model"))
    target = folder / f"sums{compiler.platform.suffix}"
    flags = (
        *compiler.position_flags,
        "-shared",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-ffp-contract=off",
    )
    places = [f"-I{place}" for place in ROOMS]
    compiler.run("-std=c99", "-O1", *flags, *places, source, "-o", target, "-lm")
    return Library(ctypes.CDLL(str(target)))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(k, marks=pytest.mark.heavy) for k in range(2, 9))]
)
def test_bits_are_those_of_statements(
    seed: int, wide: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wide:
        monkeypatch.setattr(writing, "_TWO_BYTES", 1)
    of, function = merged(seed)
    call, random = library(of, tmp_path), np.random.default_rng(seed)
    point, at = random.normal(size=POINT), random.normal(size=ENTRIES)
    for outputs in (OUTPUTS, None):
        found = call("change", [point, at], [RATES, outputs])
        assert found.tobytes() == call("plain", [point, at], [RATES, outputs]).tobytes()
    expected = np.concatenate(
        [np.ravel(r.full()) for r in function.call([ca.DM(point), ca.DM(at)])]
    )
    np.testing.assert_allclose(found, expected[:RATES], rtol=1e-12, atol=1e-13)
    columns = [call("change", [point, e], [RATES, OUTPUTS]) for e in np.eye(ENTRIES)]
    for k, seeds in enumerate(np.eye(RATES + OUTPUTS)):
        row = call("adjoint_change", [point, seeds[:RATES], seeds[RATES:]], [ENTRIES])
        np.testing.assert_allclose(row, np.transpose(columns)[k], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("vectors", [Vectors(2), widest()])
def test_columns_have_the_bits_of_single_directions(vectors: Vectors, tmp_path: Path) -> None:
    """Three columns: some lanes of the last vector are left over."""
    of, _ = merged(1)
    call = library(of, tmp_path, replace(OF, columns=Columns("jacobian", 3, vectors)))
    point = np.random.default_rng(1).normal(size=POINT)
    single = [call("change", [point, e], [RATES, None]) for e in np.eye(ENTRIES)[:3]]
    # the function of columns takes no direction
    found = call("jacobian", [point], [3 * RATES])
    assert found.tobytes() == np.concatenate(single).tobytes()


class Given(ctypes.Structure):
    """``mb_columns`` in ``mb_columns.h``."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("states", ctypes.c_int),
        ("state", ctypes.POINTER(ctypes.c_double)),
        ("value", ctypes.POINTER(ctypes.c_int)),
    )


@pytest.mark.parametrize("outputs", [OUTPUTS, None])
def test_given_columns_have_the_bits_of_single_directions(
    outputs: int | None, tmp_path: Path
) -> None:
    """Ten columns of two entries and, from the fourth on, a single one behind them."""
    of, _ = merged(1)
    call = library(of, tmp_path, replace(OF, columns=Columns("jacobian", 3, widest())))
    random = np.random.default_rng(2)
    point, first = random.normal(size=POINT), random.normal(size=(2, 10))
    places = [-1, -1, -1, *random.integers(2, ENTRIES, 7)]
    pointer = ctypes.POINTER(ctypes.c_double)
    sizes = [RATES, *([outputs] if outputs else [])]
    found = [np.full((size, 10), np.nan) for size in sizes]
    work = np.full(5000, np.nan)
    given = Given(10, 2, first.ctypes.data_as(pointer), (ctypes.c_int * 10)(*places))
    call.loaded.mb_model_changes(
        (pointer * 2)(point.ctypes.data_as(pointer), None),
        ctypes.byref(given),
        (pointer * 2)(*(r.ctypes.data_as(pointer) for r in found)),
        work.ctypes.data_as(pointer),
    )
    for k, place in enumerate(places):
        direction = np.zeros(ENTRIES)
        direction[:2] = first[:, k]
        if place >= 0:
            direction[place] = 1.0
        single = call("change", [point, direction], [RATES, outputs])
        assert np.concatenate([r[:, k] for r in found]).tobytes() == single.tobytes()


def test_places_are_as_wide_as_the_factors_of_both_signs_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Factors stand twice, with either sign, so that few values may have many places."""
    symbols = [ca.SX.sym(name, size) for name, size in SIZES.items()]
    point, change = ca.vertsplit(symbols[0]), ca.vertsplit(symbols[1])
    rates = ca.vertcat(
        *(
            sum(point[(i + j) % POINT] ** (i + 1) * e for j, e in enumerate(change))
            for i in range(RATES)
        )
    )
    outputs = ca.vertcat(-point[0] * change[0], change[1])
    forward = ca.Function("change", symbols[:2], [rates, outputs])
    back = ca.jacobian(ca.vertcat(rates, outputs), symbols[1]).T @ ca.vertcat(*symbols[2:])
    adjoint = ca.Function("adjoint", [symbols[0], *symbols[2:]], [back])
    of = program({"change": (forward, [0, 1]), "adjoint_change": (adjoint, [0, 2, 3])}, symbols)

    def written() -> str:
        texts = in_sums(of, OF)
        assert texts is not None
        return texts["change"].source

    places = re.search(r"sum_factors\[\] = \{(.*?)\}", written(), re.DOTALL)
    assert places is not None
    largest = max(map(int, places[1].split(",")))
    assert "#define MB_PLACE unsigned short" in written()
    monkeypatch.setattr(writing, "_TWO_BYTES", largest)
    assert "#define MB_PLACE unsigned\n" in written()


def test_each_minus_counts() -> None:
    """CasADi writes x + y for x - (-y); a program may have both signs all the same."""
    x, y, negative, both, neither, minus = range(6)
    operations = [
        Operation(ca.OP_INPUT, entry=(0, 0)),
        Operation(ca.OP_INPUT, entry=(0, 1)),
        Operation(ca.OP_NEG, (x,)),
        Operation(ca.OP_SUB, (y, negative)),
        Operation(ca.OP_ADD, (x, y)),
        Operation(ca.OP_NEG, (neither,)),
    ]
    sums = Sums(Program(operations, {}), [[both, minus]], argument=0, given=())
    found = {x: 2.0, y: 5.0}
    for value, terms in sums.rows.items():
        factors = [sums.program.operations[term.factor].constant for term in terms]
        signs = [-1 if term.negative else 1 for term in terms]
        found[value] = sum(
            sign * factor * found[term.value]
            for sign, factor, term in zip(signs, factors, terms, strict=True)
        )
    assert (found[both], found[minus]) == (7.0, -7.0)


def test_what_is_not_a_number_stays_where_it_is_chosen(tmp_path: Path) -> None:
    x, v = ca.SX.sym("x"), ca.SX.sym("v", 2)
    seeds = ca.SX.sym("rate_seed"), ca.SX.sym("output_seed")
    chosen = ca.if_else(x > 0, v[0], 0) + 3 * v[1]
    function = ca.Function("change", [x, v], [chosen, v[1]])
    back = ca.vertcat((x > 0) * seeds[0], 3 * seeds[0] + seeds[1])
    adjoint = ca.Function("adjoint", [x, *seeds], [back])
    of = program(
        {"change": (function, [0, 1]), "adjoint_change": (adjoint, [0, 2, 3])}, [x, v, *seeds]
    )
    texts = in_sums(of, Linear("change", "adjoint_change", 1, 2, 1, ()))
    assert texts is not None
    call = library(of, tmp_path)
    at = np.array([np.nan, 2.0])
    assert call("change", [np.array([-1.0]), at], [1, 1]).tolist() == [6.0, 2.0]
    assert np.isnan(call("change", [np.array([1.0]), at], [1, None])[0])


def test_an_infinite_slope_stays_where_it_is_chosen(tmp_path: Path) -> None:
    """|x| changes by x v/|x|; chosen to be 0 at x = 0, it takes nothing of its seed there."""
    x, v = ca.SX.sym("x"), ca.SX.sym("v", ENTRIES)
    seeds = ca.SX.sym("rate_seed", RATES), ca.SX.sym("output_seed", OUTPUTS)
    length = ca.sqrt(x * x)
    slopes = x * v[0] / length, (x / length) * v[1], v[2] / length + (1 / length) * v[0]
    rates = ca.vertcat(*(ca.if_else(x * x > 0, slope, 0) for slope in slopes))
    function = ca.Function("change", [x, v], [rates, v[2:]])
    adjoint = ca.Function("adjoint", [x, *seeds], [ca.SX(ENTRIES, 1)])  # the table's is its own
    of = program(
        {"change": (function, [0, 1]), "adjoint_change": (adjoint, [0, 2, 3])}, [x, v, *seeds]
    )
    call, nothing = library(of, tmp_path), np.zeros(1)
    given = np.array([2.0, 3.0, 5.0, 7.0])
    assert call("change", [nothing, given], [RATES, OUTPUTS]).tolist() == [0, 0, 0, 5, 7]
    back = call("adjoint_change", [nothing, np.ones(RATES), given[2:]], [ENTRIES])
    assert back.tolist() == [0, 0, 5, 7]


def test_what_is_not_linear_keeps_its_statements() -> None:
    of, _ = merged(1, extra=1.0)  # a part that is constant
    assert in_sums(of, OF) is None
    x, v = ca.SX.sym("x"), ca.SX.sym("v")
    for value in (v * v, x / v, ca.sin(v), v + x):
        function = ca.Function("change", [x, v], [value, v])
        of = program({"change": (function, [0, 1])}, [x, v])
        assert in_sums(of, Linear("change", "adjoint_change", 1, 1, 1, ())) is None
