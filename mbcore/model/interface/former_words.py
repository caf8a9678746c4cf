"""Former arguments of inputs and states, accepted with a warning that gives the new ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError, warn_user

Method = TypeVar("Method", bound=Callable[..., Any])
DISPLAY_UNIT = {"display_unit": "display"}
FILTER = ("time_constant", "damping", "nominal")


def takes_filter_too(method: Method) -> Method:
    """Let ``input`` accept ``rate="filter"``, for which ``filtered`` is called now."""

    @wraps(method)
    def call(self: Any, name: str, *args: Any, **kwargs: Any) -> ca.SX:
        given = {word: kwargs.pop(word) for word in FILTER if word in kwargs}
        rate = kwargs.get("rate")
        if not given and not isinstance(rate, str):
            return method(self, name, *args, **kwargs)
        _refuse_half_a_filter(name, rate, given.get("time_constant"))
        kwargs.pop("rate", None)
        words = "".join(f", {word}={given[word]}" for word in FILTER[1:] if word in given)
        warn_user(
            f"input {name}: a filter is added by a call of its own now, after the input's: "
            f"model.filtered({name!r}, {given['time_constant']}{words})"
        )
        method(self, name, *args, **kwargs)
        return self.filtered(name, **given)

    return call  # type: ignore[return-value]


def takes_start_input(method: Method) -> Method:
    """Let ``state`` accept ``start_input``, for which ``start`` takes the input's symbol now."""

    @wraps(method)
    def call(self: Any, name: str, *args: Any, **kwargs: Any) -> ca.SX:
        source = kwargs.pop("start_input", None)
        if source is None:
            return method(self, name, *args, **kwargs)
        if checks.text("input", source) not in self.inputs:
            raise ModelError(f"state {name}: no input {source!r} to start at; add it first")
        warn_user(
            f"state {name}: start_input is given as start now, the symbol of the input {source}"
        )
        return method(self, name, *args[:1], **{**kwargs, "start": self.inputs[source].symbol})

    return call  # type: ignore[return-value]


def refuse_no_input(name: str, rate: object) -> None:
    """Refuse a rate of an input that is no symbol."""
    if not isinstance(rate, ca.SX):
        raise ModelError(
            f"input {name}: rate = {rate!r}; give the symbol of an input that holds it, or call "
            f"model.filtered({name!r}, time_constant) after it"
        )


def _refuse_half_a_filter(name: str, rate: object, time_constant: object) -> None:
    """Refuse a filter without time constant, a time constant without filter, and other texts."""
    if isinstance(rate, str) and rate != "filter":
        raise ModelError(f"input {name}: rate = {rate!r}; give the symbol of an input")
    if isinstance(rate, str) and time_constant is None:
        raise ModelError(f"input {name}: a filter needs time_constant, s; give it")
    if not isinstance(rate, str):
        raise ModelError(
            f"input {name}: time_constant = {time_constant} belongs to a filter; call "
            f"model.filtered({name!r}, time_constant), or leave it out"
        )
