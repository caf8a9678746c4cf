"""Worker processes that end with their parent, even where it is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time

GRACE = 2.0
"""Time for a worker to clean up, s."""


def end_with_parent() -> None:
    """End this worker when its parent ends, for any reason; by SIGTERM at first.

    A thread waits for the parent. Otherwise an idle worker would wait for work for ever, because
    its siblings hold the other end of its pipe open.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(128 + signal.SIGTERM)
