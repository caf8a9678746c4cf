"""Equations in a worker: inherited from the parent process, or made there once."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.model.model import Model

Makes = Equations | Model | Callable[[], Any] | str
"""Equations, or what makes them: see `Source`."""
MOST_CACHED = 8
"""Number of sources whose equations one process caches."""

_made: dict[str, Equations] = {}
"""Equations by the mark of their source, for tasks that arrive in a process repeatedly."""


class Source:
    """Where equations come from.

    Parameters
    ----------
    given : Equations, Model, callable or str
        Equations; a model, whose equations are made; a function of no arguments that returns one
        of them, or anything with ``equations``; or its place as a text, ``"package.module:name"``.

    Raises
    ------
    ModelError
        If it is none of these.
    """

    def __init__(self, given: Makes) -> None:
        self._mark = uuid.uuid4().hex
        self._given: Any = given
        if isinstance(given, str):
            self._given = _found(given)
        elif not (isinstance(given, Equations | Model) or callable(given)):
            raise ModelError(
                f"a sweep's task needs equations, got {given!r}; give them, or a function that "
                'makes them, as in bicycle.model or "mbcore.fmus.bicycle:model"'
            )

    def equations(self) -> Equations:
        """Return the equations; they are made once in each process.

        Raises
        ------
        ModelError
            If the function returns something without equations.
        """
        if self._mark not in _made:
            while len(_made) >= MOST_CACHED:
                _made.pop(next(iter(_made)))
            _made[self._mark] = _equations(self._given)
        return _made[self._mark]

    @property
    def title(self) -> str:
        """Name of the source."""
        if isinstance(self._given, Equations | Model):
            return str(self._given.name)
        return f"{self._given.__module__}:{getattr(self._given, '__qualname__', '')}"

    def __getstate__(self) -> Mapping[str, Any]:
        if isinstance(self._given, Equations | Model):
            raise ModelError(
                f"{self._given.name}: equations cannot be sent to processes that do not inherit "
                "them (spawned ones, a cluster's); give the function that makes them instead, as "
                'in linearizations(bicycle.model), or its place, "mbcore.fmus.bicycle:model"'
            )
        return self.__dict__


def _found(place: str) -> Callable[[], Any]:
    """Return the function at a place that is given as a text."""
    module, colon, name = place.partition(":")
    try:
        if not colon:
            raise AttributeError("no colon in it")
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ModelError(
            f'{place!r} names no function ({error}); write "package.module:function"'
        ) from error
    if not callable(found):
        raise ModelError(f"{place!r} is {found!r}, not a function without arguments; name one")
    return found


def _equations(given: Any) -> Equations:
    made = given
    if callable(made) and not isinstance(made, Equations | Model):
        made = made()
    if not isinstance(made, Equations):
        made = getattr(made, "equations", made)
    if callable(made):
        made = made()
    if not isinstance(made, Equations):
        raise ModelError(
            f"{getattr(given, '__qualname__', given)} returns {made!r}; it must return equations, "
            "a model or a component"
        )
    return made
