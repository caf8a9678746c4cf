"""Sizes of inputs by short runs: what a key sets is to be seen, and the model is to survive it.

Runs are made in Python at loose tolerances, from the start, with the input led to a value as a key
leads it. Their cost is limited in evaluations, so that the same model gives the same page.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.codegen.rows import Row, Table
from mbcore.equations.equations import Equations
from mbcore.fmi.page_settings import Page
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.page.table import round_number
from mbcore.results.result import Result
from mbcore.simulation.simulate import simulate

SECONDS = 3.0
"""Of the page that a run takes."""
SAMPLES = 31
MOST_INPUTS = 4
"""Inputs that are tried; keys are for the first two."""
TRIES = 6
"""Values of one input that are tried."""
SPENT = 1.5e8
"""Operations of derivatives that all runs together may take, about half a second."""
CALL = 15_000
"""Operations that take as long as Python around one evaluation."""
WANTED = {"m": 0.25, "rad": 0.5}
"""By how much a value of a state is to move: in scene sizes, in rad."""
LEAST, MOST = 0.2, 4.0
"""Parts of that between which a value is taken."""
RTOL, ATOL = 1e-3, 1e-5
_GUESSED = "estimated from units and rates at the start"


def tried_sizes(
    equations: Equations,
    rows: Table,
    estimated: Mapping[str, float],
    page: Page,
    scale: float,
    size: float,
    report: Callable[[str], None],
) -> dict[str, float]:
    """Return for each input the value at which a model moves visibly and survives three seconds.

    Inputs that start at zero, have no range of their own and no rate are tried, at most
    `MOST_INPUTS`; the others keep their estimated sizes, and so does one whose runs fail or
    take too long, of which a line is reported.

    Parameters
    ----------
    estimated : mapping of str to float
        From which the search begins, of `mbcore.page.table.input_sizes`.
    page : Page
        Settings: inputs with a range or a key of their own are not tried.
    scale : float
        Seconds of the model in one second of the page.
    size : float
        Of the scene, m.
    report : callable
        Called with a line where no value was found.
    """
    sizes = dict(estimated)
    names = _tried(equations, rows, page)
    if not names:
        return sizes
    trial = _Trial(equations, rows, size, SECONDS * scale, page.ramp * scale)
    left = list(names)
    why = "without inputs the model fails"
    try:
        trial.free = trial.run(names[0], 0.0)
        while left and trial.free is not None:
            found = _found(trial, left[0], sizes[left[0]])
            name = left.pop(0)
            if found is None:
                report(f"the range of {name} is {_GUESSED}: no trial run met the conditions")
            else:
                sizes[name] = found
    except _TooLongError:
        why = "trial runs would take too long"
    if left:
        many = "the ranges of {} are" if len(left) > 1 else "the range of {} is"
        report(f"{many.format(', '.join(left))} {_GUESSED}: {why}")
    return sizes


def _tried(equations: Equations, rows: Table, page: Page) -> list[str]:
    used = {name for effect in (page.keys or {}).values() for name in effect}
    with_rate = {record.name for record in equations.inputs if record.rate is not None}
    rates = {record.rate.name for record in equations.inputs if record.rate is not None}
    found = [
        row.name
        for row in rows.of("input")
        if row.type == "real" and not row.start and row.name not in equations.unused
        and not ({row.name} & (used | set(page.ranges) | with_rate | rates))
    ]  # fmt: skip
    return found[:MOST_INPUTS]


def _found(trial: _Trial, name: str, value: float) -> float | None:
    """Return the value of an input that moves the model as wanted, in both directions."""
    failed = np.inf
    for _ in range(TRIES):
        effect = trial.effect(name, value)
        seen = effect is not None and LEAST <= effect <= MOST
        if seen and trial.effect(name, -value) is not None:
            return value
        if effect is None or seen:
            failed, value = value, value / 10
            continue
        # Below a thousandth the change may be that of the tolerance.
        wanted = round_number(value / max(effect, 1e-3))
        value = wanted if wanted < failed else round_number(np.sqrt(value * failed))
    return None


class _TooLongError(Exception):
    """A run takes more evaluations than it may."""


@dataclass
class _Trial:
    """Runs of one model, whose columns are compared with those of a run without inputs."""

    equations: Equations
    rows: Table
    size: float
    """Of the scene, m."""
    time: float
    ramp: float
    """Until when an input has its value, s."""

    def __post_init__(self) -> None:
        cost = self.equations.functions["derivative"].n_instructions() + CALL
        self.left = int(SPENT / cost)
        shifted = [row for row in self.rows.rows if row.shift]
        self.start = {row.name: row.start or 0.0 for row in shifted if row.kind == "state"}
        self.parameters = {row.name: row.start or 0.0 for row in shifted if row.kind == "parameter"}
        self.free: Result | None = None

    def run(self, name: str, value: float) -> Result | None:
        """Return a run in which an input is led to a value; None where the model fails."""

        def signal(time: float) -> float:
            self.left -= 1
            if self.left < 0:
                raise _TooLongError
            return value * min(1.0, time / self.ramp)

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return simulate(
                    self.equations, self.time, start=self.start, parameters=self.parameters,
                    inputs={name: signal}, samples=SAMPLES, rtol=RTOL, atol=ATOL, progress=False,
                    backend="python",
                )  # fmt: skip
        except (ConfigurationError, SimulationError, ModelError, ArithmeticError) as error:
            if self.left < 0:
                raise _TooLongError from error
            return None

    def effect(self, name: str, value: float) -> float | None:
        """Return how far states move by an input, 1 where it is as wanted; None where it fails."""
        assert self.free is not None
        moved = self.run(name, value)
        if moved is None or self._warned(moved):
            return None
        states = [row for row in self.rows.of("state") if row.name in self.free]
        seen = [row for row in states if row.unit in WANTED] or states
        seen = seen or [row for row in self.rows.of("output") if row.type == "real"]
        found = [self._share(row, moved[row.name]) for row in seen]
        return max(found, default=0.0) if np.isfinite(found).all() else None

    def _share(self, row: Row, moved: np.ndarray) -> float:
        assert self.free is not None
        free = self.free[row.name]
        wanted = WANTED.get(row.unit, 0.0) * (self.size if row.unit == "m" else 1.0)
        wanted = wanted or max(row.nominal, float(np.ptp(free)))
        return float(np.abs(moved - free).max() / wanted)

    def _warned(self, moved: Result) -> bool:
        """Whether something ceases to be valid that is so without the input."""
        assert self.free is not None
        outputs = [row.name for row in self.rows.of("output") if row.type == "boolean"]
        return any(np.min(moved[name]) < np.min(self.free[name]) for name in outputs)
