"""Records of options, for functions that formerly took them as separate arguments."""

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
    """Return an argument as it is written in a call; a long value is left out."""
    return f"{name}={_short(value)}"


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST and "<" not in shown else "..."


def takes_separately(
    argument: str, record: type[Any], words: Mapping[str, str]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function also take the fields of a record as separate arguments, with a warning.

    Calls from before the record existed go on working. A positional value in the place of the
    record is its first field.

    Parameters
    ----------
    argument : str
        The function's argument for the record.
    record : type
        A frozen dataclass.
    words : mapping of str to str
        Fields of the record by the names of the arguments.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        owner = function.__qualname__.removesuffix(".__init__")
        signature = inspect.signature(function)
        default = signature.parameters[argument].default

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            old = {word: kwargs.pop(word) for word in words if word in kwargs}
            if not old:
                return function(*args, **kwargs)
            fields = {words[word]: value for word, value in old.items()}
            # the others are for another record, or unknown: the function takes or refuses them
            others = {k: kwargs[k] for k in kwargs if k not in signature.parameters}
            own = {k: kwargs[k] for k in kwargs if k in signature.parameters}
            bound = signature.bind_partial(*args, **own)
            given = bound.arguments.get(argument, default)
            absent = given is None or given is inspect.Parameter.empty
            first = [] if absent or isinstance(given, record) else [given]
            line = [_short(value) for value in first if argument in bound.arguments]
            line += [written(field, value) for field, value in fields.items()]
            warn_user(
                f"{owner}: {', '.join(old)} {'are' if len(old) > 1 else 'is'} given in "
                f"a record now, {argument}={record.__name__}({', '.join(line)})"
            )
            new = (
                replace(given, **fields) if isinstance(given, record) else record(*first, **fields)
            )
            bound.arguments[argument] = new
            rest: Any = {**bound.kwargs, **others}
            return function(*bound.args, **rest)

        return call

    return decorated
