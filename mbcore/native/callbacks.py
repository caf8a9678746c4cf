"""Callbacks that C calls: an exception in one is stored until C has returned."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator

Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double)
"""A function of time that says whether C goes on."""
GO_ON = 1
"""Return value of callbacks without an error; not what is left where one fails."""


class Guarded:
    """A callback whose exception is stored, and ends what C is doing.

    Python handles signals between its instructions: inside the guard they are caught, at the entry
    of a function they would not be.

    Parameters
    ----------
    act : callable
        Called with the time, s.

    Attributes
    ----------
    callback
        The function that C calls.
    """

    def __init__(self, act: Callable[[float], object]) -> None:
        self._failures: list[BaseException] = []
        guard = _guard(act, self._failures)
        next(guard)
        self.callback = Callback(guard.send)

    def raise_stored(self) -> None:
        """Raise what was stored, once."""
        if self._failures:
            raise self._failures.pop()


def _guard(
    act: Callable[[float], object], failures: list[BaseException]
) -> Generator[int, float, None]:
    said = GO_ON
    while True:
        try:
            while True:
                act((yield said))
                said = GO_ON
        except GeneratorExit:
            return
        except BaseException as failure:
            failures.append(failure)
            said = not GO_ON
