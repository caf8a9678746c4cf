"""The errors of a fit, simulated less measured, with their derivatives by all that is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.drivers.driver import Driver
from mbcore.identification.options import FitOptions, Sensor
from mbcore.identification.runs import Recorded, Samples, delayed
from mbcore.identification.segments import Evaluated, Predicted, Segment
from mbcore.identification.unknowns import Sought, sought, sought_parameters
from mbcore.model import near_names, wording
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

SAMPLES_OF_A_STEP = 10
"""Samples from one measured state to the next, for equation errors."""
TOLD = 1e-5
"""Change along a null direction that tells, in parts of what single unknowns bring."""
LATE = 1e-5
"""Part of a run by which delays are changed for their derivative."""
INSIDE = 0.01
"""Distance from bounds, in scales, at which a search begins: where nothing rubs, nothing says what
more friction would do."""
TOGETHER = 1e-9
"""Part of a run within which two times are one."""
NOISE_OF_A_GUESS = 1e-3
"""Noise in parts of a state's nominal value where no sensor tells it."""


class Problem:
    """Errors of recorded runs by all that is unknown.

    Parameters
    ----------
    driver : Driver
        The system.
    runs : list of Recorded
        What was measured.
    parameters : mapping of str to unknown
        Parameters as users give them.
    sensors : mapping of str to Sensor
        What is known of sensors.
    options : FitOptions
        How the fit is made.

    Attributes
    ----------
    sought : list of Sought
        The unknowns that have a name; starts of segments stand behind them.
    sensors : tuple of str
        Sensors that measured.
    rows : list of (int, int)
        Sensor and run of each block of errors.
    sizes : list of int
        Errors in each block.
    part : float
        Part of each run that counts at present.
    """

    def __init__(
        self,
        driver: Driver,
        runs: list[Recorded],
        parameters: Mapping[str, Any],
        sensors: Mapping[str, Sensor],
        options: FitOptions,
    ) -> None:
        self.driver, self.runs, self.options = driver, runs, options
        self.sensors = tuple(dict.fromkeys(name for run in runs for name in run.samples))
        self.known = {name: sensors.get(name, Sensor()) for name in self.sensors}
        for name, sensor in sensors.items():
            if name not in self.sensors:
                raise ModelError(f"fit: {near_names.unknown('sensor', name, self.sensors)}")
            if not isinstance(sensor, Sensor):
                raise ModelError(
                    f"fit: sensors: {name} is {sensor!r}; give a Sensor, Sensor(deviation=0.01)"
                )
        self.rows = [
            (j, k)
            for j, sensor in enumerate(self.sensors)
            for k, run in enumerate(runs)
            if sensor in run.samples
        ]
        self.sizes = [len(self._samples(j, k).time) for j, k in self.rows]
        self.sensor_of = np.repeat([j for j, _ in self.rows], self.sizes)
        self.sought = [*sought_parameters(driver, parameters), *self._others()]
        told = sum(self.sizes) + sum(one.prior is not None for one in self.sought)
        if told < len(self.sought):
            raise ModelError(
                f"fit: {wording.count(sum(self.sizes), 'sample')} for "
                f"{wording.count(len(self.sought), 'unknown')}; add samples, or fit fewer unknowns"
            )
        self.outputs = [
            name
            for name in driver.outputs
            if any(s.variable == name for run in runs for s in run.samples.values())
        ]
        self.evaluations = 0
        self.segments = self._segments()
        self.size = len(self.sought) + sum(s.node >= 0 for s in self.segments) * len(driver.states)
        self.part = 1.0
        self._last: Evaluated | None = None
        self._last_part = 1.0

    def _samples(self, sensor: int, run: int) -> Samples:
        return self.runs[run].samples[self.sensors[sensor]]

    def _others(self) -> list[Sought]:
        """Return unknown starts, delays, gains and offsets."""
        found = []
        driver, several = self.driver, len(self.runs) > 1
        equation = self.options.error == "equation"
        for k, run in enumerate(self.runs):
            for state, given in {} if equation else run.unknown.items():
                name = f"start of {state}" + (f" in run {k + 1}" if several else "")
                value = _first(run, state)
                own = driver.start(state) if value is None else value
                bounds = driver.bounds(state)
                one = bounds if given is None else given
                if given is None:
                    one = (bounds[0], bounds[1], min(max(own, bounds[0]), bounds[1]))
                named = (name, driver.unit(state), "start", state, k if several else 0)
                found.append(sought(f"fit: {name}", one, named, (*bounds, own)))
        for name, given in self.options.delays.items():
            if not any(callable(run.inputs.get(name)) for run in self.runs):
                known = dict.fromkeys(n for run in self.runs for n in run.inputs)
                raise ModelError(
                    f"fit: delays: {near_names.unknown('recorded input', name, known)}"
                )
            named = (f"delay of {name}", "s", "delay", name, -1)
            found.append(sought(f"fit: delay of {name}", given, named, (-np.inf, np.inf, 0.0)))
        for name, sensor in self.known.items():
            unit = driver.unit(
                next(r.samples[name].variable for r in self.runs if name in r.samples)
            )
            for kind, given, own, of in (
                ("gain", sensor.gain, 1.0, "1"),
                ("offset", sensor.offset, 0.0, unit),
            ):
                if given is not None:
                    named = (f"{kind} of {name}", of, kind, name, -1)
                    ends = (-np.inf, np.inf, own)
                    found.append(sought(f"fit: {kind} of {name}", given, named, ends))
        return found

    def _segments(self) -> list[Segment]:
        """Return the parts that runs are simulated in."""
        found: list[Segment] = []
        place, ns = len(self.sought), len(self.driver.states)
        equation = self.options.error == "equation"
        if not ns and (equation or self.options.segment is not None):
            raise ModelError(
                f"fit: the states of {self.driver.name} are unknown, so a run cannot restart "
                "within its time; leave out segment= and error='equation'"
            )
        for k, run in enumerate(self.runs):
            measured = self._measured_states(run) if equation else {}
            length = self.options.segment
            if equation and length is None:
                every = np.concatenate([np.diff(s.time) for s in run.samples.values()])
                length = SAMPLES_OF_A_STEP * float(np.median(every))
            count = 1 if length is None else max(round(run.end / length), 1)
            marks = np.linspace(0.0, run.end, count + 1)
            for i in range(count):
                begin, end = float(marks[i]), float(marks[i + 1])
                given = {s: float(np.interp(begin, *m)) for s, m in measured.items()}
                free = i > 0 and not equation
                found.append(Segment(k, begin, end, place if free else -1, given, i == count - 1))
                place += ns * free
        return found

    def _measured_states(self, run: Recorded) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        measured = {s.variable: (s.time, s.values) for s in run.samples.values()}
        missing = [name for name in self.driver.states if name not in measured]
        if missing:
            raise ModelError(
                f"fit: error='equation' needs all states measured; in {run.name} there is no "
                f"{', '.join(missing)}; use error='output'"
            )
        return measured

    def first_guess(self) -> np.ndarray:
        """Return values of all unknowns to begin with, starts of segments by following the runs.

        Each segment begins where the one before ends, with measured states as they are measured.
        Values at a bound begin a little inside of it.

        Raises
        ------
        SimulationError, ConfigurationError
            A segment cannot be followed.
        """
        low, high = self.bounds()
        scales = np.array([one.scale for one in self.sought])
        z = np.array([one.start for one in self.sought] + [0.0] * (self.size - len(self.sought)))
        n, inside = scales.size, np.minimum(INSIDE * scales, INSIDE * (high - low)[: scales.size])
        z[:n] = np.clip(z[:n], low[:n] + inside, high[:n] - inside)
        for segment, following in zip(self.segments, self.segments[1:], strict=False):
            if following.node < 0:
                continue
            run = self.runs[segment.run]
            times = np.array([segment.end - segment.begin])
            try:
                states = self._simulate(z, segment, times, ()).states[-1].copy()
            except (SimulationError, ConfigurationError) as error:
                raise type(error)(
                    f"fit: with the first guess, the segment from {segment.begin:g} s to "
                    f"{segment.end:g} s of {run.name} cannot be simulated; give shorter segments, "
                    f"measure more states, or improve the first guess: {error}"
                ) from error
            for one in run.samples.values():
                if one.variable in self.driver.states:
                    place = self.driver.states.index(one.variable)
                    states[place] = np.interp(segment.end, one.time, one.values)
            z[following.node : following.node + states.size] = states
        return z

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds of all unknowns."""
        more = [np.inf] * (self.size - len(self.sought))
        low = [one.low for one in self.sought] + [-x for x in more]
        return np.array(low), np.array([one.high for one in self.sought] + more)

    def _start(self, z: np.ndarray, segment: Segment) -> dict[str, float]:
        """Return the start values of a segment."""
        if segment.node >= 0:
            states = self.driver.states
            values = z[segment.node : segment.node + len(states)]
            return dict(zip(states, map(float, values), strict=True))
        if segment.given:
            return segment.given
        found = dict(self.runs[segment.run].start)
        for one, value in zip(self.sought, z, strict=False):
            if one.kind == "start" and one.run == segment.run:
                found[one.of] = float(value)
        return found

    def _simulate(
        self, z: np.ndarray, segment: Segment, times: np.ndarray, columns: Sequence[str]
    ) -> Any:
        """Return the course of a segment by times from its begin, s."""
        run, inputs = self.runs[segment.run], {}
        late = {
            one.of: float(v) for one, v in zip(self.sought, z, strict=False) if one.kind == "delay"
        }
        for name, signal in run.inputs.items():
            inputs[name] = delayed(signal, late.get(name, 0.0) - segment.begin)
        parameters = {
            one.name: float(v)
            for one, v in zip(self.sought, z, strict=False)
            if one.kind == "parameter"
        }
        return self.driver.simulate(
            times,
            start=self._start(z, segment),
            parameters=parameters,
            inputs=inputs,
            outputs=self.outputs,
            columns=columns,
            tolerance=self.options.tolerance,
        )

    def at(self, z: np.ndarray) -> Evaluated:
        """Return errors with their derivatives; the last ones are kept.

        Raises
        ------
        SimulationError, ConfigurationError
            A motion cannot be followed.
        """
        known = self._last is not None and self._last_part == self.part
        if self._last is None or not (known and np.array_equal(self._last.unknowns, z)):
            self._last = self.evaluate(np.array(z, float))
            self._last_part = self.part
            self.evaluations += 1
        return self._last

    def telling(self, z: np.ndarray, space: np.ndarray) -> tuple[str, ...]:
        """Return outputs and states that are not measured, and change along null directions.

        Parameters
        ----------
        z : ndarray, shape (nz,)
            Values of all unknowns.
        space : ndarray, shape (n, d)
            Null directions of those that have a name.
        """
        driver, found = self.driver, []
        measured = {s.variable for run in self.runs for s in run.samples.values()}
        others = [name for name in (*driver.outputs, *driver.states) if name not in measured]
        self.outputs, kept = list(driver.outputs), self.outputs
        try:
            predicted = self._follow(z, self.segments[0])
        finally:
            self.outputs = kept
        changes = predicted.changes[:, :, : len(space)]
        for name in dict.fromkeys(others):
            column = changes[:, predicted.names.index(name)]
            single = np.abs(column * np.abs(space).max(axis=1)).max(initial=0.0)
            if np.abs(column @ space).max(initial=0.0) > TOLD * single > 0:
                found.append(name)
        return tuple(found)

    def evaluate(self, z: np.ndarray) -> Evaluated:
        """Return errors with their derivatives, calculated anew."""
        blocks = [np.zeros(n) for n in self.sizes]
        changes = [np.zeros((n, self.size)) for n in self.sizes]
        parts = [np.zeros(n, int) for n in self.sizes]
        gaps: list[np.ndarray] = []
        gap_changes: list[np.ndarray] = []
        for i, segment in enumerate(self.segments):
            predicted = self._follow(z, segment)
            for place, (_, k) in enumerate(self.rows):
                if k == segment.run:
                    there = self._compare(
                        z, segment, predicted, place, blocks[place], changes[place]
                    )
                    parts[place][there] = i
            if not segment.last and self.segments[i + 1].node >= 0:
                gap, change = self._gap(z, self.segments[i + 1], predicted)
                gaps.append(gap)
                gap_changes.append(change)
        none = np.zeros((0, self.size))
        return Evaluated(
            z,
            np.concatenate(blocks),
            np.vstack(changes),
            np.concatenate(parts),
            np.concatenate([*gaps, np.zeros(0)]),
            np.vstack([*gap_changes, none]),
        )

    def _follow(self, z: np.ndarray, segment: Segment) -> Predicted:
        """Return outputs and states of a segment with derivatives by all unknowns."""
        driver, run = self.driver, self.runs[segment.run]
        every = [s.time for s in run.samples.values()]
        inside = np.concatenate(every)
        end = min(segment.end, max(self.part * run.end, segment.begin))
        inside = inside[(inside >= segment.begin) & (inside <= end)] - segment.begin
        span = end - segment.begin
        times = _merged(np.append(inside, span), TOGETHER * max(span, run.end))
        columns, places = self._columns(segment)
        course = self._simulate(z, segment, times, columns)
        values = np.hstack([course.values, course.states])
        changes = np.zeros((*values.shape, self.size))
        for source, place in enumerate(places):
            changes[:, : len(self.outputs), place] = course.columns[:, :, source]
            changes[:, len(self.outputs) :, place] = course.state_columns[:, :, source]
        for place, one in enumerate(self.sought):
            if one.kind == "delay" and callable(run.inputs.get(one.of)):
                changes[:, :, place] = self._by_delay(z, segment, times, place)
        return Predicted(times + segment.begin, (*self.outputs, *driver.states), values, changes)

    def _columns(self, segment: Segment) -> tuple[list[str], list[int]]:
        """Return by what a segment is differentiated, and the places among the unknowns."""
        columns = [one.name for one in self.sought if one.kind == "parameter"]
        places = [i for i, one in enumerate(self.sought) if one.kind == "parameter"]
        if segment.node >= 0:
            columns += self.driver.states
            places += range(segment.node, segment.node + len(self.driver.states))
        elif not segment.given:
            for i, one in enumerate(self.sought):
                if one.kind == "start" and one.run == segment.run:
                    columns.append(one.of)
                    places.append(i)
        return columns, places

    def _by_delay(
        self, z: np.ndarray, segment: Segment, times: np.ndarray, place: int
    ) -> np.ndarray:
        """Return the change with a delay by differences: inputs are known at samples only."""
        step = LATE * self.runs[segment.run].end
        ends = []
        for side in (step, -step):
            moved = z.copy()
            moved[place] += side
            course = self._simulate(moved, segment, times, ())
            ends.append(np.hstack([course.values, course.states]))
        return (ends[0] - ends[1]) / (2 * step)

    def _compare(
        self,
        z: np.ndarray,
        segment: Segment,
        predicted: Predicted,
        place: int,
        errors: np.ndarray,
        changes: np.ndarray,
    ) -> np.ndarray:
        """Write the errors of a sensor in a segment; return their places."""
        j, k = self.rows[place]
        samples = self._samples(j, k)
        behind = samples.time > segment.begin if segment.begin > 0 else samples.time >= 0
        end = min(segment.end, self.part * self.runs[k].end)
        chosen = np.flatnonzero(behind & (samples.time <= end))
        if segment.given and segment.begin == 0:
            chosen = chosen[samples.time[chosen] > 0]
        near = TOGETHER * (samples.time[-1] + 1.0)
        at = np.searchsorted(predicted.times, samples.time[chosen] - near)
        column = predicted.names.index(samples.variable)
        value, change = predicted.values[at, column], predicted.changes[at, column]
        gain, offset = 1.0, 0.0
        for i, one in enumerate(self.sought):
            if one.of == self.sensors[j] and one.kind == "gain":
                gain = float(z[i])
                changes[chosen, i] += value
            if one.of == self.sensors[j] and one.kind == "offset":
                offset = float(z[i])
                changes[chosen, i] += 1.0
        changes[chosen] += gain * change
        errors[chosen] = gain * value + offset - samples.values[chosen]
        return chosen

    def _gap(
        self, z: np.ndarray, following: Segment, predicted: Predicted
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how far a segment's start is from the end of the one before, with derivatives."""
        ns = len(self.driver.states)
        places = range(following.node, following.node + ns)
        scale = self.gap_scales()
        change = -predicted.changes[-1, -ns:]
        change[range(ns), places] += 1.0
        gap = z[following.node : following.node + ns] - predicted.values[-1, -ns:]
        return gap / scale, change / scale[:, None]

    def gap_scales(self) -> np.ndarray:
        """Return the sizes of states that gaps are measured by, shape (ns,)."""
        return np.array([NOISE_OF_A_GUESS * self.driver.nominal(s) for s in self.driver.states])


def _first(run: Recorded, state: str) -> float | None:
    """Return the first sample of a state, None where it is not measured."""
    return next((float(s.values[0]) for s in run.samples.values() if s.variable == state), None)


def _merged(times: np.ndarray, near: float) -> np.ndarray:
    """Return times without those that differ by rounding."""
    found = np.unique(times)
    return found[np.append(True, np.diff(found) > near)]
