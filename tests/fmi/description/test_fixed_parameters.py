"""Parameters that an export fixes: constants of the FMU, less code, fewer dependencies."""

import re
import zipfile
from dataclasses import replace
from functools import cache

import casadi as ca
import fmpy
import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Body, Model, ModelError, SimulationError
from mbcore.cli.program import main
from mbcore.codegen.c_model import generate
from mbcore.codegen.dependencies import dependencies
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import Component, Experiment, export
from mbcore.fmi.check import check
from mbcore.fmi.description.variables import variables
from mbcore.fmi.fixed_parameters import with_fixed_parameters
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.observed_dependencies import NEVER, observed_dependencies
from tests.built import hastily
from tests.shipped import SHIPPED


@cache
def cart():
    """A cart whose wheels are driven or not, with a spring that is off at the start."""
    model = Model("cart")
    p = model.point("p", (0.0, 0.0))
    p.y.fix()
    driven = model.enumeration("driven", ("no", "yes"))
    stiffness = model.parameter("front.stiffness", 0.0, unit="N/m")
    damping = model.parameter("front.damping", 2.0, unit="N.s/m", minimum=0)
    push, wind = model.input("push", unit="N"), model.input("wind", unit="N")
    at = model.input("wall", unit="m")
    force = model.select(driven, 0.0, 1.0) * push + wind - stiffness * (p.x.value - at)
    x = p.x.dof("x", "v")
    x.law(damping * p.x.rate - force)
    model.add(Body("body", p, mass=2.0))
    model.output("force", force, unit="N")
    return Component("cart", "A cart", model.equations(), Experiment(stop=1.0, step=0.1))


def declared(component):
    """Pairs of outputs or derivatives and inputs."""
    table = variables(component, nominals=False)
    found = dependencies(component.equations, table).running
    rows = [row for row in table.rows if row.kind in ("output", "derivative")]
    names = {row.reference: row.name for row in table.of("input")}
    return {(row.name, names[k]) for row in rows for k in found[row.reference] if k in names}


def test_what_constants_switch_off_is_no_dependency():
    component = cart()
    both = {("force", other) for other in ("push", "wind", "wall")}
    both |= {("der(v)", other) for other in ("push", "wind", "wall")}
    assert declared(component) == both
    fixed = with_fixed_parameters(component, ["driven", "front.*"])
    assert declared(fixed) == {("force", "wind"), ("der(v)", "wind")}
    sprung = with_fixed_parameters(component, {"driven": "no", "front.stiffness": "2 N/cm"})
    assert declared(sprung) == {(o, i) for o in ("force", "der(v)") for i in ("wind", "wall")}
    [_, stiffness] = sprung.equations.fixed
    assert (stiffness.name, stiffness.value) == ("front.stiffness", 200.0)


def test_the_c_is_shorter():
    component = cart()
    fixed = with_fixed_parameters(component, ["driven", "front.*"])
    sizes = [
        sum(generate(c.equations, variables(c, nominals=False)).statements.values())
        for c in (component, fixed)
    ]
    assert sizes[1] < 0.8 * sizes[0]


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        (["drive"], "fix: no parameter 'drive'; did you mean 'driven'"),
        (["rear.*"], r"fix: no parameter 'rear\.\*'"),
        (["v"], "fix: v is a state; only parameters become constants"),
        ({"front.damping": -1.0}, "front.damping = -1.0: must be a finite number"),
        ({"front.damping": "3 kg"}, "front.damping"),
        ({"front.damping": float("nan")}, "front.damping = nan"),
        ({"driven": "perhaps"}, "driven"),
        ({"front.stiffness": 1.0}, "front.stiffness starts at 5.0 and is fixed at 1.0; give one"),
        ("driven", r"fix = 'driven'; give values by name"),
        ([3], "fix names 3; give names of parameters"),
    ],
)
def test_wrong_requests_are_refused(fix, said):
    component = replace(cart(), parameters={"front.stiffness": 5.0})
    with pytest.raises(ModelError, match=said):
        with_fixed_parameters(component, fix)


