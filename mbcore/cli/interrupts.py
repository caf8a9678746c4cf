"""Reliable Ctrl-C: CasADi's wrappers may swallow a KeyboardInterrupt.

Used by `mbcore.cli.program` alone; it stands apart because signals of the operating system, which
the commands need not know.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

AGAIN = 0.5
"""Time after which an interrupt that was swallowed is raised again, s."""


@contextmanager
def insisting() -> Iterator[None]:
    """Raise KeyboardInterrupt again and again after Ctrl-C, until it has left the block.

    For blocks without cleanup, which a second interrupt would disturb. Without timers (on Windows),
    outside of the main thread, and where another handler is installed, nothing is changed.
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
