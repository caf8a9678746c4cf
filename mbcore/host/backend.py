"""The argument ``backend`` of analyses: who evaluates their equations, and who did.

A choice holds for a whole analysis with all that it calls. Points of evaluation ask for it where
they begin, so that no function in between passes it on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, get_args

from mbcore.model.errors import ModelError

Backend = Literal["auto", "python", "c"]
"""Backends of evaluation: ``auto`` begins in Python and goes on in C."""
Evaluator = Literal["python", "c"]
"""Backend that evaluated."""

Given = ParamSpec("Given")
Found = TypeVar("Found")


class evaluating:  # noqa: N801  used as a function in ``with``
    """Let a backend evaluate all points that begin in this context.

    Within another context ``auto`` is the choice of that one.

    Parameters
    ----------
    backend : {"auto", "python", "c"}
        The choice.
    run : bool
        Whether these are the points of a run, which needs fewer compiled functions than analyses.

    Attributes
    ----------
    by_c : bool
        Whether compiled functions have evaluated anything here so far.

    Raises
    ------
    ModelError
        There is no such backend.
    """

    backend: Backend

    def __init__(self, backend: Backend, run: bool = False) -> None:
        self._outer = outer = _PRESENT.get()
        self.backend, self.run = checked_backend(backend), run
        if outer is not None and self.backend == "auto":
            self.backend = outer.backend
        self.by_c = False
        self._token: Token[evaluating | None] | None = None

    def __enter__(self) -> evaluating:
        self._token = _PRESENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _PRESENT.reset(self._token)
        if self.by_c and self._outer is not None:
            self._outer.by_c = True


_PRESENT: ContextVar[evaluating | None] = ContextVar("evaluating", default=None)


def takes_backend(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let the keyword ``backend`` of a function choose who evaluates its equations."""

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        given: dict[str, Any] = dict(kwargs)
        with evaluating(given.get("backend", "auto")):
            return function(*args, **kwargs)

    return call


def asked_backend() -> Backend:
    """Return what the analysis under way asks for; ``auto`` outside of all."""
    present = _PRESENT.get()
    return "auto" if present is None else present.backend


def asked_for_run() -> bool:
    """Return whether the points that begin now are those of a run."""
    present = _PRESENT.get()
    return present is not None and present.run


def note_compiled() -> None:
    """Note that compiled functions evaluate in the analysis under way."""
    present = _PRESENT.get()
    if present is not None:
        present.by_c = True


def evaluator() -> Evaluator:
    """Return who has evaluated in the analysis under way: C if it did so at any point."""
    present = _PRESENT.get()
    return "c" if present is not None and present.by_c else "python"


def checked_backend(backend: object) -> Backend:
    """Return a backend.

    Raises
    ------
    ModelError
        There is no such one; names those that there are.
    """
    for known in get_args(Backend):
        if backend == known:
            return known
    raise ModelError(f"no backend {backend!r}; there is {backends()}")


def backends() -> str:
    """Return the names of all backends, for messages."""
    return ", ".join(map(repr, get_args(Backend)))
