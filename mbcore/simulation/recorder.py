"""Rows of results of a simulation, wherever its steps are made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.stepper import Step
from mbcore.model.variables import Discrete, Input, Output, State
from mbcore.native.stepper import Rows, Wanted
from mbcore.results.motion import Motion
from mbcore.results.result import Result
from mbcore.simulation.coordinate_changes import Course


class Recorder:
    """Collects rows of results, at the steps or at sample times.

    Parameters
    ----------
    course : Course
        The run.
    wanted : Wanted
        Which rows there are to be.
    """

    def __init__(self, course: Course, wanted: Wanted) -> None:
        self.course, self.wanted, self.times = course, wanted, wanted.times
        self.rows: list[np.ndarray] = []
        self.configurations: list[np.ndarray] = []
        self.stamps: list[float] = []

    def _add(self, t: float, s: np.ndarray) -> None:
        self.course.run.move(t, s)
        e = self.course.run.evaluation
        e.project()
        self.stamps.append(t)
        self.rows.append(np.concatenate([self.course.states(), e.u, e.d, e.output()]))
        self.configurations.append(self.course.configuration())

    def first(self, t: float, s: np.ndarray) -> None:
        """Record the start, or the point after an event."""
        if self.times is None:
            self._add(t, s)
        elif self.wanted.next < self.times.size and self.times[self.wanted.next] <= t:
            self._add(t, s)
            self.wanted.next += 1

    def step(self, step: Step) -> None:
        """Record what lies in a step, its end included."""
        before, t = step.before, step.time
        if self.times is None:
            parts = int(np.ceil((t - before) / self.wanted.spacing - 1e-9))
            for k in range(1, parts):
                between = before + k * (t - before) / parts
                self._add(between, step.between(between))
            self._add(t, step.state)
            return
        while self.wanted.next < self.times.size and self.times[self.wanted.next] <= t:
            stamp = float(self.times[self.wanted.next])
            self._add(stamp, step.state if stamp == t else step.between(stamp))
            self.wanted.next += 1

    def block(self, rows: Rows, look: Callable[[], None] | None) -> None:
        """Record rows that C has made; where there is anything to look at, at the point of each."""
        e = self.course.run.evaluation
        ends = np.cumsum([1, e.s.size, e.u.size, e.d.size, len(e.equations.outputs)])
        if look or self.course.converts:
            here = e.keep()
            for row in rows.table:
                e.t[0], e.s[:], e.u[:] = row[0], row[1 : ends[1]], row[ends[1] : ends[2]]
                e.d[:] = row[ends[2] : ends[3]]
                e.x[:] = row[ends[-1] :]
                self.course.states()  # other coordinates go on from where angles have turned to
                if look:
                    look()
            e.restore(here)
        self.stamps += rows.table[:, 0].tolist()
        self.rows += list(rows.table[:, 1 : ends[-1]])
        self.configurations += list(rows.table[:, ends[-1] :])

    def result(
        self,
        q: Equations,
        events: tuple[tuple[float, str], ...],
        statistics: dict[str, float],
    ) -> Result:
        """Return what was recorded."""
        records: list[State | Input | Discrete | Output] = [
            *q.states,
            *q.inputs,
            *q.discretes,
            *q.outputs,
        ]
        table = np.array(self.rows).reshape(len(self.rows), len(records))
        ns, nu, nd = len(q.states), len(q.inputs), len(q.discretes)
        stamps = np.array(self.stamps)
        motion = Motion(
            q,
            self.course.run.evaluation.p.copy(),
            stamps,
            table[:, :ns],
            table[:, ns : ns + nu],
            table[:, ns + nu : ns + nu + nd],
            np.array(self.configurations),
        )
        columns = {r.name: table[:, i] for i, r in enumerate(records)}
        units = {r.name: r.unit for r in records}
        switches = tuple(self.course.switches)
        return Result(
            q.name,
            stamps,
            columns,
            units,
            events,
            statistics,
            switches=switches,
            descriptions={r.name: r.description for r in records if r.description},
            motion=motion,
        )