def test_arrays_are_fixed_as_a_whole_or_fall_apart():
    model = Model("two")
    p = model.point("p", (0.0, 0.0))
    p.y.fix()
    stiffness = model.parameter("k", [1.0, 2.0, 3.0], unit="N/m")
    p.x.dof("x", "v").law(ca.sum1(stiffness) * p.x.value)
    model.add(Body("body", p, mass=2.0))
    whole = Component("two", "Springs", model.equations())
    fixed = with_fixed_parameters(whole, {"k": [4.0, 5.0, 6.0]}).equations
    assert [(p.name, p.value) for p in fixed.fixed] == [("k[1]", 4), ("k[2]", 5), ("k[3]", 6)]
    assert [array.name for array in fixed.arrays] == ["k"]
    rates = fixed.functions["derivative"](0, [0, 0.1], [], [], [], 0.1)
    assert float(rates[0]) == pytest.approx(-15 * 0.1 / 2, rel=1e-15)
    partly = with_fixed_parameters(whole, {"k[2]": 7.0}).equations
    assert [p.name for p in partly.parameters] == ["k[1]", "k[3]"] and partly.arrays == ()
    rows = variables(with_fixed_parameters(whole, ["k[1]", "k[3]"]), nominals=False)
    assert [(row.name, row.kind) for row in rows.rows if row.name.startswith("k")] == [
        ("k[2]", "parameter"), ("k[1]", "constant"), ("k[3]", "constant")
    ]  # fmt: skip


def test_a_start_value_is_what_a_name_alone_fixes():
    component = replace(cart(), parameters={"front.stiffness": 5.0, "x": 0.1})
    fixed = with_fixed_parameters(component, ["front.stiffness"])
    assert [p.value for p in fixed.equations.fixed] == [5.0]
    assert fixed.parameters == {"x": 0.1}
    with pytest.raises(ModelError, match=r"front\.stiffness is a constant, fixed at export"):
        variables(fixed.started_at({"front.stiffness": 2.0}))


@pytest.mark.parametrize(
    ("name", "least"), [("vehicle", 16), pytest.param("iltis", 200, marks=pytest.mark.heavy)]
)
def test_declared_are_those_that_show(name, least):
    component = SHIPPED[name].component
    choices = [p.name for p in component.equations.parameters if p.items]
    fixed = with_fixed_parameters(component, choices)
    pairs, shown = declared(fixed), shown_at_random(fixed.equations)
    assert shown <= pairs
    assert len(pairs - shown) <= 20
    assert len(declared(component) - pairs) >= least


def shown_at_random(equations):
    """Pairs whose derivative is not zero at one of eight points about the start."""
    random, point = np.random.default_rng(0), Evaluation(equations)
    change, found, reached = equations.functions["change"], set(), 0
    names = [f"der({s.name})" for s in equations.states] + [o.name for o in equations.outputs]
    first = len(equations.states) + 1
    while reached < 8:
        off = 0.03 * np.array([s.nominal for s in equations.states])
        start = equations.start_state + off * random.uniform(-1, 1, len(off))
        try:
            point.start(dict(zip((s.name for s in equations.states), start, strict=True)))
        except ModelError:
            continue
        reached += 1
        for j, given in enumerate(equations.inputs):
            variation = np.zeros(change.numel_in(6))
            variation[first + j] = 1.0
            at = (point.t, point.s, point.d, point.u, point.p, point.x, variation)
            moved = np.concatenate([np.array(r).ravel() for r in change(*at)])
            found |= {(names[i], given.name) for i in np.flatnonzero(moved)}
    return found


@pytest.fixture(scope="module")
def fmus(tools, tmp_path_factory):
    """FMUs of the cart as it is, and with all parameters fixed."""
    out = tmp_path_factory.mktemp("fixed")
    component, found = cart(), {}
    with hastily():
        for name, fix in (("plain", ()), ("fixed", ["driven", "front.*"])):
            made = export(component, out / name, tools=tools, fix=fix)
            found |= dict(zip(((name, "2.0"), (name, "3.0")), made, strict=True))
    return found


