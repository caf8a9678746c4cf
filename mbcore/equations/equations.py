"""The equations of a model: functions of (t, s, d, u, p, x) and the records that name them.

Analyses and code generation use only this; they never look into an element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.drawing.scene import Scene
from mbcore.equations.made_functions import Functions
from mbcore.equations.mass_parts import MassParts
from mbcore.equations.solved import SolvedModel
from mbcore.host.threads import single_threaded
from mbcore.model import summary, wording
from mbcore.model.errors import ModelError
from mbcore.model.snapshot import changes, snapshot
from mbcore.model.system import System


@dataclass(frozen=True)
class SpinStates:
    """Where the states of a free rotation are.

    Attributes
    ----------
    axes : {"body", "space"}
        Axes of the angular velocity's components.
    speeds : tuple of int
        Places of the three components; none where one of them is no degree of freedom.
    parameters : tuple of int
        Places of the four Euler parameters, whose length has no influence.
    """

    name: str
    axes: str
    speeds: tuple[int, ...]
    parameters: tuple[int, ...]


class Equations(summary.Summarized):
    """What ``Model.equations`` returns, for a ``model``, its ``roles`` and a configuration ``at``.

    Attributes
    ----------
    parameters, inputs, states, discretes, events, outputs, requirements : tuple
        Records of ``mbcore.model.variables``, in the order of the functions' arguments and results.
        The first discrete variables are the events' modes.
    dofs : int
        Number of degrees of freedom: their rates are the first states, their values the next.
    speeds : int
        Number of the last of them that are slips: these have a rate and no value.
    contacts, held : tuple of str
        Names of the unilateral contacts, and of the slips that may be held.
    constrained : tuple of str
        Both of them: what events change states for, and states are kept on while it lasts.
    coordinate_names, constraint_names, regularity_names : tuple of str
        Names behind x, the conditions that iteration makes vanish, and the blocks of both
        Jacobians.
    iterated : int
        Number of the first coordinates that the position problem iterates; the others follow.
    functions : mapping of str to casadi.Function
        ``newton`` (x after a step, residual), ``place`` (x with what follows), ``derivative``,
        ``output``, ``indicator``,
        ``free_indicator`` (where no contact is closed and no slip held, cheaper), ``update`` (with
        a seventh argument; discrete variables and states), ``project`` (states with closed
        contacts closed again and held slips zero, drift), ``tangent`` (with a direction in
        (s, t)), ``require``, ``regularity``, ``rate_use``, ``start``, ``mass``
        (reduced mass matrix and force),
        ``change`` (of rates and outputs), ``rate_change``, ``indicator_change``,
        ``jump_change``, ``project_change`` (with a variation of (s, t, u, p)),
        ``adjoint_change`` (with seeds of rates and outputs; a sensitivity to (s, t, u, p)).
    chosen_roles : tuple of str
        What ``roles="auto"`` picked and why. It leaves the model as it was.
    indeterminate : tuple of str
        Names of constraints whose forces are not unique, because ``roles="auto"`` had to release
        redundant ones.
    superposed : bool
        Whether they are those of small motions, by `mbcore.equations.superposition.superpose`.
    """

    superposed = False
    _solver: type[SolvedModel] = SolvedModel

    @single_threaded
    def __init__(
        self,
        model: System,
        roles: Literal["given", "auto"] = "given",
        at: Mapping[str, float] | None = None,
    ) -> None:
        solved = self._solved = self._solver(model, roles, at)
        self._described, self._snapshot = model, snapshot(model)
        self.name, self.model, self.assembly = solved.name, solved.model, solved.assembly
        self.natural_length, self.chosen_roles = solved.natural_length, solved.chosen_roles
        self.parameters, self.inputs = solved.parameters, solved.inputs
        self.states, self.discretes = solved.states, solved.discretes
        self.events, self.requirements = solved.events, solved.requirements
        self.outputs = solved.outputs
        self.dofs, self.speeds, self.iterated = solved.dofs, solved.speeds, solved.iterated
        self.contacts, self.held = solved.contacts, solved.held
        self.constrained = solved.constrained
        self.coordinate_names = solved.coordinate_names
        self.constraint_names = solved.constraint_names
        self.functions = Functions(solved)

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Names of constraints whose forces are not unique, for some of them are redundant."""
        return tuple(q.name for q in self._solved.released.involved)

    @property
    def regularity_names(self) -> tuple[str, ...]:
        """Names of what is followed: limits, and the quantities of blocks that can be singular."""
        return self.functions.regularity_names

    @property
    def followed(self) -> tuple[int, ...]:
        """Places of the requirements that the first measures of regularity follow."""
        return self.functions.followed

    # Changes of the model

    def belong_with(self, other: Equations) -> None:
        """Compare the model from now on with what it was when ``other`` equations were made.

        For equations that were made while the model had other roles for a moment: by themselves
        they would count as made of another model.
        """
        self._described, self._snapshot = other._described, other._snapshot

    def refuse_stale(self) -> None:
        """Refuse equations that miss what the model has been given since they were made.

        Raises
        ------
        ModelError
            Naming what was changed.
        """
        changed = changes(self._snapshot, snapshot(self._described))
        if changed:
            raise ModelError(
                f"{self.name}: the model was changed after these equations were made ({changed}); "
                "make them again: equations = model.equations()"
            )

    # Functions

    def settled(self, expression: ca.SX) -> ca.SX:
        """Return a user's expression as a function of (t, s, d, u, p, x)."""
        return self._solved.settled(expression)

    def function(self, name: str, results: list[ca.SX], extra: Sequence[ca.SX] = ()) -> ca.Function:
        """Return a function of (t, s, d, u, p, x), then of ``extra``, of settled expressions.

        It is called ``name`` and gives ``results``.

        Raises
        ------
        ModelError
            Naming symbols that are none of these.
        """
        return self._solved.function(name, results, extra)

    def tears_function(self) -> ca.Function:
        """Return the function that gives the tears' values in a configuration."""
        return self._solved.tears_function()

    def slips_function(self) -> ca.Function:
        """Return the function that gives the slips that are held, zero for others, (nh,)."""
        return self._solved.slips_function()

    @property
    def spins(self) -> tuple[SpinStates, ...]:
        """Where the states of each free rotation are."""
        A, found = self.assembly, []
        places = {q.name: i for i, q in enumerate(A.independent)}
        first = len(A.independent) + len(A.dofs)
        places |= {q.name: first + i for i, q in enumerate(A.kinematic)}
        for node in A.model.free_rotations():
            assert node.freedom is not None
            speeds = tuple(places[s.name] for s in node.slips() if s.name in places)
            parameters = tuple(places[coordinate.name] for coordinate in node.quantities)
            axes = node.freedom.axes
            found.append(
                SpinStates(node.name, axes, speeds if len(speeds) == 3 else (), parameters)
            )
        return tuple(found)

    def scene(self) -> Scene:
        """Return what is seen of the model: its shapes as one function of (t, s, d, u, p, x).

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return Scene(self._described, self)

    # Numbers

    @cached_property
    def mass_parts(self) -> MassParts | None:
        """What the reduced mass matrix is made of; None where laws of the state change it."""
        if self.superposed or self._solved.dynamics.laws_of_state:
            return None
        return MassParts(self._solved.dynamics.velocity, self.function)

    def nodal_coordinates(self, x: np.ndarray) -> np.ndarray:
        """Return the nodes' coordinates in their own order from x."""
        if self._nodal_places is None:
            place = {name: i for i, name in enumerate(self.coordinate_names)}
            names = [c.name for c in self.assembly.coordinates]
            self._nodal_places = np.array([place[name] for name in names], int)
        return np.asarray(x)[self._nodal_places]

    _nodal_places: np.ndarray | None = None

    @property
    def winding_names(self) -> tuple[str, ...]:
        """Names of dependent deformations in couplings whose values are among x."""
        return tuple(self._solved.form.winding)

    def winding_values(self, x: np.ndarray) -> np.ndarray:
        """Return their values, rad, which may be of several turns, at coordinates ``x``."""
        place = {name: i for i, name in enumerate(self.coordinate_names)}
        return np.asarray(x)[[place[name] for name in self.winding_names]]

    @property
    def start_state(self) -> np.ndarray:
        """Start values of the states, shape (ns,)."""
        return np.array([s.start for s in self.states])

    def _title(self) -> str:
        return f"equations of {self.name}"

    def _facts(self) -> list[str]:
        A = self._solved.form
        return [
            f"{wording.count(A.x.numel(), 'coordinate')}, "
            f"{wording.count(self.dofs, 'degree of freedom')}, "
            f"{wording.count(len(A.kinematic), 'kinematic coordinate')}, "
            f"{wording.count(len(self.states), 'state')}",
            f"{wording.count(len(self.inputs), 'input')}, "
            f"{wording.count(len(self.outputs), 'output')}",
        ]

    def _tables(self) -> list[summary.Table]:
        chosen = [(line,) for line in self.chosen_roles]
        return [
            *summary.variable_tables(
                ("states", self.states, "start"),
                ("inputs", self.inputs, "start"),
                ("outputs", self.outputs, None),
                ("parameters", self.parameters, "value"),
            ),
            summary.Table("chosen roles", ("role",), chosen),
        ]


def checked_equations(what: str, given: object) -> Equations:
    """Return equations, and refuse anything else in their place.

    Raises
    ------
    ModelError
        Naming ``what`` they were given to.
    """
    if not isinstance(given, Equations):
        raise ModelError(f"{what} takes equations, got {given!r}; give model.equations()")
    return given
