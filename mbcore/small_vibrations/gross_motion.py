"""The gross motion over one period, with the equations linearized along it.

The motion is followed, its equations are checked to have the period, and linearized at samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.integrate import DOP853

from mbcore.equations.equations import Equations, checked_equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.input_rates import InputRateCheck
from mbcore.host.backend import Backend, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.linear.no_derivative import told, without_derivative
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.linear.nominal_samples import OF_OUTPUTS, NominalSamples
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError, SimulationError, warn_user
from mbcore.simulation.arguments import split_inputs
from mbcore.small_vibrations.missed import BETWEEN, OFF, warn_of_few
from mbcore.small_vibrations.nominal_motion import NominalMotion

OWNER = "nominal_motion"
FEWEST = 4
"""Samples that a period must have at least."""
BEYOND = 5
"""The motion is continued over this fraction of a second period, to check that it repeats."""
REPEATS = 1e-6
"""Difference of a matrix after one period, relative to its largest entry, that is allowed."""
ROUNDING = 1e-10
"""Size of a sum of forces, relative to its terms, that may be rounding."""
SPAN = 1e-4
"""Fraction of the period over which inputs are compared with their rates."""
INTEGRATED = 1e-11
"""Tolerance with which kinematic coordinates are integrated."""


@explains_arguments
@takes_backend
def nominal_motion(
    equations: Equations,
    period: float,
    samples: int = 64,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, object] | None = None,
    start: Mapping[str, float] | None = None,
    *,
    backend: Backend = "auto",
) -> NominalMotion:
    """Return the gross motion over one period, and the equations linearized along it.

    The degrees of freedom are held at their start values: rates of values are zero, whatever the
    model's start rates are; generalized speeds keep their start values. Prescribed motions run.

    Parameters
    ----------
    equations : Equations
        The system; without auxiliary states.
    period : float
        T, s. The equations' coefficients must have it; the configuration need not come back.
    samples : int
        Number of equally spaced times.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Values, or functions of the time in s.
    start : mapping of str to float
        Start values of degrees of freedom, generalized speeds and kinematic coordinates.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Returns
    -------
    NominalMotion

    Raises
    ------
    ModelError
        If a name is unknown, a value impossible, a unilateral contact closed, there are auxiliary
        states, or the coefficients do not have the period: names the largest difference.
    ConfigurationError
        If a state cannot be assembled or a configuration is singular.
    """
    return sampled_motion(equations, period, samples, parameters, inputs, start)


@single_threaded
def sampled_motion(
    equations: Equations,
    period: float,
    samples: int,
    parameters: Mapping[str, float] | None,
    inputs: Mapping[str, object] | None,
    start: Mapping[str, float] | None,
    *,
    for_series: bool = True,
) -> NominalMotion:
    """Return what `nominal_motion` does.

    Parameters
    ----------
    for_series : bool
        Whether the samples are to determine Fourier series, so that too few bring a warning.
    """
    _refuse_auxiliary(checked_equations(OWNER, equations))
    T = checks.real(OWNER, "period", period, above=0, unit="s")
    n = _checked_samples(samples)
    constant, signals = split_inputs(equations, inputs, OWNER)
    point = Evaluation(equations, parameters, constant)
    walker = _Walker(point, signals, T)
    walker.begin(start)
    shown = {record.name: float(v) for record, v in zip(equations.inputs, point.u, strict=True)}
    used = {record.name: float(v) for record, v in zip(equations.parameters, point.p, strict=True)}

    beyond = max(1, n // BEYOND)
    times = T / n * np.arange(n + beyond + 1)
    wanted = [*range(n + 1), n + beyond]
    at_samples, between = NominalSamples(equations), NominalSamples(equations)
    places = [int(part * n) for part in BETWEEN] if for_series else []
    states = np.empty((times.size, point.s.size))
    for i, time in enumerate(times):
        walker.go(float(time))
        states[i] = point.s
        if i in (0, n):
            walker.compare_inputs(first=i == 0)
        if i in wanted:
            at_samples.add(point)
        if i in places:
            walker.go(float(time + OFF * T / n))
            between.add(point)
    found = at_samples.matrices()
    _warn_of_outputs(equations, found, times)
    advance = states[n] - states[0]
    _refuse_other_period(equations, found, n, beyond, T, advance)
    if for_series:
        warn_of_few(equations, found.part(slice(0, n)), between.matrices(), places, T)
    return NominalMotion(
        equations=equations,
        period=T,
        time=times[:n],
        states=states[:n],
        advance=advance,
        output_advance=_advance(found.outputs, n),
        matrices=found.part(slice(0, n)),
        parameters=used,
        inputs=shown,
    )


def _warn_of_outputs(equations: Equations, found: NominalMatrices, times: np.ndarray) -> None:
    """Warn of outputs without derivative at some of the samples."""
    changes = [getattr(found, name) for name in OF_OUTPUTS]
    names = without_derivative(equations, changes)
    if names:
        bad = np.any([np.isnan(array).any(axis=(1, 2)) for array in changes], axis=0)
        first = times[int(np.flatnonzero(bad)[0])]
        warn_user(f"{OWNER}: {equations.name}: {told(names, f'at t = {first:.6g}')}")


def _advance(outputs: np.ndarray, n: int) -> np.ndarray:
    """Return the increase of the outputs in a period, shape (ny,), zero where it is rounding."""
    gone = outputs[n] - outputs[0]
    return np.where(np.abs(gone) > REPEATS * np.abs(outputs).max(axis=0, initial=0.0), gone, 0.0)


def _refuse_auxiliary(equations: Equations) -> None:
    nd, nk = equations.dofs, len(equations.assembly.kinematic)
    others = equations.states[2 * nd - equations.speeds + nk :]
    if others:
        names = ", ".join(record.name for record in others)
        raise ModelError(
            f"{OWNER}: {equations.name} has the auxiliary states {names}, which a held motion does "
            "not determine; give the rates of inputs as inputs of their own in place of a filter, "
            "or use periodic_solution"
        )


def _checked_samples(samples: object) -> int:
    if not isinstance(samples, int | np.integer) or isinstance(samples, bool) or samples < FEWEST:
        raise ModelError(
            f"{OWNER}: samples = {samples!r}; give a whole number of at least {FEWEST}, and of "
            "at least 2 n + 2 for the highest harmonic n of interest"
        )
    return int(samples)


class _Walker:
    """Follows the nominal motion: rates of values are zero, kinematic coordinates integrated."""

    def __init__(
        self, point: Evaluation, signals: dict[int, Callable[[float], float]], period: float
    ) -> None:
        self._point, self._signals = point, signals
        self._rates, self._span = InputRateCheck(point), SPAN * period
        equations = point.equations
        self._values = equations.dofs - equations.speeds
        self._kinematic = slice(2 * equations.dofs - equations.speeds, point.s.size)
        self._solver: DOP853 | None = None

    def begin(self, start: Mapping[str, float] | None) -> None:
        """Go to the start values, with rates of values at zero.

        Raises
        ------
        ModelError
            If a rate is given that is not zero.
        """
        point, names = self._point, [record.name for record in self._point.equations.states]
        given = checks.values(f"{OWNER}: start value", start, point.equations.states)
        for name in names[: self._values]:
            if given.get(name, 0.0) != 0.0:
                raise ModelError(
                    f"{OWNER}: start value {name} = {given[name]:g}; degrees of freedom are held, "
                    "so their rates are zero: leave it out"
                )
        self._set_inputs(0.0)
        point.start({**dict.fromkeys(names[: self._values], 0.0), **given}, at_rest=True)
        point.warn()

    def go(self, time: float) -> None:
        """Go on to a time, s."""
        point, part = self._point, self._kinematic
        if time > 0 and part.stop > part.start:
            point.s[part] = self._integrated(time)
        self._at(time)
        point.accept()
        if point.equations.events:
            point.iterate_events()
        point.check(at_rest=True)
        point.accept()
        self._rates.of_signals(self._signals, self._span, np.inf)
        point.warn()

    def compare_inputs(self, first: bool) -> None:
        """Remember the inputs, or compare them with those of the start.

        Raises
        ------
        ModelError
            If an input has another value after one period.
        """
        u = self._point.u
        if first:
            self._first = u.copy()
            return
        for record, a, b in zip(self._point.equations.inputs, self._first, u, strict=True):
            if abs(b - a) > REPEATS * max(abs(a), abs(b), 1e-3):
                raise ModelError(
                    f"{OWNER}: input {record.name} is {a:.6g} at 0 and {b:.6g} after the period "
                    f"of {self._point.t[0]:.6g} s; give its period, or a function that has this one"
                )

    def _set_inputs(self, time: float) -> None:
        for i, signal in self._signals.items():
            self._point.u[i] = signal(time)

    def _at(self, time: float) -> None:
        self._point.t[0] = time
        self._set_inputs(time)
        self._point.configure()

    def _rate(self, time: float, kinematic: np.ndarray) -> np.ndarray:
        point = self._point
        point.s[self._kinematic] = kinematic
        self._at(time)
        point.accept()
        return point.derivative()[self._kinematic].copy()

    def _integrated(self, time: float) -> np.ndarray:
        """Return the kinematic coordinates at a time that is not before the last one."""
        if self._solver is None:
            self._solver = DOP853(
                self._rate,
                0.0,
                self._point.s[self._kinematic].copy(),
                np.inf,
                rtol=INTEGRATED,
                atol=INTEGRATED,
                first_step=time / 8,
            )
        solver = self._solver
        solver.t_bound = time  # steps end at the samples, because interpolation would lose digits
        while solver.t < time:
            solver.status = "running"
            message = solver.step()
            if solver.status == "failed":
                raise SimulationError(
                    f"{OWNER}: {self._point.equations.name}: kinematic coordinates cannot be "
                    f"integrated at t = {solver.t:.9g} ({message})"
                )
        return np.asarray(solver.y)


def _refuse_other_period(
    equations: Equations,
    found: NominalMatrices,
    n: int,
    beyond: int,
    period: float,
    advance: np.ndarray,
) -> None:
    """Refuse matrices that are not the same after one period, at its start or later on.

    Raises
    ------
    ModelError
        Naming the matrix, its row and the difference.
    """
    states = [record.name for record in equations.states]
    nd, nk = equations.dofs, found.A.shape[1]
    kinematic = states[2 * nd - equations.speeds :][:nk]
    rows = {**dict.fromkeys("MCKf", states[:nd]), **dict.fromkeys("AB", kinematic)}
    size = {name: float(np.abs(getattr(found, name)).max(initial=0.0)) for name in rows}
    nominal = np.array([record.nominal for record in equations.states])
    turned = nominal[2 * nd - equations.speeds :][:nk]
    # A may be nothing but rounding: its entries have the size of these per period.
    rate = size["A"] + float(np.divide.outer(turned, turned).max(initial=0.0)) / period
    force = np.abs(found.K) @ nominal[nd:] + np.abs(found.C) @ nominal[:nd]
    floor = {
        "M": 0.0,
        "C": size["M"] / period + size["K"] * period,
        "K": size["M"] / period**2,
        "f": float(force.max(initial=0.0)),
        "A": rate,
        "B": rate / period,
    }
    for name, labels in rows.items():
        values = getattr(found, name)
        for earlier, later in ((0, n), (beyond, n + 1)):
            change = np.abs(values[later] - values[earlier])
            if change.max(initial=0.0) > REPEATS * size[name] + ROUNDING * floor[name]:
                row = int(np.argmax(change.reshape(change.shape[0], -1).max(axis=1)))
                gone = [
                    f"{s} has advanced by {a:.6g}"
                    for s, a in zip(states, advance, strict=True)
                    if a
                ]
                raise ModelError(
                    f"{OWNER}: {equations.name} does not repeat after the period of {period:.9g} s:"
                    f" {name} in the row of {labels[row]} changes by {change.max():.6g} of "
                    f"{size[name]:.6g}{'; ' * bool(gone)}{', '.join(gone)}; give the period of the "
                    "prescribed motions and inputs, and start values from which the motion repeats"
                )
