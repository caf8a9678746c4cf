"""Linearizations at many points in one call of C, with stacked matrices and their eigenvalues.

The points of a map are told apart by their zeros: those with zeros in the same places are deflated
and solved together. `mbcore.linear.linearizer` treats unusual points, with a warning or an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.many_points import rows_of
from mbcore.linear import turning
from mbcore.linear.linearization import UNSTEADY
from mbcore.linear.matrices import Matrices
from mbcore.linear.spectrum import sorted_eigenvalues
from mbcore.linear.structural_zeros import Deflation, UnlikeZerosError, expected_zeros
from mbcore.model.variables import type_of
from mbcore.native.point import Beside


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearMap(Matrices):
    """Linearizations at n points, the first dimension of all arrays; some are without one.

    Attributes
    ----------
    equations : Equations
    done : ndarray of bool, shape (n,)
        Where a linearization is as usual, without any warning.
    steady_matrix : ndarray, shape (n, ns, ns), or None
        Where rotations are free: the state matrix in small turns about axes on which it is
        constant.
    """

    equations: Equations
    done: np.ndarray
    steady_matrix: np.ndarray | None = None

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order."""
        return tuple(state.name for state in self.equations.states)

    def eigenvalues(self) -> list[np.ndarray]:
        """Return the eigenvalues of each point as `Linearization.eigenvalues` does."""
        found = [np.zeros(0, complex)] * len(self.done)
        matrix = self.steady_matrix
        if matrix is None:
            matrix = np.where(self.depends, self.state_matrix, 0.0)
        left = _alike(matrix != 0, np.flatnonzero(self.done))
        while left:
            places = left.pop()
            try:
                values = self._eigenvalues(matrix[places])
            except UnlikeZerosError:  # sums vanish at some of the points
                left += [places[i : i + 1] for i in range(len(places))]
                continue
            for place, own in zip(places, values, strict=True):
                found[place] = own
        return found

    def _eigenvalues(self, matrix: np.ndarray) -> np.ndarray:
        nd, speeds = self.degrees_of_freedom, self.generalized_speeds
        reduced = Deflation(matrix, matrix != 0, nd, nd - speeds).reduced
        return sorted_eigenvalues(np.linalg.eigvals(reduced).astype(complex))

    def steady(self) -> np.ndarray:
        """Return where the motion is steady, as `Linearization.changing` says, shape (n,)."""
        nominal = np.array([state.nominal for state in self.equations.states])
        part = np.abs(self.rates) / (nominal + np.abs(self.state_matrix) @ nominal)
        for spin in self.equations.spins:
            part[:, [*spin.parameters, *spin.speeds]] = 0.0
        left = np.flatnonzero(self.done & (part > UNSTEADY).any(axis=1))
        counts = self.degrees_of_freedom, self.generalized_speeds, self.kinematic_coordinates
        names = self.state_names
        for places in _alike(self.depends, left):
            free = expected_zeros(names, self.depends[places[0]], *counts)
            columns = np.array([names.index(name) for name in free], int)
            part[np.ix_(places, columns)] = 0.0
        return ~(part > UNSTEADY).any(axis=1)


def linear_map(
    start: Evaluation,
    swept: Mapping[str, np.ndarray],
    counts: tuple[int, int, int],
    unsteady: bool,
) -> LinearMap | None:
    """Linearize at many points.

    Parameters
    ----------
    start : Evaluation
        With all values that the points share; it is not started.
    swept : mapping of str to ndarray, shape (n,)
        Values of states, inputs and parameters by name.
    counts : tuple of int
        Numbers of degrees of freedom, generalized speeds and kinematic coordinates.
    unsteady : bool
        Whether motions may change.

    Returns
    -------
    LinearMap or None
        None where nothing is compiled, slips may be held, or items or inputs at which states start
        are swept.
    """
    q = start.equations
    followed = {record.start_input for record in q.states}
    items = {record.name for record in q.parameters if type_of(record) != "real"}
    special = q.held or not swept or not (followed | items).isdisjoint(swept)
    if start.compiled is None or special:
        return None
    rows, allowed = rows_of(start, swept)
    beside = _beside(q, rows) if q.spins else None
    made, done = start.compiled.map(rows, beside)
    nd, speeds, nk = counts
    found = LinearMap(
        equations=q,
        done=done & allowed & np.isfinite(made.output).all(axis=(1, 2)),
        degrees_of_freedom=nd,
        generalized_speeds=speeds,
        kinematic_coordinates=nk,
        M=made.mass,
        reduced=-made.mass @ made.rate[:, :nd],
        rate=made.rate,
        output=made.output,
        rates=made.rates,
        depends=made.depends,
    )
    if beside is not None:
        found = _on_steady_axes(found, rows[:, : len(q.states)], beside)
    return found if unsteady else replace(found, done=found.done & found.steady())


def _beside(equations: Equations, rows: np.ndarray) -> Beside:
    """Return where the rate of the matrix in small turns is differenced."""
    speeds = rows[:, [i for spin in equations.spins for i in spin.speeds]]
    span = turning.STEP / np.abs(speeds).max(axis=1, initial=1.0)
    return Beside(span, np.array(turning.SHARES), turning.RESTING)


def _on_steady_axes(found: LinearMap, states: np.ndarray, beside: Beside) -> LinearMap:
    """Add matrices in small turns of free rotations, where there are axes that keep them."""
    q, ns = found.equations, states.shape[1]
    spins = q.spins
    about = turning.turned(spins, states, found.rates, found.state_matrix, found.depends)
    matrix, done = about.matrix.copy(), found.done.copy()
    for places in _alike(matrix != 0, np.flatnonzero(done & beside.turns)):
        there, rows = beside.found, beside.found.rate[places, ..., :ns]
        near = turning.turned(
            spins, beside.state[places], there.rates[places], rows, there.depends[places]
        )
        change = turning.rate_of_matrix(near.matrix, beside.span[places])
        here = turning.Turned(about.matrix[places], about.size[places], about.basis[places])
        steady, known = turning.steady_axes(spins, here, change, states[places])
        matrix[places], done[places] = steady.matrix, known
    return replace(found, steady_matrix=matrix, done=done)


def _alike(patterns: np.ndarray, places: np.ndarray) -> list[np.ndarray]:
    """Return places in groups of equal patterns, (n, ns, ns)."""
    if not places.size:
        return []
    packed = np.packbits(patterns[places].reshape(len(places), -1), axis=1)
    _, group = np.unique(packed, axis=0, return_inverse=True)
    group = group.ravel()
    return [places[group == k] for k in range(int(group.max()) + 1)]
