"""Arguments of simulations and other analyses, and questions to their results."""

from __future__ import annotations

from functools import cache

import numpy as np

from mbcore import (
    Body,
    Equations,
    Model,
    Truss,
    assemble,
    equilibrium,
    linearize,
    root_locus,
    simulate,
    steady_motion,
    superpose,
)

from .case import INF, NAN, doubtful, wrong


@cache
def swing() -> Equations:
    """A pendulum with a parameter, an input and an output."""
    model = Model("swing", gravity=(0, -9.81))
    top, bob = model.point("top", fixed=True), model.point("bob", (1, 0))
    k = model.parameter("k", 1.0, positive=True)
    model.parameter("least", 0.5, minimum=0)
    model.force(bob, (k * model.input("u", maximum=3.0), 0))
    model.add(Truss("rod", top, bob))
    model.add(Body("bob", bob, mass=1))
    bob.y.dof("q", "w")
    model.output("x", bob.x.value)
    return model.equations()


@cache
def motion():
    """A short run with few results."""
    return simulate(swing(), 0.1, samples=3, progress=False)


def run(until=0.1, **arguments):
    return lambda m: simulate(swing(), until, progress=False, **arguments)


def of(analysis, **arguments):
    return lambda m: analysis(swing(), **arguments)


def table(names, times):
    return lambda m: motion().table(names, times)


