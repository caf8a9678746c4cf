"""Eigenvalues of a linearization that are zero by its structure, and the others without them.

A zero that comes more than once is usually defective: an eigenvalue solver returns it as ±√ε, and
errors of that size reach its neighbours. Its origin is known, so it is deflated exactly beforehand,
by two steps that are repeated while they find something.

* Nothing depends on a state whose column is zero: a heading, a distance, then the speed. It is left
  out; it follows from the others.
* A state whose rate is a combination of rates of degrees of freedom, whose values are still there,
  keeps its difference from the same combination of the values: kinematic coordinates at rest, the
  turn of a disk that rolls straight on, the dimensions of a family of steady motions. The
  difference, which is constant, takes its place.

Both are changes of basis, so the other eigenvalues are those of the remaining matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-11
"""Relative size of a sum, against its terms, that may be rounding alone."""


@dataclass(frozen=True)
class _Left:
    """A removed state on which nothing depends."""

    state: int
    row: np.ndarray


@dataclass(frozen=True)
class _Integrated:
    """A removed state that is a combination of others plus a constant."""

    state: int
    row: np.ndarray
    column: np.ndarray


class UnlikeZerosError(Exception):
    """Matrices that are deflated together have their zeros in different places."""


class Deflation:
    """A state matrix without its structural zeros.

    Parameters
    ----------
    matrix : ndarray, shape (..., ns, ns)
        State matrix, or many of them whose zeros are in the same places; its states are
        (q̇, q, others), the rows of q being those of the identity.
    depends : ndarray of bool, shape (..., ns, ns)
        Which of its entries are more than rounding errors.
    dofs, values : int
        Number of degrees of freedom, and of the first of them that have values: q is theirs.

    Attributes
    ----------
    remaining : list of int
        The states that remain.
    reduced : ndarray, shape (..., nr, nr)
        Their matrix.

    Raises
    ------
    UnlikeZerosError
        Many matrices have their zeros in different places, from the start or on the way.
    """

    def __init__(
        self, matrix: np.ndarray, depends: np.ndarray, dofs: int, values: int | None = None
    ) -> None:
        self._matrix = np.where(depends, matrix, 0.0)
        self._dofs, self._values = dofs, dofs if values is None else values
        self.remaining = list(range(matrix.shape[-1]))
        self._refuse_unlike()
        self._taken: list[_Left | _Integrated] = []
        while self._leave_out() or self._integrate():
            pass
        self.reduced = self._matrix[..., self.remaining, :][..., self.remaining]

    def _refuse_unlike(self) -> None:
        if not self._matrix.size:  # no states, or no matrices
            return
        pattern = self._matrix.reshape(-1, *self._matrix.shape[-2:]) != 0
        if not (pattern == pattern[:1]).all():
            raise UnlikeZerosError

    @property
    def zeros(self) -> list[int]:
        """The removed states, one for each zero eigenvalue."""
        return [taken.state for taken in self._taken]

    def is_left_out(self, state: int) -> bool:
        """Return whether a removed state had no influence."""
        return any(isinstance(t, _Left) and t.state == state for t in self._taken)

    def _leave_out(self) -> bool:
        """Remove the states on which no other one depends."""
        found = [i for i in self.remaining if not self._matrix[..., self.remaining, i].any()]
        self._taken += [_Left(i, self._matrix[..., i, :].copy()) for i in found]
        self.remaining = [i for i in self.remaining if i not in found]
        return bool(found)

    def _integrate(self) -> bool:
        """Remove one state whose rate is a combination of rates of the remaining values."""
        nd, nv, S = self._dofs, self._values, self._matrix
        for i in self.remaining:
            if nd <= i < nd + nv and i - nd in self.remaining:
                continue  # its rate is a state, not a combination
            felt = [j for j in self.remaining if S[..., i, j].any()]
            if all(j < nv and j != i and j + nd in self.remaining for j in felt):
                row = np.zeros(S.shape[:-1])
                row[..., [j + nd for j in felt]] = S[..., i, felt]
                self._taken.append(_Integrated(i, row, S[..., i].copy()))
                added = S[..., i, None] * row[..., None, :]
                # Terms that cancel here cancel exactly in theory; rounding would hide further
                # zeros.
                size = np.abs(S) + np.abs(added)
                S += added
                S[np.abs(S) <= ROUNDING * size] = 0.0
                self._refuse_unlike()
                self.remaining.remove(i)
                return True
        return False

    def shape(self, value: complex, reduced: np.ndarray) -> np.ndarray:
        """Return the amplitudes of all states, (ns,), from those of the remaining ones."""
        shape = np.zeros(len(self._matrix), complex)
        shape[self.remaining] = reduced
        for taken in reversed(self._taken):
            shape[taken.state] = taken.row @ shape
            if isinstance(taken, _Left):
                # Nothing feels the state, and its rate is λ times its amplitude; a mode with λ = 0
                # leaves it at rest.
                shape[taken.state] /= value if value else np.inf
        return shape

    def still(self, state: int) -> np.ndarray:
        """Return the null vector, (ns,), that belongs to a removed state.

        If nothing depends on it, that is the state alone; else an equilibrium of the others.
        """
        [index] = [k for k, taken in enumerate(self._taken) if taken.state == state]
        taken = self._taken[index]
        shape = np.zeros(len(self._matrix), complex)
        shape[state] = 1.0
        if isinstance(taken, _Integrated):
            rest = np.linalg.lstsq(self.reduced, -taken.column[self.remaining], rcond=None)[0]
            shape[self.remaining] = rest
            shape[state] += taken.row @ shape
        return shape


def expected_zeros(
    names: Sequence[str], depends: np.ndarray, nd: int, speeds: int, nk: int
) -> dict[str, str]:
    """Return the states behind eigenvalues that must be zero, each with the reason.

    Parameters
    ----------
    names : sequence of str
        Of the states.
    depends : ndarray of bool, shape (ns, ns)
        Which rates depend on which states.
    nd, speeds, nk : int
        Numbers of degrees of freedom, of those that are generalized speeds, and of kinematic
        coordinates.
    """
    found: dict[str, str] = {}
    end = 2 * nd - speeds  # end of the values of the degrees of freedom
    depends = depends.copy()
    at_rest = not depends[end : end + nk, nd:].any()
    kinematic = range(end, end + nk)
    left = list(range(nd, len(names)))
    while free := [i for i in left if not depends[:, i].any()]:
        depends[free] = False  # what acts on them has no effect on the others
        left = [i for i in left if i not in free]
    for i in (i for i in range(nd, len(names)) if i not in left):
        if i < end:
            found[names[i]] = "cyclic degree of freedom: no force depends on it"
        elif i in kinematic:
            found[names[i]] = "kinematic coordinate on which no rate depends"
        else:
            found[names[i]] = "auxiliary state on which no rate depends"
    if at_rest:
        for i in kinematic:
            found.setdefault(
                names[i],
                "kinematic coordinate of an equilibrium: there is a manifold of equilibria",
            )
    return found
