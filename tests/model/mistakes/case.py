"""What one mistake is, and the parts that tables share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from mbcore import Model, ModelError
from mbcore.model.nodes.nodes import Node

NAN, INF = math.nan, math.inf


class Parts:
    """A planar and a spatial model with nodes to be misused, each made when it is asked for.

    ``p`` and ``q`` are points in the plane, ``a`` and ``b`` angles; ``P``, ``Q`` and ``K`` are
    points in space, ``R`` and ``S`` rotations.
    """

    @cached_property
    def plane(self) -> Model:
        model = Model("plane", gravity=(0, -9.81))
        model.point("p", (0, 0))
        model.point("q", (1, 0))
        model.angle("a")
        model.angle("b")
        return model

    @cached_property
    def space(self) -> Model:
        model = Model("space", gravity=(0, 0, -9.81))
        for name, place in (("P", (0, 0, 1)), ("Q", (1, 0, 1)), ("K", (0, 0, 0))):
            model.point(name, place)
        model.rotation("R")
        model.rotation("S")
        return model

    def __getattr__(self, name: str) -> Node:
        if name in ("p", "q", "a", "b"):
            return self.plane.nodes[name]
        if name in ("P", "Q", "K", "R", "S"):
            return self.space.nodes[name]
        raise AttributeError(name)


@dataclass(frozen=True)
class Mistake:
    """A call, and words that its message must hold in this order."""

    make: Callable[[Parts], object]
    says: tuple[str, ...]
    error: type[Exception] = ModelError
    warns: bool = False


def wrong(make: Callable[[Parts], object], *says: str, error: type[Exception] = ModelError):
    """Return a mistake that is refused."""
    return Mistake(make, says, error)


def doubtful(make: Callable[[Parts], object], *says: str):
    """Return a mistake that is warned of."""
    return Mistake(make, says, warns=True)
