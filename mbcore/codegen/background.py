"""Compiling while this process goes on: a thread that waits for the compiler, and ends with it."""

from __future__ import annotations

import atexit
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from mbcore.codegen.compiler import end_compilers

LONGEST_END = 2.0
"""Time that a process which ends leaves a thread to tidy up, s."""


class InBackground:
    """A library that a thread compiles.

    Parameters
    ----------
    compile_it : callable
        Returns the library's file; it is called in the thread.
    """

    def __init__(self, compile_it: Callable[[], Path]) -> None:
        self._compile_it = compile_it
        self._path: Path | None = None
        self._error: Exception | None = None
        # a daemon, because Python would wait for others before it ends
        self.thread = Thread(target=self._run, name="mbcore: compiler", daemon=True)
        _ALL.add(self)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._path = self._compile_it()
        except Exception as error:  # raised where the library is asked for
            self._error = error

    @property
    def has_ended(self) -> bool:
        """Whether there is a library, or an error."""
        return not self.thread.is_alive()

    def wait(self) -> Path | None:
        """Return the library's file when it is there; None in a process forked before that.

        Raises
        ------
        CompilerError
            There is no compiler, it fails, or the cache cannot be written.
        """
        self.thread.join()
        if self._error is not None:
            raise self._error
        return self._path


_ALL: weakref.WeakSet[InBackground] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """End the compilers, and let the threads delete incomplete files."""
    until = time.monotonic() + LONGEST_END
    for one in tuple(_ALL):
        while not one.has_ended and time.monotonic() < until:
            end_compilers()
            one.thread.join(0.05)
