"""Attributes, arguments and results that are not there are told with those that may be meant."""

from __future__ import annotations

import copy
import importlib
import pickle
from collections.abc import Callable
from functools import cache
from inspect import isfunction, signature
from typing import Any

import pytest

import mbcore
from mbcore import (
    Body,
    Equations,
    Model,
    Result,
    Table,
    Table2D,
    Truss,
    equilibrium,
    linearize,
    optimize,
    planar,
    prismatic,
    revolute,
    simulate,
    simulate_many,
    steady_motion,
)
from mbcore.contact import CompliantFriction, HuntCrossley
from mbcore.fmi import export
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.near_names import Suggesting, near, unknown
from mbcore.vibration import periodic_solution


@cache
def mass() -> Model:
    """Return a mass on a line."""
    line = Model("line")
    place = line.point("bar", (0, 0))
    place.y.fix()
    place.x.dof("bar.x", "v").spring(3)
    line.add(Body("body", place, mass=2))
    return line


@cache
def equations() -> Equations:
    return mass().equations()


@cache
def result() -> Result:
    return simulate(equations(), 0.1)


def quantity() -> Any:
    return mass().nodes["bar"].x


def joint() -> Any:
    model = Model("arm")
    place, turn = model.point("place", (1, 0)), model.angle("turn")
    return revolute("joint", model, model.add(Body("bar", place, turn, mass=1)), at=(0, 0))


def test_the_library_suggests_public_names() -> None:
    asked = {"simulat": "'simulate'", "Modl": "'Model'", "linearise": "'linearize'"}
    for name, said in asked.items():
        with pytest.raises(AttributeError, match=f"^mbcore has no '{name}'; did you mean .*{said}"):
            getattr(mbcore, name)
    with pytest.raises(AttributeError, match=r"^mbcore has no 'qqqq'; see help\(mbcore\)$"):
        _ = mbcore.qqqq
    assert not hasattr(mbcore, "__wrapped__")


HELP = r" See help\(\w+\)$"


@pytest.mark.parametrize(
    ("owner", "name", "says"),
    [
        (mass, "equation", r"^Model 'line' has no 'equation'; did you mean 'equations'\?" + HELP),
        (mass, "qqqq", r"^Model 'line' has no 'qqqq'; see help\(Model\)$"),
        (mass, "simulate", r"it is a function: simulate\(model.equations\(\), until=1.0\)$"),
        (equations, "simulate", r"it is a function: simulate\(equations, until=1.0\)$"),
        (quantity, "doff", r"^Coordinate 'bar.x' has no 'doff'; did you mean 'dof'\?" + HELP),
        (quantity, "sprin", r"has no 'sprin'; did you mean 'spring'"),
        (joint, "angel", r"^Revolute has no 'angel'; did you mean 'angle'\?" + HELP),
        (result, "savefig", r"^Result 'line' has no 'savefig'; .*run.plot\('x'\).savefig\('x.png"),
        (result, "to_panda", r"^Result 'line' has no 'to_panda'; did you mean 'to_pandas'\?"),
        (
            lambda: mass().nodes["bar"],
            "postion",
            r"did you mean 'position'\? Its coordinates are x",
        ),
        (lambda: mass().elements["body"], "mas", r"did you mean 'mass'\? It has nothing"),
    ],
)
def test_a_missing_attribute_is_told_with_similar_ones(
    owner: Callable[[], object], name: str, says: str
) -> None:
    with pytest.raises(AttributeError, match=says) as told:
        getattr(owner(), name)
    assert getattr(told.value, "name", None) is None  # or Python suggests once more
    assert not hasattr(owner(), name)
    assert getattr(owner(), name, 5) == 5


def test_private_names_are_answered_at_once() -> None:
    with pytest.raises(AttributeError, match=r"^'Model' object has no attribute '_equation'$"):
        _ = mass()._equation  # type: ignore[attr-defined]


