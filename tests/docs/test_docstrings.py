"""Every public name says what it is, with its parameters, their units and the errors it raises."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any, NamedTuple, cast

import pytest

import mbcore
import mbcore.contact
import mbcore.elements
import mbcore.fmi
import mbcore.vibration
from docs.site.docstrings import split_attributes
from mbcore.model.nodes import node, nodes, orientation
from mbcore.model.quantities import deformations, slips

ROOMS: tuple[ModuleType, ...] = (
    mbcore,
    mbcore.contact,
    mbcore.elements,
    mbcore.fmi,
    mbcore.vibration,
)
RETURNED = (
    nodes.Point,
    nodes.Angle,
    orientation.Rotation,
    deformations.Deformation,
    node.Coordinate,
    slips.Slip,
)
"""Classes whose objects a model returns, and which are not imported by name."""
PHYSICAL = {
    "mass": "kg",
    "inertia": "kg.m2",
    "gravity": "m/s2",
    "radius": "m",
    "crown_radius": "m",
    "offset": "m",
    "stiffness": "N",
    "damping": "N|s|critical",
    "elasticity": "N",
    "period": "s",
    "until": "s",
    "time": "s",
    "clearance": "m",
    "angular_velocity": "rad/s",
    "friction_speed": "m/s",
    "viscosity": "Pa",
    "length": "m",
}
"""Parameters that have a unit wherever they are numbers, and what the docstring says of it.

Dampings are a ratio to the critical one, a time, or forces over velocities.
"""
INTERNAL = {"NotImplementedError", "AttributeError", "AssertionError", "StopIteration"}


class Documented(NamedTuple):
    """A public callable: its name, what is called, and the docstrings that a reader looks at."""

    name: str
    called: Callable[..., Any]
    text: str


def public() -> Iterator[tuple[str, Any]]:
    """Give all public functions and classes by name, each once."""
    seen = set()
    for room in ROOMS:
        for name in room.__all__:
            found = getattr(room, name)
            if callable(found) and found not in seen:
                seen.add(found)
                yield f"{room.__name__}.{name}", found
    for found in RETURNED:
        yield f"{found.__module__}.{found.__name__}", found


PUBLIC = dict(public())


def own_classes(of: type) -> list[type]:
    return [c for c in of.__mro__ if c.__module__.startswith("mbcore.")]


@cache
def documented() -> tuple[Documented, ...]:
    """Return functions, constructors and methods with all docstrings that tell of them."""
    return tuple(each_documented())


def each_documented() -> Iterator[Documented]:
    seen = set()
    for name, found in PUBLIC.items():
        if inspect.isfunction(found):
            yield Documented(name, found, with_referred(inspect.getdoc(found) or ""))
        elif inspect.isclass(found):
            classes = own_classes(found)
            about = "\n".join(inspect.cleandoc(c.__doc__ or "") for c in classes)
            said = "\n".join(said_of_fields(c) for c in classes)
            if any("__init__" in c.__dict__ for c in classes):
                yield Documented(name, found.__init__, about + "\n" + said)
            for owner in classes:
                for key, value in owner.__dict__.items():
                    method = getattr(value, "__func__", value)
                    if key.startswith("_") or not inspect.isfunction(method) or method in seen:
                        continue
                    seen.add(method)
                    bases = [c.__dict__[key] for c in classes if key in c.__dict__]
                    text = "\n".join(inspect.getdoc(getattr(b, "__func__", b)) or "" for b in bases)
                    yield Documented(f"{name}.{key}", method, with_referred(text) + "\n" + about)


def said_of_fields(of: type) -> str:
    """Return the names of a class's fields that have a docstring of their own below them."""
    body = ast.parse(textwrap.dedent(inspect.getsource(of))).body[0].body  # type: ignore[attr-defined]
    return "\n".join(
        ast.unparse(field)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    )


def with_referred(text: str) -> str:
    """Add the docstrings of functions to which a docstring leaves its parameters."""
    names = re.findall(r"as those of\s+`+(\w+)`+", text)
    found = [other for name, other in PUBLIC.items() if name.rpartition(".")[2] in names]
    return "\n".join([text, *(inspect.getdoc(other) or "" for other in found)])


