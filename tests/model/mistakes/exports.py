"""Names, numbers, units and files that nobody should give, up to the export of a model.

Each of them once ended in an error of Python's: no row says what was given, or what to do.
"""

from __future__ import annotations

import os
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from unittest import mock

import casadi as ca

from mbcore import (
    Equations,
    Model,
    Units,
    equilibrium,
    linearizations,
    simulate,
    simulations,
    steady_motion,
    steady_motions,
    sweep,
)
from mbcore.codegen.compiler import CompilerError, candidates
from mbcore.codegen.platforms import this_platform
from mbcore.fmi import Component, Experiment, export
from mbcore.fmi.packing.platforms import platforms_named
from mbcore.fmi.page_settings import Page

from .arguments import motion, swing
from .case import INF, wrong

HUGE = 10**400
LONG = "n" * 300


def declared(kind, *given, **more):
    """A variable of a model."""
    return lambda m: getattr(m.plane, kind)(*given, **more)


@cache
def clashing(kind: str, name: str, of: str = "m") -> Equations:
    """A model with one variable of that name."""
    model = Model(of, gravity=(0, -9.81))
    getattr(model, kind)(name, *([] if kind in ("input", "state") else [1.0]))
    return model.equations()


def exported(source=None, directory=None, **options):
    def call(m):
        with tempfile.TemporaryDirectory() as folder:
            made = source() if source else swing()
            export(made, directory or folder, **{"tools": (), **options})

    return call


def component(**options):
    return exported(
        lambda: Component(**{"name": "m", "description": "", "equations": swing()} | options)
    )


def commanded(value: str):
    """The compilers that the environment variable CC asks for."""

    def call(m):
        with mock.patch.dict(os.environ, {"CC": value}):
            list(candidates(this_platform()))

    return call


def written(how: str, name):
    return lambda m: getattr(motion(), how)(name)


def archived(name: str):
    """A result with a column of that name."""

    def call(m):
        run = simulate(clashing("output", name), 0.1, samples=2, progress=False)
        with tempfile.TemporaryDirectory() as folder:
            run.to_npz(Path(folder) / "run.npz")

    return call


def swept(make, **options):
    return lambda m: sweep(make(swing(), **options), {"k": [1.0]}, workers=1)