class Part(Suggesting):
    """With a property that fails by an AttributeError of its own."""

    def __init__(self) -> None:
        self.size = 3

    @property
    def broken(self) -> int:
        return None.nothing  # type: ignore[attr-defined, no-any-return]


def test_the_error_of_a_property_is_not_hidden() -> None:
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'nothing'"):
        _ = Part().broken


def test_copies_and_pickles_are_as_without() -> None:
    for made in (copy.copy(Part()), copy.deepcopy(Part()), pickle.loads(pickle.dumps(Part()))):
        assert vars(made) == {"size": 3}
    bare = Part.__new__(Part)  # as a copy asks before there is any attribute
    with pytest.raises(AttributeError, match="Part has no 'size'; see help"):
        _ = bare.size


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: simulate(equations(), 1, intputs={}),  # type: ignore[call-arg]
            r"^simulate: no argument 'intputs'; did you mean 'inputs'\? There is equations, until,",
        ),
        (
            lambda: simulate(equations(), 1, foo=3),  # type: ignore[call-arg]
            r"^simulate: no argument 'foo'; there is equations, until, start, parameters, inputs,",
        ),
        (
            lambda: simulate(equations(), 1, every=0.01),  # type: ignore[call-arg]
            r"^simulate: no argument 'every'; give samples=, the number .*, and store=",
        ),
        (
            lambda: equilibrium(equations(), {"bar.x": 1.0}),  # type: ignore[misc]
            r"^equilibrium: 2 arguments without a name, but only equations may be given so; name "
            r"the others: start, parameters, .*, as in equilibrium\(equations, start=\.{3}\)$",
        ),
        (
            lambda: Truss("t", None, None, mas=1),  # type: ignore[call-arg, arg-type]
            r"^Truss: no argument 'mas'; did you mean 'mass'\? There is name, p, q",
        ),
        (
            lambda: linearize(equations(), parameter={}),  # type: ignore[call-arg]
            r"^linearize: no argument 'parameter'; did you mean 'parameters'\?",
        ),
        (
            lambda: steady_motion(equations(), {}, fnd=[]),  # type: ignore[call-arg]
            r"^steady_motion: no argument 'fnd'; did you mean 'find'\\?",
        ),
        (
            lambda: export(equations(), "build", platform="all"),  # type: ignore[call-arg]
            r"^export: no argument 'platform'; did you mean 'platforms'\?",
        ),
        (
            lambda: equilibrium(),
            r"^equilibrium: equations is missing; call equilibrium\(equations\)",
        ),  # type: ignore[call-arg]
        (lambda: Model("m").angle(), r"^Model.angle: name is missing; call Model.angle\(name\)"),  # type: ignore[call-arg]
        (
            lambda: Model("m").require("limit"),  # type: ignore[call-arg]
            r"^Model.require: condition and message are missing; "
            r"call Model.require\(name, condition, message\)",
        ),
        (
            lambda: Model("m").input("u", uni="N"),  # type: ignore[call-arg]
            r"^Model.input: no argument 'uni'; did you mean 'unit'\?",
        ),
        (
            lambda: Model("m").point("p", (0, 0), True),  # type: ignore[misc]
            r"^Model.point: 3 arguments without a name, but only name, start may be given so; name "
            r"the others: fixed, as in Model.point\(name, start, fixed=...\)",
        ),
        (
            lambda: Model("m").output("x", 1.0, name="y"),  # type: ignore[misc]
            "^Model.output: name is given twice, by its place and by its name; leave one out",
        ),
        (lambda: Model("m").add(), r"^Model.add: element is missing; call Model.add\(element\)"),  # type: ignore[call-arg]
        (
            lambda: Model("m").equations(role="auto"),  # type: ignore[call-arg]
            r"^Model.equations: no argument 'role'; did you mean 'roles'\?",
        ),
        (lambda: result().play(view=3, speeed=2), r"^Result.play: no argument 'speeed'"),  # type: ignore[call-arg]
    ],
)
def test_a_wrong_argument_is_told_with_the_right_ones(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        call()


ROOMS = ("", ".contact", ".drawing", ".fmi", ".gym", ".page", ".vibration")
GIVEN = frozenset(
    {
        "Branch",
        "BranchColumns",
        "BranchEvent",
        "CoSimulation",
        "Element",
        "Equations",
        "Fit",
        "Flow",
        "ImpactContact",
        "Linearization",
        "Linearizer",
        "LyapunovExponents",
        "Mode",
        "NominalMotion",
        "NominalRange",
        "Optimum",
        "PeriodicEquations",
        "PeriodicSolution",
        "PlaneContact",
        "Regularized",
        "Response",
        "Result",
        "Robot",
        "RobotJoint",
        "RobotLink",
        "RollingWheel",
        "RootLocus",
        "Sensor",
        "Shape",
        "Shooting",
        "ShootingPoint",
        "SlipRate",
        "SmallVibrations",
        "StabilityBoundary",
        "SteadyMotion",
        "Steps",
        "Strain",
        "SurfaceContact",
        "SwitchedFriction",
        "SwitchedLaw",
        "Trajectory",
        "Trial",
        "Tyre",
        "TyreContact",
        "TyreForces",
        "Varied",
    }
)
"""Public classes of which the library makes the objects, or which only have subclasses."""


@pytest.mark.parametrize("room", ROOMS)
def test_all_that_users_call_tells_an_argument_that_it_does_not_take(room: str) -> None:
    module = importlib.import_module(f"mbcore{room}")
    for name in set(module.__all__) - GIVEN - {"TyreLaw", "View", "__version__"}:
        public = getattr(module, name)
        if isinstance(public, type) and issubclass(public, Exception):
            continue
        with pytest.raises(Exception, match=r"^(?!.*(__init__|unexpected keyword|takes no arg))"):
            public(nonsense=1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: periodic_solution(equations(), 1.0, segments=3),  # type: ignore[call-arg]
            r"^periodic_solution: no argument 'segments'; give options=PeriodicOptions\(segments=",
        ),
        (
            lambda: periodic_solution(equations(), 1.0, options={"segments": 3}),  # type: ignore[arg-type]
            r"^periodic_solution: options = {'segments': 3}; give PeriodicOptions, as in Periodic",
        ),
        (
            lambda: CompliantFriction(0.3),  # type: ignore[call-arg]
            r"^CompliantFriction: stiffness is missing; call CompliantFriction\(coefficient, stiff",
        ),
        (
            lambda: HuntCrossley(stifness=1),  # type: ignore[call-arg]
            r"^HuntCrossley: no argument 'stifness'; did you mean 'stiffness'\?",
        ),
        (
            lambda: result().draw(0.1, veiw="top"),  # type: ignore[call-arg]
            r"^Result.draw: no argument 'veiw'; did you mean 'view'\?",
        ),
        (lambda: simulate_many(), r"^simulate_many: equations and until are missing; call"),  # type: ignore[call-arg]
    ],
)
def test_records_and_functions_that_pass_arguments_on_tell_them_too(
    call: Callable[[], Any], says: str
) -> None:
    with pytest.raises(TypeError, match=says):
        call()


