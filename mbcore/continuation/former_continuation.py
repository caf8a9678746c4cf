"""Calls of `continuation` as they were before families were objects: refused by the new line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.model.options import written

P = ParamSpec("P")
R = TypeVar("R")
FAMILIES = {"equilibrium": "Equilibria", "steady": "SteadyMotions", "periodic": "Periodic"}
FORMER_STEPS = {"step": "first", "longest": "longest", "shortest": "shortest", "points": "points"}
OWN = ("start", "parameters", "inputs", "conditions", "find", "period", "autonomous", "advance",
       "harmonics", "rtol", "atol")  # fmt: skip
"""Arguments that belong to a family now."""


def refuses_former_calls(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse equations in the place of a family, and arguments that a family has now.

    Raises
    ------
    ModelError
        With the line that does the same now.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        named: dict[str, Any] = dict(kwargs)
        begins = isinstance(args[0], Equations) if args else "equations" in named
        if begins or "of" in named or any(word in named for word in OWN):
            raise ModelError(_renewed(args, named))
        return function(*args, **kwargs)

    return call


def _renewed(args: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Return what was wrong, and the line that does the same."""
    given = dict(zip(("family", "parameter", "between"), args, strict=False)) | named
    own, of = type(given.get("family")).__name__, str(given.get("of", "equilibrium"))
    family = own if own in FAMILIES.values() else FAMILIES.get(of, "Equilibria")
    inner = ["equations", *(written(word, given[word]) for word in OWN if word in given)]
    steps = [written(new, given[old]) for old, new in FORMER_STEPS.items() if old in given]
    outer = [f"{family}({', '.join(inner)})"]
    outer += [repr(given.get("parameter", "parameter")), str(given.get("between", "(from, to)"))]
    outer += [written(word, given[word]) for word in ("within", "progress") if word in given]
    outer += [f"steps=Steps({', '.join(steps)})"] if steps else []
    what = f"of = {given['of']!r} is removed" if "of" in given else "its arguments have changed"
    return (
        f"continuation: {what}; a family of solutions is an object now: "
        f"continuation({', '.join(outer)}); import {family}{', Steps' * bool(steps)} from "
        "mbcore.vibration"
    )
