"""The interface of an element: formulas in its nodes' coordinates, and nothing else.

To add one, write a subclass that states its deformations, slips and inertia, and its shapes for
pictures; ``Model.add`` does the rest. Derivatives are never stated: they come from automatic
differentiation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.changing import Changing
from mbcore.model.checks.ranges import Range
from mbcore.model.expressions import symbolic, total
from mbcore.model.interface.events import Events
from mbcore.model.near_names import missing_attribute
from mbcore.model.nodes.connection import Connection, ended
from mbcore.model.nodes.nodes import Angle, Coordinate, Node, Point, Rotation
from mbcore.model.quantities import Deformation, Role, Slip
from mbcore.model.shapes.shape import Shape
from mbcore.model.statements import InertiaPart, Limit, Placement, SlipRate, Strain, kinetic_energy
from mbcore.model.variables import Number


class Element(Changing):
    """Base of all elements.

    A subclass overrides those of nine methods that apply; by default they state nothing:
    ``strains`` and ``slip_rates`` (its kinematics), ``placements`` (nodes that its strains place
    explicitly), ``inertias`` or instead ``kinetic_energy``, and ``first_moment`` (its
    mass), ``limits`` (its range of validity), ``shapes`` and ``ends`` (its picture). An element
    with a stiffness of its own also extends ``make_quantities``, where it gives laws to the
    deformations that have just been made.

    Deformations and slips become attributes by their names (``hinge.angle``), with roles to set.
    ``model`` is the model that it has been added to, for elements that add further nodes and
    elements themselves. Pictures leave out elements that are not ``visible``.

    Parameters
    ----------
    name : str
        Unique among the model's elements; names of states and messages begin with it.
    """

    kind: ClassVar[str] = "element"
    """Its name in messages."""
    unseen: ClassVar[str] = ""
    """Why it has no shape, for elements without one."""
    pulls_on: Mapping[str, Angle | Rotation] = MappingProxyType({})
    """Orientations of bodies by the names of their own points, at which a joint's part pulls."""
    balanced_forces: tuple[object, ...] = ()
    """Laws and loads that its balance is made of."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__init__" in cls.__dict__:
            cls.__init__ = explains_arguments(cls.__init__)  # type: ignore[method-assign]

    def __init__(self, name: str) -> None:
        self.name = checks.text(self.kind, name)
        self.model: Owner | None = None
        self.visible = True
        self.checks: list[checks.Check] = []
        self.deformations: dict[str, Deformation] = {}
        self.slips: dict[str, Slip] = {}
        self.rubbing_slips: tuple[Slip, ...] = ()
        """Slips, its own or another element's, on which its dry friction acts."""

    @property
    def title(self) -> str:
        """Kind and name, with which messages begin: ``"wheel front"``."""
        return f"{self.kind} {self.name}"

    @property
    def description(self) -> str:
        """Name of the element in messages about laws without a solution."""
        return self.title

    def number(self, what: str, value: object, **ends: Any) -> Number:
        """Return a number in its range, or an expression, which is checked with the equations.

        Parameters
        ----------
        what : str
            Name of the argument.
        ends : number or str
            ``above``, ``least``, ``below``, ``most``, ``unit`` of `Range`.

        Raises
        ------
        ModelError
            If it is not a scalar, not finite or out of its range; names element, argument, value.
        """
        given = checks.number(self.title, what, value, **ends)
        self.keep(symbolic(given), what, **ends)
        return given

    def keep(self, expression: ca.SX, what: str, **ends: Any) -> None:
        """Demand that an expression is in a range, for all values of its parameters.

        Messages call it ``what``; ``ends`` are those of `number`, and ``remedy``.
        """
        range_ = Range(self.title, what, **ends)
        self.check(expression, range_.refuse, range_)

    def optional(self, what: str, value: object, **ends: Any) -> Number | None:
        """Return what `number` does with ``what``, ``value`` and ``ends``, or None for None."""
        return None if value is None else self.number(what, value, **ends)

    def check(
        self,
        expression: ca.SX,
        refuse: Callable[[np.ndarray], None],
        range_: Range | None = None,
    ) -> None:
        """Call ``refuse`` with an expression's value: now, or when its parameters have values.

        ``range_`` is the range that it checks, if it checks one.
        """
        if expression.is_constant():
            refuse(np.array(ca.DM(expression).full()))
        else:
            self.checks.append(checks.Check(expression, refuse, range_))

    def strains(self) -> dict[str, Strain]:
        """Return the generalized deformations D(x) by name, [Schwab2002] (2.1)."""
        return {}

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the slips V(x) ẋ by name, [Schwab2002] (2.17)."""
        return {}

    def placements(self) -> list[Placement]:
        """Return how its strains place one of its nodes, if there are explicit formulas."""
        return []

    def inertias(self) -> Sequence[InertiaPart]:
        """Return the parts of its inertia, from which ``kinetic_energy`` follows."""
        return []

    def kinetic_energy(self) -> ca.SX:
        """Return the kinetic energy, J, quadratic in the velocities.

        Override it only if the energy is not a sum of parts that ``inertias`` can state.
        """
        return total(kinetic_energy(part) for part in self.inertias())

    def first_moment(self) -> ca.SX | None:
        """Return ∫ r dm, shape (2, 1) or (3, 1), kg.m, on which gravity acts; None if massless."""
        return None

    def limits(self) -> Mapping[str, Limit | tuple[ca.SX, str]]:
        """Return conditions ``expression > 0`` with the remedy if they fail, by name."""
        return {}

    def shapes(self) -> list[Shape]:
        """Return its shapes, made by `mbcore.model.shapes.shapes` in its nodes' coordinates.

        Nothing by default. A force is an arrow by stresses and slip forces, as in
        ``arrow(self.p, self.elongation.stress * direction)``.
        """
        return []

    def ends(self) -> list[tuple[Point, Angle | Rotation | None]]:
        """Return its end points, each with the orientation there, if any.

        Where two elements with different orientations share a point, pictures show a hinge.
        """
        return []

    def make_quantities(self) -> None:
        """Make the deformations and slips from the formulas; called once, by ``Model.add``.

        An element with a stiffness of its own extends it: after ``super().make_quantities()`` its
        deformations take laws, as in ``self.elongation.spring(stiffness, damping)``.
        """
        strains = self.strains()
        for name, strain in strains.items():
            role = Role.RIGID if strain.rigid else Role.DEPENDENT
            self.deformations[name] = Deformation(
                f"{self.name}.{name}", strain.expression, strain.unit, strain.residual, role
            )
            self.deformations[name].stated_rate = strain.rate
        # In a second loop, because strains may name others that come after them.
        for name, strain in strains.items():
            self.deformations[name].rate_if_zero = tuple(
                self.deformations[other] for other in strain.rate_if_zero
            )
        for name, slip in self.slip_rates().items():
            self.slips[name] = Slip(f"{self.name}.{name}", slip.expression, slip.unit, slip.zero)

    def formulas(self) -> None:
        """State all formulas once; rotations note the directions that these ask for."""
        self.strains()
        self.slip_rates()
        self.placements()
        self.kinetic_energy()
        self.first_moment()
        self.limits()

    def nodes(self) -> list[Node]:
        """Return the nodes that its formulas use, each once."""
        # Nodes are found among the attributes, so that an element need not list them itself.
        found: dict[str, Node] = {}
        for value in vars(self).values():
            for item in value if isinstance(value, list | tuple) else [value]:
                if isinstance(item, Node):
                    found[item.name] = item
        return list(found.values())

    def balanced_coordinates(self) -> Sequence[tuple[Coordinate, ca.SX, ca.SX]]:
        """Return coordinates that follow from the forces on them, with place and velocity.

        Equations make its deformations the balance of these forces, one for each, in order.
        """
        return ()

    def take_balance(
        self, slope: ca.SX | None, forces: tuple[object, ...], together: Sequence[str]
    ) -> None:
        """Take what equations have made the balance of.

        Parameters
        ----------
        slope : SX or None
            Stiffness of the balanced coordinates of all elements ``together``, each row over a
            size at the start; None for all these elements but the first.
        forces : tuple
            All laws and loads, and the names of the model's balanced coordinates.
        together : sequence of str
            Names of the nodes that springs connect.
        """

    def acting_on(self) -> tuple[object, ...]:
        """Return other elements, and joints, through which its forces pull at nodes."""
        return ()

    def connection(self) -> Connection | None:
        """Return the two sides that it connects, for reactions; by default its two ``ends``."""
        ends = [tuple(n for n in end if n is not None) for end in self.ends()]
        return ended(self.title, self, *ends) if len(ends) == 2 else None

    def __getattr__(self, name: str) -> Any:
        # By __dict__, because copies and pickles ask for attributes before there are any.
        quantities = {**self.__dict__.get("deformations", {}), **self.__dict__.get("slips", {})}
        if name in quantities:
            return quantities[name]
        has = ", ".join(quantities) or "nothing before it is added to a model"
        return missing_attribute(self, name, f"it has {has}", quantities)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.deformations, *self.slips})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


AnyElement = TypeVar("AnyElement", bound=Element)


class Owner(Protocol):
    """The part of its model that an element needs; ``Model`` provides it."""

    name: str
    events: Events

    def point(self, name: str, start: Sequence[Number]) -> Point:
        """Add a point."""
        ...

    def add(self, element: AnyElement) -> AnyElement:
        """Add an element."""
        ...

    def linear_velocity(self, expression: ca.SX, what: str) -> ca.SX:
        """Return an expression that is linear in velocities, over those of nodes."""
        ...
