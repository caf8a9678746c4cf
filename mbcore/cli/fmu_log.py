"""Messages of FMUs while `mbcore run` runs them, and the logger of FMPy for them.

Used by `mbcore.cli.run_fmu` alone; it stands apart because messages are of all versions of FMI.
"""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Iterator
from ctypes import byref
from typing import Any

from fmpy import fmi2
from fmpy.logging import addLoggerProxy

WARNING, DISCARD = 1, 2
"""Statuses of messages."""
_PRINTING = fmi2.fmi2CallbackLoggerTYPE(fmi2.printLogMessage)
"""FMPy's own logger; C calls it by its address, so it lives as long as the process."""


@contextlib.contextmanager
def logger_lent() -> Iterator[None]:
    """Give FMPy its own logger back after a run with another one.

    It keeps the latest logger for all FMUs of FMI 2.0 in the process, by address alone. Where that
    of a run is gone, the next message of any FMU ends the process.
    """
    try:
        yield
    finally:
        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = _PRINTING
        addLoggerProxy(byref(callbacks))


class Log:
    """Messages of an FMU: warnings are printed, the rest explains a failure.

    Parameters
    ----------
    name : str
        The model's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.time: float | None = None
        self._warned: set[str] = set()
        self._said: deque[tuple[int, str]] = deque(maxlen=100)

    def note(self, *message: Any) -> None:
        """Take a message, whose last arguments in each version are status, category and text."""
        text = message[-1] or b""
        self(int(message[-3]), text.decode(errors="replace") if isinstance(text, bytes) else text)

    def __call__(self, status: int, text: str) -> None:
        """Take a message."""
        self._said.append((status, text.strip()))
        if status == WARNING and text not in self._warned:
            self._warned.add(text)
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def finish_step(self, time: float, recorder: Any = None) -> bool:
        """Drop the messages of a step that succeeded; continue."""
        self.time = float(time)
        self._said.clear()
        return True

    def reached(self, until: float) -> str:
        """Return how far the run came, in words to append; nothing where no step was done."""
        return "" if self.time is None else f"; it reached t = {self.time:.9g} s of {until:.9g} s"

    def reasons(self) -> str:
        """Return the last messages, of failures where there are any, in words to append."""
        failures = [text for status, text in self._said if status >= DISCARD]
        texts = failures or [text for _, text in self._said]
        last = list(dict.fromkeys(text for text in texts if text))[-3:]
        return ". It says: " + "; ".join(last) if last else "; it does not say why"
