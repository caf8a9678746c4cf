"""The generated C computes what the equations' functions do, and its tables say what they say."""

import ctypes
import math

import casadi as ca
import numpy as np
import pytest

from mbcore import Model, ModelError
from mbcore.codegen import statements
from mbcore.codegen.c_model import generate
from mbcore.codegen.dependencies import dependencies
from mbcore.codegen.headers import write_headers
from mbcore.codegen.model_source import sharing
from mbcore.codegen.runtime import ROOMS
from mbcore.codegen.sums import writing
from mbcore.codegen.table import table
from mbcore.contact.impact import Impact
from mbcore.equations.functions import FUNCTIONS
from mbcore.fmi.packing.compiler import find_compiler
from tests.contact.test_impact import ball
from tests.pendulum import pendulum
from tests.singular_models import four_bar

_ACCESS = """
void call(int i, const double **arg, double **res, double *w, double *cached) {
    const mb_function *f = &mb_generated_model.newton + i;
    double *common[] = {cached};
    if (f->extras > 0 && f->extra[f->extras - 1] == MB_EXTRA_cached) {
        mb_generated_model.common.call(arg, common, w);
        arg[MB_ARGUMENTS + f->extras - 1] = cached;
    }
    f->call(arg, res, w);
}
int work(int i) {
    const mb_function *f = &mb_generated_model.newton + i;
    return f->w > mb_generated_model.common.w ? f->w : mb_generated_model.common.w;
}
int measured(void) { return mb_generated_model.measures_with_rates; }
int cached(void) { return mb_generated_model.nk; }
const char *name(int i) { return mb_generated_model.variable[i].name; }
double start(int i) { return mb_generated_model.variable[i].start; }
double maximum(int i) { return mb_generated_model.variable[i].maximum; }
unsigned long available(int i) { return mb_generated_model.variable[i].available; }
const char *token(void) { return mb_generated_model.token; }
const char *message(int i) { return mb_generated_model.requirement[i].message; }
"""


@pytest.fixture(scope="module")
def equations():
    return pendulum().equations()


@pytest.fixture(scope="module", params=[statements.PIECE, 50], ids=["whole", "in pieces"])
def library(equations, tmp_path_factory, request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "PIECE", request.param)
        return build(equations, tmp_path_factory.mktemp("c_model"))


@pytest.fixture(scope="module")
def loop():
    return four_bar((1, 2, 2, 2.5), False, 1.0).equations()


WRITTEN = {
    "whole": (statements.PIECE, False),
    "in pieces": (50, False),
    "as long models": (statements.PIECE, True),
    "as long models in pieces": (50, True),
}
"""Most statements in a function in C, and whether functions are written as those of long models."""


@pytest.fixture(scope="module", params=WRITTEN.values(), ids=WRITTEN.keys())
def library_of_loop(loop, tmp_path_factory, request):
    with pytest.MonkeyPatch.context() as patch:
        piece, long = request.param
        patch.setattr(statements, "PIECE", piece)
        if long:
            patch.setattr(writing, "SHORTEST", 0)
            patch.setattr(sharing, "LONG", 0)
        source = generate(loop, table(loop, 0.01)).source
        assert ("mb_sum_up" in source) is long
        assert ("{0, res[0], 0, 0}" in source) is long
        return build(loop, tmp_path_factory.mktemp("loop"))


def build(equations, folder):
    """Compile what is generated, with access to its functions and tables."""
    source = folder / "model.c"
    source.write_text(generate(equations, table(equations, 0.01)).source + _ACCESS)
    compiler = find_compiler()
    target = folder / f"model{compiler.platform.suffix}"
    places = [f"-I{place}" for place in (*ROOMS, write_headers(folder))]
    flags = (*compiler.position_flags, "-shared", *places)
    compiler.run("-std=c99", "-O1", *flags, source, "-o", target, "-lm")
    loaded = ctypes.CDLL(str(target))
    for function in (loaded.name, loaded.token, loaded.message):
        function.restype = ctypes.c_char_p
    loaded.start.restype = loaded.maximum.restype = ctypes.c_double
    return loaded