def test_a_node_or_an_element_that_is_not_there_is_told_with_similar_ones() -> None:
    for kind, name, meant in (("nodes", "ba", "bar"), ("elements", "bdy", "body")):
        with pytest.raises(KeyError, match=rf"no {kind[:-1]} '{name}'; did you mean '{meant}'\?"):
            getattr(mass(), kind)[name]
        assert getattr(mass(), kind).get(name) is None


def test_an_objective_tells_what_a_trial_does_not_have() -> None:
    model, over = Model("line"), {"k": (1.0, 5.0)}
    place = model.point("place", (0, 0))
    place.y.fix()
    place.x.dof("x", "v").spring(model.parameter("k", 3.0, unit="N/m", positive=True))
    model.add(Body("body", place, mass=2))
    with pytest.raises(AttributeError, match=r"^Trial has no 'eigenvalue'; did you mean 'eigenv"):
        optimize(model, lambda trial: trial.eigenvalue(), over=over)
    with pytest.raises(ModelError, match=r"^optimize: the objective must take one argument, the "):
        optimize(model, lambda: 1.0, over=over)  # type: ignore[misc]


def test_methods_of_a_model_never_name_its_parts() -> None:
    """Called without what they need, they name what the user has called."""
    needing = [
        name
        for name, method in vars(Model).items()
        if isfunction(method)
        and not name.startswith("_")
        and any(
            p.default is p.empty and p.kind is not p.VAR_POSITIONAL
            for p in [*signature(method).parameters.values()][1:]
        )
    ]
    assert len(needing) > 20
    for name in needing:
        with pytest.raises(TypeError, match=rf"^Model\.{name}: \w+.* missing; call Model.{name}\("):
            getattr(Model("m"), name)()


