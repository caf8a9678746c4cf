"""One thread of BLAS where matrices are small: more of them only wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Found = TypeVar("Found")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def single_threaded(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a function run with one thread of BLAS."""

    @wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
