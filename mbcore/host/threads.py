"""One thread of BLAS for small matrices, where more threads only wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from threading import Lock
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Found = TypeVar("Found")


@cache
def _controller() -> ThreadpoolController:
    """Return the controller, cached: finding the libraries takes 20 ms, limiting them 0.02 ms."""
    import scipy.linalg  # noqa: F401  the controller finds the libraries that are loaded

    return ThreadpoolController()


_limited = Lock()
"""Locked by the call that has set the limit, which applies to the whole process."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS, unless an enclosing or a concurrent call has done so.

    The call that has set the limit removes it; a concurrent call is then slower, not wrong.
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
    """Decorate a function to run with one thread of BLAS, like all that it calls."""

    @wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        with one_thread():
            return function(*args, **kwargs)

    return limited
