"""The numbers of a branch: columns, and the labelled dataset that is made when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from mbcore.continuation.crossings import Node
from mbcore.equations.equations import Equations
from mbcore.model.variables import Output, State
from mbcore.results.periodic_solution import PeriodicSolution

if TYPE_CHECKING:
    import xarray

FAR = 1e6
"""Exponents of more than this many times the median size count as this large when followed."""


@dataclass(frozen=True)
class Record:
    """Data recorded for a solution.

    Attributes
    ----------
    states, outputs : ndarray, shapes (ns,), (ny,)
        Of a periodic solution at t = 0.
    parameters, inputs : ndarray, shapes (np,), (nu,)
    period : float
        s; zero of solutions that are constant.
    amplitudes : ndarray, shape (ns + ny,), or None
    harmonics : ndarray of complex, shape (ns + ny, m + 1), or None
    solution : PeriodicSolution, or None
    """

    states: np.ndarray
    outputs: np.ndarray
    parameters: np.ndarray
    inputs: np.ndarray
    period: float = 0.0
    amplitudes: np.ndarray | None = None
    harmonics: np.ndarray | None = None
    solution: PeriodicSolution | None = None


@dataclass(frozen=True, kw_only=True)
class BranchColumns:
    """The numbers of a branch of n points, in order along it.

    Attributes
    ----------
    parameter, unit : str
        Name and unit of what varies.
    values : ndarray, shape (n,)
        Of the parameter.
    names, units : tuple of str
        Of the states, then of the outputs.
    state_count : int
        How many of the names are states.
    states, outputs : ndarray, shapes (n, ns), (n, ny)
        Of periodic solutions at t = 0.
    exponents : ndarray of complex, shape (n, ne)
        1/s, each followed along the branch.
    stable : ndarray of bool, shape (n,)
    event : ndarray of str, shape (n,)
        Kinds, empty where there is none.
    attributes : dict of str to object
        Those of the dataset.
    period : ndarray, shape (n,), or None
        s; this and the next are of periodic solutions.
    amplitudes : ndarray, shape (n, ns + ny), or None
        Half ranges.
    harmonics : ndarray of complex, shape (n, ns + ny, m + 1), or None
    """

    parameter: str
    unit: str
    values: np.ndarray
    names: tuple[str, ...]
    units: tuple[str, ...]
    state_count: int
    states: np.ndarray
    outputs: np.ndarray
    exponents: np.ndarray
    stable: np.ndarray
    event: np.ndarray
    attributes: dict[str, Any]
    period: np.ndarray | None = None
    amplitudes: np.ndarray | None = None
    harmonics: np.ndarray | None = None

    def unit_of(self, name: str) -> str:
        """Return the unit of the state or output ``name``."""
        return self.units[self.names.index(name)]

    def along(self, name: str) -> np.ndarray:
        """Return the state or output ``name`` along the branch, shape (n,)."""
        place = self.names.index(name)
        if place < self.state_count:
            return self.states[:, place]
        return self.outputs[:, place - self.state_count]

    def amplitude(self, name: str) -> np.ndarray:
        """Return the half range of the state or output ``name`` in periodic solutions, (n,)."""
        assert self.amplitudes is not None
        return self.amplitudes[:, self.names.index(name)]

    def harmonics_of(self, name: str) -> np.ndarray:
        """Return harmonics of the state or output ``name`` in periodic solutions, (n, m + 1)."""
        assert self.harmonics is not None
        return self.harmonics[:, self.names.index(name)]

    def dataset(self) -> xarray.Dataset:
        """Return all with labels, see `mbcore.continuation.branch.Branch`."""
        import xarray  # takes half a second, with what it loads itself

        point, count = "point", self.state_count
        about = {"units": self.unit, "long_name": self.parameter}
        data = xarray.Dataset(
            {
                "states": ((point, "state"), self.states),
                "outputs": ((point, "output"), self.outputs),
                "exponents": ((point, "exponent"), self.exponents, {"units": "1/s"}),
                "stable": (point, self.stable),
                "event": (point, self.event),
            },
            coords={
                "parameter": (point, self.values, about),
                "state": list(self.names[:count]),
                "output": np.array(self.names[count:], dtype=str),
                "state_unit": ("state", list(self.units[:count])),
                "output_unit": ("output", np.array(self.units[count:], dtype=str)),
            },
            attrs=self.attributes,
        )
        if self.parameter not in data and self.parameter not in data.dims:
            data = data.assign_coords({self.parameter: (point, self.values, about)})
        return data if self.period is None else self._with_periodic(data)

    def _with_periodic(self, data: xarray.Dataset) -> xarray.Dataset:
        assert self.period is not None
        assert self.harmonics is not None
        period = self.period[:, None]
        sizes = np.exp(self.exponents.real * period)  # zero for exponents that are infinite
        multipliers = sizes * np.exp(1j * self.exponents.imag * period)
        return data.assign(
            period=("point", self.period, {"units": "s"}),
            multipliers=(("point", "exponent"), multipliers),
            amplitudes=(("point", "quantity"), self.amplitudes),
            harmonics=(("point", "quantity", "harmonic"), self.harmonics),
        ).assign_coords(
            quantity=np.array(self.names),
            quantity_unit=("quantity", np.array(self.units)),
            harmonic=np.arange(self.harmonics.shape[2]),
        )


def columns_of(
    equations: Equations,
    parameter: str,
    unit: str,
    nodes: Sequence[Node],
    records: Sequence[Record],
    attributes: dict[str, Any],
) -> BranchColumns:
    """Return the columns of a branch, with these attributes of its dataset."""
    known: list[State | Output] = [*equations.states, *equations.outputs]
    periodic = {}
    if records[0].amplitudes is not None:
        periodic = {
            "period": np.array([r.period for r in records]),
            "amplitudes": np.array([r.amplitudes for r in records]),
            "harmonics": np.array([r.harmonics for r in records]),
        }
    return BranchColumns(
        parameter=parameter,
        unit=unit,
        values=np.array([node.value for node in nodes]),
        names=tuple(record.name for record in known),
        units=tuple(record.unit for record in known),
        state_count=len(equations.states),
        states=_table([r.states for r in records]),
        outputs=_table([r.outputs for r in records]),
        exponents=followed([node.exponents for node in nodes]),
        stable=np.array([node.unstable == 0 for node in nodes]),
        event=np.array([node.event for node in nodes]),
        attributes=attributes,
        **periodic,
    )


def followed(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return exponents in columns that follow each of them, shape (n, ne).

    Zeros that all rows have are left out.
    """
    common = min(int(np.sum(row == 0)) for row in rows)
    longest = max(row.size for row in rows) - common
    table = np.zeros((len(rows), longest), complex)
    for i, row in enumerate(rows):
        zeros = np.flatnonzero(row == 0)[:common]
        found = np.delete(row, zeros)
        table[i, : found.size] = found
        if i and longest:
            before, after = _finite(table[i - 1]), _finite(table[i])
            table[i] = table[i][linear_sum_assignment(np.abs(before[:, None] - after))[1]]
    return table


def _finite(row: np.ndarray) -> np.ndarray:
    """Return exponents with those of multipliers zero, which are infinite, far away instead."""
    size = np.median(np.abs(row[np.isfinite(row)])) if np.isfinite(row).any() else 1.0
    return np.where(np.isfinite(row), row, -FAR * max(float(size), 1.0))


def _table(rows: Sequence[np.ndarray]) -> np.ndarray:
    return np.array(rows).reshape(len(rows), -1)