TABLE = {
    "model instead of equations": wrong(
        lambda m: simulate(m.plane, 1), "simulate takes equations", "give model.equations()"
    ),
    "equilibrium of a model": wrong(
        lambda m: equilibrium(m.plane), "equilibrium takes equations", "model.equations()"
    ),
    "assembly of a model": wrong(lambda m: assemble(m.plane), "assemble takes equations", "give"),
    "linearized model": wrong(lambda m: linearize(m.plane), "linearize takes equations", "give"),
    "steady motion of a model": wrong(
        lambda m: steady_motion(m.plane), "steady_motion takes equations", "give"
    ),
    "superposed equations": wrong(of(superpose), "made of a model", "give a Model"),
    "roles of another kind": wrong(
        lambda m: m.plane.equations("automatic"), "'given' or 'auto'", "'automatic'"
    ),
    "end as text": wrong(run("1"), "simulate: until", "'1'", "give a number"),
    "no end": wrong(run(None), "simulate: until", "None", "give a number"),
    "end before the start": wrong(run(-1), "until = -1", "positive"),
    "NaN end": wrong(run(NAN), "until = nan", "positive number"),
    "start as text": wrong(run(start={"q": "one"}), "start value q", "'one'", "give a number"),
    "start as list": wrong(run(start=[1, 2]), "start value: [1, 2]", "give values by name"),
    "start of an unknown state": wrong(run(start={"z": 1}), "no state 'z'", "there is w, q"),
    "infinite start": wrong(run(start={"q": INF}), "start value q = inf", "finite"),
    "start as two numbers": wrong(run(start={"q": [1, 2]}), "start value q", "2 components"),
    "parameters as list": wrong(
        run(parameters=[1]), "parameters = [1]", "by name, as in {'k': 1.0}"
    ),
    "unknown parameter": wrong(run(parameters={"K": 1}), "no parameter 'K'", "There is k"),
    "parameter as text": wrong(run(parameters={"k": "1"}), "parameter k = '1'", "give a number"),
    "parameter out of range": wrong(run(parameters={"k": -1}), "parameter k = -1", "number > 0"),
    "parameter below its minimum": wrong(
        run(parameters={"least": -1}), "parameter least = -1", "finite number of at least 0"
    ),
    "input above its maximum": doubtful(
        run(inputs={"u": 4}), "input u = 4 at t = 0 is above its range and acts as 3"
    ),
    "unknown input": wrong(run(inputs={"v": 1}), "no input 'v'", "there is u"),
    "inputs as number": wrong(run(inputs=3), "inputs = 3", "by name"),
    "input as list": wrong(
        run(inputs={"u": [1, 2]}), "input u = [1, 2]", "InputTable(times, {'u': values})"
    ),
    "input without time": wrong(
        run(inputs={"u": lambda: 1}), "input u: its function fails at t = 0", "lambda t"
    ),
    "input of a text": wrong(run(inputs={"u": lambda t: "a"}), "input u at t = 0", "'a'", "give"),
    "input of two numbers": wrong(
        run(inputs={"u": lambda t: np.ones(2)}), "input u at t = 0", "2 components"
    ),
    "input of nothing": wrong(run(inputs={"u": lambda t: None}), "input u at t = 0", "None"),
    "unknown method": wrong(run(method="rk4"), "no method 'rk4'", "did you mean 'RK45'", "DOP853"),
    "method as list": wrong(run(method=["RK45"]), "no method ['RK45']", "RK45"),
    "tolerance zero": wrong(run(rtol=0), "rtol = 0", "positive"),
    "tolerance above one": wrong(run(rtol=10.0), "rtol = 10.0", "less than 1"),
    "tolerance as text": wrong(run(rtol="1e-6"), "rtol", "'1e-6'", "give a number"),
    "tolerance of each state": wrong(run(atol=[1e-6, 1]), "simulate: atol", "2 components"),
    "no longest step": wrong(run(max_step=0), "max_step = 0", "positive"),
    "negative longest step": wrong(run(max_step=-1), "max_step = -1", "positive"),
    "longest step as text": wrong(run(max_step="1"), "simulate: max_step", "'1'"),
    "samples as float": wrong(run(samples=10.0), "samples = 10.0", "whole number"),
    "samples as text": wrong(run(samples="10"), "samples = '10'", "whole number"),
    "one sample": wrong(run(samples=1), "samples = 1", "at least 2"),
    "NumPy's one sample": wrong(run(samples=np.int64(1)), "samples = 1", "at least 2"),
    "no samples": wrong(run(samples=[]), "samples = []", "leave samples out"),
    "NaN sample": wrong(run(samples=[0, NAN]), "a time in samples = nan s", "not a number"),
    "falling samples": wrong(run(samples=[0.1, 0.05]), "samples must rise", "0 to 0.1"),
    "equal samples": wrong(run(samples=[0, 0.1, 0.1]), "samples: t = 0.1 twice", "once"),
    "samples after the end": wrong(run(samples=[0, 1]), "samples must rise within", "0.1"),
    "samples of two dimensions": wrong(run(samples=np.zeros((2, 2))), "samples", "list of times"),
    "break as number": wrong(run(breaks=0.05), "breaks = 0.05", "[0.05]"),
    "NaN break": wrong(run(breaks=[NAN]), "a time in breaks = nan s", "not a number"),
    "unknown result": wrong(
        lambda m: motion()["z"], "no result 'z'", "there is w, q", error=KeyError
    ),
    "result by number": wrong(lambda m: motion()[0], "no result 0", "run['w'][0]", error=KeyError),
    "row after the end": wrong(table(["x"], [5.0]), "no result at t = 5 s", "0.1 s", "samples="),
    "row between results": wrong(table(["x"], [0.07]), "t = 0.07 s", "nearest is at 0.05 s"),
    "NaN row": wrong(table(["x"], [NAN]), "no result at t = nan"),
    "row as number": wrong(table(["x"], 0.1), "times = 0.1", "[0.1]"),
    "name instead of names": wrong(table("x", [0.1]), "names = 'x'", "['x']"),
    "half a load step": wrong(of(equilibrium, steps=1.5), "steps = 1.5", "whole number"),
    "no load step": wrong(of(equilibrium, steps=0), "steps = 0", "at least 1"),
    "load steps as text": wrong(of(equilibrium, steps="2"), "steps", "'2'", "give"),
    "equilibrium from a list": wrong(of(equilibrium, start=[1]), "start value: [1]", "by name"),
    "linearized at a list": wrong(of(linearize, state=[0, 0]), "start value: [0, 0]", "by name"),
    "linearized at three of two": wrong(
        of(linearize, state=np.zeros(3)), "the state has 2 values", "(3,)"
    ),
    "linearized at no time": wrong(of(linearize, time=NAN), "linearize: time = nan s"),
    "linearized motion": wrong(of(linearize, motion="fast"), "'actual' or 'held'", "'fast'"),
    "condition as list": wrong(of(steady_motion, conditions=["q"]), "condition: ['q']", "by name"),
    "condition as text": wrong(of(steady_motion, conditions={"q": "0"}), "condition q", "'0'"),
    "unknown condition": wrong(
        of(steady_motion, conditions={"Q": 0}), "no state or output 'Q'", "q"
    ),
    "guess as text": wrong(of(steady_motion, guess={"q": "0"}), "guess q", "'0'", "give"),
    "locus of equations": wrong(
        lambda m: root_locus(swing(), "k", [1]), "begins at a linearization", "give"
    ),
    "locus of one value": wrong(
        lambda m: root_locus(linearize(swing()), "k", 1.0), "values = 1.0", "list of numbers"
    ),
    "locus of rows": wrong(
        lambda m: root_locus(linearize(swing()), "k", [[1.0, 2.0]]), "values = [[1", "numbers"
    ),
}
