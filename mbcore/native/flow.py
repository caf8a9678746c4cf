"""Flows in C: steps of the state with its derivative; ``mb_flow.h`` says what fields mean."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from mbcore.native.callbacks import Callback, Guarded
from mbcore.native.point import CompiledPoint, PointArrays


class Stepped(IntEnum):
    """What has come of a step, as in ``mb_flow.h``."""

    STEPPED = 0
    STUCK = 1
    ENDED = 2


@dataclass(frozen=True)
class Method:
    """A collocation method: nodes (s,), matrix (s, s), and its embedded formula (s,) with gamma."""

    node: np.ndarray
    matrix: np.ndarray
    error: np.ndarray
    gamma: float


@dataclass(frozen=True)
class Columns:
    """Which derivatives are wanted.

    Attributes
    ----------
    felt : sequence of int
        States on which rates depend.
    value : int
        Place of what is varied in a variation (s, t, u, p), -1 for nothing.
    wanted : bool
        Whether any are wanted; else ``felt`` serves Newton's method alone.
    """

    felt: Sequence[int]
    value: int
    wanted: bool

    @property
    def count(self) -> int:
        """Number of columns, -1 for none at all."""
        return len(self.felt) + (self.value >= 0) if self.wanted else -1


@dataclass(frozen=True)
class Search:
    """Where configurations are sought from, and how.

    Attributes
    ----------
    accepted : list of ndarray
        Time, states, discrete variables, inputs, parameters and configuration.
    scale : ndarray, shape (nx,)
        Sizes of the coordinates.
    branch : ndarray, shape (nr,)
        Signs of the conditioning measures.
    lowest, highest : ndarray, shape (nr,)
        Extremes of the sizes of these measures since then, which are kept.
    """

    accepted: list[np.ndarray]
    scale: np.ndarray
    branch: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


class CompiledFlow:
    """Integrates compiled equations with derivatives; the point moves along.

    Parameters
    ----------
    point : CompiledPoint
        The point.
    method : Method
        Of implicit steps.
    columns : Columns
        Derivatives that are wanted.
    search : Search
        Where configurations are sought from.
    give_inputs : callable or None
        Writes inputs that are functions of time, s, to the point.

    Attributes
    ----------
    y : ndarray
        States, columns row by row, integral of the trace.
    values : ndarray, shape (s + 1, size)
        The same at the beginning and at the stages of the last step.

    Raises
    ------
    MemoryError
        There is not enough memory.
    """

    def __init__(
        self,
        point: CompiledPoint,
        method: Method,
        columns: Columns,
        search: Search,
        give_inputs: Callable[[float], object] | None,
    ) -> None:
        self._point, self._library, stages = point, point.library, method.node.size
        opened = self._library.open_flow(point.analysis, stages, columns.count)
        if not opened:
            raise MemoryError("no memory for a flow of compiled equations")
        # the point's analysis is freed after it
        weakref.finalize(self, _close, self._library.close_flow, opened, point)
        self._flow, shared = opened, opened.contents
        self._keep = [np.ascontiguousarray(a) for a in (method.node, method.matrix, method.error)]
        shared.node, shared.matrix, shared.error = (a.ctypes.data for a in self._keep)
        shared.gamma = method.gamma
        felt = np.array(columns.felt, np.intc)
        self._keep.append(felt)
        shared.felt, shared.felts, shared.value = felt.ctypes.data, felt.size, columns.value
        self._inputs = None if give_inputs is None else Guarded(give_inputs)
        shared.input = Callback() if self._inputs is None else self._inputs.callback
        shared.at = point.at
        n, m = len(point.equations.states), columns.count
        self._from, self._search = PointArrays(point.equations), search
        self.seek_from(search)
        size = n if m < 0 else n + n * m + 1
        self.y = _view(shared.y, (size,))
        self.values = _view(shared.step, (stages + 1, size))

    def seek_from(self, search: Search) -> None:
        """Seek configurations from another point from now on."""
        shared, held = self._flow.contents, self._from
        self._search = search  # its arrays are used in place
        for array, value in zip(
            (held.t, held.s, held.d, held.u, held.p, held.x), search.accepted, strict=True
        ):
            array[:] = value
        shared.origin = ctypes.pointer(held.shared)
        shared.scale, shared.branch = search.scale.ctypes.data, search.branch.ctypes.data
        shared.lowest, shared.highest = search.lowest.ctypes.data, search.highest.ctypes.data

    def begin(self, t: float, until: float, rtol: float, atol: np.ndarray, longest: float) -> bool:
        """Begin at ``y`` and a time, s, with tolerances; return whether there are rates there."""
        shared = self._flow.contents
        shared.t, shared.until, shared.relative, shared.longest_step = t, until, rtol, longest
        self._absolute = np.ascontiguousarray(atol)
        shared.absolute = self._absolute.ctypes.data
        return self._done(self._library.begin_flow(self._flow))

    def step(self) -> bool:
        """Make a step; return whether one was possible."""
        return self._done(self._library.step_flow(self._flow))

    def rates(self, t: float, y: np.ndarray, into: np.ndarray) -> bool:
        """Write the rates of all values at a point; return whether there are any."""
        found = self._library.flow_rates(self._flow, t, y.ctypes.data, into.ctypes.data)
        if self._inputs is not None:
            self._inputs.raise_stored()
        return bool(found)

    def _done(self, why: int) -> bool:
        if self._inputs is not None:
            self._inputs.raise_stored()
        if why == Stepped.ENDED:
            raise KeyboardInterrupt
        return why == Stepped.STEPPED

    @property
    def t(self) -> float:
        """Time, s."""
        return float(self._flow.contents.t)

    @property
    def last(self) -> float:
        """Length of the last step, s."""
        return float(self._flow.contents.last)

    def take_evaluations(self) -> int:
        """Return how often rates were evaluated since this was asked last."""
        shared = self._flow.contents
        count, shared.evaluations = int(shared.evaluations), 0
        return count


def _close(close: Callable[[object], None], flow: object, _point: CompiledPoint) -> None:
    close(flow)


def _view(place: ctypes._Pointer, shape: tuple[int, ...]) -> np.ndarray:
    return np.ctypeslib.as_array(place, shape)
