"""Rows of results of a simulation, from steps in Python or in C, in the memory or in a file.

Used by `mbcore.simulation.simulate` alone; it stands apart because it stores rows, and takes no
part in the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbcore.evaluation.stepper import Step
from mbcore.host.backend import evaluator
from mbcore.model.variables import Discrete, Input, Output, State
from mbcore.results.blocks import Blocks, gathered
from mbcore.results.motion import Motion, followed
from mbcore.results.result import Result
from mbcore.results.seldom import Changes, Columns, Seldom
from mbcore.results.store import Store, StoredColumns
from mbcore.results.tables import to_xarray
from mbcore.simulation.coordinate_changes import SwitchingRun
from mbcore.simulation.native_stepper import Rows, Wanted

if TYPE_CHECKING:
    import xarray


SPILL = 1 << 18
"""Numbers in rows, from which on they are written to a file."""
TIME = "time"


class Recorder:
    """Collects rows of results, at the steps or at sample times.

    Used in a ``with`` block, which writes the last rows to the file and closes it.

    Parameters
    ----------
    switching_run : SwitchingRun
        The run.
    wanted : Wanted
        Which rows there are to be.
    store : str or path, optional
        A new file that takes the rows; by default the memory holds them.

    Raises
    ------
    ModelError
        If the file cannot be made, or the disk has no room for as many rows as are known.
    """

    def __init__(
        self, switching_run: SwitchingRun, wanted: Wanted, store: str | Path | None = None
    ) -> None:
        self.switching_run, self.wanted, self.times = switching_run, wanted, wanted.times
        self._blocks: list[np.ndarray] = []  # time, states, inputs, outputs, coordinates
        self._discretes, self._size = Changes(), 0
        q = switching_run.run.evaluation.equations
        self._equations = q
        self._records: list[State | Input | Discrete | Output] = [
            *q.states,
            *q.inputs,
            *q.discretes,
            *q.outputs,
        ]
        self._often = [r.name for part in (q.states, q.inputs, q.outputs) for r in part]
        self._arrays = {a.name: a.shape for a in q.arrays if a.kind != "parameter"}
        self._units = {r.name: r.unit for r in self._records}
        self._descriptions = {r.name: r.description for r in self._records if r.description}
        self._store: Store | None = None
        if store is not None:
            none = dict.fromkeys((r.name for r in self._records), np.zeros(1))
            self._store = Store("simulate", store, self._dataset(np.zeros(1), none), TIME)
            self._store.refuse_beyond_disk(
                0 if self.times is None else self.times.size, "give fewer in samples"
            )

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._store is not None:
            with self._store:
                self._spill()

    def _dataset(self, time: np.ndarray, columns: Mapping[str, np.ndarray]) -> xarray.Dataset:
        name, arrays = self._equations.name, self._arrays
        return to_xarray(name, time, columns, self._units, self._descriptions, arrays)

    def _keep(self, rows: np.ndarray) -> None:
        """Keep rows whose discrete variables are known, in the memory or in the file."""
        self._blocks.append(rows)
        self._size += rows.size
        if self._store is not None and self._size >= SPILL:
            self._spill()

    def _spill(self) -> None:
        """Write the rows in the memory to the file."""
        if self._blocks and self._store is not None:
            time, columns, _, _ = self._joined()
            self._discretes, self._size = self._discretes.behind(), 0
            self._store.append(self._dataset(time, columns))

    def _joined(self) -> tuple[np.ndarray, Columns, Blocks, Seldom]:
        """Return times, columns and tables of the rows in the memory, which go out of it."""
        table = Blocks(gathered(self._blocks))
        discretes = self._discretes.table(len(self._equations.discretes))
        names = [r.name for r in self._records]
        columns = Columns(table.part(1, 1 + len(self._often)), self._often, names, discretes)
        return table.column(0), columns, table, discretes

    def _add(self, t: float, s: np.ndarray) -> None:
        self.switching_run.run.move(t, s)
        e = self.switching_run.run.evaluation
        e.project()
        states, x = self.switching_run.states(), self.switching_run.configuration()
        self._discretes.add(e.d[np.newaxis])
        parts = [np.array([t]), states, e.u, e.output(), x if self.wanted.coordinates else x[:0]]
        self._keep(np.concatenate(parts)[np.newaxis])

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
        self._keep(rows.table.copy())

    def result(self, events: tuple[tuple[float, str], ...], statistics: dict[str, float]) -> Result:
        """Return the recorded result, after the ``with`` block."""
        time, columns, motion = self._kept() if self._store is None else self._stored(self._store)
        return Result(
            self._equations.name,
            time,
            columns,
            self._units,
            events,
            statistics,
            switches=tuple(self.switching_run.switches),
            descriptions=self._descriptions,
            motion=motion,
            backend=evaluator(),
            steps=tuple(self.switching_run.methods),
            arrays=self._arrays,
        )

    def _stored(self, store: Store) -> tuple[np.ndarray, Mapping[str, np.ndarray], None]:
        """Return times and columns of the file, without the configurations."""
        alike = self.times is not None and self.times.size == store.count
        time = self.times if self.times is not None and alike else store.column(TIME)
        return time, StoredColumns(store, self._units, self._arrays), None

    def _kept(self) -> tuple[np.ndarray, Mapping[str, np.ndarray], Motion]:
        """Return times, columns and configurations in the memory."""
        q, (time, columns, table, discretes) = self._equations, self._joined()
        ns, nu, end = len(q.states), len(q.inputs), 1 + len(self._often)
        motion = Motion(
            q,
            self.switching_run.run.evaluation.p.copy(),
            time,
            table.part(1, 1 + ns),
            table.part(1 + ns, 1 + ns + nu),
            discretes,
            table.part(end, table.shape[1]),
        )
        return time, columns, motion if self.wanted.coordinates else followed(motion)
