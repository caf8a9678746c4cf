"""Calls with arguments that a function does not take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from mbcore.model.near_names import unknown
from mbcore.model.wording import count, listed

P = ParamSpec("P")
R = TypeVar("R")
MOST = 20
"""Arguments that an error lists."""


def explains_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function or method tell which argument is unknown, is missing or lacks its name.

    The error is a TypeError, as Python's own.
    """
    given = [*inspect.signature(function).parameters.values()]
    called = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")
    method = bool(given) and given[0].name == "self"

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        wrong = misfit(called, given[method:], args[method:], kwargs)
        if wrong is not None:
            raise TypeError(wrong)
        return function(*args, **kwargs)

    return call


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
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    endless = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    for name in kwargs:
        if name not in places and name not in others:
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
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    missing = [name for name in needed if name not in placed and name not in kwargs]
    if missing:
        call = ", ".join(name if name in places else f"{name}=..." for name in needed)
        absent = "is" if len(missing) == 1 else "are"
        all_ = f"{', '.join(missing[:-1])} and {missing[-1]}" if missing[1:] else missing[0]
        return f"{called}: {all_} {absent} missing; call {called}({call})"
    return None
