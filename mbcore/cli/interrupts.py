"""Ctrl-C that is not lost: CasADi's wrappers may swallow a KeyboardInterrupt on its way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

AGAIN = 0.5
"""Seconds after which an interrupt that did not come through is raised again."""


@contextmanager
def insisting() -> Iterator[None]:
    """Raise KeyboardInterrupt again and again after Ctrl-C, until it has left the block.

    For what has nothing to clear up, where a second one would do harm. Where there are no timers
    (on Windows), outside of the main thread, or where somebody else handles Ctrl-C, nothing is
    changed.
    """
    here = threading.current_thread() is threading.main_thread()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not here or not usual or not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(*_: int | FrameType | None) -> NoReturn:
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
