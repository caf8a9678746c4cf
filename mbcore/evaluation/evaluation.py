"""Numbers from equations at one point: derivatives, outputs, checks and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.advice import Advice, changed_start
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.evaluation.conditioning import Conditioning
from mbcore.evaluation.event_rounds import EventRounds
from mbcore.evaluation.jacobian_columns import PATIENCE, JacobianColumns, can_share
from mbcore.evaluation.position import Position, Saved
from mbcore.evaluation.validity import Validity
from mbcore.host.backend import Evaluator
from mbcore.model import checks, near_names
from mbcore.model.errors import ModelError
from mbcore.model.limits import nearest
from mbcore.model.taken import taken
from mbcore.model.variables import Value
from mbcore.native.point import CompiledPoint


def started_at_inputs(equations: Equations, u: np.ndarray) -> dict[str, float]:
    """Return start values of the states that start at an input's value, by name."""
    values = {
        record.name: nearest(value, record.minimum, record.maximum)
        for record, value in zip(equations.inputs, u, strict=True)
    }
    return {
        record.name: float(values[record.start_input])
        for record in equations.states
        if record.start_input is not None
    }


class Evaluation:
    """The functions of ``equations`` at one point that moves.

    Parameters
    ----------
    equations : Equations
        The equations.
    parameters, inputs : mapping of str to float or str
        Values that differ from the model's.

    Attributes
    ----------
    t, s, d, u, p, x : ndarray
        Time, states, discrete variables, inputs, parameters and configuration, changed in place.
    fired : ndarray, shape (ne,)
        Which events occur: 1 where one begins, -1 where it ends, 0 elsewhere.
    direction, variation, whole_variation, rate_seed, output_seed : ndarray
        Further arguments of the functions that give derivatives; the second is the first part of
        the third.
    call : callable
        Evaluates a function here by its name; ``results`` of what it returns are arrays.
    count : callable
        Takes the number of operations that Python has done elsewhere in place of compiled ones.

    Raises
    ------
    ModelError
        If a name is unknown or a value is outside its range, or the model has been changed since
        its equations were made.
    """

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        self.equations = equations
        point = self._point = BoundPoint(equations, parameters, inputs)
        self._position = Position(point)
        self.call, self.count = point.call, point.count
        self.t, self.s, self.d = point.t, point.s, point.d
        self.u, self.p, self.x = point.u, point.p, point.x
        self.fired, self.direction, self.variation = point.fired, point.direction, point.variation
        self.whole_variation = point.whole_variation
        self.rate_seed, self.output_seed = point.rate_seed, point.output_seed
        self._validity = Validity(point, self._position)
        self._advice = Advice(point)
        self._events = EventRounds(point, self._position)
        self._state_places = {record.name: i for i, record in enumerate(equations.states)}
        self._follow_inputs = any(r.start_input is not None for r in equations.states)
        self._columns: JacobianColumns | None = None
        self._columns_made = 0

    @property
    def compiled(self) -> CompiledPoint | None:
        """The compiled equations, where functions are compiled."""
        return self._point.compiled

    @property
    def on_warning(self) -> Callable[[str], None]:
        """Function that takes the text of a warning; by default it becomes a ``ModelWarning``."""
        return self._advice.on_warning

    @on_warning.setter
    def on_warning(self, tell: Callable[[str], None]) -> None:
        self._advice.on_warning = tell

    @property
    def on_update(self) -> Callable[[], None] | None:
        """Called before each update at events; ``fired`` tells of which."""
        return self._events.on_update

    @on_update.setter
    def on_update(self, tell: Callable[[], None] | None) -> None:
        self._events.on_update = tell

    def renew(
        self,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        """Become the same as a new one with these values; functions stay bound.

        Whether the model has been changed meanwhile is not asked again.

        Raises
        ------
        ModelError
            If a name is unknown or a value is outside its range.
        """
        self._point.renew(parameters, inputs)
        self._position.begin()
        self._validity.start_mass = None
        self._advice.forget()

    @property
    def backend(self) -> Evaluator:
        """The present backend of the functions."""
        return self._point.backend

    @property
    def compiles(self) -> bool:
        """Whether Python evaluates the functions while they are compiled."""
        return self._point.compiles

    @property
    def work(self) -> float:
        """Operations of Python so far with these equations."""
        return self._point.work

    def expect(self, work: float) -> None:
        """Take note of the operations that Python would take to the end of a run."""
        self._point.work_left = work

    def common_values(self) -> np.ndarray:
        """Return s, d, u and p behind each other, as C has them."""
        return self._point.common_values()

    # The configuration

    @property
    def conditioning(self) -> Conditioning:
        """How regular the motion has been."""
        return self._position.conditioning

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes of the coordinates: 1 for angles, the mechanism's size for places."""
        return self._position.scale

    @property
    def accepted_time(self) -> float:
        """Time of the point from which configurations are sought, s."""
        return self._position.accepted_time

    def accept(self) -> None:
        """Make the present point the one from which the next configurations are sought."""
        self._position.accept()

    def configure(self) -> None:
        """Find the configuration of the present point from the accepted one.

        Raises
        ------
        ConfigurationError
            If there is none on this branch; names the deformation that is violated most.
        """
        self._position.configure()

    def arrive(
        self, x: np.ndarray, met: tuple[np.ndarray, np.ndarray], **results: np.ndarray
    ) -> None:
        """Take what belongs to the present point from a function of a whole step.

        Parameters
        ----------
        x : ndarray, shape (nx,)
            The configuration.
        met : pair of ndarray, shape (nr,)
            The smallest and largest measures in the step.
        results : ndarray
            Results of functions here, by their names.
        """
        self._position.arrive(x, met)
        self._point.know(**results)

    def know_rates(self, rates: np.ndarray) -> None:
        """Take the states' rates at the present point, as a solver's last stage has them."""
        self._point.know(derivative=rates)

    configure_from = taken("_position", Position.configure_from)
    assemble = taken("_position", Position.assemble)
    begin_at = taken("_position", Position.begin_at)
    return_to_accepted = taken("_position", Position.return_to_accepted)
    search = taken("_position", Position.search)
    go_on_from = taken("_position", Position.go_on_from)

    def visit(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Go through points of a motion, each sought from the one before, and accept each.

        Parameters
        ----------
        rows : ndarray, shape (n, 1 + ns + nu)
            Time, states and inputs.

        Returns
        -------
        x, outputs : ndarray, shape (n, nx), (n, ny)

        Raises
        ------
        ConfigurationError
            If there is no configuration on this branch.
        """
        x = np.zeros((len(rows), self.x.size))
        outputs = np.zeros((len(rows), len(self.equations.outputs)))
        for k in range(self._position.visit(rows, x, outputs), len(rows)):
            self.t[:], self.s[:], self.u[:] = np.split(rows[k], [1, 1 + self.s.size])
            self.configure()
            x[k], outputs[k] = self.x, self.output()
            self.accept()
        return x, outputs

    def save(self) -> Saved:
        """Return all that changes, for ``restore``."""
        return self._position.save()

    def restore(self, saved: Saved) -> None:
        """Go back to what ``save`` returned."""
        self._position.restore(saved)

    conditioning_measures = taken("_position", Position.conditioning_measures)

    # States, events and checks

    def start(self, values: Mapping[str, Value] | None = None, *, at_rest: bool = False) -> None:
        """Go to start values of the states, assemble there and start the events' modes.

        Parameters
        ----------
        values : mapping of str to float or str
            Start values that differ from the model's.
        at_rest : bool
            Do without accelerations, which a structure without mass does not have.

        Raises
        ------
        ModelError
            If a state is unknown or its value is not finite.
        ConfigurationError, SimulationError
            If nothing can be assembled or a requirement is violated.
        """
        self.go_to_start(values)
        if not at_rest and not self.equations.held and self._position.start():
            return
        self.require(initial=True)
        self.configure()
        self.start_modes(at_rest)

    def go_to_start(self, values: Mapping[str, Value] | None = None) -> None:
        """Set the states to start values, those of the model where none are given.

        Raises
        ------
        ModelError
            If a state is unknown or its value is not finite.
        """
        order = self._state_places
        if self._follow_inputs:
            for name, value in started_at_inputs(self.equations, self.u).items():
                self.s[order[name]] = value
        for name, value in checks.values("start value", values, self.equations.states).items():
            if name not in order:
                raise ModelError(near_names.unknown("state", name, order))
            if not np.isfinite(value):
                raise ModelError(f"start value {name} = {value} is not a finite number")
            self.s[order[name]] = value
        # the square is finite where all are, but for overflow, and takes a fifth of the time
        if not isfinite(self.s.dot(self.s)) and not np.isfinite(self.s).all():
            i = int(np.flatnonzero(~np.isfinite(self.s))[0])
            name = self.equations.states[i].name
            raise ModelError(f"start value {name} = {self.s[i]} is not a finite number")

    def start_modes(self, at_rest: bool = False) -> None:
        """Start the events' modes at the first configuration, and check all that must hold.

        Without accelerations where ``at_rest``.

        Raises
        ------
        ConfigurationError, SimulationError
            If a requirement is violated or the configuration singular.
        """
        self.accept()
        self.require(start=True)
        given = self.s.copy()
        self.iterate_events(initial=True)
        if self.equations.held:  # a slip that was held before does not become so at a second start
            self.project()
        if self.equations.constrained:
            self._advice.changed_start = changed_start(self.equations, given, self.s, self.d)
        self.check(at_rest=True)
        if not at_rest:
            self.refuse_massless()
            self._validity.refuse_infinite()
        self.accept()

    def derivative(self) -> np.ndarray:
        """Return ds/dt at the present point and configuration, shape (ns,)."""
        return self.call("derivative").results[0][:, 0]

    def output(self) -> np.ndarray:
        """Return the outputs, shape (ny,)."""
        return self.call("output").results[0][:, 0]

    def indicator(self) -> np.ndarray:
        """Return the event indicators, shape (ne,)."""
        return self.call("indicator").results[0][:, 0]

    def jacobian(self) -> np.ndarray:
        """Return d(ds/dt)/ds with the configuration following, shape (ns, ns); exact."""
        columns = np.empty((self.s.size, self.s.size), order="F")
        if self._shares_columns():
            self._columns = self._columns or JacobianColumns(self._point)
            self._columns(columns)
            return columns
        self._columns_made += self.s.size
        for i in range(self.s.size):
            self.direction[i] = 1.0
            columns[:, i] = self.call("tangent").results[0][:, 0]
            self.direction[i] = 0.0
        return columns

    def _shares_columns(self) -> bool:
        """Return whether functions for further columns pay, after so many in Python."""
        if self.compiled is not None or self._columns_made < PATIENCE:
            return False
        return self._columns is not None or can_share(self.equations)

    def rates_by_time(self) -> np.ndarray:
        """Return the change of all rates with time alone, shape (ns,); inputs stay."""
        self.direction[-1] = 1.0
        change = self.call("tangent").results[0][:, 0].copy()
        self.direction[-1] = 0.0
        return change

    def rate_use(self) -> np.ndarray:
        """Return how much motions and forces change with each input's rate, shape (nu,)."""
        return self.call("rate_use").results[0][:, 0]

    def mass(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the reduced mass matrix (nd, nd) and force (nd,) of [Schwab2002] (A.107)."""
        bound = self.call("mass")
        return bound.results[0].copy(), bound.results[1][:, 0].copy()

    def residual(self) -> np.ndarray:
        """Return the residuals of the position problem, shape (n,)."""
        return self.call("newton").results[1][:, 0]

    def check(self, at_rest: bool = False) -> None:
        """Check what must hold at an accepted point; where ``at_rest``, not its derivative.

        Raises
        ------
        SimulationError
            If a requirement is violated; names it and shows the value.
        ConfigurationError
            If the configuration is singular or a derivative is not finite.
        """
        self._validity.check(at_rest)

    refuse_massless = taken("_validity", Validity.refuse_massless)
    vanished_mass = taken("_validity", Validity.vanished_mass)

    def require(self, initial: bool = False, start: bool = False) -> None:
        """Check the requirements; those on parameters alone before anything is assembled."""
        self._validity.require(initial, start)

    def warn(self) -> None:
        """Issue the model's warnings at this point, by ``on_warning``; each message once."""
        self._advice.warn()

    def warn_of_limits(self, t: float, u: np.ndarray) -> None:
        """Tell of those among the inputs ``u`` that are outside of their ranges, each once."""
        self._advice.warn_of_limits(t, u)

    # Events

    iterate_events = taken("_events", EventRounds.iterate)
    project = taken("_events", EventRounds.project)
