"""Methods that an object takes from its parts, with their signatures and docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from mbcore.model.calls import misfit

Part = TypeVar("Part")
P = ParamSpec("P")
R = TypeVar("R")


def taken(part: str, method: Callable[Concatenate[Part, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a method, for the body of a class, that calls one of a part of its object.

    Parameters
    ----------
    part : str
        The attribute that holds the part.
    method : function
        A method of the part's class.
    """
    return cast(Callable[Concatenate[Any, P], R], _Taken(part, method))


class _Taken:
    """Becomes the method when its class is made, since its name is known only then."""

    def __init__(self, part: str, method: Callable[..., Any]) -> None:
        self._part, self._method = part, method

    def __set_name__(self, owner: type, name: str) -> None:
        part, method = self._part, self._method
        called = f"{owner.__qualname__}.{name}"

        @wraps(method)
        def call(whole: Any, /, *args: Any, **kwargs: Any) -> Any:
            try:
                return method(getattr(whole, part), *args, **kwargs)
            except TypeError:
                # Python would name the part's method, which the user has not called.
                parameters = [*inspect.signature(method).parameters.values()][1:]
                wrong = misfit(called, parameters, args, kwargs)
                if wrong is None:
                    raise
                raise TypeError(wrong) from None

        call.__name__, call.__qualname__ = name, called
        call.__module__ = owner.__module__
        setattr(owner, name, call)
