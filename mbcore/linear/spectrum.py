"""Eigenvalues, modes and zeros of a state matrix, with what free rotations and held slips do to it.

Used by `mbcore.linear.linearization` alone; it stands apart because it is about one matrix.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.reduced_mass import refuse_singular
from mbcore.linear.matrices import Matrices
from mbcore.linear.slips.states import SlipStates, with_slips
from mbcore.linear.structural_zeros import Deflation, expected_zeros
from mbcore.linear.turning import Turned, on_steady_axes, reasons_of, turned
from mbcore.results.mode import Mode


class Spectrum:
    """Eigenvalues, modes and zeros of linearized equations.

    Parameters
    ----------
    equations : Equations
        What is linearized.
    matrices : Matrices
        The linearized equations.
    state : ndarray, shape (ns,)
        Where they are linearized.
    change, held_slips, closed_gaps : ndarray or None
        As those of `mbcore.Linearization`.
    """

    def __init__(
        self,
        equations: Equations,
        matrices: Matrices,
        state: np.ndarray,
        change: np.ndarray | None,
        held_slips: np.ndarray | None,
        closed_gaps: np.ndarray | None,
    ) -> None:
        self._equations, self._matrices, self._state = equations, matrices, state
        self._change, self._held_slips, self._closed_gaps = change, held_slips, closed_gaps
        self._names = tuple(s.name for s in equations.states)

    @cached_property
    def turned(self) -> Turned:
        """The state matrix in small turns of free rotations in place of their Euler parameters."""
        found = self._matrices
        spins = self._equations.spins
        return turned(spins, self._state, found.rates, found.state_matrix, found.depends)

    @cached_property
    def _steady(self) -> Turned:
        if self._change is None:
            return self.turned
        spins = self._equations.spins
        return on_steady_axes(spins, self.turned, self._change, self._state, self._equations.name)

    @cached_property
    def _deflation(self) -> Deflation:
        refuse_singular(self._matrices.M, self._equations)
        nd, matrix = self._matrices.degrees_of_freedom, self._held.matrix
        return Deflation(matrix, matrix != 0, nd, nd - self._matrices.generalized_speeds)

    @cached_property
    def _held(self) -> SlipStates:
        """The matrix with held slips and closed gaps as states: they stay, whatever others do."""
        steady, nd = self._steady, self._matrices.degrees_of_freedom
        none = np.zeros((0, len(self._state)))
        rows, gaps = (
            none if held is None else held @ steady.basis
            for held in (self._held_slips, self._closed_gaps)
        )
        return with_slips(steady.matrix, rows, gaps, nd)

    def _of_states(self, shape: np.ndarray) -> np.ndarray:
        return _scaled(self._steady.basis @ (self._held.basis @ shape))

    def eigenvalues(self, *, zeros: bool = False) -> np.ndarray:
        """Return the eigenvalues, sorted by real part, largest first.

        Those that are zero by the structure of the equations are left out, so that the first one
        tells whether the motion is stable; ``structural_zeros`` lists them. Where free rotations
        turn, they are those of small turns about the axes of their speeds, or about axes that turn
        steadily relative to these where only on them the equations do not change with time. Zeros
        that then come from a symmetry, such as that of the heading in a circle, are not known by
        structure and stay, with errors of some 1e-6 where they are defective.

        Parameters
        ----------
        zeros : bool
            Whether to append them, as exact zeros: then the shape is (ns,).

        Returns
        -------
        ndarray of complex, shape (nr,) or (ns,)

        Raises
        ------
        ConfigurationError
            If some motion of the degrees of freedom moves no mass; names them.
        ModelError
            If free rotations turn so that no axes make the equations constant.
        """
        found = self._deflation
        values = np.linalg.eigvals(found.reduced).astype(complex)
        return np.r_[values[_order(values)], np.zeros(len(found.zeros) if zeros else 0)]

    def modes(self, *, zeros: bool = False) -> list[Mode]:
        """Return the modes in the order of ``eigenvalues``, of largest amplitude one.

        Parameters
        ----------
        zeros : bool
            Whether to append one for each of ``structural_zeros``: the displacement of that state
            in which the others rest, or which affects no other one.

        Raises
        ------
        ConfigurationError
            If some motion of the degrees of freedom moves no mass; names them.
        ModelError
            If free rotations turn so that no axes make the equations constant.
        """
        found = self._deflation
        values, vectors = np.linalg.eig(found.reduced)
        made = [(values[i], found.shape(values[i], vectors[:, i])) for i in _order(values)]
        if zeros:
            made += [(0.0, found.still(i)) for i in found.zeros]
        return [
            Mode(complex(value), dict(zip(self._names, self._of_states(shape), strict=True)))
            for value, shape in made
        ]

    def structural_zeros(self) -> dict[str, str]:
        """Return the states behind eigenvalues that are zero by structure, one each, with reasons.

        ``expected_zeros`` names the coordinates that can be chosen freely; here a cyclic degree of
        freedom stands for a double zero with its rate, if the rate is free as well.
        """
        found, names = self._deflation, self._names
        expected = self.expected_zeros()
        held = "a held slip or the rate of a closed gap, in place of this rate, stays"
        reasons = dict.fromkeys((names[i] for i in self._held.places), held)
        closed = "a closed gap, in place of this value, stays"
        reasons |= dict.fromkeys((names[i] for i in self._held.gaps), closed)
        turns = {i: text for spin in self._equations.spins for i, text in reasons_of(spin).items()}
        for i in found.zeros:
            if found.is_left_out(i):
                reason = "nothing but other such states depends on it"
            else:
                reason = "its difference from a combination of other states stays"
            reasons.setdefault(names[i], turns.get(i) or expected.get(names[i], reason))
        return reasons

    def expected_zeros(self) -> dict[str, str]:
        """Return the states behind eigenvalues that must be zero, each with the reason.

        A coordinate that affects only other such coordinates can be chosen freely. A cyclic degree
        of freedom gives one zero, and a second one if its rate is free as well; a kinematic
        coordinate or an auxiliary state gives one. At rest (B = 0) there are as many zeros as
        kinematic coordinates.
        """
        of = self._matrices
        counts = of.degrees_of_freedom, of.generalized_speeds, of.kinematic_coordinates
        return expected_zeros(self._names, of.depends, *counts)


def sorted_eigenvalues(values: np.ndarray) -> np.ndarray:
    """Return eigenvalues, shape (..., n), sorted by real part, largest first."""
    return np.take_along_axis(values, _order(values), axis=-1)


def _order(values: np.ndarray) -> np.ndarray:
    """Return the places of eigenvalues, sorted by real part, largest first."""
    return np.lexsort((values.imag, -np.round(values.real, 12)))


def _scaled(shape: np.ndarray) -> np.ndarray:
    return shape / shape[np.argmax(np.abs(shape))]