IN_C = [name for name, row in FUNCTIONS.items() if row.in_c]


@pytest.mark.parametrize("name", IN_C)
def test_functions_agree_with_the_equations(equations, library, name):
    compare(equations, library, name)


def test_functions_of_a_loop_agree_with_its_equations(loop, library_of_loop):
    """A pendulum's configuration follows explicitly, that of a loop by Newton's iteration."""
    assert loop.iterated > 0
    for name in IN_C:
        compare(loop, library_of_loop, name)


def compare(equations, library, name):
    """Compare a function in C with that of the equations at arguments near 1."""
    function: ca.Function = equations.functions[name]
    arguments = _arguments(function)
    expected = function.call([ca.DM(a) for a in arguments], True, False)
    results = [np.full(r.numel(), np.nan) for r in expected]
    _call(library, IN_C.index(name), arguments, results)
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, np.ravel(want.full(), order="F"), rtol=1e-13, atol=1e-15)


def test_infinite_bounds_keep_their_sign(tmp_path):
    """What is limited on one side only is limited by an infinity on the other."""
    model = Model("bounds")
    x = model.state("x", ca.SX(0))
    model.output("above", ca.if_else(x > -ca.inf, x, 0))
    model.output("below", ca.if_else(x < ca.inf, x, 0))
    loaded = build(model.equations(), tmp_path)
    arguments = [np.full(size, 0.3) for size in (1, 1, 0, 0, 4, 0)]
    shown = np.full(2, np.nan)
    _call(loaded, IN_C.index("output"), arguments, [shown])
    assert shown.tolist() == [0.3, 0.3]


def test_the_derivative_gives_the_same_measures_as_their_own_function(loop, library_of_loop):
    library, equations = library_of_loop, loop
    assert library.measured() == 1
    arguments = _arguments(equations.functions["derivative"])
    rates = np.full(len(equations.states), np.nan)
    given = len(equations.conditioning_names)
    assert given > 0
    measures, alone = np.full((2, given + 1), np.nan)
    _call(library, IN_C.index("derivative"), arguments, [rates, measures])
    _call(library, IN_C.index("conditioning"), arguments, [alone])
    assert measures[:given].tobytes() == alone[:given].tobytes()
    assert np.isnan([measures[given], alone[given]]).all()
    without = np.full_like(rates, np.nan)
    _call(library, IN_C.index("derivative"), arguments, [without])
    assert rates.tobytes() == without.tobytes()


def test_indicators_begin_with_cached_values_where_they_share_most():
    """Contacts that close and others then have no text for both, which would begin anew."""
    model = ball(Impact(0.5))
    x = model.states.add("x")
    shared = ca.sin(x) * ca.exp(x)
    rate = shared
    for _ in range(300):
        rate = ca.cos(rate + shared)
    model.states.set_derivative("x", rate)
    model.output("mode", model.events.add("switch", rate - 0.5, band=1e-9))
    equations = model.equations()
    statements = generate(equations, table(equations, 0.01)).statements
    assert statements["derivative"] > 600 > 40 > statements["indicator"]


def test_indicators_from_known_values_are_the_same(tmp_path):
    """A few of the derivative's many values are cached for an indicator of nothing else."""
    model = Model("known")
    x = model.states.add("x")
    shared = ca.sin(x) * ca.exp(x)
    rate = shared
    for _ in range(20):
        rate = ca.cos(rate + shared)
    model.states.set_derivative("x", rate)
    mode = model.events.add("switch", shared - 0.5, band=1e-9)
    model.output("mode", mode)
    equations = model.equations()
    assert "known_indicator" in generate(equations, table(equations, 0.01)).statements
    loaded = build(equations, tmp_path)
    arguments = _arguments(equations.functions["indicator"])
    alone, known = np.full((2, 1), np.nan)
    _call(loaded, IN_C.index("indicator"), arguments, [alone])
    _call(loaded, len(IN_C), arguments, [known])
    there = arguments[1].item()
    np.testing.assert_allclose(alone, math.sin(there) * math.exp(there) - 0.5, rtol=1e-14)
    assert alone.tobytes() == known.tobytes()