def parameters(called: Callable[..., Any]) -> list[str]:
    names = inspect.signature(called).parameters
    return [n for n in names if n not in ("self", "cls", "args", "kwargs") and n[0] != "_"]


def raised(called: Callable[..., Any]) -> set[str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(called)))
    except OSError:  # the constructor of a record is generated
        return set()
    found = [n.exc for n in ast.walk(tree) if isinstance(n, ast.Raise) and n.exc is not None]
    names = {ast.unparse(e.func if isinstance(e, ast.Call) else e) for e in found}
    return {n for n in names if n.endswith(("Error", "Exit"))} - INTERNAL


def says(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) is not None


def test_every_public_name_has_a_docstring() -> None:
    lacking = []
    for name, found in PUBLIC.items():
        own = (found.__doc__ or "").strip()
        if not own or own.startswith(f"{found.__name__}("):  # what dataclass makes
            lacking.append(name)
        for owner in own_classes(found) if inspect.isclass(found) else ():
            for key, value in owner.__dict__.items():
                of = getattr(value, "__func__", value)
                if not key.startswith("_") and (inspect.isfunction(of) or isinstance(of, property)):
                    # a method that overrides another may leave it to say what it is for
                    told = [getattr(c, key).__doc__ for c in own_classes(found) if hasattr(c, key)]
                    if not any(told):
                        lacking.append(f"{name}.{key}")
    assert not lacking


def test_every_parameter_is_documented() -> None:
    lacking = [
        f"{of.name}({parameter})"
        for of in documented()
        for parameter in parameters(of.called)
        if not says(of.text, parameter)
    ]
    assert not lacking, "\n".join(lacking)


def test_errors_are_documented_where_they_are_raised() -> None:
    lacking = [
        f"{of.name}: {error}"
        for of in documented()
        for error in sorted(raised(of.called))
        if not says(of.text, error)
    ]
    assert not lacking, "\n".join(lacking)


def test_units_are_documented_where_there_are_some() -> None:
    lacking = [
        f"{of.name}({parameter}): {PHYSICAL[parameter]}"
        for of in documented()
        for parameter in parameters(of.called)
        if parameter in PHYSICAL and not said_unit(of.text, parameter)
    ]
    assert not lacking, "\n".join(lacking)


def said_unit(text: str, parameter: str) -> bool:
    """Whether a unit stands within the paragraph that names the parameter."""
    unit = "|".join(re.escape(unit) for unit in PHYSICAL[parameter].split("|"))
    for paragraph in re.split(r"\n\s*\n|\n(?=\w[\w, *]* : )", text):
        if says(paragraph, parameter) and re.search(rf"(?<!\w)(?:{unit})(?![a-z]\w)", paragraph):
            return True
    return False


def test_what_lacks_is_seen() -> None:
    def braked(mass: float, friction: float) -> None:
        """Return nothing of ``mass``."""
        raise ValueError(mass, friction)

    assert parameters(braked) == ["mass", "friction"]
    assert says(braked.__doc__ or "", "mass") and not says(braked.__doc__ or "", "friction")
    assert raised(braked) == {"ValueError"}
    assert not said_unit(braked.__doc__ or "", "mass")
    assert said_unit("mass : number\n    kg.", "mass")


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_every_room_says_what_it_is_for(room: ModuleType) -> None:
    assert room.__doc__ and len(room.__doc__) > 40


def test_attributes_with_one_description_are_shown_one_by_one() -> None:
    text = """Title.

Attributes
----------
force, friction_force : SX
    While closed, N.

    A second paragraph.
gap : SX
    m.

Raises
------
one, two : ModelError
"""
    lines = text.split("\n")
    split_attributes(cast(Any, None), "class", "name", None, None, lines)
    shown = "\n".join(lines)
    paragraphs = "    While closed, N.\n\n    A second paragraph.\n"
    assert f"force : SX\n{paragraphs}friction_force : SX\n{paragraphs}gap : SX\n    m.\n" in shown
    assert "one, two : ModelError" in shown and shown.startswith("Title.\n\nAttributes\n---")
