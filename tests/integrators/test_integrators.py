"""Methods of integration: records, and one's own in Python, in C and in an FMU."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

from mbcore import Equations, Model, ModelError, simulate
from mbcore.codegen.c_model import GeneratedModel
from mbcore.codegen.compiler import CompilerError
from mbcore.codegen.headers import methods_headers
from mbcore.fmi import export
from mbcore.fmi.packing.toolchains import Toolchain, compile_libraries
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.integrators import Interpolant, Item, Method, Tableau, add_method, added_method, table
from mbcore.integrators import methods as shipped
from mbcore.integrators.table import method_named, methods, methods_in_c
from mbcore.integrators.tableau import floats
from tests.built import hastily

EULER = Tableau(a=(), b=(1,))
TRAPEZOID = Tableau(a=((1,),), b=("1/2", "1/2"))


def heun(**changes: object) -> Method:
    """Return Heun's method: K. Heun, Z. Math. Phys. 45 (1900)."""
    given: dict = dict(order=2, stability="explicit", tableau=TRAPEZOID, item=Item("heun", "Heun"))
    return Method("heun", "a test", **(given | changes))


@pytest.fixture(scope="module")
def swell() -> Equations:
    """s' = s cos(τ), τ' = 1, whose solution from 1 is exp(sin t)."""
    model = Model("swell")
    s, time = model.state("s", start=1.0), model.state("time_passed")
    model.derivative("s", s * ca.cos(time))
    model.derivative("time_passed", 1.0 + 0 * time)
    return model.equations()


UNTIL = 2.5
EXACT = math.exp(math.sin(UNTIL))


def order(errors: list[float]) -> float:
    coarse, fine = errors
    assert 1e-12 < fine < 1e-3
    return math.log2(coarse / fine)


def errors_of(swell: Equations, method: str, backend: str) -> list[float]:
    return [
        abs(
            simulate(
                swell, UNTIL, method=method, backend=backend, max_step=UNTIL / n, samples=2
            ).final("s")
            - EXACT
        )
        for n in (64, 128)
    ]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache in which all is compiled anew, without optimization."""
    with hastily():
        monkeypatch.setenv("MBCORE_CACHE", str(tmp_path / "cache"))
        yield tmp_path


def test_heun_in_python_is_of_order_2_and_goes_again(swell: Equations) -> None:
    before = methods(), methods_headers()
    with added_method(heun()):
        assert order(errors_of(swell, "heun", "python")) == pytest.approx(2, abs=0.1)
        assert [m.item.name for m in methods_in_c() if m.item][-1] == "heun"
    assert (methods(), methods_headers()) == before
    with pytest.raises(ModelError, match="no method 'heun'"):
        simulate(swell, 1.0, method="heun", max_step=0.1)


HEUN_FILE = """
from mbcore.integrators.method import Method
from mbcore.integrators.tableau import Tableau
from mbcore.model.variables import Item

METHOD = Method(
    "heun", "a test", order=2, stability="explicit", item=Item("heun"), number=99,
    tableau=Tableau(a=((1,),), b=("1/2", "1/2")),
)
"""


def test_a_file_is_enough_for_a_method_of_the_library(
    swell: Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its item comes after those that FMUs have, whose numbers stay."""
    assert [(m.name, m.item.name, m.number) for m in methods() if m.item][:4] == [
        ("RK45", "runge_kutta", 1), ("rosenbrock", "rosenbrock", 2),
        ("classical", "fixed_step", 3), ("auto", "automatic", 4),
    ]  # fmt: skip
    (tmp_path / "a_heun.py").write_text(HEUN_FILE)
    monkeypatch.setattr(shipped, "__path__", [*shipped.__path__, str(tmp_path)])
    monkeypatch.setattr(table, "_methods", table.shipped_methods())
    assert [m.item.name for m in methods_in_c() if m.item][-1] == "heun"
    assert order(errors_of(swell, "heun", "python")) == pytest.approx(2, abs=0.1)
    with pytest.raises(ModelError, match="method heun: number = 5 needs an item"):
        heun(item=None, number=5)