TABLE = {
    "parameter in furlongs": wrong(
        declared("parameter", "k", 1.0, unit="furlong"),
        "parameter k: unknown unit 'furlong'",
        "rad",
    ),
    "shown in furlongs": wrong(
        declared("parameter", "k", 1.0, unit=Units("m", "furlong")), "parameter k", "furlong"
    ),
    "input in furlongs": wrong(declared("input", "u", unit="furlong"), "input u: unknown unit"),
    "state in furlongs": wrong(declared("state", "z", unit="furlong/s"), "state z: unknown unit"),
    "event count in furlongs": wrong(
        declared("discrete", "n", unit="furlong"), "discrete variable n: unknown unit"
    ),
    "output in furlongs": wrong(
        declared("output", "y", 0.0, unit="m/furlong"), "output y", "known"
    ),
    "no unit of a parameter": wrong(
        declared("parameter", "k", 1.0, unit=None), "parameter k: unit = None", "'kg.m2'"
    ),
    "no unit of an input": wrong(declared("input", "u", unit=None), "input u: unit = None", "give"),
    "no unit of a state": wrong(declared("state", "z", unit=None), "state z: unit = None", "give"),
    "no unit of an output": wrong(declared("output", "y", 0.0, unit=None), "output y: unit = None"),
    "no unit of an event count": wrong(declared("discrete", "n", unit=5), "unit = 5", "give"),
    "huge parameter": wrong(
        declared("parameter", "k", HUGE), "parameter k is about 1e400", "too large", "1.8e308"
    ),
    "huge negative fraction": wrong(
        declared("parameter", "k", Fraction(-HUGE, 3)), "parameter k is about -1e400", "too large"
    ),
    "huge end of a range": wrong(
        declared("parameter", "k", 1.0, maximum=HUGE), "k: maximum is about 1e400"
    ),
    "huge start of an input": wrong(declared("input", "u", HUGE), "input u: start is about 1e400"),
    "huge output": wrong(declared("output", "y", HUGE), "output y: expression is about 1e400"),
    "huge gravity": wrong(lambda m: Model("m", gravity=(0, -HUGE)), "gravity[1] is about -1e400"),
    "huge value of a run": wrong(
        lambda m: simulate(swing(), 0.1, parameters={"k": HUGE}), "parameter k is about 1e400"
    ),
    "huge input of a run": wrong(
        lambda m: simulate(swing(), 0.1, inputs={"u": HUGE}), "input u is about 1e400"
    ),
    "huge start of a run": wrong(
        lambda m: simulate(swing(), 0.1, start={"q": HUGE}), "start value q is about 1e400"
    ),
    "huge end time": wrong(lambda m: simulate(swing(), HUGE), "until is about 1e400"),
    "huge number of samples": wrong(
        lambda m: simulate(swing(), 1.0, samples=HUGE), "samples", "1e400"
    ),
    "breaks as an expression": wrong(
        lambda m: simulate(swing(), 1.0, breaks=ca.SX(0.5)), "breaks = SX(0.5)", "list of times"
    ),
    "name that cannot be looked up": wrong(
        declared("filtered", ["u"], 0.1), "input needs a name", "['u']"
    ),
    "derivative of a list": wrong(
        declared("derivative", ["z"], 0.1), "state needs a name", "['z']"
    ),
    "start at an input's list": wrong(declared("state", "z", start=["u"]), "state z[1]: start"),
    "event of another kind": wrong(
        lambda m: m.plane.event("e", m.p.x.value, kind="holding"),
        "event e: kind = 'holding' is unknown",
        '"held_slip"',
    ),
    "event assigns a list": wrong(
        lambda m: m.plane.event("e", m.p.x.value, rising=["n"]),
        "event e: rising = ['n']",
        "by name",
    ),
    "choice among texts": wrong(
        declared("select", 1, "a", "b"), "select: choice 1 = 'a'", "number"
    ),
    "items as a number": wrong(declared("enumeration", "e", 3), "items = 3", "['a', 'b']"),
    "point of a matrix expression": wrong(
        declared("point", "r", ca.MX.sym("z")), "point r: start = MX(z)", "casadi.SX"
    ),
    **{
        f"{kind} called {name}": wrong(
            exported(lambda kind=kind, name=name: clashing(kind, name)),
            f"two variables are called '{name}'",
            "rename",
        )
        for kind, name in (
            ("parameter", "time"),
            ("input", "time"),
            ("output", "time"),
            ("state", "time"),
            ("discrete", "time"),
            ("parameter", "solver.step"),
            ("output", "solver.method"),
        )
    },
    "tiny step of an experiment": wrong(
        lambda m: Experiment(step=1e-320),
        "step = 9.99989e-321 s",
        "1e+12 steps",
        "longer",
    ),
    "endless experiment": wrong(lambda m: Experiment(start=-1e308, stop=1e308), "steps", "give"),
    "tiny tolerance": wrong(lambda m: Experiment(tolerance=1e-320), "tolerance = ", "rounding"),
    "huge step of an experiment": wrong(lambda m: Experiment(step=HUGE), "step is about 1e400"),
    "name of 300 letters": wrong(component(name=LONG), "of 300 letters", "at most 200"),
    "model's name of 300 letters": wrong(
        exported(lambda: clashing("input", "u", LONG)), "of 300 letters", "at most 200"
    ),
    "folder's name of 300 letters": wrong(
        exported(directory=f"/tmp/{LONG}"), "export: /tmp/nnn", "too long", "choose another"
    ),
    "folder with a zero byte": wrong(exported(directory="a\0b"), "export", "leave it out"),
    "progress as a text": wrong(exported(progress="yes"), "progress = 'yes'", "print"),
    "platforms as a number": wrong(lambda m: platforms_named(5), "platforms = 5", "['all']"),
    "platforms of numbers": wrong(lambda m: platforms_named([1]), "1 is not a name", "['all']"),
    "page with a key that is a tuple": wrong(
        lambda m: Page(keys={("a",): {}}), "page: ('a',) cannot be a key", "choose"
    ),
    "quote that is not closed in CC": wrong(
        commanded("'x"), 'CC = "\'x" is not a command', "unset", error=CompilerError
    ),
    "result in no file": wrong(
        written("to_csv", None), "to_csv: None is not the name of a file", "results.csv"
    ),
    "result in a name without letters": wrong(
        written("to_npz", ""), "to_npz: '' is not the name of a file"
    ),
    "result in a folder that is not there": wrong(
        written("to_csv", "/nowhere/at/all.csv"), "/nowhere/at/all.csv cannot be written: No such"
    ),
    "result in a name of 300 letters": wrong(written("to_npz", LONG), "cannot be written", "long"),
    "result in a name with a zero byte": wrong(written("to_csv", "a\0b"), "leave it out"),
    "archive with a column that NumPy needs": wrong(archived("file"), "column 'file'", "to_csv"),
    "archive with a second time": wrong(archived("units"), "column 'units'", "rename"),
    "results of a number": wrong(swept(simulations, until=0.1, outputs=5), "outputs = 5", "['x']"),
    "matrices of a number": wrong(swept(linearizations, give=5), "give = 5", "['stable']"),
    "inputs to find as a number": wrong(
        lambda m: steady_motion(swing(), find=5), "find = 5", "list of names"
    ),
    "inputs of a sweep to find": wrong(swept(steady_motions, find=None), "find = None", "['u']"),
    "endless load steps": wrong(lambda m: equilibrium(swing(), steps=INF), "steps = inf", "whole"),
}
