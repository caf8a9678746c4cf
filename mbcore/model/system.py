"""The description of a system: nodes, elements, loads, and what is shown of it outside.

A system knows no solver. `mbcore.equations.model.Model` adds the step to its equations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import casadi as ca

from mbcore.model import checks, near_names
from mbcore.model.element import AnyElement, Element, Limit
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.interface.declared import check_declared, end_of_range, named
from mbcore.model.interface.filters import add_filter
from mbcore.model.interface.former_words import (
    DISPLAY_UNIT,
    refuse_no_input,
    takes_filter_too,
    takes_start_input,
)
from mbcore.model.interface.interface import Interface
from mbcore.model.kinks import jtimes
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.nodes import Angle, Coordinate, Node, Point, Rotation
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.options import takes_separately
from mbcore.model.quantities import Deformation, Role, Slip
from mbcore.model.quantities.free_rotation import FreeRotation
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.shapes.shape import Place, Shape, Turn
from mbcore.model.speed import Speed
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import (
    Discrete,
    Event,
    EventKind,
    Input,
    Item,
    Kind,
    Number,
    Output,
    Parameter,
    Requirement,
    Severity,
    State,
    Value,
    Visibility,
)


class System:
    """The description of a system, all of a `mbcore.equations.model.Model` but its equations.

    The rooms below `mbcore.equations` know a model as this class; users make a ``Model``, whose
    docstring says with what.

    Attributes
    ----------
    interface : Interface
        Records of all named variables; ``parameters``, ``inputs``, ``states``, ``outputs``,
        ``discretes``, ``filters``, ``events`` and ``requirements`` are its dictionaries.
    nodes, elements, contacts : dict
        By name.
    loads : list of (SX, SX)
        Forces and moments with the velocities along which they act.
    shown : list of Shape
        Shapes of the user's own; they do not enter the equations.
    symbols
        Which quantity each symbol stands for.
    """

    def __init__(self, name: str, gravity: Sequence[Number] | None = None) -> None:
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

    # Parameters, inputs, states and outputs

    @takes_separately("unit", Units, DISPLAY_UNIT)
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
            Name outside, unique among the model's variables.
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
        units = as_units(unit)
        self.interface.refuse_name("parameter", name, units.si, units.display)
        if positive and minimum is None:
            minimum = 0.0
        return self._parameter(
            Parameter(
                name,
                ca.SX.sym(checks.text("parameter", name)),
                checks.scalar(f"parameter {name}", value, units.si, units.display),
                units.si,
                description,
                0.0
                if positive and minimum is None
                else end_of_range(name, "minimum", minimum, units.si),
                end_of_range(name, "maximum", maximum, units.si),
                positive,
                tunable,
                units.display,
            )
        )

    def enumeration(
        self, name: str, items: Sequence[Item | str], *, value: int = 1, description: str = ""
    ) -> ca.SX:
        """Add a parameter that chooses among items; its symbol is the item's number, from 1.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what is chosen.
        items : sequence of Item or str
            What there is to choose from.
        value : int
            Number of the item at the start.

        Raises
        ------
        ModelError
            If there are no items, or none has that number.
        """
        if (
            not isinstance(items, list | tuple)
            or not items
            or not all(isinstance(i, Item | str) for i in items)
        ):
            raise ModelError(f"parameter {name}: items = {items!r}; give names, as in ['a', 'b']")
        self.interface.refuse_name("parameter", name)
        records = tuple(i if isinstance(i, Item) else Item(i) for i in items)
        return self._parameter(
            Parameter(
                name,
                ca.SX.sym(checks.text("parameter", name)),
                checks.scalar(f"parameter {name}", value),
                description=description,
                minimum=1.0,
                maximum=float(len(records)),
                tunable=False,
                items=records,
            )
        )

    def _parameter(self, parameter: Parameter) -> ca.SX:
        self.interface.add("parameter", parameter)
        return parameter.symbol

    def select(self, number: ca.SX, *choices: Number) -> ca.SX:
        """Return that of the ``choices`` whose number, from 1, ``number`` is: for enumerations.

        Raises
        ------
        ModelError
            If there are no choices.
        """
        if not choices:
            raise ModelError("select: there is nothing to choose from; give one choice or more")
        number = checks.expression("select", "number", number)
        given = [checks.expression("select", f"choice {i + 1}", c) for i, c in enumerate(choices)]
        result = given[-1]
        for i in range(len(given) - 1, 0, -1):
            result = ca.if_else(ca.eq(number, i), given[i - 1], result)
        return result

    @takes_filter_too
    @takes_separately("unit", Units, DISPLAY_UNIT)
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

        An input whose rates are needed but not given is followed by a filter, which has exact
        ones: add it, then call ``filtered``.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
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
        units = as_units(unit)
        self.interface.refuse_name("input", name, units.si, units.display)
        partner = None
        if rate is not None:
            refuse_no_input(name, rate)
            partner = self._input_of(rate)
            if partner is None:
                raise ModelError(f"input {name}: its rate must be an input added before it")
        record = Input(
            name,
            ca.SX.sym(name),
            checks.real(f"input {name}", "start", start, unit=units.si),
            units.si,
            description,
            partner,
            end_of_range(name, "minimum", minimum, units.si),
            end_of_range(name, "maximum", maximum, units.si),
            units.display,
        )
        self.interface.add("input", record)
        return record.acting

    def _input_of(self, expression: ca.SX) -> Input | None:
        """Return the input whose symbol, or limited value, an expression is."""
        for record in self.inputs.values():
            if ca.is_equal(record.symbol, expression) or ca.is_equal(record.acting, expression):
                return record
        return None

    def filtered(
        self, name: str, time_constant: Number, *, damping: Number = 1.0, nominal: float = 1.0
    ) -> ca.SX:
        """Let a filter follow an input that is there already, and return the filter's value.

        The filter itself, with its rates, is ``filters[name]``; it has a ``time_constant`` in s, a
        ``damping`` ratio (1: critical), and values of the size ``nominal`` in the input's unit.

        Raises
        ------
        ModelError
            If there is no such input, it is followed already, or a number is impossible.
        """
        if checks.text("input", name) not in self.inputs or name in self.filters:
            why = "it is followed already" if name in self.filters else "there is no such input"
            raise ModelError(f"filter of input {name}: {why}; add the input first, follow it once")
        return add_filter(self, self.inputs[name], time_constant, damping, nominal).value

    @takes_start_input
    @takes_separately("unit", Units, DISPLAY_UNIT)
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

        The derivative may use the state itself: add it without, then call ``derivative``.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
        derivative : number or expression, optional
            What it changes with, in ``unit`` per second.
        start, nominal : number or str
            Value at the start, and natural size; numbers in ``unit``. Where ``start`` is the symbol
            of an input, it starts at that input's value.
        unit : str or Units
            SI unit, or this and what tools show it in.
        visibility : {"output", "local"}
            Whether importers see it as an output.

        Raises
        ------
        ModelError
            If the name is in use, or ``start`` is an expression but no input of this model.
        """
        units = as_units(unit)
        self.interface.refuse_name("state", name, units.si, units.display)
        source = None
        if isinstance(start, ca.SX) and not start.is_constant():
            source = self._input_of(start)
            if source is None:
                raise ModelError(f"state {name}: no input {str(start)!r} to start at; add it first")
            start = source.start
        record = State(
            name,
            ca.SX.sym(name),
            checks.real(f"state {name}", "start", start, unit=units.si),
            units.si,
            description,
            checks.real(f"state {name}", "nominal", nominal, unit=units.si),
            visibility,
            units.display,
            source.name if source else None,
        )
        check_declared("state", record)
        rate = 0 if derivative is None else derivative
        self.states[name] = (record, checks.expression(f"state {name}", "derivative", rate))
        return record.symbol

    def derivative(self, name: str, expression: Number) -> None:
        """Say what the auxiliary state ``name`` changes with, in its unit per second.

        Raises
        ------
        ModelError
            If there is no such state, or ``expression`` is not scalar.
        """
        if checks.text("state", name) not in self.states:
            raise ModelError(near_names.unknown("auxiliary state", name, self.states))
        rate = checks.expression(f"state {name}", "derivative", expression)
        self.states[name] = (self.states[name][0], rate)

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
            Name outside, and one line of what it is.
        start : number or str
            Value at the start, in ``unit``, an SI unit.
        unit : str
            SI unit.
        kind : {"real", "integer", "boolean"}
            Its type outside.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        self.interface.refuse_name("discrete variable", name, unit)
        first = checks.real(f"discrete variable {name}", "start", start, unit=unit)
        if nominal is not None:
            nominal = checks.real(f"discrete variable {name}", "nominal", nominal, above=0)
        record = Discrete(
            name, ca.SX.sym(name), first, unit, description, kind, visibility, nominal=nominal
        )
        self.interface.add("discrete variable", record)
        return record.symbol

    @takes_separately("unit", Units, DISPLAY_UNIT)
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
        """Show a quantity outside.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
        expression : number or expression
            What is shown, in ``unit``.
        unit : str or Units
            SI unit, or this and what tools show it in.
        kind : {"real", "integer", "boolean"}
            Its type outside.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        units = as_units(unit)
        self.interface.refuse_name("output", name, units.si, units.display)
        shown = checks.expression(f"output {name}", "expression", expression)
        if nominal is not None:
            nominal = checks.real(f"output {name}", "nominal", nominal, above=0)
        record = Output(
            name, shown, units.si, description, kind, visibility, units.display, nominal
        )
        self.interface.add("output", record)

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
        ``rising`` and ``falling`` assign new values to discrete variables by name; the
        expressions see the values before the event. `mbcore.contact.impact` gives the ``kind`` and
        the discrete variable ``expected`` with the time until the event probably occurs again.

        An indicator that holds the event's own mode needs that first: without an indicator the
        event is only declared, and a second call with the same name defines it.

        Raises
        ------
        ModelError
            If the event is defined already, or an assigned variable does not exist.
        """
        owner = f"event {checks.text('event', name)}"
        mode = self.interface.mode(name)
        if indicator is None and (rising or falling):
            raise ModelError(
                f"{owner}: without an indicator it is only declared and assigns nothing; give "
                "rising and falling with the indicator"
            )
        for what, changes in (("rising", rising), ("falling", falling)):
            if changes is not None and not isinstance(changes, Mapping):
                raise ModelError(
                    f"{owner}: {what} = {changes!r}; give new values by name, as in {{'count': 1}}"
                )
        for target in (*(rising or {}), *(falling or {}), *([expected] if expected else [])):
            if target not in self.discretes:
                raise ModelError(f"event {name}: no discrete variable {target!r} to assign")
        record = Event(
            name,
            mode,
            ca.SX(-1) if indicator is None else checks.expression(owner, "indicator", indicator),
            checks.real(owner, "band", band, least=0),
            tuple((k, checks.expression(owner, k, v)) for k, v in (rising or {}).items()),
            tuple((k, checks.expression(owner, k, v)) for k, v in (falling or {}).items()),
            kind,
            expected,
        )
        self.interface.add_event(record, indicator is not None)
        return mode

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
        """Demand that ``condition > 0``, else fail with the name, ``shown`` and the message.

        Parameters
        ----------
        name, message : str
            What messages call it; what is wrong where it fails, and what to do.
        condition : SX
            Positive where the model holds.
        shown : number or expression, optional
            What is shown with the message; the condition where absent.
        initial : bool
            Whether it concerns parameters only, and is looked at when initialization ends.
        start : bool
            Whether it is looked at once only, at the first configuration.

        Raises
        ------
        ModelError
            If a requirement or warning of this name exists already.
        """
        self._demand(name, condition, message, shown, initial, start, "error")

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
        """Tell once with the name, ``shown`` and the message where ``condition > 0`` fails.

        It is looked at where a run begins and after each accepted step, and where an equilibrium
        or a steady motion has been found. Python issues a ``ModelWarning``, an FMU writes to the
        importer's log (category ``logStatusWarning``); the run goes on. Parameters are those of
        `require`, with ``initial`` and ``start``.
        """
        self._demand(name, condition, message, shown, initial, start, "warning")

    def _demand(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        shown: Number | None,
        initial: bool,
        start: bool,
        severity: Severity,
    ) -> None:
        owner = f"requirement {checks.text('requirement', name)}"
        condition = checks.expression(owner, "condition", condition)
        to_show = condition if shown is None else checks.expression(owner, "shown", shown)
        self.interface.add_requirement(
            Requirement(name, condition, message, to_show, initial, start, severity)
        )

    def declared(self) -> dict[str, Mapping[str, object]]:
        """Return all records by what messages call their kind, and by name."""
        return self.interface.declared()

    def add_requirement(self, record: Requirement) -> None:
        """Add a requirement or warning that is made already, a ``record``.

        Raises
        ------
        ModelError
            If one of its name exists.
        """
        self.interface.add_requirement(record)

    def refuse_undefined(self) -> None:
        """Refuse events that were declared and never got an indicator: they would never occur.

        Raises
        ------
        ModelError
            Naming the event.
        """
        self.interface.refuse_undefined()

    # Pictures

    upwards: tuple[float, float, float] | None = None
    """What pictures take for up, three numbers; against gravity where absent."""

    def show(self, *shapes: Shape, at: Place | tuple[Place, Turn] | None = None) -> None:
        """Add shapes to all pictures of the model.

        Equations that were made before know them, too::

            model.show(box((0, 0, 0.3), None, (4, 1.7, 0.6), name="chassis"), at=(middle, heading))
            model.show(line([(0, 0, 0), (0, 0, 2)]))

        Parameters
        ----------
        shapes : Shape
            Made by the functions of `mbcore.model.shapes.shapes`: line, tube, disc, box, ball, dot,
            surface, arrow. Numbers may be expressions of parameters, time, inputs and nodes, m.
        at : Point, or pair of Point and orientation, optional
            With what they move: their numbers are on its axes, from its place on. On inertial axes
            where absent.

        Raises
        ------
        ModelError
            If something is no shape, or ``at`` no place with an orientation.
        """
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"model {self.name}, show: {shape!r} is no shape; make one, as in "
                    "box((0, 0, 0), None, (2, 1, 0.5))"
                )
        if at is None:
            self.shown += shapes
        elif isinstance(at, Point):
            self.shown += [shape.at(at) for shape in shapes]
        elif isinstance(at, tuple) and len(at) == 2:
            place, turn = at
            self.shown += [shape.at(place, turn) for shape in shapes]
        else:
            raise ModelError(
                f"model {self.name}, show: at = {at!r}; give a point, or a point with an angle or "
                "a rotation, as in at=(centre, heading)"
            )

    # For elements and equations

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