def test_a_function_without_named_arguments_refuses_more() -> None:
    @explains_arguments
    def double(x: float) -> float:
        """Twice."""
        return 2 * x

    assert (double(2), double(x=2), double.__doc__, [*signature(double).parameters]) == (
        4,
        4,
        "Twice.",
        ["x"],
    )
    with pytest.raises(
        TypeError, match="double: 2 arguments without a name, but only x may be given"
    ):
        double(1, 2)  # type: ignore[call-arg]


def test_a_result_that_is_not_there_is_told_with_the_remedy() -> None:
    with pytest.raises(KeyError, match=r"no result 'b.x'; did you mean 'bar.x'\? There is "):
        result()["b.x"]
    with pytest.raises(KeyError, match=r"add others by model.output\('c.y', expression\)"):
        result()["c.y"]


def test_a_column_asked_for_as_an_attribute_is_told_by_name() -> None:
    with pytest.raises(AttributeError, match=r"has no 'bar_x'; a result is read by name: run"):
        result().bar_x  # noqa: B018


def test_parts_of_a_dotted_name_may_be_shortened() -> None:
    assert near("f.fr", ["front.friction_ratio", "rear.friction_ratio", "front.x"]) == [
        "front.friction_ratio"
    ]
    assert near("left", ["left_joint", "right_joint"]) == ["left_joint"]
    assert near("b.x", ["bar.y", "bar", "x.bar"]) == []


def test_of_many_names_the_nearest_stand_first() -> None:
    names = [f"wheel_{i}.radius" for i in range(30)] + ["steer.angle", "steer.rate"]
    said = unknown("input", "stear.angle", names)
    assert said.startswith(
        "no input 'stear.angle'; did you mean 'steer.angle'? There is steer.angle, steer.rate, "
    )
    assert said.endswith(" and 24 more")
    assert unknown("input", "z", ["b", "a"]) == "no input 'z'; there is b, a"
    assert unknown("parameter", "f", ["f[1]", "g", "f[2]"]) == (
        "no parameter 'f' of one value; it has 2, f[1] to f[2]: give these"
    )
    assert unknown("state", "f[0]", ["f[1]", "g", "f[2]"]) == (
        "no state 'f[0]'; indices count from 1: f[1] to f[2]"
    )


@pytest.mark.parametrize("table", [Table, Table2D])
def test_a_misspelt_argument_of_a_table_is_told(table: type[Table | Table2D]) -> None:
    with pytest.raises(
        TypeError, match=rf"^{table.__name__}: no argument 'endsteps'; did you mean"
    ):
        table([0, 1], [0, 1], endsteps=True)  # type: ignore[call-arg]


def test_a_guide_says_why_it_has_no_place() -> None:
    for joint in (prismatic, planar):
        with pytest.raises(TypeError, match=r"it has no place, .* give q its point there"):
            joint("guide", mass(), mass(), at=(0, 0), axis=(1, 0))  # type: ignore[call-arg]
