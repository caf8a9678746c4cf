"""The data of a branch as a labelled dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray
from scipy.optimize import linear_sum_assignment

from mbcore.continuation.crossings import Node
from mbcore.equations.equations import Equations
from mbcore.results.periodic_solution import PeriodicSolution

FAR = 1e6
"""Exponents of more than this many times the median size count as this large when followed."""


@dataclass(frozen=True)
class Record:
    """What is recorded of a solution.

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


def dataset(
    equations: Equations,
    parameter: str,
    unit: str,
    nodes: Sequence[Node],
    records: Sequence[Record],
) -> xarray.Dataset:
    """Return the dataset of a branch, see `mbcore.continuation.branch.Branch`."""
    point = "point"
    exponents = followed([node.exponents for node in nodes])
    values = np.array([node.value for node in nodes])
    about = {"units": unit, "long_name": parameter}
    data = xarray.Dataset(
        {
            "states": ((point, "state"), _table([r.states for r in records])),
            "outputs": ((point, "output"), _table([r.outputs for r in records])),
            "exponents": ((point, "exponent"), exponents, {"units": "1/s"}),
            "stable": (point, np.array([node.unstable == 0 for node in nodes])),
            "event": (point, np.array([node.event for node in nodes])),
        },
        coords={
            "parameter": (point, values, about),
            "state": [s.name for s in equations.states],
            "output": np.array([o.name for o in equations.outputs], dtype=str),
            "state_unit": ("state", [s.unit for s in equations.states]),
            "output_unit": ("output", np.array([o.unit for o in equations.outputs], dtype=str)),
        },
    )
    if parameter not in data and parameter not in data.dims:
        data = data.assign_coords({parameter: (point, values, about)})
    if records[0].amplitudes is not None:
        data = _with_periodic(data, exponents, records)
    return data


def _with_periodic(
    data: xarray.Dataset, exponents: np.ndarray, records: Sequence[Record]
) -> xarray.Dataset:
    periods = np.array([r.period for r in records])
    multipliers = np.exp(exponents * periods[:, None])
    quantities = np.r_[data["state"].values, data["output"].values]
    units = np.r_[data["state_unit"].values, data["output_unit"].values]
    harmonics = np.array([r.harmonics for r in records])
    return data.assign(
        period=("point", periods, {"units": "s"}),
        multipliers=(("point", "exponent"), multipliers),
        amplitudes=(("point", "quantity"), np.array([r.amplitudes for r in records])),
        harmonics=(("point", "quantity", "harmonic"), harmonics),
    ).assign_coords(
        quantity=quantities,
        quantity_unit=("quantity", units),
        harmonic=np.arange(harmonics.shape[2]),
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