@pytest.mark.heavy
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_constants_are_read_and_not_set(fmus, version):
    fixed = fmus["fixed", version]
    assert check(fixed).problems == ()
    known = {v.name: v for v in fmpy.read_model_description(fixed).modelVariables}
    for name, start in (("driven", "1"), ("front.damping", "2.0"), ("front.stiffness", "0.0")):
        variable = known[name]
        assert (variable.causality, variable.variability) == ("local", "constant")
        assert (variable.initial, variable.start) == ("exact", start)
    asked = ["v", "force", "front.damping", "driven"]
    run = simulate_fmu(fixed, stop_time=1, start_values={"wind": 3.0}, output=asked)
    assert set(run["front.damping"]) == {2.0} and set(run["driven"]) == {1}
    # v' = (F - c v)/m
    assert run["v"][-1] == pytest.approx(1.5 * (1 - np.exp(-1.0)), rel=1e-5)
    plain = simulate_fmu(fmus["plain", version], stop_time=1, start_values={"wind": 3.0})
    assert abs(plain["v"] - run["v"]).max() < 1e-14
    with pytest.raises(SimulationError, match=r"front\.damping is a constant of this FMU"):
        CoSimulation(fixed, {"front.damping": 1.0})


@pytest.mark.heavy
def test_reasons_are_found_by_trying(fmus, capsys, tmp_path):
    found = observed_dependencies(fmus["plain", "3.0"])
    shown = {(pair.of, pair.by): pair.shown for pair in found.pairs}
    assert shown["force", "wind"] == ""
    assert shown["force", "push"] == "with driven = yes"
    assert shown["der(v)", "wall"] == "with front.stiffness = 0.01"
    assert not found.undeclared and NEVER not in shown.values()
    assert not observed_dependencies(fmus["fixed", "2.0"]).unseen
    out = tmp_path / "pairs.csv"
    assert main(["dependencies", str(fmus["plain", "2.0"]), "--csv", str(out)]) == 0
    said = capsys.readouterr().out
    assert "4 of them not seen at 32 random points, 0 seen that are not declared" in said
    assert "with driven = yes: 2" in said
    assert "force,wall,tunable,with front.stiffness = 0.01" in out.read_text()


@pytest.mark.heavy
def test_without_derivatives_reasons_are_found_by_differences(fmus, tmp_path):
    """Another tool's FMU, which declares none: the same pairs show."""
    without = tmp_path / "cart.fmu"
    with zipfile.ZipFile(fmus["plain", "2.0"]) as of, zipfile.ZipFile(without, "w") as to:
        for name in of.namelist():
            text = of.read(name)
            if name == "modelDescription.xml":
                text, count = re.subn(rb"(DirectionalDerivatives?=)\"true\"", rb'\1"false"', text)
                assert count == 2
            to.writestr(name, text)
    found = observed_dependencies(without)
    known = observed_dependencies(fmus["plain", "2.0"])
    assert found.by_differences and not known.by_differences
    assert (found.pairs, found.points) == (known.pairs, known.points)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.fmu"], "there is no FMU nothing.fmu"),
        (["nothing.fmu", "--points", "0"], "there is no FMU nothing.fmu"),
        ([__file__], "cannot be read as an FMU"),
    ],
)
def test_dependencies_of_nothing_are_refused(arguments, said, capsys):
    assert main(["dependencies", *arguments]) != 0
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["vehicle", "--fix", "=direct"], "--fix '=direct': give NAME or NAME=VALUE"),
        (["vehicle", "--fix", "steering", "--fix", "steering=lag"], "steering is given twice"),
        (["vehicle", "--fix", "steering", "--python"], "it cannot be used with --fix"),
        (["vehicle", "caster", "--fix", "steering"], "--fix is for one FMU that is named"),
        (["--list", "--fix", "steering"], "--list, which builds nothing"),
    ],
)
def test_the_option_is_refused_where_it_fits_nothing(arguments, said, capsys):
    assert main(["build", *arguments]) != 0
    assert said in capsys.readouterr().err
