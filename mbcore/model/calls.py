"""Calls with arguments that a function does not take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeGuard, TypeVar

from mbcore.model.near_names import unknown
from mbcore.model.wording import count, listed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

P = ParamSpec("P")
R = TypeVar("R")
Made = TypeVar("Made", bound=type)
MOST = 20
"""Arguments that an error lists."""
MEANT = {
    ("simulate", "every"): "samples=, the number of equidistant rows or their times, as in "
    'samples=np.arange(0, until, 0.01), and store="run.nc" for runs longer than the memory',
}
"""What to give for arguments that users of other tools look for, by function and argument."""


def explains_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function or method tell which argument is unknown, is missing or lacks its name.

    The error is a TypeError, as Python's own.
    """
    given = [*inspect.signature(function).parameters.values()]
    called = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")
    method = bool(given) and given[0].name == "self"
    makes = function.__name__ == "__init__"

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        name = type(args[0]).__name__ if makes else called  # a subclass may have inherited it
        wrong = misfit(name, given[method:], args[method:], kwargs)
        if wrong is not None:
            raise TypeError(wrong)
        return function(*args, **kwargs)

    return call


def explains_construction(made: Made) -> Made:
    """Let a class that users construct tell likewise which argument is unknown or missing."""
    made.__init__ = explains_arguments(made.__init__)  # type: ignore[misc]
    return made


def refuse_unknown_arguments(
    called: str,
    function: Callable[..., object],
    kwargs: Mapping[str, object],
    own: Callable[..., object],
) -> None:
    """Refuse arguments that a method passes on to a function that does not take them by name.

    Parameters
    ----------
    called : str
        Function that the user called.
    function : function
        What takes the arguments, those that are given by name alone.
    kwargs : mapping of str to object
        The arguments.
    own : function
        The method, whose own arguments may be meant as well.

    Raises
    ------
    TypeError
        Naming the call, with similar names.
    """
    parameters = inspect.signature(function).parameters.values()
    taken = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    known = [
        p.name for p in inspect.signature(own).parameters.values() if p.kind is not p.VAR_KEYWORD
    ]
    for name in kwargs:
        if name not in taken:
            raise TypeError(f"{called}: {unknown('argument', name, dict.fromkeys(known + taken))}")


def misfit(
    called: str,
    parameters: Sequence[inspect.Parameter],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> str | None:
    """Return the fault in the arguments of a call; None where it takes them.

    Parameters
    ----------
    called : str
        Function that the user called.
    parameters : sequence of Parameter
        Those that it has.
    args, kwargs
        Arguments that it was given.
    """
    places = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    others = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    loose = any(p.kind is p.VAR_KEYWORD for p in parameters)
    endless = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    for name in kwargs:
        if name not in places and name not in others and not loose:
            if option := _option(name, parameters):
                return f"{called}: no argument {name!r}; give {option}"
            if meant := MEANT.get((called, name)):
                return f"{called}: no argument {name!r}; give {meant}"
            return f"{called}: {unknown('argument', name, [*places, *others])}"
    if len(args) > len(places) and not endless:
        said = f"{called}: {count(len(args), 'argument')} without a name, but only "
        said += f"{', '.join(places)} may be given so; "
        if not others:
            return f"{said}leave out the others"
        example = f"{called}({', '.join(places)}, {others[0]}=...)"
        return f"{said}name the others: {listed(others, MOST)}, as in {example}"
    placed = places[: len(args)]
    twice = [name for name in placed if name in kwargs]
    if twice:
        return f"{called}: {twice[0]} is given twice, by its place and by its name; leave one out"
    for name, value in [*zip(places, args, strict=False), *kwargs.items()]:
        record = next((p.default for p in parameters if p.name == name), None)
        if _is_record(record) and not isinstance(value, type(record)):
            kind = type(record).__name__
            options = ", ".join(f"{field.name}=..." for field in fields(record)[:2])
            return f"{called}: {name} = {value!r}; give {kind}, as in {kind}({options})"
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in variadic]
    missing = [name for name in needed if name not in placed and name not in kwargs]
    if missing:
        call = ", ".join(name if name in places else f"{name}=..." for name in needed)
        absent = "is" if len(missing) == 1 else "are"
        all_ = f"{', '.join(missing[:-1])} and {missing[-1]}" if missing[1:] else missing[0]
        return f"{called}: {all_} {absent} missing; call {called}({call})"
    return None


def _is_record(default: object) -> TypeGuard[DataclassInstance]:
    """Return whether a default is a record of options."""
    return is_dataclass(default) and type(default).__name__.endswith("Options")


def _option(name: str, parameters: Sequence[inspect.Parameter]) -> str:
    """Return how an option is given that is a field of a record among the arguments, or nothing."""
    for record in parameters:
        default = record.default
        if _is_record(default) and hasattr(default, name):
            return f"{record.name}={type(default).__name__}({name}=...)"
    return ""
