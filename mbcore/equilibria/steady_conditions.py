"""Count of the conditions that single out a steady motion, and checks of those given.

Used by `mbcore.equilibria.steady_search` alone; it stands apart because it counts and explains
conditions, and searches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mbcore.model.errors import SimulationError

NEGLIGIBLE = 1e-7
"""Singular value, relative to the largest one, that counts as zero."""
PART = 1e-4
"""Share in a free direction above which a variable is named."""


def rank_of(matrix: np.ndarray) -> int:
    """Return the rank of a matrix whose entries are of a natural size."""
    if not matrix.size:
        return 0
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(singular > NEGLIGIBLE * max(1.0, float(singular.max(initial=0.0)))))


@dataclass(frozen=True)
class Conditions:
    """The conditions at a steady motion, against the family that it belongs to.

    Attributes
    ----------
    model : str
        Name, for messages.
    rows : ndarray, shape (m, n)
        Derivatives of what must vanish, by all that is free without conditions.
    given : mapping of str to ndarray, each shape (n,)
        Derivatives of the conditions.
    names : list of str
        Names of the n unknowns.
    inputs : list of str
        Further inputs that could be found.
    """

    model: str
    rows: np.ndarray
    given: dict[str, np.ndarray]
    names: list[str]
    inputs: list[str]

    @cached_property
    def family(self) -> np.ndarray:
        """Directions within the family, orthonormal, shape (n, dimensions)."""
        n = len(self.names)
        rows = self.rows if self.rows.size else np.zeros((1, n))
        return np.linalg.svd(rows)[2][rank_of(rows) :].T if n else np.zeros((0, 0))

    @property
    def dimensions(self) -> int:
        """Number of conditions that single out one motion of the family."""
        return self.family.shape[1]

    @property
    def _takes(self) -> str:
        few = self.dimensions == 1
        return (
            f"{self.model}: the family of steady motions here takes {self.dimensions} "
            f"condition{'' if few else 's'} and {len(self.given)} "
            f"{'is' if len(self.given) == 1 else 'are'} given"
        )

    def refuse_too_few(self) -> None:
        """Refuse conditions that leave something open.

        Raises
        ------
        SimulationError
            Naming the open quantities, and further conditions.
        """
        rows = np.array(list(self.given.values())).reshape(-1, len(self.names))
        along = rows @ self.family
        rank = rank_of(along)
        if rank == self.dimensions:
            return
        free = (
            self.family
            @ np.linalg.svd(along if along.size else np.zeros((1, self.dimensions)))[2][rank:].T
        )
        open_ = [n for n, part in zip(self.names, free, strict=True) if np.abs(part).max() > PART]
        more = self.dimensions - rank
        raise SimulationError(
            f"{self._takes}; they leave {more} of these open: {', '.join(open_)}; give "
            f"{more} more condition{'' if more == 1 else 's'}, for these or for outputs"
        )

    def refuse_too_many(self) -> None:
        """Refuse conditions of which some are superfluous, and therefore contradict the others.

        Raises
        ------
        SimulationError
            Naming those of which one may go, and inputs that could be found instead.
        """
        rows = np.array(list(self.given.values())).reshape(-1, len(self.names)) @ self.family
        rank = rank_of(rows)
        surplus = len(self.given) - rank
        if not surplus:
            return
        superfluous = [
            name for i, name in enumerate(self.given) if rank_of(np.delete(rows, i, axis=0)) == rank
        ]
        instead = f", or let find name {surplus} of {', '.join(self.inputs)}" if self.inputs else ""
        raise SimulationError(
            f"{self._takes}; {surplus} of these {'is' if surplus == 1 else 'are'} superfluous and "
            f"cannot be met together with the others: {', '.join(superfluous)}; leave "
            f"{'one' if surplus == 1 else surplus} of them out{instead}"
        )
