"""What one mistake is, and the parts that tables share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from mbcore import Model, ModelError

NAN, INF = math.nan, math.inf


@dataclass
class Parts:
    """A planar and a spatial model with nodes to be misused."""

    plane: Model = field(default_factory=lambda: Model("plane", gravity=(0, -9.81)))
    space: Model = field(default_factory=lambda: Model("space", gravity=(0, 0, -9.81)))

    def __post_init__(self) -> None:
        self.p, self.q = self.plane.point("p", (0, 0)), self.plane.point("q", (1, 0))
        self.a, self.b = self.plane.angle("a"), self.plane.angle("b")
        self.P, self.Q = self.space.point("P", (0, 0, 1)), self.space.point("Q", (1, 0, 1))
        self.K = self.space.point("K", (0, 0, 0))
        self.R, self.S = self.space.rotation("R"), self.space.rotation("S")


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
