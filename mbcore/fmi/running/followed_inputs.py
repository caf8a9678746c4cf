"""Inputs over time as FMUs take them: at communication points and, where they can, in between."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np
from fmpy.model_description import ModelDescription

from mbcore.evaluation.input_table import TimedInput
from mbcore.fmi.running.fmu_variables import REALS, Variables

Function = Callable[[float], float]
SAME = 1e-12
"""Part of a step by which two times differ by rounding alone."""


class Transfer(Enum):
    """How an FMU in Co-Simulation gets inputs within a step."""

    DERIVATIVES = "by their derivatives"
    INTERMEDIATE = "by intermediate updates"
    HELD = "not at all"


class FollowedInputs:
    """Inputs of an FMU that are functions of time.

    Parameters
    ----------
    description : fmpy.model_description.ModelDescription
        Of the FMU.
    inputs : mapping of str to callable
        Functions of time, s.
    between : container of str
        Names of those that FMI 3.0 lets be set between communication points.

    Attributes
    ----------
    transfer : Transfer
        How the FMU gets them within a step of Co-Simulation.
    references : list of int
        Value references of those that it gets by intermediate updates.
    others : dict of str to float
        Values of the other elements of arrays that it gets so, for an array is set as a whole and
        may not be read within a step; they are those at the step's begin.
    """

    def __init__(
        self, description: ModelDescription, inputs: Mapping[str, Function], between: Container[str]
    ) -> None:
        self._inputs = dict(inputs)
        known = {v.name: v for v in description.modelVariables}
        variables = Variables(description)
        known |= {one: v for name, v in known.items() for one in variables.elements(name)}
        self._moving = [
            name
            for name, given in self._inputs.items()
            if known[name].type in REALS
            and known[name].variability != "discrete"
            and not (isinstance(given, TimedInput) and given.holds)
        ]
        cosimulation, self.transfer = description.coSimulation, Transfer.HELD
        if cosimulation is None or not self._moving:
            pass
        elif description.fmiVersion.startswith("2"):
            self.transfer = (
                Transfer.DERIVATIVES if cosimulation.canInterpolateInputs else Transfer.HELD
            )
        elif cosimulation.providesIntermediateUpdate and all(
            known[name].name in between for name in self._moving
        ):
            self.transfer = Transfer.INTERMEDIATE
        self.others: dict[str, float] = {}
        if self.transfer is Transfer.INTERMEDIATE:
            arrays = dict.fromkeys(variables.whole(name) for name in self._moving)
            each = [one for name in arrays for one in variables.elements(name)]
            self.others = dict.fromkeys([one for one in each if one not in self._moving], 0.0)
        self.references = list(dict.fromkeys(known[n].valueReference for n in self._moving))
        self._set: list[tuple[list[int], list[Function], str]] = []
        self._instance: Callable[[], Any] | None = None
        self._end = math.inf
        self._failure: BaseException | None = None
        times = [f.time for f in self._inputs.values() if isinstance(f, TimedInput)]
        self._rows = np.unique(np.concatenate(times)) if times else np.zeros(0)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._inputs)

    def values(self, t: float, before: bool = False) -> dict[str, float]:
        """Return the values at a time, s, before or behind jumps."""
        return {name: _value(given, t, before) for name, given in self._inputs.items()}

    def moving(self, t: float, before: bool) -> dict[str, float]:
        """Return those of the values at a time, s, that change between events."""
        return {name: _value(self._inputs[name], t, before) for name in self._moving}

    @property
    def have_jumps(self) -> bool:
        """Whether an input jumps at any time."""
        return any(self.jumps_at(float(t)) for t in self._rows)

    def is_row(self, t: float) -> bool:
        """Return whether a table has a row at a time, s."""
        return bool((np.abs(self._rows - t) <= SAME * abs(t)).any())

    def jumps_at(self, t: float) -> bool:
        """Return whether an input jumps at a time, s."""
        return any(
            isinstance(given, TimedInput) and given.before(t) != given(t)
            for given in self._inputs.values()
        )

    def at_begin(self, begin: float, end: float) -> dict[str, float]:
        """Return what to set where a step begins: means over the step where values are held."""
        self._end = end
        found = self.values(begin)
        if self.transfer is Transfer.HELD:
            found |= {name: float(self._inputs[name]((begin + end) / 2)) for name in self._moving}
        return found

    def rates(self, begin: float, end: float) -> tuple[list[str], list[float]]:
        """Return names of moving inputs and their rates over a step, which rows do not divide."""
        ends = self.values(begin), self.values(end, before=True)
        return self._moving, [(ends[1][n] - ends[0][n]) / (end - begin) for n in self._moving]

    def rows(self, begin: float, end: float) -> list[float]:
        """Return the rows between two times, s."""
        near = SAME * max(abs(begin), abs(end))
        inside = (self._rows > begin + near) & (self._rows < end - near)
        return [float(t) for t in self._rows[inside]]

    def places(
        self, begin: float, end: float, longest: float | None, pieces: int = 1
    ) -> Iterator[float]:
        """Return where steps end on the way from a time to another one, s.

        Parameters
        ----------
        begin, end : float
            s
        longest : float, optional
            Longest step where inputs that move are held, s; None where the FMU has no steps but
            this one.
        pieces : int
            Steps in which inputs that are linear within each step follow a curve.
        """
        if longest is None:
            yield end
            return
        marks = [begin, *self.rows(begin, end), end]
        for before, after in pairwise(marks):
            parts = pieces if self.transfer is Transfer.DERIVATIVES else 1
            if self.transfer is Transfer.HELD and self._moves(before, after):
                parts = max(1, math.ceil((after - before) / longest - SAME))
            for k in range(1, parts):
                yield before + k * (after - before) / parts
            yield after

    def remaining(self, step: float) -> dict[str, float]:
        """Return by how much inputs differ at most within steps, s, over which they are held."""
        return {
            name: abs(given.c[0]).max() * step / 2
            for name, given in self._inputs.items()
            if isinstance(given, TimedInput) and name in self._moving and given.c[0].any()
        }

    def _moves(self, begin: float, end: float) -> bool:
        ends = self.values(begin), self.values(end, before=True)
        tables = all(isinstance(self._inputs[name], TimedInput) for name in self._moving)
        return bool(self._moving) and not (
            tables and all(ends[0][name] == ends[1][name] for name in self._moving)
        )

    # Intermediate updates of FMI 3.0

    def begin(self, variables: Variables, instance: Callable[[], Any]) -> None:
        """Take the FMU, which FMPy's instance is when it calls."""
        self._instance = instance
        self._set = []
        for kind, names in variables.by_kind([*self._moving, *self.others]).items():
            access = variables.access(names)
            ordered = [name for _, name in sorted(zip(access.places, names, strict=True))]
            functions = [self._of(name) for name in ordered]
            self._set.append((access.references, functions, f"set{kind}"))

    def _of(self, name: str) -> Function:
        if name in self.others:
            return lambda _: self.others[name]
        return self._inputs[name]

    def update(self, _: object, t: float, may_set: bool, *__: object) -> None:
        """Set inputs at a time within a step, where the FMU calls for it."""
        if not may_set or self._instance is None or self._failure is not None:
            return
        try:
            for references, functions, setter in self._set:
                values = [_value(given, t, t >= self._end) for given in functions]
                getattr(self._instance(), setter)(references, values)
        except BaseException as failure:  # C has called: the step's caller raises it
            self._failure = failure

    def raise_failure(self) -> None:
        """Raise what a function of time has raised within the last step."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


def _value(given: Function, t: float, before: bool) -> float:
    if isinstance(given, TimedInput):
        return given.before(t) if before else float(given(float(t)))
    return float(given(t))
