"""Numbers from equations at one point: derivatives, outputs, checks and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.implicit_forces import unsolvable
from mbcore.equations.tolerances import EVENT_ROUNDS, SINGULAR
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.evaluation.changed_start import changed_start
from mbcore.evaluation.conditioning import Conditioning
from mbcore.evaluation.position import Position, Saved
from mbcore.evaluation.reduced_mass import reduced_mass, refuse_singular, vanished
from mbcore.host.backend import Evaluator
from mbcore.model import checks, near_names
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError, warn_user
from mbcore.model.limits import beyond, nearest
from mbcore.model.variables import Value
from mbcore.model.wording import formatted
from mbcore.native.flow import Search
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
    on_warning : callable
        What takes the text of a warning; by default it becomes a ``ModelWarning``.
    on_update : callable or None
        Called before each update at events; ``fired`` tells of which.

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
        self.on_warning: Callable[[str], None] = warn_user
        self.on_update: Callable[[], None] | None = None
        self._limited = frozenset(
            i for i, record in enumerate(equations.inputs) if record.acting is not record.symbol
        )
        self._advice = [
            (i, r) for i, r in enumerate(equations.requirements) if r.severity == "warning"
        ]
        self._state_places = {record.name: i for i, record in enumerate(equations.states)}
        self._follow_inputs = any(r.start_input is not None for r in equations.states)
        self._forget_warnings()

    @property
    def compiled(self) -> CompiledPoint | None:
        """What is compiled, where functions are."""
        return self._point.compiled

    def _forget_warnings(self) -> None:
        self._warned: set[str] = set()
        self._beyond: set[int] = set()
        self._begun = False
        self._changed_start: str | None = None
        self._start_mass: np.ndarray | None = None

    def renew(
        self,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        """Become what a new one would be with these values; functions stay bound.

        Whether the model has been changed meanwhile is not asked again.

        Raises
        ------
        ModelError
            If a name is unknown or a value is outside its range.
        """
        self._point.renew(parameters, inputs)
        self._position.begin()
        self._forget_warnings()

    @property
    def backend(self) -> Evaluator:
        """What evaluates the functions at present."""
        return self._point.backend

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

    def configure_from(self, x: np.ndarray) -> None:
        """Find the configuration of the present point near x, on whatever branch that is.

        Raises
        ------
        ConfigurationError
            If there is none, or it is not near.
        """
        self._position.configure_from(x)

    def assemble(self) -> None:
        """Find a first configuration, on the branch of the model's own values where possible.

        Raises
        ------
        ConfigurationError
            If the start values cannot be assembled.
        """
        self._position.assemble()

    def begin_at(self, x: np.ndarray, scale: np.ndarray) -> bool:
        """Begin at a configuration that is known from elsewhere; return whether it fits."""
        return self._position.begin_at(x, scale)

    def return_to_accepted(self) -> None:
        """Go back to the point from which configurations are sought."""
        self._position.return_to_accepted()

    def search(self) -> Search:
        """Return where and how configurations are sought, for flows in C."""
        return self._position.search()

    def go_on_from(self, search: Search) -> None:
        """Seek configurations from where a flow in C has come to."""
        self._position.go_on_from(search)

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

    def conditioning_measures(self) -> np.ndarray:
        """Return the measures of the Jacobians' blocks, shape (nr,)."""
        return self._position.conditioning_measures()

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
            self._changed_start = changed_start(self.equations, given, self.s, self.d)
        self.check(at_rest=True)
        if not at_rest:
            self.refuse_massless()
            self._refuse_infinite()
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
        columns = np.empty((self.s.size, self.s.size))
        for i in range(self.s.size):
            self.direction[i] = 1.0
            columns[:, i] = self.call("tangent").results[0][:, 0]
            self.direction[i] = 0.0
        return columns

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
        e, t = self.equations, self.t[0]
        self.require()
        measures = self.call("conditioning").results[0].ravel()
        for i, measure in enumerate(measures):
            if not abs(measure) > SINGULAR:
                if i < self.conditioning.limits:
                    limit = e.requirements[e.followed[i]]
                    raise SimulationError(f"{e.name}: {limit.name} at t = {t:.9g}: {limit.message}")
                law = unsolvable(e.conditioning_names[i])
                if law is not None:
                    raise ConfigurationError(f"{e.name}: at t = {t:.9g} {law}")
                raise ConfigurationError(
                    f"{e.name}: singular configuration at t = {t:.9g} in "
                    f"{e.conditioning_names[i]}; choose other degrees of freedom, or keep away"
                )
        if not at_rest:
            self._refuse_infinite()

    def refuse_massless(self) -> None:
        """Refuse a start at which some motion of the degrees of freedom moves no mass.

        An explicit solution hides that: what divides a force by a mass that is zero may cancel in
        it, or be rounding.

        Raises
        ------
        ConfigurationError
            Naming the degrees of freedom.
        """
        mass = self._start_mass = self._reduced_mass()
        if mass is not None and np.isfinite(mass).all():
            refuse_singular(mass, self.equations, self.p)

    def vanished_mass(self) -> str | None:
        """Return the words for a motion whose mass has vanished on the way; None without one."""
        mass, start = self._reduced_mass(), self._start_mass
        return None if mass is None or start is None else vanished(self.equations, mass, start)

    def _reduced_mass(self) -> np.ndarray | None:
        e = self.equations
        unsymmetric = not e.superposed and e.dynamics.laws_of_state  # it is there as an expression
        if unsymmetric or (self.compiled is not None and self.compiled.has("mass")):
            return self.mass()[0]
        return reduced_mass(e, self._point.values())

    def _refuse_infinite(self) -> None:
        e, t = self.equations, self.t[0]
        derivative = self.derivative()
        if not np.all(np.isfinite(derivative)):
            i = int(np.flatnonzero(~np.isfinite(derivative))[0])
            raise ConfigurationError(
                f"{e.name}: the derivative of {e.states[i].name} is {derivative[i]} at "
                f"t = {t:.9g}; the configuration is singular or a value has no meaning"
            )

    def require(self, initial: bool = False, start: bool = False) -> None:
        """Check the requirements; those on parameters alone before anything is assembled."""
        e = self.equations
        if not e.requirements:
            return
        values, shown = (r[:, 0] for r in self.call("require").results)
        for record, value, show in zip(e.requirements, values, shown, strict=True):
            if record.severity != "error" or record.start != start:
                continue
            if initial and not record.initial:
                continue
            if not value > 0:
                raise SimulationError(
                    f"{e.name}: {record.name} = {show:.9g} at t = {self.t[0]:.9g}: {record.message}"
                )

    def warn(self) -> None:
        """Tell what the model warns of at this point, by ``on_warning``; each message once."""
        self.warn_of_limits(self.t[0], self.u)
        if self._changed_start is not None:
            self.on_warning(self._changed_start)
            self._changed_start = None
        e = self.equations
        left = [(i, record) for i, record in self._advice if record.message not in self._warned]
        if left:
            values, shown = (r[:, 0] for r in self.call("require").results)
            unmet: dict[str, list[int]] = {}
            for i, record in left:
                if not values[i] > 0 and not (record.start and self._begun):
                    unmet.setdefault(record.message, []).append(i)
            for message, (first, *others) in unmet.items():
                self._warned.add(message)
                more = f" (and {len(others)} more)" if others else ""
                self.on_warning(
                    f"{e.name}: {e.requirements[first].name} = {formatted(shown[first])}{more} at "
                    f"t = {self.t[0]:.9g}: {message}"
                )
        self._begun = True

    def warn_of_limits(self, t: float, u: np.ndarray) -> None:
        """Tell of those among the inputs ``u`` that are outside of their ranges, each once."""
        for i in self._limited - self._beyond:
            record, given = self.equations.inputs[i], float(u[i])
            how = beyond(given, record.minimum, record.maximum)
            if how is not None:
                self._beyond.add(i)
                self.on_warning(
                    f"{self.equations.name}: input {record.name} = {given:.9g} at "
                    f"t = {t:.9g} {how}; nothing changes with it beyond its limit"
                )

    # Events

    def iterate_events(self, initial: bool = False) -> list[str]:
        """Let modes follow their indicators, with the assignments; return what happened by name.

        Impacts that close a contact are followed by that contact's event.

        Raises
        ------
        SimulationError
            If the modes do not come to rest.
        """
        events = self.equations.events
        happened: list[str] = []
        for count in range(EVENT_ROUNDS):
            values = self.indicator()
            for i, event in enumerate(events):
                active = self.d[i] > 0.5
                first = initial and count == 0  # active where the indicator is positive
                up = not active and values[i] > (0.0 if first else event.band)
                down = active and not first and values[i] < -event.band
                up = up and not (initial and event.kind == "impact")
                self.fired[i] = 1.0 if up else -1.0 if down else 0.0
            if not self.fired.any():
                return happened
            if self.on_update is not None:
                self.on_update()
            before = self.d.copy()
            after = self.call("update").results
            self.d[:] = after[0][:, 0]
            if self.equations.constrained:
                self.s[:] = after[1][:, 0]
                self._refuse_jump()
            self.configure()
            happened += self._happened(before)
        names = ", ".join(e.name for e, f in zip(events, self.fired, strict=True) if f)
        raise SimulationError(
            f"{self.equations.name}: event {names} does not come to rest at t = {self.t[0]:.9g}"
        )

    def _refuse_jump(self) -> None:
        e = self.equations
        for record, value in zip(e.states, self.s, strict=True):
            if not np.isfinite(value):
                fired = [v.name for v, f in zip(e.events, self.fired, strict=True) if f]
                raise SimulationError(
                    f"{e.name}: {', '.join(fired)} sets {record.name} to {value} at "
                    f"t = {self.t[0]:.9g}; check states, inputs and parameters"
                )

    def _happened(self, before: np.ndarray) -> list[str]:
        """Names of the events that changed discrete variables; a meeting may not find its turn."""
        e = self.equations
        changed = {d.name for d, a, b in zip(e.discretes, before, self.d, strict=True) if a != b}
        found = []
        for event, fired in zip(e.events, self.fired, strict=True):
            if event.kind == "impact":
                # all impacts foresee flights
                own = set(dict(event.rising)) - {event.expected, event.height}
                happened = bool(fired) and not changed.isdisjoint(own)
            else:
                happened = f"{event.name}.active" in changed
            if happened:
                found.append(event.name)
        return found

    def project(self, tolerable: float = 1.0) -> bool:
        """Bring closed contacts back to closed gaps, held slips to zero; return whether it did.

        Parameters
        ----------
        tolerable : float
            Drift from which on anything is done, in parts of
            `mbcore.model.quantities.unilateral.DRIFT`.

        Raises
        ------
        SimulationError
            If no Newton iteration does so.
        """
        if not self.equations.constrained:
            return False
        for count in range(EVENT_ROUNDS):
            states, drift = (r[:, 0] for r in self.call("project").results)
            if not drift[0] > (1.0 if count else tolerable):
                return count > 0
            self.s[:] = states
            self.configure()
        names = ", ".join(self.equations.constrained)
        raise SimulationError(
            f"{self.equations.name}: {names} cannot stay closed or held at "
            f"t = {self.t[0]:.9g}; take smaller steps"
        )