def test_a_run_looks_its_method_up_once(swell: Equations) -> None:
    """The table is asked for the method's name; from there on its record is passed on."""
    looked_up = []

    def note(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_filename == table.__file__:
            looked_up.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        simulate(swell, 1.0, method="classical", max_step=0.1, backend="python")
    finally:
        sys.setprofile(None)
    assert looked_up == ["methods"]


@pytest.mark.heavy
def test_heun_in_c_and_in_an_fmu_is_of_order_2(swell: Equations, own_cache: Path) -> None:
    """Where everything is compiled anew; what was compiled before goes on, before and after."""
    known = errors_of(swell, "classical", "c")
    with added_method(heun()):
        c, python = (errors_of(swell, "heun", backend) for backend in ("c", "python"))
        assert order(c) == pytest.approx(2, abs=0.1)
        assert c == pytest.approx(python, rel=1e-9)
        assert errors_of(swell, "classical", "c") == known
        for path in export(swell, own_cache):
            errors = []
            for n in (64, 128):
                chosen = {"solver.method": 5, "solver.step": UNTIL / n}  # the last item
                with CoSimulation(path, start=chosen) as fmu:
                    fmu.advance(UNTIL)
                    errors.append(abs(fmu.get(["s"])[0] - EXACT))
            assert order(errors) == pytest.approx(2, abs=0.1)
            assert errors == pytest.approx(c, rel=1e-9)
    assert errors_of(swell, "classical", "c") == known
    with pytest.raises(ModelError, match="no method 'heun'"):
        simulate(swell, 1.0, method="heun", max_step=0.1, backend="c")


def with_estimate() -> Method:
    return heun(
        tableau=Tableau(a=((1,),), b=("1/2", "1/2"), errors=(("-1/2", "1/2", 0),), error_order=1)
    )


def test_an_estimate_makes_steps_as_long_as_tolerances_allow(swell: Equations) -> None:
    with added_method(with_estimate()):
        runs = [simulate(swell, UNTIL, method="heun", rtol=t, atol=t) for t in (1e-4, 1e-6)]
        steps = [run.statistics["steps"] for run in runs]
        assert steps[1] / steps[0] == pytest.approx(10, rel=0.2)  # its error grows with h²
        assert [abs(run.final("s") - EXACT) < t for run, t in zip(runs, (1e-3, 1e-5), strict=True)]
        inside = runs[1].time
        assert np.abs(runs[1]["s"] - np.exp(np.sin(inside))).max() < 1e-4


@pytest.mark.heavy
def test_an_estimate_chooses_steps_in_c_too(swell: Equations, own_cache: Path) -> None:
    with added_method(with_estimate()):
        run = simulate(swell, UNTIL, method="heun", rtol=1e-6, atol=1e-6, backend="c", samples=101)
    assert np.abs(run["s"] - np.exp(np.sin(run.time))).max() < 1e-5


@pytest.mark.heavy
def test_a_method_of_many_stages_finds_room_in_c(swell: Equations, own_cache: Path) -> None:
    """Forty steps of Euler as one step with forty stages: of order 1, with an error of h/40."""
    n = 40
    rows = tuple((f"1/{n}",) * i for i in range(1, n))
    long = heun(order=1, tableau=Tableau(a=rows, b=(f"1/{n}",) * n))
    short = Method("euler", "a test", order=1, stability="explicit", tableau=EULER)
    with added_method(long), added_method(short):
        one, many = (
            simulate(swell, 1.0, method=name, backend="c", max_step=step, samples=2).final("s")
            for name, step in (("heun", 0.5), ("euler", 0.5 / n))
        )
    assert one == pytest.approx(many, rel=1e-12)


@pytest.mark.parametrize(("name", "scipy"), [("RK45", RK45), ("DOP853", DOP853)])
def test_tableaus_are_those_of_scipy(name: str, scipy: type[RK45]) -> None:
    t = method_named(name).tableau
    assert t is not None
    n = t.stages
    assert np.array_equal(t.array()[:, : scipy.A.shape[1]], scipy.A[:n, :n])
    assert np.array_equal([float(b) for b in t.b], scipy.B)
    assert np.array_equal([float(c) for c in t.c], scipy.C[:n])


def test_the_interpolant_is_that_of_scipy() -> None:
    tableau = method_named("DOP853").tableau
    assert tableau is not None
    dense = tableau.dense
    assert dense is not None
    for found, expected in ((dense.a, DOP853.A_EXTRA), (dense.weights, DOP853.D)):
        for row, whole in zip(found, expected, strict=True):
            assert np.array_equal(floats(row), whole[: len(row)])
            assert not whole[len(row) :].any()
    assert np.array_equal(floats(dense.c), DOP853.C_EXTRA)


def hermite(order: int = 3, **others: Any) -> Tableau:
    """Heun's method with the cubic between values and rates at both ends."""
    dense = Interpolant(**({"a": (), "c": (), "weights": ((0, 0, 0),), "order": order} | others))
    return Tableau(a=((1,),), b=("1/2", "1/2"), dense=dense)


def test_an_interpolant_keeps_the_powers_of_time_that_it_says() -> None:
    hermite()
    with pytest.raises(ModelError, match=r"dense misses t\^4, which order 4 has"):
        hermite(4)
    with pytest.raises(ModelError, match=r"rows of \[\] and \[2\] numbers and 0 places; here"):
        hermite(weights=((0, 0),))
    with pytest.raises(ModelError, match=r"row 0 of dense.a adds up to 0.5, and its c is 0.25"):
        hermite(a=(("1/2", 0, 0),), c=("1/4",), weights=((0, 0, 0, 0),))


def test_toolchains_from_before_an_addition_are_refused() -> None:
    tool = Toolchain(None, ())  # type: ignore[arg-type]
    with added_method(heun()), pytest.raises(CompilerError, match="make them anew"):
        compile_libraries("any", GeneratedModel("", "", "", "", "", {}), [tool])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: heun(order=3), r"order 3 needs b c\^2 = 0.333333333, and it is 0.5"),
        (lambda: Tableau(a=((1,),), b=("1/2", "1/3")) and heun(
            tableau=Tableau(a=((1,),), b=("1/2", "1/3"))), r"needs b c\^0 = 1, and it is 0.8333"),
        (lambda: Tableau(a=((1, 2),), b=(1, 0)), "row 1 of a is for stage 1: give 1 numbers"),
        (lambda: Tableau(a=((0,),), b=(1, 0)), "row 1 of a .* not all 0"),
        (lambda: Tableau(a=(), b=("1/2", "1/2")), "0 rows in a, 2 weights in b"),
        (lambda: Tableau(a=((1,),), b=(math.nan, 1)), "not a finite number"),
        (lambda: Tableau(a=(("1/0",),), b=(1, 0)), "not a finite number"),
        (lambda: Tableau(a=((1,),), b=("1/2", "1/2"), c=(0, "1/2")), r"c\[1\] = 0.5, but row 1"),
        (lambda: Tableau(a=((1,),), b=("1/2", "1/2"), errors=((1, 0, 0),), error_order=1),
         r"is 0 for t\^0, and its weights give 1"),
        (lambda: Tableau(a=("1/2",), b=(0, 1)), "a holds '1/2'; give a row"),
        (lambda: Method("two words", "", 1, "", tableau=EULER), "letters, digits and _"),
        (lambda: Method("empty", "", 1, ""), "give a tableau, a solver, or"),
        (lambda: add_method(Method("RK45", "", 1, "", tableau=EULER)), "RK45 is there already"),
        (lambda: add_method(heun(item=Item("fixed_step"))), "classical has the item 'fixed_step'"),
        (lambda: add_method(heun(tighter="RK46")), "no method 'RK46'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_named(make: object, said: str) -> None:
    before = methods()
    with pytest.raises(ModelError, match=said):
        make()  # type: ignore[operator]
    assert methods() == before
