"""Records of options: what a function once took as arguments of their own, with a warning."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from mbcore.model.errors import warn_user

P = ParamSpec("P")
R = TypeVar("R")
LONGEST = 40
"""Letters of a value that a message repeats."""


def written(name: str, value: object) -> str:
    """Return an argument as it is written in a call, by its name alone where it is long."""
    shown = repr(value)
    return f"{name}={shown if len(shown) <= LONGEST and '<' not in shown else '...'}"


def takes_separately(
    argument: str, record: Callable[..., Any], words: Mapping[str, str]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take fields of a record as arguments of their own too, with a warning.

    Calls that were written before there was the record go on working by it. What is given in its
    place is its first field.

    Parameters
    ----------
    argument : str
        The function's argument that the record is given by.
    record : type
        A frozen dataclass.
    words : mapping of str to str
        Fields of the record by the names of the arguments.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        owner = function.__qualname__.removesuffix(".__init__")
        default = inspect.signature(function).parameters[argument].default

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            old = {word: kwargs.pop(word) for word in words if word in kwargs}
            if not old:
                return function(*args, **kwargs)
            fields = {words[word]: value for word, value in old.items()}
            name = getattr(record, "__name__", "")
            line = ", ".join(written(field, value) for field, value in fields.items())
            warn_user(
                f"{owner}: {', '.join(old)} {'are' if len(old) > 1 else 'is'} given in "
                f"a record now, {argument}={name}({line})"
            )
            given: Any = kwargs.get(argument, default)
            if isinstance(given, type(record())):
                kwargs[argument] = replace(given, **fields)
            else:
                kwargs[argument] = record(**fields) if given is None else record(given, **fields)
            return function(*args, **kwargs)

        return call

    return decorated
