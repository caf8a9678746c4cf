"""The model as users know it: it has its parts, which check and keep their own things.

It makes its equations and pictures by factories, because their rooms know models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import casadi as ca

from mbcore import factories
from mbcore.model import checks, summary, wording
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.element import AnyElement
from mbcore.model.errors import ModelError
from mbcore.model.interface.discretes import Discretes
from mbcore.model.interface.events import Events
from mbcore.model.interface.filters import Filters
from mbcore.model.interface.inputs import Inputs
from mbcore.model.interface.interface import Interface
from mbcore.model.interface.outputs import Outputs
from mbcore.model.interface.parameters import Parameters
from mbcore.model.interface.requirements import Requirements
from mbcore.model.interface.states import States
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.joint_reactions import JointReactions
from mbcore.model.parts.kinematics import Kinematics
from mbcore.model.parts.loads import Loads
from mbcore.model.parts.nodes import Nodes
from mbcore.model.parts.pickling import copied, reduced
from mbcore.model.parts.reactions import Reactions
from mbcore.model.parts.shapes import Shapes
from mbcore.model.parts.springs import spring_shapes
from mbcore.model.quantities import Slip
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.shapes.shape import Shape
from mbcore.model.speed import Speed
from mbcore.model.taken import taken
from mbcore.model.variables import (
    Number,
    Requirement,
    Value,
    Visibility,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@explains_construction
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
    shown : list of Shape
        The user's own, for pictures; they do not enter the equations.
    upwards : tuple of three float, or None
        The direction that is up in pictures; by default against gravity.
    often_stiff : bool
        Whether its FMU starts with ``solver.method`` ``automatic``, so that steps are implicit
        where joints are stiff; true of a `Robot`. Motions that are not stiff stay the same.

    Raises
    ------
    ModelError
        If the name is not text, or gravity is not a vector of two or three numbers.
    """

    _elsewhere: ClassVar[dict[str, str]] = {
        "simulate": "it is a function: simulate(model.equations(), until=1.0)",
        "linearize": "it is a function: linearize(model.equations())",
        "equilibrium": "it is a function: equilibrium(model.equations())",
    }

    _hidden: ClassVar[frozenset[str]] = frozenset({
        "coordinates", "deformations", "joint_reactions", "kinematics", "limits", "linear_velocity",
        "rate_of", "reactions", "slips", "symbols",
    })  # fmt: skip
    """Attributes for elements and equations, hidden from users."""

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
        self.joint_reactions = JointReactions(self.nodes, self.reactions)
        self.contacts: dict[str, Unilateral] = {}
        self.shown = Shapes(name)
        interface = self.interface = Interface()
        self.parameters, self.inputs = interface.parameters, interface.inputs
        self.states, self.outputs = interface.states, interface.outputs
        self.discretes, self.filters = interface.discretes, interface.filters
        self.events, self.requirements = interface.events, interface.requirements

    # Nodes and elements

    point = taken("nodes", Nodes.point)
    angle = taken("nodes", Nodes.angle)
    rotation = taken("nodes", Nodes.rotation)

    @explains_arguments
    def add(self, element: AnyElement) -> AnyElement:
        """Add an element; from now on its deformations and slips have roles to set.

        Parameters
        ----------
        element : Element
            What has not been added yet, as in ``model.add(Truss("rod", p, q))``. Its nodes are
            those of this model.

        Returns
        -------
        Element
            The same object, so that it can be given a name in the same line.

        Raises
        ------
        ModelError
            If the name exists, or a node of the element belongs to another model.
        """
        return self.elements.add(element, self)

    # Loads

    force = taken("loads", Loads.force)
    moment = taken("loads", Loads.moment)
    load = taken("loads", Loads.generalized)

    reaction = taken("joint_reactions", JointReactions.of)

    @explains_arguments
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

        Where a wheel or a joint has that velocity as a slip already, `Slip.dof` of it does the
        same; here it becomes the slip of an element `Speed` of this name. A positive ``law`` on it
        brakes a positive velocity; a drive is a negative law, or a `load`::

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
            SI unit, and the unit that tools display.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        description : str
            Description in one line.

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

    parameter = taken("parameters", Parameters.add)
    enumeration = taken("parameters", Parameters.add_enumeration)
    select = taken("interface", Interface.select)
    input = taken("inputs", Inputs.add)
    filtered = taken("filters", Filters.add)
    state = taken("states", States.add)
    derivative = taken("states", States.set_derivative)
    discrete = taken("discretes", Discretes.add)
    output = taken("outputs", Outputs.add)

    # Events and requirements

    event = taken("events", Events.add)
    require = taken("requirements", Requirements.add)
    warn = taken("requirements", Requirements.add_warning)

    # Pictures

    upwards: tuple[float, float, float] | None = None
    """The direction that is up in pictures, three numbers; by default against gravity."""

    # FMUs

    often_stiff: bool = False
    """Whether its FMU chooses between explicit and implicit steps by default."""

    show = taken("shown", Shapes.add)

    @property
    def shapes(self) -> list[Shape]:
        """All shapes that belong to no element: springs on coordinates, and the user's own."""
        symbols = [parameter.symbol for parameter in self.parameters.values()]
        return [*spring_shapes(self.nodes, self.elements, symbols), *self.shown]

    def scene(self) -> factories.Scene:
        """Return all shapes where the nodes start; no equations are needed.

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return factories.Scene(self)

    @explains_arguments
    def draw(
        self,
        *,
        view: factories.View = None,
        axes: bool = True,
        names: bool = False,
        roles: bool = False,
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
        return factories.draw_model(self, view=view, axes=axes, names=names, roles=roles)

    # Equations

    @explains_arguments
    def equations(self, roles: Literal["given", "auto"] = "given") -> factories.Equations:
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
        return factories.Equations(self, roles)

    coordinates = taken("nodes", Nodes.coordinates)
    deformations = taken("kinematics", Kinematics.deformations)
    slips = taken("kinematics", Kinematics.slips)

    def limits(self) -> list[Requirement]:
        """Return the conditions of elements that can deform or slip, and of free rotations."""
        return [*self.elements.limits(), *self.nodes.limits()]

    rate_of = taken("kinematics", Kinematics.rate_of)
    linear_velocity = taken("kinematics", Kinematics.linear_velocity)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self._hidden]

    # Copies

    def __copy__(self) -> Model:
        return copied(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return copied(self, memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol)

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
            return factories.inline(self.draw(), f"{self.name} where its nodes start")
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
