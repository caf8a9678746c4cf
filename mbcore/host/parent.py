"""Worker processes that end with the process that has started them, also where that is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time

GRACE = 2.0
"""Seconds that a worker has to clear up."""


def end_with_parent() -> None:
    """Let this worker end when its parent does, however that ends; by SIGTERM at first.

    A thread waits for the parent. A worker that is told nothing would wait for work for ever, since
    its brothers hold the other end of what its work would come by.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(128 + signal.SIGTERM)
