"""Turns SIGTERM into an exception, so that temporary folders are removed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Leave the block by `SystemExit` where SIGTERM comes; temporary folders are removed then.

    A handler that somebody else has set is kept, and so are signals outside of the main thread,
    where Python takes none.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # a second one would interrupt the cleanup
    raise SystemExit(128 + number)
