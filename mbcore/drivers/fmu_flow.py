"""The flow of an FMU for shooting: periodic motions and their multipliers by its binaries alone.

`mbcore.drivers.fmu_driver` makes it. It has what shooting asks of flows of equations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.model.errors import ModelError, SimulationError
from mbcore.periodic.flow import Trajectory
from mbcore.periodic.variational import StepOptions
from mbcore.results.fourier_signal import Signal
from mbcore.results.piecewise_signal import PiecewiseSignal

NOTHING = 1e-9
"""Influence of a state that counts as none, in parts of the largest."""
SAME = 1e-6
"""Relative difference of rates that count as equal."""
CLOSED = 1e-9
"""Increase of a signal in a period, relative to its largest value, that counts as zero."""


def ignorable(influence: np.ndarray) -> tuple[int, ...]:
    """Return states on which nothing depends.

    Parameters
    ----------
    influence : ndarray, shape (ns, ns)
        How much each state (column) changes the rates of all, in nominal values.
    """
    n, least = len(influence), NOTHING * max(1.0, float(influence.max(initial=0.0)))
    still = {i for i in range(n) if influence[i, i] <= least}
    while True:
        others = [i for i in range(n) if i not in still]
        felt = {i for i in still if influence[others, i].max(initial=0.0) > least}
        if not felt:
            return tuple(sorted(still))
        still -= felt


class FmuFlow:
    """The final states of an FMU by the start states and the time span.

    Parameters
    ----------
    driver : FmuDriver
        The FMU.
    start, parameters : mapping of str to float
        Values that differ from the FMU's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    vary : str, optional
        A parameter or a constant input by which the derivative is wanted too.
    steps : StepOptions
        Tolerances.

    Attributes
    ----------
    names, units : tuple of str
        Of the states.
    nominal : ndarray, shape (ns,)
        Nominal values.
    """

    def __init__(
        self,
        driver: Any,
        start: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, Any] | None,
        vary: str | None,
        steps: StepOptions,
    ) -> None:
        if not driver.states:
            raise ModelError(
                f"FMU {driver.name} has no continuous states, so its motion depends on no start"
            )
        self._driver, self.flow = driver, self
        constant, self._sent, self._asked = driver.split(inputs)
        self._given = {**driver.values("parameter", parameters, driver.settable), **constant}
        begin = driver.values("state", start, driver.states)
        self._first = np.array([begin.get(name, driver.start(name)) for name in driver.states])
        self._vary = vary
        if vary is not None and vary not in (*driver.parameters, *driver.inputs):
            raise ModelError(
                f"FMU {driver.name}: {vary!r} is neither a parameter nor an input that is constant"
            )
        self.names = driver.states
        self.units = tuple(driver.unit(name) for name in driver.states)
        self.nominal = np.array([driver.nominal(name) for name in driver.states])
        self.still: tuple[int, ...] = ()
        self.modes: list[int] = []
        self.rtol, self.atol = steps.rtol, steps.atol

    def __call__(
        self,
        start: np.ndarray,
        span: float,
        *,
        derivative: bool = True,
        record: bool = False,
    ) -> Trajectory:
        """Go from states, (ns,), for a time ``span``, s, with the derivatives where wanted.

        Raises
        ------
        FmuError
            The FMU fails, crashes or hangs.
        """
        ask = self._driver.process.ask
        self._recorded: dict[str, Any] | None = None
        begin = dict(zip(self.names, map(float, start), strict=True))
        columns = (*self.names, *((self._vary,) if self._vary else ())) if derivative else ()
        if record:
            found = ask(
                "record", self._given, self._sent, start, span, self.rtol, signals=self._asked
            )
            self._recorded = found
        else:
            found = ask(
                "simulate",
                np.array([span]),
                {**self._given, **begin},
                self._sent,
                (),
                columns,
                self.rtol,
                signals=self._asked,
            )
        state, ns = found["states"][-1], len(self.names)
        whole = found["state_columns"][-1] if derivative else None
        nothing = np.zeros(0)
        return Trajectory(
            0.0,
            span,
            np.asarray(start, float),
            state,
            self.rates(start),
            self._rates(span, state),
            None if whole is None else whole[:, :ns],
            whole[:, ns] if whole is not None and self._vary else None,
            np.nan,
            np.nan,
            found["events"],
            nothing,
            nothing,
        )

    def through(
        self,
        starts: np.ndarray,
        times: np.ndarray,
        *,
        derivative: bool = True,
        record: bool = False,
    ) -> tuple[Trajectory, ...]:
        """Go through segments, each from its own states in the modes before it, as `Flow` does.

        Raises
        ------
        FmuError
            The FMU fails, crashes or hangs, or an event has no derivative.
        """
        begin = dict(zip(self.names, map(float, starts[0]), strict=True))
        found = self._driver.process.ask(
            "segments",
            {**self._given, **begin},
            self._sent,
            np.asarray(starts, float),
            np.asarray(times, float),
            self.still,
            (self.rtol, derivative, record),
            signals=self._asked,
        )
        self._recorded = found
        nothing = np.zeros(0)
        return tuple(
            Trajectory(
                segment["begin"],
                segment["end"],
                segment["start"],
                segment["state"],
                segment["start_rate"],
                segment["rate"],
                segment["derivative"],
                None,
                np.nan,
                np.nan,
                segment["events"],
                nothing,
                nothing,
            )
            for segment in found["segments"]
        )

    def named(self, start: np.ndarray) -> dict[str, float]:
        """Return the states of a start by name."""
        return dict(zip(self.names, map(float, start), strict=True))

    def remembered(self, start: np.ndarray) -> dict[str, float]:
        """Return no remembered numbers: an FMU does not tell them."""
        return {}

    def whole(self, start: np.ndarray) -> np.ndarray:
        """Return the start."""
        return np.asarray(start, float)

    def start_with_modes(self, modes: np.ndarray) -> None:
        """Do nothing: modes of an FMU follow from its start."""

    def first(self) -> np.ndarray:
        """Return the guess, (ns,)."""
        return self._first.copy()

    def value(self) -> float:
        """Return the value of the varied quantity."""
        assert self._vary is not None
        return float(self._given.get(self._vary, self._driver.start(self._vary)))

    def vary_to(self, value: float) -> None:
        """Give the varied quantity another value."""
        if self._vary is None:
            raise ModelError(f"FMU {self._driver.name}: nothing is varied; give vary='NAME'")
        self._given[self._vary] = float(value)

    def rates(self, start: np.ndarray) -> np.ndarray:
        """Return the rates at a start, (ns,)."""
        return self._rates(0.0, start)

    def _rates(self, t: float, x: np.ndarray) -> np.ndarray:
        moving = {name: float(given(t)) for name, given in self._asked.items()}
        tables = {n: float(g(t)) for n, g in self._sent.items() if g is not None}
        given = {**self._given, **moving, **tables}
        return np.asarray(self._driver.process.ask("rates", given, t, np.asarray(x, float)))

    def ignorable(self, start: np.ndarray, period: float) -> tuple[int, ...]:
        """Return states on which neither rates nor event indicators depend."""
        return ignorable(self._driver.process.ask("influence", self._given, start, period))

    def driven(self, start: np.ndarray, period: float, autonomous: bool) -> bool:
        """Return whether rates depend on time.

        Raises
        ------
        ModelError
            They do, and the system is called ``autonomous``.
        SimulationError
            They are others a period later.
        """
        rows = self._driver.process.ask(
            "later", self._given, self._sent, start, period, signals=self._asked
        )
        name, driven = self._driver.name, False
        for t, now, slope, later in rows:
            size = np.abs(now) + period * np.abs(slope) + self.nominal / period
            felt = np.abs(slope) * period / size
            driven = driven or bool((felt > SAME).any())
            if autonomous and (felt > SAME).any():
                i = int(np.argmax(felt))
                raise ModelError(
                    f"FMU {name}: the rate of {self.names[i]} depends on time; the period of a "
                    "driven system is given: leave out autonomous=True"
                )
            off = np.abs(later - now) / size
            if not autonomous and not np.all(off <= SAME):
                i = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
                raise SimulationError(
                    f"FMU {name}: at t = {t:.6g} s the rate of {self.names[i]} is {now[i]:.6g}, "
                    f"one period of {period:.6g} s later it is {later[i]:.6g} in the same state: "
                    "the drive has another period; give one that fits"
                )
        return driven

    def remembers(self, modes: np.ndarray) -> bool:
        """Return False: modes of an FMU follow from its start."""
        return False

    def mode_names(self) -> Sequence[str]:
        """Return no names: an FMU does not tell its modes."""
        return ()

    def parameters(self) -> dict[str, float]:
        """Return the values of all parameters."""
        driver = self._driver
        return {name: self._given.get(name, driver.start(name)) for name in driver.parameters}

    def inputs(self) -> dict[str, float]:
        """Return the values of all constant inputs."""
        driver = self._driver
        constant = [name for name in driver.inputs if name not in self._sent]
        return {name: self._given.get(name, driver.start(name)) for name in constant}

    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of all parameters, and of all inputs at the start, in order."""
        driver, given = self._driver, self._given
        groups = (driver.parameters, driver.inputs)
        found = [np.array([given.get(n, driver.start(n)) for n in names]) for names in groups]
        return found[0], found[1]

    def refuse_harmonic_balance(self) -> None:
        """Refuse it: its equations are expanded in Fourier series."""
        raise ModelError(
            f"{self._driver.name}: harmonic balance needs our equations; take "
            'method="shooting" for an FMU'
        )

    def sampled(self, found: Trajectory, advance: np.ndarray) -> tuple[dict[str, Signal], None]:
        """Return states and outputs of the motion recorded last as signals."""
        recorded, driver = self._recorded, self._driver
        assert recorded is not None
        rows, ns = recorded["rows"], len(self.names)
        signals: dict[str, Signal] = {}
        for i, name in enumerate((*driver.states, *driver.outputs)):
            if name in signals:
                continue
            values = rows[:, :, i]
            rise = float(advance[i] if i < ns else values[-1, -1] - values[0, 0])
            rise = 0.0 if abs(rise) <= CLOSED * np.abs(values).max() else rise
            signals[name] = PiecewiseSignal.of_steps(
                recorded["ends"], values, found.span, driver.unit(name), rise, False
            )
        return signals, None
