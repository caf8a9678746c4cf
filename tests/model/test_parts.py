"""A model is one object with parts: copies, pickles, names, and what lower rooms see of it."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import subprocess
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Coupling,
    Equations,
    ExpressionError,
    Model,
    ModelError,
    PlanarHinge,
    RigidLink,
    Truss,
    linearize,
)
from mbcore.drawing import dot
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.system import System, is_system

MASS, LENGTH, STIFFNESS = 2.0, 1.5, 300.0
FREQUENCY = np.sqrt(STIFFNESS / MASS)
"""Of a mass on a spring."""


def sprung() -> Model:
    """Return a mass on a spring along x, with an input that a filter follows."""
    model = Model("sprung")
    wall, mass = model.point("wall", fixed=True), model.point("mass", (LENGTH, 0))
    mass.y.fix()
    spring = model.add(Truss("spring", wall, mass))
    model.add(Body("body", mass, mass=MASS))
    mass.x.dof("x", "v")
    spring.elongation.release().spring(model.parameter("k", STIFFNESS, unit="N/m"))
    model.force(mass, (model.input("pull", 0.0, unit="N"), 0))
    model.filtered("pull", 0.1)
    model.show(dot(mass))
    return model


def pickled(model: Model) -> Model:
    with ca.global_pickle_context():
        stored = pickle.dumps(model)
    with ca.global_unpickle_context():
        copy: Model = pickle.loads(stored)
    return copy


def read_again(model: Model) -> Model:
    """Return what pickle alone makes of a model, twice over."""
    copy: Model = pickle.loads(pickle.dumps([pickle.loads(pickle.dumps(model))]))[0]
    return copy


@pytest.mark.parametrize("copied", [deepcopy, pickled, read_again])
def test_a_copy_has_parts_of_its_own_that_belong_together(
    copied: Callable[[Model], Model],
) -> None:
    model = sprung()
    copy = copied(model)
    assert copy.ground is copy.nodes["ground"] is copy.nodes.ground is not model.ground
    assert copy.elements["spring"].model is copy
    assert copy.parameters is copy.interface.parameters is not model.parameters
    assert list(copy.states) == ["pull_filtered", "pull_filtered_rate"]
    # new parts of the copy are checked against the copy's names and nodes, and not added twice
    with pytest.raises(ModelError, match="output 'k' exists already"):
        copy.output("k", 1.0)
    copy.add(Body("second", copy.nodes["mass"], mass=1.0))
    with pytest.raises(ModelError, match="is not a node of this model, sprung"):
        copy.force(model.nodes["mass"], (1.0, 0.0))
    assert "second" not in model.elements and len(copy.shapes) == len(model.shapes) == 1


def test_a_copy_has_the_equations_of_its_original() -> None:
    """A mass on a spring, sqrt(k/m), and a critically damped filter of 0.1 s."""
    found = np.linalg.eigvals(linearize(deepcopy(sprung()).equations()).state_matrix)
    assert sorted(found.imag)[::3] == pytest.approx([-FREQUENCY, FREQUENCY])
    assert sorted(found.real)[:2] == pytest.approx([-10.0, -10.0], rel=1e-6)


def test_lower_rooms_see_a_model_by_its_parts() -> None:
    model = sprung()
    assert isinstance(model, System)
    assert not isinstance(model.elements["body"], System)
    assert not isinstance(model.equations(), System)


def test_a_model_is_known_by_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its shapes would take as long as it is large.
    asked: list[str] = []
    monkeypatch.setattr(Model, "shapes", property(lambda _: asked.append("shapes")))
    assert is_system(Model("a model"))
    assert not asked


@pytest.mark.parametrize("other", [Model, None, "model", 1.0])
def test_no_other_value_is_a_model(other: object) -> None:
    assert not is_system(other)
    with pytest.raises(ModelError, match="give a Model"):
        Equations(other)  # type: ignore[arg-type]


def test_methods_from_parts_are_those_of_the_model() -> None:
    model = Model("whole")
    parameter = inspect.signature(Model.parameter).parameters
    assert [*parameter][:3] == ["self", "name", "value"]
    assert parameter["positive"].default is False
    assert parameter["positive"].kind is inspect.Parameter.KEYWORD_ONLY
    public = [m for n, m in vars(Model).items() if inspect.isfunction(m) and n[0] != "_"]
    assert len(public) > 25
    for method in public:
        assert method.__qualname__ == f"Model.{method.__name__}" and inspect.getdoc(method)
    text = pydoc.plain(pydoc.render_doc(Model.parameter))
    assert "parameter(self, name" in text and "Whether it must be above zero." in text
    assert model.parameter("k", 2.0, unit="N/m") is model.parameters["k"].symbol
    assert model.point("p").name in model.nodes


def geared() -> Model:
    """Two pendulums on gears, whose relation is known by symbols."""
    model = Model("geared", gravity=(0, -9.81))
    frame, hinges = model.angle("frame", fixed=True), []
    for name, place in (("one", 0.0), ("two", 1.0)):
        pivot = model.point(f"{name} pivot", (place, 0), fixed=True)
        turning, end = model.angle(name), model.point(f"{name} end", (place, -1))
        model.add(RigidLink(f"{name} rod", pivot, turning, end, offset=(0, -1)))
        model.add(Body(f"{name} mass", end, mass=1.0))
        hinges.append(model.add(PlanarHinge(f"{name} hinge", frame, turning)))
    model.add(Coupling("gear", hinges[0].angle.value + 2 * hinges[1].angle.value, unit="rad"))
    hinges[0].angle.dof("angle", "rate", start=0.3)
    return model


READER = """
import pickle, sys
import casadi as ca
others = [ca.SX.sym("other") for _ in range(5000)]  # symbols get other places in memory
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
from mbcore.evaluation.evaluation import Evaluation
point = Evaluation(model.equations())
point.start()
print(point.derivative()[0])
"""


def test_equations_of_a_model_that_is_read_again() -> None:
    with ca.global_pickle_context():
        stored = pickle.dumps(geared())
    with ca.global_unpickle_context():
        models = pickle.loads(stored), geared()
    points = [Evaluation(model.equations()) for model in models]
    for point in points:
        point.start()
    assert points[0].derivative()[0] == points[1].derivative()[0] != 0


def test_a_model_is_pickled_alone_and_its_parts_are_refused_with_the_way_out() -> None:
    """A copy that pickle alone has made moves as its original does."""
    points = [Evaluation(model.equations()) for model in (geared(), read_again(geared()))]
    for point in points:
        point.start()
    assert points[0].derivative()[0] == points[1].derivative()[0] != 0
    model = geared()
    for part in (model.elements["gear"], model.nodes["one"], model.equations(), model.time):
        with pytest.raises(
            ExpressionError, match="is pickled with its model only: pickle the Model"
        ):
            pickle.dumps(part)
    assert copy(model).elements is model.elements


@pytest.mark.heavy
def test_equations_of_a_model_from_another_process(tmp_path: Path) -> None:
    stored = tmp_path / "model.pickle"
    stored.write_bytes(pickle.dumps(geared()))
    point = Evaluation(geared().equations())
    point.start()
    command = [sys.executable, "-c", READER, str(stored)]
    read = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(read.stdout) == point.derivative()[0]


def test_a_model_offers_no_internals() -> None:
    """Names that completion shows are for users; checks and records are those of its parts."""
    internal = {
        "refuse_at_start", "refuse_undefined", "add_requirement", "declared", "free_rotations",
    }  # fmt: skip
    shown = set(dir(Model("m")))
    assert not internal & shown
    assert not {"symbols", "kinematics", "reactions", "joint_reactions", "rate_of"} & shown
    assert {"reaction", "point", "add", "equations", "outputs", "gravity", "name"} <= shown
    with pytest.raises(AttributeError, match="no 'reacton'; did you mean 'reaction'\\? See"):
        _ = Model("m").reacton
    for section in ("Parameters", "Returns", "Raises"):
        assert f"\n{section}\n" in str(inspect.getdoc(Model.add))
