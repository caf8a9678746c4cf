"""One thread of BLAS where matrices are small: more of them only wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from threading import Lock
from typing import ParamSpec, TypeVar

import scipy.linalg  # noqa: F401  the controller finds the libraries that are loaded
from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Found = TypeVar("Found")


@cache
def _controller() -> ThreadpoolController:
    """Return what knows the libraries; to look for them takes 20 ms, to limit them 0.02 ms."""
    return ThreadpoolController()


_limited = Lock()
"""Held by the call that has set the limit, which is the whole process's."""


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit BLAS, unless a call around this one or beside it has done so.

    The one that has set the limit takes it back; what goes on beside it is then slower, not wrong.
    """
    if not _limited.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _limited.release()


def single_threaded(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a function run with one thread of BLAS, and those that it calls."""

    @wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        with _one_thread():
            return function(*args, **kwargs)

    return limited
