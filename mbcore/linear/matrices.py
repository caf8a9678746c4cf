"""Matrices of linearized equations at one point or at many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True, repr=False)
class Matrices:
    """The calculated derivatives, and the matrices of [Schwab2002] (2.43) in them.

    There are nd degrees of freedom, of which nv have values, and nk kinematic coordinates; in the
    matrices of many points these are the first dimension. Columns are of the ns states in order
    (rates, values, kinematic coordinates, auxiliary states), then of the nu inputs.

    Attributes
    ----------
    degrees_of_freedom, kinematic_coordinates : int
        nd and nk.
    generalized_speeds : int
        Number of the last degrees of freedom that are slips, which have no value: nd - nv.
    M : ndarray, shape (nd, nd)
        Reduced mass matrix.
    reduced : ndarray, shape (nd, ns + nu)
        Reduced forces that the accelerations balance.
    rate, output : ndarray, shapes (ns, ns + nu), (ny, ns + nu)
        Changes of the states' rates and of the outputs.
    rates : ndarray, shape (ns,)
        Time derivatives of the states.
    depends : ndarray of bool, shape (ns, ns)
        Which entries of the state matrix are more than what rounding leaves of sums that vanish.
    """

    degrees_of_freedom: int
    kinematic_coordinates: int
    generalized_speeds: int
    M: np.ndarray
    reduced: np.ndarray
    rate: np.ndarray
    output: np.ndarray
    rates: np.ndarray
    depends: np.ndarray

    @property
    def _after_values(self) -> int:
        return 2 * self.degrees_of_freedom - self.generalized_speeds

    @property
    def _of_rates(self) -> slice:
        return slice(self.degrees_of_freedom)

    @property
    def _of_values(self) -> slice:
        return slice(self.degrees_of_freedom, self._after_values)

    @property
    def _of_kinematic(self) -> slice:
        return slice(self._after_values, self._after_values + self.kinematic_coordinates)

    @property
    def kinematic(self) -> np.ndarray:
        """Changes of the rates of kinematic coordinates, shape (nk, ns + nu)."""
        return self.rate[..., self._of_kinematic, :]

    @property
    def C(self) -> np.ndarray:
        """Velocity matrix, shape (nd, nd), [Schwab2002] (A.115)."""
        return self.reduced[..., self._of_rates]

    @property
    def K_d(self) -> np.ndarray:
        """Stiffness matrix of the degrees of freedom, shape (nd, nv), [Schwab2002] (A.116)."""
        return self.reduced[..., self._of_values]

    @property
    def K_k(self) -> np.ndarray:
        """Stiffness matrix of the kinematic coordinates, shape (nd, nk)."""
        return self.reduced[..., self._of_kinematic]

    @property
    def A(self) -> np.ndarray:
        """Rates of kinematic coordinates by those of degrees of freedom, shape (nk, nd).

        [Schwab2002] (A.117), as the next two.
        """
        return self.kinematic[..., self._of_rates]

    @property
    def B_d(self) -> np.ndarray:
        """Rates of kinematic coordinates by degrees of freedom, shape (nk, nv)."""
        return self.kinematic[..., self._of_values]

    @property
    def B_k(self) -> np.ndarray:
        """Rates of kinematic coordinates by these, shape (nk, nk), [Schwab2002] (A.118)."""
        return self.kinematic[..., self._of_kinematic]

    @property
    def state_matrix(self) -> np.ndarray:
        """Change of the states' rates with the states, shape (ns, ns)."""
        return self.rate[..., : self.rates.shape[-1]]

    @property
    def input_matrix(self) -> np.ndarray:
        """Change of the states' rates with the inputs, shape (ns, nu)."""
        return self.rate[..., self.rates.shape[-1] :]

    @property
    def output_matrix(self) -> np.ndarray:
        """Change of the outputs with the states, shape (ny, ns)."""
        return self.output[..., : self.rates.shape[-1]]

    @property
    def feedthrough(self) -> np.ndarray:
        """Change of the outputs with the inputs, shape (ny, nu)."""
        return self.output[..., self.rates.shape[-1] :]
