"""Rows of results of a simulation, from steps in Python or in C.

Used by `mbcore.simulation.simulate` alone; it stands apart because it stores rows, and takes no
part in the motion.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.stepper import Step
from mbcore.host.backend import evaluator
from mbcore.model.variables import Discrete, Input, Output, State
from mbcore.results.blocks import Blocks, gathered
from mbcore.results.motion import Motion, followed
from mbcore.results.result import Result
from mbcore.results.seldom import Changes, Columns
from mbcore.simulation.coordinate_changes import SwitchingRun
from mbcore.simulation.native_stepper import Rows, Wanted


class Recorder:
    """Collects rows of results, at the steps or at sample times.

    Parameters
    ----------
    switching_run : SwitchingRun
        The run.
    wanted : Wanted
        Which rows there are to be.
    """

    def __init__(self, switching_run: SwitchingRun, wanted: Wanted) -> None:
        self.switching_run, self.wanted, self.times = switching_run, wanted, wanted.times
        self._blocks: list[np.ndarray] = []  # time, states, inputs, outputs, coordinates
        self._discretes = Changes()

    def _add(self, t: float, s: np.ndarray) -> None:
        self.switching_run.run.move(t, s)
        e = self.switching_run.run.evaluation
        e.project()
        states, x = self.switching_run.states(), self.switching_run.configuration()
        self._discretes.add(e.d[np.newaxis])
        parts = [np.array([t]), states, e.u, e.output(), x if self.wanted.coordinates else x[:0]]
        self._blocks.append(np.concatenate(parts)[np.newaxis])

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
            # Long steps of a high-order method would draw as polygons.
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

    def block(self, rows: Rows, check: Callable[[], None] | None) -> None:
        """Record rows that C has made; where there is anything to check, at the point of each."""
        e = self.switching_run.run.evaluation
        ends = np.cumsum([1, e.s.size, e.u.size, len(e.equations.outputs)])
        if check or self.switching_run.converts:
            here = e.save()
            e.d[:] = self._discretes.last(e.d)
            begins = np.searchsorted(rows.discrete[:, 0], np.arange(len(rows.table) + 1))
            for k, row in enumerate(rows.table):
                e.t[0], e.s[:], e.u[:] = row[0], row[1 : ends[1]], row[ends[1] : ends[2]]
                changed = rows.discrete[begins[k] : begins[k + 1]]
                e.d[changed[:, 1].astype(int)] = changed[:, 2]
                if self.wanted.coordinates:
                    e.x[:] = row[ends[-1] :]
                else:
                    e.configure()
                self.switching_run.states()  # so that angles go on from their turns
                if check:
                    check()
            e.restore(here)
        self._discretes.change(len(rows.table), rows.discrete)
        self._blocks.append(rows.table.copy())

    def result(
        self,
        equations: Equations,
        events: tuple[tuple[float, str], ...],
        statistics: dict[str, float],
    ) -> Result:
        """Return what was recorded."""
        q = equations
        records: list[State | Input | Discrete | Output] = [
            *q.states,
            *q.inputs,
            *q.discretes,
            *q.outputs,
        ]
        often = [r.name for part in (q.states, q.inputs, q.outputs) for r in part]
        table, discretes = Blocks(gathered(self._blocks)), self._discretes.table(len(q.discretes))
        stamps, ns, nu, end = table.column(0), len(q.states), len(q.inputs), 1 + len(often)
        motion = Motion(
            equations,
            self.switching_run.run.evaluation.p.copy(),
            stamps,
            table.part(1, 1 + ns),
            table.part(1 + ns, 1 + ns + nu),
            discretes,
            table.part(end, table.shape[1]),
        )
        if not self.wanted.coordinates:
            motion = followed(motion)
        columns = Columns(table.part(1, end), often, [r.name for r in records], discretes)
        units = {r.name: r.unit for r in records}
        switches = tuple(self.switching_run.switches)
        return Result(
            equations.name,
            stamps,
            columns,
            units,
            events,
            statistics,
            switches=switches,
            descriptions={r.name: r.description for r in records if r.description},
            motion=motion,
            backend=evaluator(),
            steps=tuple(self.switching_run.methods),
            arrays={a.name: a.shape for a in q.arrays if a.kind != "parameter"},
        )
