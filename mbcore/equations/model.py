"""The model as users know it: it has its parts, and makes its equations and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import casadi as ca

from mbcore.drawing.inline import inline
from mbcore.drawing.model_picture import draw_model
from mbcore.drawing.projection.camera import View
from mbcore.drawing.scene import Scene
from mbcore.equations.equations import Equations
from mbcore.model import checks, summary, wording
from mbcore.model.element import AnyElement, Element
from mbcore.model.errors import ModelError
from mbcore.model.interface.interface import Interface
from mbcore.model.interface.parameters import selected
from mbcore.model.nodes.nodes import Angle, Coordinate, Point, Rotation
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.kinematics import Kinematics
from mbcore.model.parts.loads import Loads
from mbcore.model.parts.nodes import Nodes
from mbcore.model.parts.reactions import Reactions
from mbcore.model.parts.shapes import Shapes
from mbcore.model.quantities import Deformation, Slip
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.shapes.shape import Place, Shape, Turn
from mbcore.model.speed import Speed
from mbcore.model.units.units import Units
from mbcore.model.variables import (
    EventKind,
    Item,
    Kind,
    Number,
    Requirement,
    Value,
    Visibility,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Model(summary.Summarized):
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
    nodes, elements, contacts : dict
        By name; the node ``ground`` is fixed.
    loads : list
        Forces and moments with the velocities on which they do power.
    interface : Interface
        All named variables; ``parameters``, ``inputs``, ``states``, ``outputs``, ``discretes``,
        ``filters``, ``events`` and ``requirements`` are its dictionaries.
    shapes : list of Shape
        The user's own, for pictures; they do not enter the equations.

    Raises
    ------
    ModelError
        If the name is no text, or gravity no vector of two or three numbers.
    """

    _elsewhere: ClassVar[dict[str, str]] = {
        "simulate": "it is a function: simulate(model.equations(), until=1.0)",
        "linearize": "it is a function: linearize(model.equations())",
        "equilibrium": "it is a function: equilibrium(model.equations())",
    }

    def __init__(self, name: str, gravity: Sequence[Number] | None = None) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"a model needs a name, got {name!r}; give a text")
        self.name = name
        self.gravity: ca.SX | None = None
        if gravity is not None:
            example = "(0, -9.81) or (0, 0, -9.81)"
            self.gravity = checks.vector(
                f"model {name}", "gravity", gravity, (2, 3), example, "m/s2"
            )
        self.time = ca.SX.sym("time")
        self.kinetic_energy = ca.SX.sym("kinetic_energy")
        self.potential_energy = ca.SX.sym("potential_energy")
        self.symbols = SymbolRegistry()
        self.nodes = Nodes(name, self.symbols)
        self.ground = self.nodes.ground
        self.elements = Elements(self.nodes, self.symbols)
        self.kinematics = Kinematics(self.nodes, self.elements, self.symbols)
        self.loads = Loads(self.nodes)
        self.reactions = Reactions(name, self.elements)
        self.contacts: dict[str, Unilateral] = {}
        self.shapes = Shapes()
        interface = self.interface = Interface()
        self.parameters, self.inputs = interface.parameters, interface.inputs
        self.states, self.outputs = interface.states, interface.outputs
        self.discretes, self.filters = interface.discretes, interface.filters
        self.events, self.requirements = interface.events, interface.requirements

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
        return self.nodes.point(name, start, fixed=fixed)

    def angle(self, name: str, start: Number = 0.0, *, fixed: bool = False) -> Angle:
        """Add an orientation in the plane and return it.

        Its ``name`` is unique among the nodes; it starts at ``start``, rad, and stays there where
        it is ``fixed``.
        """
        return self.nodes.angle(name, start, fixed=fixed)

    def rotation(
        self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0), *, fixed: bool = False
    ) -> Rotation:
        """Add an orientation in space and return it.

        Its ``name`` is unique among the nodes; ``start`` are four Euler parameters, which it keeps
        where it is ``fixed``.
        """
        return self.nodes.rotation(name, start, fixed=fixed)

    def add(self, element: AnyElement) -> AnyElement:
        """Add an element; from now on its deformations and slips have roles to set.

        Raises
        ------
        ModelError
            If the name exists, or a node of the element belongs to another model.
        """
        return self.elements.add(element, self)

    # Loads

    def force(self, point: Point, force: Sequence[Number] | ca.SX) -> None:
        """Apply a force on a point, on inertial axes, N."""
        self.loads.force(point, force)

    def moment(self, node: Angle | Rotation, moment: Number | Sequence[Number] | ca.SX) -> None:
        """Apply a moment on an orientation, the ``node``, on inertial axes, N.m."""
        self.loads.moment(node, moment)

    def load(self, force: Number, velocity: ca.SX) -> None:
        """Apply a generalized force by its power ``force * velocity``, W."""
        self.loads.generalized(force, velocity)

    def reaction(self, point: Point, of: Element | Sequence[Element] | Angle | Rotation) -> ca.SX:
        """Return the force with which elements pull at a point, N, on inertial axes.

        It is what a pin transmits that joins them to the rest at this point, for outputs, events
        and laws; loads on the point count as part of the rest::

            force = model.reaction(pin, of=crank)
            model.output("pin.force", ca.norm_2(force), unit="N")

        Parameters
        ----------
        point : Point
            A point that the elements touch.
        of : Element, sequence of Element, Angle or Rotation
            Those on one side of the joint, or the orientation that all of these have.

        Returns
        -------
        force : SX
            Symbols, shape (2, 1) or (3, 1).

        Raises
        ------
        ModelError
            If an element does not touch the point or is of another model.
        """
        return self.reactions.at(point, of)

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
        positive velocity; a drive is a negative law, or a `load`::

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
        return slip.dof(
            name,
            start,
            nominal=nominal,
            display_unit=display_unit,
            visibility=visibility,
            description=description,
        )

    # Parameters, inputs, states and outputs

    def parameter(
        self,
        name: str,
        value: Value,
        *,
        unit: str | Units = "1",
        description: str = "",
        minimum: Value | None = None,
        maximum: Value | None = None,
        positive: bool = False,
        tunable: bool = True,
    ) -> ca.SX:
        """Add a parameter and return its symbol.

        Numbers are in ``unit``, an SI unit; texts have their own: ``value="30 deg"``.

        Parameters
        ----------
        name : str
            Name of the variable, unique among the model's variables.
        value : number or str
            Value at the start.
        unit : str or Units
            SI unit, ``"1"`` for none; or this and what tools show it in: ``Units("rad", "deg")``.
        description : str
            One line of what it is.
        minimum, maximum : number or str, optional
            Ends of the range, which belong to it.
        positive : bool
            Whether it must be above zero.
        tunable : bool
            Whether it may change during a run.

        Raises
        ------
        ModelError
            If the name is in use, the value is outside of the range, or a unit is unknown.
        """
        return self.parameters.add(
            name,
            value,
            unit=unit,
            description=description,
            minimum=minimum,
            maximum=maximum,
            positive=positive,
            tunable=tunable,
        )

    def enumeration(
        self, name: str, items: Sequence[Item | str], *, value: int = 1, description: str = ""
    ) -> ca.SX:
        """Add a parameter that chooses among items; its symbol is the item's number, from 1.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what is chosen.
        items : sequence of Item or str
            The choices.
        value : int
            Number of the item at the start.

        Raises
        ------
        ModelError
            If there are no items, or none has that number.
        """
        return self.parameters.add_enumeration(name, items, value, description)

    def select(self, number: ca.SX, *choices: Number) -> ca.SX:
        """Return the one of the ``choices`` with this ``number``, counted from 1.

        It is meant for the symbol of an `enumeration`.

        Raises
        ------
        ModelError
            If there are no choices.
        """
        return selected(number, choices)

    def input(
        self,
        name: str,
        start: Value = 0.0,
        *,
        unit: str | Units = "1",
        description: str = "",
        rate: ca.SX | None = None,
        minimum: Value | None = None,
        maximum: Value | None = None,
    ) -> ca.SX:
        """Add an input and return its symbol, limited to its range where it has one.

        Where a motion needs rates of an input that has none, a filter that follows it has exact
        ones: add the input, then call ``filtered``.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what it is.
        start : number or str
            Value until one is set, in ``unit``, an SI unit; a text has its own: ``"30 deg"``.
        unit : str or Units
            SI unit, or this and what tools show it in: ``Units("rad", "deg")``.
        rate : SX, optional
            The input that holds its derivative.
        minimum, maximum : number or str, optional
            Physical limits. An input may be set beyond them: the model takes the limit, with the
            slope 0, and a warning says so once.

        Raises
        ------
        ModelError
            If ``rate`` is not an input of this model.
        """
        return self.inputs.add(
            name,
            start,
            unit=unit,
            description=description,
            rate=rate,
            minimum=minimum,
            maximum=maximum,
        )

    def filtered(
        self, name: str, time_constant: Number, *, damping: Number = 1.0, nominal: float = 1.0
    ) -> ca.SX:
        """Let a filter follow an existing input, and return the filter's value.

        The filter itself, with its rates, is ``filters[name]``; it has a ``time_constant`` in s, a
        ``damping`` ratio (1: critical), and values of the size ``nominal`` in the input's unit.

        Raises
        ------
        ModelError
            If there is no such input, it is followed already, or a number is impossible.
        """
        return self.filters.add(name, time_constant, damping, nominal).value

    def state(
        self,
        name: str,
        derivative: Number | None = None,
        start: Value | ca.SX = 0.0,
        *,
        unit: str | Units = "1",
        description: str = "",
        nominal: Value = 1.0,
        visibility: Visibility = "local",
    ) -> ca.SX:
        """Add an auxiliary state and return its symbol (an actuator, an integrated input).

        The derivative may use the state itself: add the state without, then call ``derivative``.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what it is.
        derivative : number or expression, optional
            Its rate, in ``unit`` per second.
        start, nominal : number or str
            Value at the start, and natural size; numbers in ``unit``. If ``start`` is the symbol
            of an input, the state starts at that input's value.
        unit : str or Units
            SI unit, or this and what tools show it in.
        visibility : {"output", "local"}
            Whether importers see it as an output.

        Raises
        ------
        ModelError
            If the name is in use, or ``start`` is an expression but no input of this model.
        """
        return self.states.add(
            name,
            derivative,
            start,
            unit=unit,
            description=description,
            nominal=nominal,
            visibility=visibility,
        )

    def derivative(self, name: str, expression: Number) -> None:
        """Set the rate of the auxiliary state ``name``, in its unit per second.

        Raises
        ------
        ModelError
            If there is no such state, or ``expression`` is not scalar.
        """
        self.states.set_derivative(name, expression)

    def discrete(
        self,
        name: str,
        start: Value = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        nominal: float | None = None,
    ) -> ca.SX:
        """Add a variable that changes only at events, and return its symbol.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what it is.
        start : number or str
            Value at the start, in ``unit``, an SI unit.
        unit : str
            SI unit.
        kind : {"real", "integer", "boolean"}
            Type of the variable.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        return self.discretes.add(
            name,
            start,
            unit=unit,
            description=description,
            kind=kind,
            visibility=visibility,
            nominal=nominal,
        )

    def output(
        self,
        name: str,
        expression: Number,
        *,
        unit: str | Units = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        nominal: float | None = None,
    ) -> None:
        """Add an output.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what it is.
        expression : number or expression
            Its value, in ``unit``.
        unit : str or Units
            SI unit, or this and what tools show it in.
        kind : {"real", "integer", "boolean"}
            Type of the variable.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        self.outputs.add(
            name,
            expression,
            unit=unit,
            description=description,
            kind=kind,
            visibility=visibility,
            nominal=nominal,
        )

    # Events and requirements

    def event(
        self,
        name: str,
        indicator: ca.SX | None = None,
        *,
        band: float = 0.0,
        rising: dict[str, Number] | None = None,
        falling: dict[str, Number] | None = None,
        kind: EventKind = "switch",
        expected: str | None = None,
    ) -> ca.SX:
        """Add a state event and return the symbol of its mode, 1 while the indicator is positive.

        The mode changes where the indicator is ``band`` beyond zero, in the indicator's unit.
        ``rising`` and ``falling`` assign new values to discrete variables by name; their
        expressions are evaluated with the values before the event. ``kind``, and the name
        ``expected`` of a discrete variable with the time until the event probably occurs again, are
        for `mbcore.contact.impact`.

        An indicator that contains the event's own mode needs the symbol first: without an indicator
        the event is only declared, and a second call with the same name defines it.

        Raises
        ------
        ModelError
            If the event is defined already, or an assigned variable does not exist.
        """
        return self.events.add(
            name,
            indicator,
            band=band,
            rising=rising,
            falling=falling,
            kind=kind,
            expected=expected,
        )

    def require(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
        start: bool = False,
    ) -> None:
        """Require that ``condition > 0``; the error has the name, the value ``shown``, the message.

        Parameters
        ----------
        name, message : str
            What messages call it; what is wrong where it fails, and what to do.
        condition : SX
            Positive where the model is valid.
        shown : number or expression, optional
            Value in the message, by default the condition.
        initial : bool
            Whether it concerns parameters only, and is checked when initialization ends.
        start : bool
            Whether it is checked once only, at the first configuration.

        Raises
        ------
        ModelError
            If a requirement or warning of this name exists already.
        """
        self.requirements.add(name, condition, message, shown=shown, initial=initial, start=start)

    def warn(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
        start: bool = False,
    ) -> None:
        """Warn once, with the name, ``shown`` and the message, where ``condition > 0`` fails.

        It is checked where a run begins, after each accepted step, and where an equilibrium or a
        steady motion has been found. Python issues a ``ModelWarning``, an FMU writes to the
        importer's log (category ``logStatusWarning``); the run goes on. Parameters are those of
        `require`, with ``initial`` and ``start``.
        """
        self.requirements.add(
            name,
            condition,
            message,
            shown=shown,
            initial=initial,
            start=start,
            severity="warning",
        )

    # Pictures

    upwards: tuple[float, float, float] | None = None
    """The direction that is up in pictures, three numbers; by default against gravity."""

    def show(self, *shapes: Shape, at: Place | tuple[Place, Turn] | None = None) -> None:
        """Add shapes to all pictures of the model.

        They are in the pictures of equations that exist already, too::

            model.show(box((0, 0, 0.3), None, (4, 1.7, 0.6), name="chassis"), at=(middle, heading))
            model.show(line([(0, 0, 0), (0, 0, 2)]))

        Parameters
        ----------
        shapes : Shape
            Made by the functions of `mbcore.model.shapes.shapes`: line, tube, disc, box, ball, dot,
            surface, arrow. Numbers may be expressions of parameters, time, inputs and nodes, m.
        at : Point, or pair of Point and orientation, optional
            What they move with: their numbers are relative to this point, on the axes of the
            orientation. By default they are on inertial axes.

        Raises
        ------
        ModelError
            If something is no shape, or ``at`` no place with an orientation.
        """
        self.shapes.add(self.name, shapes, at)

    def scene(self) -> Scene:
        """Return all shapes where the nodes start; no equations are needed.

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return Scene(self)

    def draw(
        self, *, view: View = None, axes: bool = True, names: bool = False, roles: bool = False
    ) -> Figure:
        """Draw the model where its nodes start; no equations are needed.

        Parameters
        ----------
        view : str or pair of number, optional
            ``"front"``, ``"back"``, ``"left"``, ``"right"``, ``"top"``, or azimuth about the
            vertical and elevation of the camera, degrees; by default (-58, 20), and along z for a
            planar model.
        axes : bool
            Whether the directions of x, y and z are shown.
        names : bool
            Whether elements are named.
        roles : bool
            Whether names are followed by the roles of the element's quantities.

        Returns
        -------
        Figure
            Neither displayed nor saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If nothing has a shape, a number of one is not finite, or the view is unknown.
        """
        return draw_model(self, view=view, axes=axes, names=names, roles=roles)

    # Equations

    def equations(self, roles: Literal["given", "auto"] = "given") -> Equations:
        """Make the equations; they can be made as often as wanted.

        Equations made before a change of the model lack it, so analyses refuse them and name the
        change; make them again.

        Parameters
        ----------
        roles : {"given", "auto"}
            ``"auto"`` picks degrees of freedom and kinematic coordinates where none are given, and
            releases constraints that are redundant everywhere: those of the elements added last,
            lengths before angles. ``equations.chosen_roles`` says which and why; the model itself
            is not changed. Forces among redundant constraints are not unique:
            ``equations.indeterminate`` names them, and their use in outputs gives a `ModelWarning`.

        Raises
        ------
        RoleError
            If the roles are redundant, missing or dependent; the message names them.
        ModelError
            If a motion or law needs something that the model does not have, or it has nothing.
        """
        named = any(self.interface.declared().values())
        if not (set(self.nodes) - {"ground"} or self.elements or named):
            raise ModelError(
                f"{self.name} is empty: no node, element or variable; add what is to move, as in "
                "model.point(...) and model.add(Body(...))"
            )
        return Equations(self, roles)

    def refuse_at_start(self) -> None:
        """Make the checks of elements and nodes that wait for roles and parameters' start values.

        Raises
        ------
        ModelError
            Naming the element or node, the argument and its value.
        """
        found = [*self.elements.checks(), *self.nodes.checks()]
        checks.refuse_at_start(found, self.parameters.symbols, self.parameters.start_values)

    def coordinates(self) -> list[Coordinate]:
        """Return all coordinates, in the nodes' order."""
        return self.nodes.coordinates()

    def deformations(self) -> list[Deformation]:
        """Return all deformations: the elements', the nodes' conditions, and coordinates in use."""
        return self.kinematics.deformations()

    def slips(self) -> list[Slip]:
        """Return all slips: the elements', and the angular velocities of free rotations."""
        return self.kinematics.slips()

    def free_rotations(self) -> list[Rotation]:
        """Return the rotations that are free."""
        return self.nodes.free_rotations()

    def limits(self) -> list[Requirement]:
        """Return the conditions of elements that can deform or slip, and of free rotations."""
        return [*self.elements.limits(), *self.nodes.limits()]

    def rate_of(self, q: Deformation) -> ca.SX:
        """Return D'(x) ẋ of a deformation ``q`` over all nodal velocities, with fixed ones."""
        return self.kinematics.rate_of(q)

    def linear_velocity(self, expression: ca.SX, what: str) -> ca.SX:
        """Return an expression that is linear in velocities, over those of nodes.

        Rates of deformations, velocities of slips and coordinates' symbols are replaced.

        Raises
        ------
        ModelError
            If it holds no velocity or is not linear in them; ``what`` names it.
        """
        return self.kinematics.linear_velocity(expression, what)

    def declared(self) -> dict[str, Mapping[str, object]]:
        """Return all records by what messages call their kind, and by name."""
        return self.interface.declared()

    def add_requirement(self, record: Requirement) -> None:
        """Add a requirement or warning whose ``record`` has been made already.

        Raises
        ------
        ModelError
            If one of its name exists.
        """
        self.requirements.add_record(record)

    def refuse_undefined(self) -> None:
        """Refuse events that were declared and never got an indicator: they would never occur.

        Raises
        ------
        ModelError
            Naming the event.
        """
        self.events.refuse_undefined()

    # Summary

    def _title(self) -> str:
        return f"model {self.name}"

    def _facts(self) -> list[str]:
        return [
            f"{wording.count(len(self.nodes) - 1, 'node')} besides the ground, "
            f"{wording.count(len(self.elements), 'element')}, "
            f"{wording.count(len(self.loads), 'load')}"
        ]

    def _picture(self) -> str:
        try:
            return inline(self.draw(), f"{self.name} where its nodes start")
        except (ModelError, RuntimeError):  # no shapes, or a model that is not complete yet
            return ""

    def _tables(self) -> list[summary.Table]:
        elements = [
            (name, type(element).__name__, wording.listed(node.name for node in element.nodes()))
            for name, element in self.elements.items()
        ]
        return [
            summary.Table("elements", ("name", "kind", "nodes"), elements),
            *summary.variable_tables(
                ("inputs", self.inputs.values(), "start"),
                ("outputs", self.outputs.values(), None),
                ("parameters", self.parameters.values(), "value"),
            ),
        ]
