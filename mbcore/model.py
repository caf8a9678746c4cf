"""The description of a system: nodes, elements, loads, and what is shown of it outside.

A model knows no solver. ``Model.equations`` turns it into the functions that everything else uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

import casadi as ca

from mbcore.elements.base import Element
from mbcore.errors import ModelError
from mbcore.nodes import Angle, Coordinate, Node, Point, Rotation
from mbcore.quantities import Deformation, Slip, named
from mbcore.variables import (
    Discrete,
    Event,
    Input,
    Item,
    Kind,
    Number,
    Output,
    Parameter,
    Requirement,
    State,
    Visibility,
)

if TYPE_CHECKING:
    from mbcore.equations import Equations

AnyElement = TypeVar("AnyElement", bound=Element)


class Model:
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
        linear springs.
    """

    def __init__(self, name: str, gravity: Sequence[Number] | None = None) -> None:
        if gravity is not None and len(gravity) not in (2, 3):
            raise ModelError(f"model {name}: gravity has 2 or 3 components, got {len(gravity)}")
        self.name = name
        self.gravity = None if gravity is None else ca.vertcat(*gravity)
        self.time = ca.SX.sym("time")
        self.kinetic_energy = ca.SX.sym("kinetic_energy")
        self.potential_energy = ca.SX.sym("potential_energy")
        self.ground = Rotation("ground")
        self.ground.fix()
        self.nodes: dict[str, Node] = {"ground": self.ground}
        self.elements: dict[str, Element] = {}
        self.loads: list[tuple[ca.SX, ca.SX]] = []
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, tuple[State, ca.SX]] = {}
        self.discretes: dict[str, Discrete] = {}
        self.events: dict[str, Event] = {}
        self.outputs: dict[str, Output] = {}
        self.requirements: dict[str, Requirement] = {}

    # Nodes and elements

    def point(
        self, name: str, start: Sequence[Number] = (0.0, 0.0), *, fixed: bool = False
    ) -> Point:
        """Add a point that starts at ``start``, two coordinates in the plane, three in space."""
        return self._node(Point(name, start), fixed)

    def angle(self, name: str, start: Number = 0.0, *, fixed: bool = False) -> Angle:
        """Add an orientation in the plane that starts at ``start``, rad."""
        return self._node(Angle(name, start), fixed)

    def rotation(
        self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0), *, fixed: bool = False
    ) -> Rotation:
        """Add an orientation in space that starts with the given Euler parameters."""
        return self._node(Rotation(name, start), fixed)

    _AnyNode = TypeVar("_AnyNode", bound=Node)

    def _node(self, node: _AnyNode, fixed: bool) -> _AnyNode:
        named("node", node.name, dict(self.nodes))
        self.nodes[node.name] = node
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
        named("element", element.name, dict(self.elements))
        for node in vars(element).values():
            if isinstance(node, Node) and self.nodes.get(node.name) is not node:
                raise ModelError(f"element {element.name}: {node!r} is not a node of this model")
        self.elements[element.name] = element
        element.make_quantities()
        for key, (condition, message) in element.limits().items():
            self.require(f"{element.name}.{key}", condition, message)
        return element

    # Loads

    def force(self, point: Point, force: Sequence[Number] | ca.SX) -> None:
        """Apply a force on a point, on inertial axes, N."""
        vector = ca.SX(force) if isinstance(force, ca.SX) else ca.vertcat(*force)
        if vector.shape != point.position.shape:
            raise ModelError(
                f"force on {point.name}: {point.position.numel()} components, got {vector.numel()}"
            )
        self.loads.append((vector, point.velocity))

    def moment(self, node: Angle | Rotation, moment: Number | Sequence[Number] | ca.SX) -> None:
        """Apply a moment on an orientation, on inertial axes, N.m."""
        if isinstance(node, Angle):
            self.loads.append((ca.SX(moment), node.rate))
        else:
            vector = moment if isinstance(moment, ca.SX) else ca.vertcat(*moment)
            self.loads.append((vector, node.angular_velocity))

    def load(self, force: Number, velocity: ca.SX) -> None:
        """Apply a generalized force by its power ``force * velocity``, W."""
        self.loads.append((ca.SX(force), velocity))

    # What is shown outside

    def parameter(
        self,
        name: str,
        value: float,
        *,
        unit: str = "1",
        description: str = "",
        minimum: float | None = None,
        maximum: float | None = None,
        positive: bool = False,
        tunable: bool = True,
        display_unit: str | None = None,
    ) -> ca.SX:
        """Add a parameter and return its symbol."""
        return self._parameter(
            Parameter(
                name,
                ca.SX.sym(name),
                float(value),
                unit,
                description,
                0.0 if positive and minimum is None else minimum,
                maximum,
                positive,
                tunable,
                display_unit,
            )
        )

    def enumeration(
        self, name: str, items: Sequence[Item | str], *, value: int = 1, description: str = ""
    ) -> ca.SX:
        """Add a parameter that chooses among items; its symbol is the item's number, from 1."""
        records = tuple(i if isinstance(i, Item) else Item(i) for i in items)
        return self._parameter(
            Parameter(
                name,
                ca.SX.sym(name),
                float(value),
                description=description,
                minimum=1.0,
                maximum=float(len(records)),
                tunable=False,
                items=records,
            )
        )

    def _parameter(self, parameter: Parameter) -> ca.SX:
        named("parameter", parameter.name, self._names())
        self.parameters[parameter.name] = parameter
        return parameter.symbol

    def input(
        self,
        name: str,
        start: float = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        rate: ca.SX | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        display_unit: str | None = None,
    ) -> ca.SX:
        """Add an input and return its symbol; ``rate`` is the input that holds its derivative.

        Raises
        ------
        ModelError
            If ``rate`` is not an input of this model.
        """
        named("input", name, self._names())
        partner = None
        if rate is not None:
            partner = next(
                (i for i in self.inputs.values() if ca.is_equal(i.symbol, rate)),
                None,
            )
            if partner is None:
                raise ModelError(f"input {name}: its rate must be an input added before it")
        record = Input(
            name,
            ca.SX.sym(name),
            float(start),
            unit,
            description,
            partner,
            minimum,
            maximum,
            display_unit,
        )
        self.inputs[name] = record
        return record.symbol

    def state(
        self,
        name: str,
        derivative: Number | None = None,
        start: float = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        nominal: float = 1.0,
        visibility: Visibility = "local",
        display_unit: str | None = None,
    ) -> ca.SX:
        """Add an auxiliary state and return its symbol (an actuator, an integrated input).

        The derivative may use the state itself: add it without, then call ``derivative``.
        """
        named("state", name, self._names())
        record = State(
            name,
            ca.SX.sym(name),
            float(start),
            unit,
            description,
            nominal,
            visibility,
            display_unit,
        )
        self.states[name] = (record, ca.SX(0 if derivative is None else derivative))
        return record.symbol

    def derivative(self, name: str, expression: Number) -> None:
        """Say what the auxiliary state ``name`` changes with."""
        if name not in self.states:
            raise ModelError(f"no auxiliary state {name!r}; there is {', '.join(self.states)}")
        self.states[name] = (self.states[name][0], ca.SX(expression))

    def discrete(
        self,
        name: str,
        start: float = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
    ) -> ca.SX:
        """Add a variable that changes only at events, and return its symbol."""
        named("discrete variable", name, self._names())
        record = Discrete(name, ca.SX.sym(name), float(start), unit, description, kind, visibility)
        self.discretes[name] = record
        return record.symbol

    def event(
        self,
        name: str,
        indicator: ca.SX | None = None,
        *,
        band: float = 0.0,
        rising: dict[str, Number] | None = None,
        falling: dict[str, Number] | None = None,
    ) -> ca.SX:
        """Add a state event and return the symbol of its mode, 1 while the indicator is positive.

        ``rising`` and ``falling`` assign new values to discrete variables by name; the
        expressions see the values before the event.

        Raises
        ------
        ModelError
            If an assigned variable does not exist.
        """
        old = self.events.get(name)
        mode = ca.SX.sym(name) if old is None else old.active
        for target in (*(rising or {}), *(falling or {})):
            if target not in self.discretes:
                raise ModelError(f"event {name}: no discrete variable {target!r} to assign")
        self.events[name] = Event(
            name,
            mode,
            ca.SX(-1) if indicator is None else indicator,
            band,
            tuple((k, ca.SX(v)) for k, v in (rising or {}).items()),
            tuple((k, ca.SX(v)) for k, v in (falling or {}).items()),
        )
        return mode

    def output(
        self,
        name: str,
        expression: Number,
        *,
        unit: str = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        display_unit: str | None = None,
    ) -> None:
        """Show a quantity outside."""
        named("output", name, self._names())
        self.outputs[name] = Output(
            name, ca.SX(expression), unit, description, kind, visibility, display_unit
        )

    def require(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
    ) -> None:
        """Demand that ``condition > 0``, else fail with the name, ``shown`` and the message."""
        self.requirements[name] = Requirement(
            name, condition, message, condition if shown is None else ca.SX(shown), initial
        )

    def _names(self) -> dict[str, object]:
        collections: tuple[dict, ...] = (
            self.parameters,
            self.inputs,
            self.states,
            self.discretes,
            self.outputs,
        )
        return {name: record for records in collections for name, record in records.items()}

    # Going on

    def coordinates(self) -> list[Coordinate]:
        """Return all coordinates, in the nodes' order."""
        return [handle for node in self.nodes.values() for handle in node.handles]

    def deformations(self) -> list[Deformation]:
        """Return all deformations: the elements', the nodes' conditions, and coordinates in use."""
        found: list[Deformation] = []
        for element in self.elements.values():
            found += element.deformations.values()
        for node in self.nodes.values():
            found += node.conditions()
        found += [c for c in self.coordinates() if c.role is not None]
        return found

    def slips(self) -> list[Slip]:
        """Return all slips of all elements."""
        return [slip for element in self.elements.values() for slip in element.slips.values()]

    def equations(self, roles: Literal["given", "auto"] = "given") -> Equations:
        """Make the equations.

        Parameters
        ----------
        roles : {"given", "auto"}
            ``"auto"`` picks degrees of freedom and kinematic coordinates where none are given;
            ``equations.chosen_roles`` says which and why.

        Raises
        ------
        RoleError
            If the roles are redundant, missing or dependent; the message names them.
        ModelError
            If a motion or law needs what the model does not give.
        """
        from mbcore.equations import Equations

        return Equations(self, roles)

    def select(self, number: ca.SX, *choices: Number) -> ca.SX:
        """Return the choice whose number, from 1, ``number`` is: for enumerations."""
        result = ca.SX(choices[-1])
        for i in range(len(choices) - 1, 0, -1):
            result = ca.if_else(ca.eq(number, i), choices[i - 1], result)
        return result


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in order, each once."""
    return tuple(dict.fromkeys(names))
