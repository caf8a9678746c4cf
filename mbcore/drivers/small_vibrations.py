"""Small vibrations of a driver's system about a periodic motion, by its own derivatives.

ẏ = A(t) y + B(t) Δu + r(t), with A and B along the nominal motion x(t) and r = f(x, t) - ẋ, which
is zero where the system itself moves so. Each state counts as one of first order, for an FMU does
not tell which are rates of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from mbcore.drivers.driver import Driver, Point
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.drivers.fmu_flow import ignorable
from mbcore.equations.equations import Equations
from mbcore.model import checks, near_names, summary, wording
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.periodic.periodic import periodic_solution
from mbcore.results.periodic_solution import PeriodicSolution
from mbcore.small_vibrations.hill import Choice
from mbcore.small_vibrations.linear_balance import balance, neutral_coordinates
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.small_motions import signals_of
from mbcore.small_vibrations.stability import Method, exponents_of

SAMPLES = 64
MOTIONS = ("simulated", "held")
SAME = 1e-6
"""Difference of rates after a period, in parts of their size, that counts as none."""
Inputs = Mapping[str, float | Callable[[float], float]]


@dataclass(frozen=True, repr=False)
class SmallVibrations(summary.Summarized):
    """A motion of one period at equally spaced times, and small vibrations about it.

    Attributes
    ----------
    name : str
        Of the system.
    period : float
        s.
    time : ndarray, shape (n,)
        0, T/n, ..., (n - 1) T/n, s.
    names, inputs, outputs : tuple of str
        Of the states, inputs and outputs.
    ignorable : tuple of str
        States on which nothing depends, which may advance.
    states, values : ndarray, shapes (n, ns), (n, no)
        States and outputs of the nominal motion.
    advance, output_advance : ndarray, shapes (ns,), (no,)
        Their increase in a period.
    A, B, C, D : ndarray, shapes (n, ns, ns), (n, ns, nu), (n, no, ns), (n, no, nu)
        Derivatives along it of rates and outputs by states and inputs.
    r : ndarray, shape (n, ns)
        Rates that are left: those of the system less those of the nominal motion.
    derivatives : {"exact", "directional", "differences"}
        Where they come from.
    units : mapping of str to str
    parameters : mapping of str to float
        Values that differ from the system's.
    """

    name: str
    period: float
    time: np.ndarray
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    ignorable: tuple[str, ...]
    states: np.ndarray
    values: np.ndarray
    advance: np.ndarray
    output_advance: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    r: np.ndarray
    derivatives: str
    units: Mapping[str, str]
    parameters: Mapping[str, float]

    def _title(self) -> str:
        return f"small vibrations of {self.name}"

    def _facts(self) -> list[str]:
        return [
            f"period {self.period:g} s",
            wording.count(self.time.size, "sample"),
            wording.count(len(self.names), "state"),
            f"derivatives {self.derivatives}",
        ]

    @property
    def _order(self) -> list[int]:
        """States as the equations have them: ignorable ones last."""
        return sorted(range(len(self.names)), key=lambda i: self.names[i] in self.ignorable)

    @property
    def equations(self) -> PeriodicEquations:
        """Their normal form, ẏ + Q(t) y = r(t), ignorable states last."""
        return self._equations(self.r)

    def _equations(self, forcing: np.ndarray) -> PeriodicEquations:
        order, n, ns = self._order, self.time.size, len(self.names)
        return PeriodicEquations(
            name=self.name,
            period=self.period,
            P=np.zeros((n, ns, 0)),
            Q=-self.A[:, order][:, :, order],
            r=forcing[:, order],
            speeds=ns - len(self.ignorable),
            names=tuple(self.names[i] for i in order),
        )

    def exponents(
        self,
        method: Method = "hill",
        harmonics: int = 8,
        *,
        choose: Choice = "weight",
        count: int | None = None,
    ) -> np.ndarray:
        """Return the characteristic exponents, 1/s, as `NominalMotion.exponents` does.

        Parameters
        ----------
        method : {"hill", "monodromy", "averaged"}
            How they are found.
        harmonics : int
            Of Hill's determinant.
        choose : {"weight", "least_imaginary"}
            How Hill's exponents are selected among their images.
        count : int, optional
            Number of exponents, the least damped ones; by default all.

        Raises
        ------
        ModelError
            There are too few samples, or an argument is impossible.
        """
        if method == "hill":
            self._check("exponents", harmonics)
        return exponents_of(self.equations, method, harmonics, choose=choose, count=count)

    def periodic(
        self, harmonics: int = 8, inputs: Inputs | None = None, *, stability: bool = False
    ) -> PeriodicSolution:
        """Return the periodic motion by harmonic balance: the small one added to the nominal one.

        Parameters
        ----------
        harmonics : int
            The highest harmonic.
        inputs : mapping of str to float or callable
            Small changes of inputs that drive the vibrations, constant or of the same period.
        stability : bool
            Whether to find its multipliers as well, from Hill's determinant.

        Raises
        ------
        ModelError
            There are too few samples, a name is unknown, or no periodic motion exists because
            something drifts.
        """
        self._check("periodic", harmonics)
        change = self._changes(inputs)
        forcing = self.r + np.einsum("nsu,nu->ns", self.B, change)
        shown = self.values + np.einsum("nyu,nu->ny", self.D, change)
        order, equations = self._order, self._equations(forcing)
        keep = [i for i, name in enumerate(self.outputs) if name not in self.names]
        records = SimpleNamespace(
            states=[self._record(self.names[i]) for i in order],
            outputs=[self._record(self.outputs[i]) for i in keep],
        )
        found = signals_of(
            records,  # type: ignore[arg-type]
            balance(equations, harmonics),
            self.states[:, order],
            self.advance[order],
            shown[:, keep],
            self.C[:, keep][:, :, order],
            self.output_advance[keep],
        )
        multipliers, neutral = None, 0
        if stability:
            multipliers = np.exp(self.exponents("hill", harmonics) * self.period)
            neutral = neutral_coordinates(equations)
        return PeriodicSolution(
            name=self.name,
            period=self.period,
            start={name: found[name].start for name in self.names},
            signals=found,
            parameters=self.parameters,
            multipliers=multipliers,
            neutral=neutral,
        )

    def _record(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(name=name, unit=self.units[name])

    def _changes(self, inputs: Inputs | None) -> np.ndarray:
        found = np.zeros((self.time.size, len(self.inputs)))
        for name, given in (inputs or {}).items():
            if name not in self.inputs:
                raise ModelError(f"{self.name}: {near_names.unknown('input', name, self.inputs)}")
            found[:, self.inputs.index(name)] = [_value(given, float(t)) for t in self.time]
        if not np.isfinite(found).all():
            raise ModelError(f"{self.name}: changes of inputs must be finite numbers")
        return found

    def _check(self, what: str, harmonics: object) -> None:
        number = checks.real(what, "harmonics", harmonics, least=1)
        least = 2 * (int(number) + 1)
        if self.time.size < least:
            raise ModelError(
                f"{what}: {self.name}: {self.time.size} samples do not determine {int(number)} "
                f"harmonics; give small_vibrations samples={least} at least, or fewer harmonics"
            )


@explains_arguments
def small_vibrations(
    system: object,
    period: float,
    *,
    inputs: Inputs | None = None,
    parameters: Mapping[str, float] | None = None,
    start: Mapping[str, float] | PeriodicSolution | None = None,
    motion: Literal["simulated", "held"] = "simulated",
    samples: int = SAMPLES,
) -> SmallVibrations:
    """Return a periodic motion of any system, and its small vibrations about it.

    Parameters
    ----------
    system : path, driver, Equations or Model
        The file of an FMU with Model Exchange, what `mbcore.driver` returns, or our equations.
    period : float
        s; of what drives the system, or a multiple of it.
    inputs : mapping of str to float or callable
        Constants, or functions of time with this period.
    parameters : mapping of str to float
        Values that differ from the system's.
    start : mapping of str to float, or PeriodicSolution
        States from which the motion is sought, or at which they are held.
    motion : {"simulated", "held"}
        What the vibrations are about: the periodic motion of the system itself, which is found by
        simulating it; or all states held at ``start``, as `nominal_motion` holds degrees of
        freedom, which lets linear equations tell how they move.
    samples : int
        Times in the period; more than four for each harmonic of the motion's derivatives.

    Returns
    -------
    SmallVibrations

    Raises
    ------
    ModelError
        A name is unknown, an argument impossible, what drives the system has another period, or
        the motion passes events, at which derivatives jump.
    SimulationError
        The system has no periodic motion near the start, or fails.
    """
    owner = "small_vibrations"
    checks.choice(owner, "motion", motion, MOTIONS)
    length = checks.real(owner, "period", period, above=0, unit="s")
    count = checks.real(owner, "samples", samples, least=4)
    if count != int(count):
        raise ModelError(f"{owner}: samples = {samples!r}; give a whole number")
    with _opened(system) as driver:
        time = length / int(count) * np.arange(int(count) + 1)
        if motion == "held":
            states, first = _held(driver, start, time), None
        else:
            first = _simulated(driver, length, start, parameters, inputs)
            states = np.array([first[name](time) for name in driver.states]).T
        points = [
            driver.point(float(t), row, _at(inputs, float(t)), parameters)
            for t, row in zip(time, states, strict=True)
        ]
        _refuse_other_period(driver, points, length)
        return _made(driver, length, time[:-1], states, points, first is None, parameters)


def _made(
    driver: Driver,
    period: float,
    time: np.ndarray,
    states: np.ndarray,
    points: list[Point],
    held: bool,
    parameters: Mapping[str, float] | None,
) -> SmallVibrations:
    nominal = np.array([driver.nominal(name) for name in driver.states])
    A = np.array([point.A for point in points[:-1]])
    felt = np.abs(A).max(axis=0) * nominal / nominal[:, np.newaxis]
    rates = np.array([point.derivatives for point in points[:-1]])
    values = np.array([point.values for point in points])
    every = (*driver.states, *driver.outputs)
    return SmallVibrations(
        name=driver.name,
        period=period,
        time=time,
        names=driver.states,
        inputs=driver.inputs,
        outputs=driver.outputs,
        ignorable=tuple(driver.states[i] for i in ignorable(felt)),
        states=states[:-1],
        values=values[:-1],
        advance=states[-1] - states[0],
        output_advance=values[-1] - values[0],
        A=A,
        B=np.array([point.B for point in points[:-1]]),
        C=np.array([point.C for point in points[:-1]]),
        D=np.array([point.D for point in points[:-1]]),
        r=rates if held else np.zeros(rates.shape),
        derivatives=driver.derivatives,
        units={name: driver.unit(name) for name in every},
        parameters=dict(parameters or {}),
    )


@contextmanager
def _opened(system: object) -> Iterator[Driver]:
    """Give a driver, which is closed at the end unless it was one before."""
    if isinstance(system, str | Path):
        with FmuDriver(system) as driver:
            yield driver
    elif isinstance(system, FmuDriver | EquationsDriver):
        yield system
    else:
        made: Any = system if isinstance(system, Equations) else getattr(system, "equations", None)
        made = made() if callable(made) else made
        if not isinstance(made, Equations):
            raise ModelError(
                f"small_vibrations: {system!r}; give the file of an FMU, what mbcore.driver(...) "
                "returns, a model or its equations"
            )
        yield EquationsDriver(made)


def _held(
    driver: Driver, start: Mapping[str, float] | PeriodicSolution | None, time: np.ndarray
) -> np.ndarray:
    given = start.start if isinstance(start, PeriodicSolution) else start or {}
    for name in given:
        if name not in driver.states:
            raise ModelError(f"{driver.name}: {near_names.unknown('state', name, driver.states)}")
    row = [float(given.get(name, driver.start(name))) for name in driver.states]
    return np.tile(row, (time.size, 1))


def _simulated(
    driver: Driver,
    period: float,
    start: Mapping[str, float] | PeriodicSolution | None,
    parameters: Mapping[str, float] | None,
    inputs: Inputs | None,
) -> PeriodicSolution:
    """Return the periodic motion of the system itself; refuse one that passes events."""
    source: Any = driver.equations if isinstance(driver, EquationsDriver) else driver
    found = periodic_solution(
        source, period, guess=start, parameters=parameters, inputs=inputs, autonomous=False
    )
    run = driver.simulate(
        [period], start=found.start, parameters=parameters, inputs=inputs, outputs=()
    )
    if run.events:
        at, kind = run.events[0]
        raise ModelError(
            f"{driver.name}: the motion passes {wording.count(len(run.events), 'event')} in a "
            f"period, the first one a {kind} at t = {at:.6g} s, where derivatives jump; use "
            "the multipliers of periodic_solution for its stability"
        )
    return found


def _value(given: object, t: float) -> float:
    return float(given(t)) if callable(given) else float(given)  # type: ignore[arg-type]


def _at(inputs: Inputs | None, t: float) -> dict[str, float]:
    return {name: _value(given, t) for name, given in (inputs or {}).items()}


def _refuse_other_period(driver: Driver, points: list[Point], period: float) -> None:
    """Refuse rates that are others after a period."""
    first, last = points[0].derivatives, points[-1].derivatives
    size = np.abs([point.derivatives for point in points]).max(axis=0)
    size = size + points[0].nominal / period
    off = np.abs(last - first) / size
    if not (off <= SAME).all():
        i = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
        raise ModelError(
            f"{driver.name}: the rate of {driver.states[i]} is {first[i]:.6g} at t = 0 and "
            f"{last[i]:.6g} one period of {period:.6g} s later: the drive has another period; give "
            "one that fits"
        )