def _arguments(function: ca.Function) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.uniform(0.5, 1.5, function.size_in(i)) for i in range(function.n_in())]


def _call(library, number: int, arguments: list[np.ndarray], results: list[np.ndarray]) -> None:
    pointer = ctypes.POINTER(ctypes.c_double)
    flat = [np.ravel(a, order="F") for a in arguments]
    places = [a.ctypes.data_as(pointer) for a in flat]
    arg = (pointer * (len(flat) + 1))(*places)
    res = (pointer * 4)(*(r.ctypes.data_as(pointer) for r in results))
    work = (ctypes.c_double * (library.work(number) + 1))()
    cached = (ctypes.c_double * (library.cached() + 1))()
    library.call(number, arg, res, work, cached)


def test_tables_hold_the_variables_in_order(equations, library):
    rows = table(equations, 0.01).rows
    assert [library.name(row.reference).decode() for row in rows] == [row.name for row in rows]
    assert [row.reference for row in rows] == list(range(len(rows)))
    assert library.start(table(equations, 0.01).named("pendulum.angle").reference) == 0.1
    assert library.maximum(1) == np.inf
    law = table(equations, 0.01).named("pivot.law")
    assert library.available(law.reference) == 0b01
    assert library.message(0) == b"must be below 10 m"


def test_the_token_follows_the_content():
    one, again, other = (
        generate(equations, table(equations, step))
        for equations, step in (
            (pendulum().equations(), 0.01),
            (pendulum().equations(), 0.01),
            (pendulum().equations(), 0.02),
        )
    )
    assert one == again
    assert one.token != other.token
    assert f'"{one.token}"' in one.source


def test_names_survive_as_c_strings():
    strange = 'a "b" \\ ??/ µ\n'
    model = pendulum(strange)
    source = generate(model.equations(), table(model.equations(), 0.01)).source
    literal = r'"a \042b\042 \134 \077\077/ \302\265\012"'
    assert literal in source


def test_dependencies_contain_every_numerical_one(equations):
    """Move each known a little: what changes must have been named, and named for a reason."""
    from mbcore.evaluation.evaluation import Evaluation

    rows = table(equations, 0.01)
    found = dependencies(equations, rows).running

    def values(known, change):
        e = Evaluation(equations)
        e.s[:] = (0.4, 0.3)
        of = {"time": e.t, "state": e.s, "input": e.u}[known.kind]
        of[known.index] += change
        e.configure()
        return {"derivative": e.derivative().copy(), "output": e.output().copy()}

    for known in rows.of("time", "state", "input"):
        before, after = values(known, 0.0), values(known, 1e-3)
        for row in rows.of("derivative", "output"):
            changed = before[row.kind][row.index] != after[row.kind][row.index]
            if changed:
                assert known.reference in found[row.reference], (row.name, known.name)
    names = {row.name: row.reference for row in rows.rows}
    assert found[names["der(pendulum.angle)"]] == {names["pendulum.rate"]: "constant"}
    assert names["pendulum.angle"] in found[names["bob.x"]]
    assert names["pendulum.rate"] not in found[names["bob.x"]]
    assert found[names["gate.passages"]] == {}


def test_unfit_models_are_refused():
    model = pendulum()
    model.output("bob x", 0.0)
    with pytest.raises(ModelError, match=r"'bob x' is not a name that FMUs can have; rename"):
        table(model.equations(), 0.01)
    model = pendulum()
    state = model.state("path", 1.0, unit="m", nominal=0.0)
    assert state.is_symbolic()
    with pytest.raises(ModelError, match=r"'path'.*nominal"):
        table(model.equations(), 0.01)
