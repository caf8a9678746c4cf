"""Pictures of a model where it starts, with the names and roles of its elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbcore.drawing.layout import Layout
from mbcore.drawing.projection.camera import View
from mbcore.drawing.scene import Scene
from mbcore.drawing.still import draw_still
from mbcore.model.nodes.node import Node
from mbcore.model.quantities import Quantity, Role
from mbcore.model.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMED_ROLES = (Role.DOF, Role.KINEMATIC, Role.PRESCRIBED, Role.FREE)


def draw_model(
    model: System, *, view: View = None, axes: bool = True, names: bool = False, roles: bool = False
) -> Figure:
    """Draw a model where its nodes start; `mbcore.model.model.Model.draw` says how."""
    picture = Scene(model).start()
    named = roles_by_element(model) if roles else {}
    layout = Layout(view, axes, names or roles, named)
    return draw_still(picture.description, picture.numbers, layout)


def roles_by_element(model: System) -> dict[str, str]:
    """Return the roles of each element in words, by its name; those of a node are listed once."""
    found: dict[str, list[str]] = {}
    named: set[str] = set()
    for element in model.elements.values():
        words = [
            f"{name} is {_word(quantity)}"
            for name, quantity in {**element.deformations, **element.slips}.items()
            if quantity.role in NAMED_ROLES
        ]
        words += [
            f"{coordinate.name} is {_word(coordinate)}"
            for node in _new(element.nodes(), named)
            for coordinate in (*node.quantities, *node.slips())
            if coordinate.role in NAMED_ROLES
        ]
        found[element.name] = words
    return {name: ",\n".join(words) for name, words in found.items() if words}


def _new(nodes: list[Node], named: set[str]) -> list[Node]:
    fresh = [node for node in nodes if node.name not in named]
    named.update(node.name for node in fresh)
    return fresh


def _word(quantity: Quantity) -> str:
    words = {
        Role.DOF: "a degree of freedom",
        Role.KINEMATIC: "kinematic",
        Role.PRESCRIBED: "prescribed",
        Role.FREE: "free",
    }
    return words[quantity.role] if quantity.role else ""
