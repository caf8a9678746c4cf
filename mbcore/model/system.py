"""A model as the rooms below `mbcore.equations` see it: its parts, and what several say together.

`mbcore.model.model.Model` is the one class that has all of this; it also makes its equations
and its pictures, which these rooms must not import.
"""

from __future__ import annotations

from typing import Protocol, TypeGuard, runtime_checkable

import casadi as ca

from mbcore.model.element import Owner
from mbcore.model.interface.discretes import Discretes
from mbcore.model.interface.inputs import Inputs
from mbcore.model.interface.interface import Interface
from mbcore.model.interface.outputs import Outputs
from mbcore.model.interface.parameters import Parameters
from mbcore.model.interface.requirements import Requirements
from mbcore.model.interface.states import States
from mbcore.model.nodes.nodes import Coordinate, Rotation
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.loads import Loads
from mbcore.model.parts.nodes import Nodes
from mbcore.model.parts.reactions import Reactions
from mbcore.model.quantities import Deformation, Slip
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.shapes.shape import Shape
from mbcore.model.variables import Requirement


@runtime_checkable
class System(Owner, Protocol):
    """A multibody system without solver; attributes are those of a ``Model``."""

    gravity: ca.SX | None
    time: ca.SX
    kinetic_energy: ca.SX
    potential_energy: ca.SX
    upwards: tuple[float, float, float] | None
    often_stiff: bool
    nodes: Nodes
    ground: Rotation
    elements: Elements
    loads: Loads
    reactions: Reactions
    contacts: dict[str, Unilateral]
    symbols: SymbolRegistry
    interface: Interface
    parameters: Parameters
    inputs: Inputs
    states: States
    discretes: Discretes
    outputs: Outputs
    requirements: Requirements

    @property
    def shapes(self) -> list[Shape]:
        """All shapes that belong to no element."""
        ...

    def coordinates(self) -> list[Coordinate]:
        """Return all coordinates, in the nodes' order."""
        ...

    def deformations(self) -> list[Deformation]:
        """Return all deformations: of elements, conditions of nodes, and coordinates in use."""
        ...

    def slips(self) -> list[Slip]:
        """Return all slips: the elements', and the angular velocities of free rotations."""
        ...

    def rate_of(self, q: Deformation) -> ca.SX:
        """Return D'(x) ẋ of a deformation over all nodal velocities, with fixed ones."""
        ...

    def limits(self) -> list[Requirement]:
        """Return the conditions of elements that can deform or slip, and of free rotations."""
        ...


def is_system(value: object) -> TypeGuard[System]:
    """Return whether a value is a model.

    Its class is asked. ``isinstance`` would ask for the value of each attribute, all shapes
    included, which takes longer the larger the model is.
    """
    return all(hasattr(type(value), name) for name in _ASKED)


_ASKED = ("shapes", "coordinates", "deformations", "slips", "rate_of", "limits")
"""What a model's class has, and no other's."""
