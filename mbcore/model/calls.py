"""Calls with arguments that a function does not take."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mbcore.model.near_names import unknown
from mbcore.model.wording import count, listed

P = ParamSpec("P")
R = TypeVar("R")
MOST = 20
"""Arguments that an error lists."""


def explains_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function tell which argument was meant where one is unknown or lacks its name.

    The error is a TypeError, as Python's own.
    """
    given = inspect.signature(function).parameters
    places = [p.name for p in given.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    others = [name for name in given if name not in places]

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in given:
                raise TypeError(f"{function.__name__}: {unknown('argument', name, given)}")
        if len(args) > len(places):
            said = f"{function.__name__}: {count(len(args), 'argument')} without a name, but only "
            said += f"{', '.join(places)} may stand so; "
            if not others:
                raise TypeError(f"{said}leave out the others")
            example = f"{function.__name__}({', '.join(places)}, {others[0]}=...)"
            raise TypeError(f"{said}name the others: {listed(others, MOST)}, as in {example}")
        return function(*args, **kwargs)

    return call
