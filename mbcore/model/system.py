"""The description of a system: nodes, elements, loads, and what is shown of it outside.

A system knows no solver. `mbcore.equations.model.Model` adds the step to its equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import casadi as ca

from mbcore.model import checks
from mbcore.model.element import AnyElement, Element, Limit
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.interface.declared import named
from mbcore.model.interface.interface import Interface
from mbcore.model.kinks import jtimes
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.nodes import Angle, Coordinate, Node, Point, Rotation
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.quantities import Deformation, Role, Slip
from mbcore.model.quantities.free_rotation import FreeRotation
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.showing import Showing
from mbcore.model.speed import Speed
from mbcore.model.variables import Number, Requirement, Value, Visibility


class System(Interface, Showing):
    """A multibody system in the plane or in space.

    Parameters
    ----------
    name : str
        Name of the system, also of its FMU.
    gravity : sequence of two or three, optional
        Acceleration of free fall, m/s2, numbers or expressions; none where absent.

    Attributes
    ----------
    time : SX
        Time, s.
    kinetic_energy, potential_energy : SX
        Symbols for outputs: the sums over all elements; the potential one counts gravity and
        springs, also those whose stiffness depends on their own deformation; no other law.
    symbols : SymbolRegistry
        Which quantity each symbol stands for.

    Raises
    ------
    ModelError
        If the name is no text, or gravity no vector of two or three numbers.
    """

    def __init__(self, name: str, gravity: Sequence[Number] | None = None) -> None:
        super().__init__()
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"a model needs a name, got {name!r}; give a text")
        self.name = name
        self.gravity: ca.SX | None = None
        if gravity is not None:
            example = "(0, -9.81) or (0, 0, -9.81)"
            self.gravity = checks.vector(f"model {name}", "gravity", gravity, (2, 3), example)
        self.time = ca.SX.sym("time")
        self.kinetic_energy = ca.SX.sym("kinetic_energy")
        self.potential_energy = ca.SX.sym("potential_energy")
        self.ground = Rotation("ground")
        self.ground.fix()
        self.nodes: dict[str, Node] = {"ground": self.ground}
        self.symbols = SymbolRegistry()
        self.symbols.add_node(self.ground)
        self.elements: dict[str, Element] = {}
        self.loads: list[tuple[ca.SX, ca.SX]] = []
        self.contacts: dict[str, Unilateral] = {}
        self.shown: list[Shape] = []

    # Nodes and elements

    def point(
        self, name: str, start: Sequence[Number] = (0.0, 0.0), *, fixed: bool = False
    ) -> Point:
        """Add a point and return it.

        Parameters
        ----------
        name : str
            Unique among the nodes.
        start : sequence of two or three
            Where it starts, m: two coordinates in the plane, three in space.
        fixed : bool
            Whether it stays there.
        """
        place = checks.vector(f"point {name}", "start", start, (2, 3), "(0, 0) or (0, 0, 0)", "m")
        return self._node(Point(name, ca.vertsplit(place)), fixed)

    def angle(self, name: str, start: Number = 0.0, *, fixed: bool = False) -> Angle:
        """Add an orientation in the plane and return it.

        Its ``name`` is unique among the nodes; it starts at ``start``, rad, and stays there where
        it is ``fixed``.
        """
        return self._node(Angle(name, start), fixed)

    def rotation(
        self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0), *, fixed: bool = False
    ) -> Rotation:
        """Add an orientation in space and return it.

        Its ``name`` is unique among the nodes; ``start`` are four Euler parameters, which it keeps
        where it is ``fixed``.
        """
        return self._node(Rotation(name, start), fixed)

    _AnyNode = TypeVar("_AnyNode", bound=Node)

    def _node(self, node: _AnyNode, fixed: bool) -> _AnyNode:
        named("node", node.name, dict(self.nodes))
        self.nodes[node.name] = node
        self.symbols.add_node(node)
        if fixed:
            node.fix()
        return node

    def add(self, element: AnyElement) -> AnyElement:
        """Add an element; from now on its deformations and slips have roles to set.

        Raises
        ------
        ModelError
            If the name exists, or a node of the element belongs to another model.
        """
        if not isinstance(element, Element):
            raise ModelError(
                f"model {self.name}: {element!r} is no element; make one, as in "
                "model.add(Truss('rod', p, q)); nodes are in the model already"
            )
        named("element", element.name, dict(self.elements))
        for node in element.nodes():
            self._refuse_strange(f"element {element.name}", node)
        element.model = self
        element.make_quantities()
        self.elements[element.name] = element
        for quantity in (*element.deformations.values(), *element.slips.values()):
            self.symbols.add(quantity)
        for slip in element.slips.values():
            slip.model = self
        return element

    def _refuse_strange(self, owner: str, node: Node) -> None:
        if self.nodes.get(node.name) is not node:
            raise ModelError(
                f"{owner}: {node!r} is not a node of this model, {self.name}; use nodes that its "
                "point, angle and rotation have made"
            )

    # Loads

    def force(self, point: Point, force: Sequence[Number] | ca.SX) -> None:
        """Apply a force on a point, on inertial axes, N."""
        node_checks.node(f"model {self.name}, force", "point", point, Point)
        self._refuse_strange(f"force on {point.name}", point)
        vector = checks.vector(f"force on {point.name}", "force", force, point.position.numel())
        self.loads.append((vector, point.velocity))

    def moment(self, node: Angle | Rotation, moment: Number | Sequence[Number] | ca.SX) -> None:
        """Apply a moment on an orientation, the ``node``, on inertial axes, N.m."""
        node_checks.node(f"model {self.name}, moment", "node", node, Angle, Rotation)
        owner = f"moment on {node.name}"
        self._refuse_strange(owner, node)
        if isinstance(node, Angle):
            self.loads.append((checks.expression(owner, "moment", moment), node.rate))
        else:
            vector = checks.vector(owner, "moment", moment, 3, "(0, 0, 1)")
            self.loads.append((vector, node.angular_velocity))

    def load(self, force: Number, velocity: ca.SX) -> None:
        """Apply a generalized force by its power ``force * velocity``, W."""
        owner = f"load of model {self.name}"
        given = checks.expression(owner, "velocity", velocity)
        self.loads.append((checks.expression(owner, "force", force), given))

    def speed(
        self,
        name: str,
        velocity: ca.SX,
        start: Value = 0.0,
        *,
        unit: str = "m/s",
        nominal: Value = 1.0,
        display_unit: str | None = None,
        visibility: Visibility = "output",
        description: str = "",
    ) -> Slip:
        """Make a velocity a generalized speed, a degree of freedom with a rate and no value.

        It is the slip of an element `Speed` of this name. A positive ``law`` on it brakes a
        positive velocity; a drive is negative, or a `load`::

            car = model.speed("v", body.velocity[0], start=2)
            car.law(drag * car.velocity)    # or model.load(force, body.velocity[0]) to drive

        Parameters
        ----------
        name : str
            Name of the state.
        velocity : SX
            Scalar and linear in velocities, as `Speed` says, in ``unit``.
        start, nominal : number or str
            Value at the start, and natural size, in ``unit``.
        unit, display_unit : str
            SI unit, and what tools show it in.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        description : str
            One line of what it is.

        Raises
        ------
        ModelError
            If the name exists, or the expression is not scalar or not linear in velocities.
        """
        slip: Slip = self.add(Speed(name, velocity, unit=unit)).slip
        shown: dict[str, Any] = dict(
            visibility=visibility, display_unit=display_unit, description=description
        )
        return slip.dof(name, start, nominal=nominal, **shown)

    # Going on

    def refuse_at_start(self) -> None:
        """Make the checks of elements and nodes that wait for the parameters' start values.

        Raises
        ------
        ModelError
            Naming the element or node, the argument and its value.
        """
        found = [check for element in self.elements.values() for check in element.checks]
        found += [check for node in self.nodes.values() for check in node.checks]
        checks.refuse_at_start(
            found,
            column(p.symbol for p in self.parameters.values()),
            [p.value for p in self.parameters.values()],
        )

    def coordinates(self) -> list[Coordinate]:
        """Return all coordinates, in the nodes' order."""
        return [coordinate for node in self.nodes.values() for coordinate in node.quantities]

    def deformations(self) -> list[Deformation]:
        """Return all deformations: the elements', the nodes' conditions, and coordinates in use."""
        found: list[Deformation] = []
        for element in self.elements.values():
            found += element.deformations.values()
        for node in self.nodes.values():
            found += node.conditions()
        found += [c for c in self.coordinates() if c.role is not None]
        return found

    def limits(self) -> list[Requirement]:
        """Return the conditions of elements that can deform or slip, and of free rotations."""
        found = []
        for element in self.elements.values():
            rigid = all(q.role is Role.RIGID for q in element.deformations.values())
            if rigid and not element.slips:
                continue
            for key, stated in element.limits().items():
                limit = Limit(*stated)
                shown = limit.condition if limit.shown is None else limit.shown
                found.append(
                    Requirement(
                        f"{element.name}.{key}",
                        limit.condition,
                        limit.message,
                        shown,
                        severity=limit.severity,
                        followed=limit.followed,
                    )
                )
        return found + [_some_length(rotation.freedom) for rotation in self.free_rotations()]

    def free_rotations(self) -> list[Rotation]:
        """Return the rotations that are free."""
        return [n for n in self.nodes.values() if isinstance(n, Rotation) and n.freedom]

    def slips(self) -> list[Slip]:
        """Return all slips: the elements', and the angular velocities of free rotations."""
        found = [slip for element in self.elements.values() for slip in element.slips.values()]
        return found + [slip for node in self.nodes.values() for slip in node.slips()]

    def rate_of(self, q: Deformation) -> ca.SX:
        """Return D'(x) ẋ of a deformation ``q`` over all nodal velocities, with fixed ones."""
        places = column(node.changing for node in self.nodes.values())
        speeds = column(node.change for node in self.nodes.values())
        return jtimes(q.expression, places, speeds)

    def linear_velocity(self, expression: ca.SX, what: str) -> ca.SX:
        """Return an expression that is linear in velocities, over those of nodes.

        Rates of deformations, velocities of slips and coordinates' symbols are replaced.

        Raises
        ------
        ModelError
            If it holds no velocity or is not linear in them; ``what`` names it.
        """
        pairs = [(q.rate, self.rate_of(q)) for q in self.symbols.rates_in(expression)]
        pairs += [(s.velocity, s.expression) for s in self.slips()]
        pairs += [(c.value, c.expression) for c in self.coordinates()]
        found = replace(expression, column(h for h, _ in pairs), column(e for _, e in pairs))
        nodes = self.nodes.values()
        turning = [node.speeds for node in nodes if isinstance(node, Rotation)]
        velocities = column([*(node.velocities for node in nodes), *turning])
        if not depends(found, velocities):
            raise ModelError(
                f"{what}: {expression} holds no velocity; write it with velocities of nodes, rates "
                "of deformations or slips"
            )
        still = replace(found, velocities, ca.SX.zeros(velocities.numel()))
        if depends(ca.jacobian(found, velocities), velocities) or not ca.simplify(still).is_zero():
            raise ModelError(
                f"{what}: {expression} is not linear in velocities; each term must be a velocity "
                "times a factor that holds none"
            )
        return found


def _some_length(freedom: FreeRotation | None) -> Requirement:
    assert freedom is not None
    return Requirement(
        f"{freedom.name}.e",
        freedom.squares,
        "the Euler parameters e0, e1, e2 and e3 are all zero, which is no orientation; start with "
        "1, 0, 0, 0",
        freedom.squares,
        start=True,
    )
