"""What a linearization holds, and what is asked of it: eigenvalues, modes, zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError


@dataclass(frozen=True)
class Mode:
    """One mode of vibration.

    Attributes
    ----------
    eigenvalue : complex
        1/s.
    shape : mapping of str to complex
        Amplitude of each state.
    """

    eigenvalue: complex
    shape: dict[str, complex]

    @property
    def frequency(self) -> float:
        """Angular frequency of the damped motion, rad/s."""
        return abs(self.eigenvalue.imag)

    @property
    def damping_ratio(self) -> float:
        """-Re λ / |λ|; NaN for a zero eigenvalue."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size else float("nan")

    def ratio(self, of: str, to: str) -> complex:
        """Return amplitude ratio and phase of two states as a complex number, like (33)."""
        for name in (of, to):
            if name not in self.shape:
                raise ModelError(f"no state {name!r}; there is {', '.join(self.shape)}")
        return self.shape[of] / self.shape[to]


@dataclass(frozen=True)
class Linearization:
    """M̄ Δq̈ + C̄ Δq̇^d + K̄^d Δq^d + K̄^k Δq^k = ..., Δq̇^k = A Δq̇^d + B^d Δq^d + B^k Δq^k.

    [Schwab2002] (2.43), with nd degrees of freedom and nk kinematic coordinates, and the complete
    state-space model Δṡ = state_matrix Δs + input_matrix Δu, Δy = output_matrix Δs + feedthrough Δu
    over all states (rates, values, kinematic coordinates, auxiliary states) in the order of
    ``equations.states``. An input and its rate are two inputs here.

    Attributes
    ----------
    generalized_speeds : int
        Number of the last degrees of freedom that are slips, which have no value: K_d and B_d have
        so many columns less than nd.
    M, C, K_d, K_k : ndarray, shapes (nd, nd), (nd, nd), (nd, nd), (nd, nk)
    A, B_d, B_k : ndarray, shapes (nk, nd), (nk, nd), (nk, nk)
    f_d : ndarray, shape (nd,)
        Forces that must be added to keep the nominal motion; zero for a motion by itself.
    """

    name: str
    equations: Equations
    time: float
    state: np.ndarray
    parameters: np.ndarray
    inputs: np.ndarray
    degrees_of_freedom: int
    kinematic_coordinates: int
    M: np.ndarray
    C: np.ndarray
    K_d: np.ndarray
    K_k: np.ndarray
    A: np.ndarray
    B_d: np.ndarray
    B_k: np.ndarray
    f_d: np.ndarray
    state_matrix: np.ndarray
    input_matrix: np.ndarray
    output_matrix: np.ndarray
    feedthrough: np.ndarray
    generalized_speeds: int = 0

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order."""
        return tuple(s.name for s in self.equations.states)

    def eigenvalues(self) -> np.ndarray:
        """Return all eigenvalues, shape (ns,), sorted by real part, largest first."""
        values = np.linalg.eigvals(self.state_matrix).astype(complex)
        return values[np.lexsort((values.imag, -np.round(values.real, 12)))]

    def modes(self) -> list[Mode]:
        """Return all modes in the order of ``eigenvalues``, of largest amplitude one."""
        values, vectors = np.linalg.eig(self.state_matrix)
        order = np.lexsort((values.imag, -np.round(values.real, 12)))
        made = []
        for i in order:
            shape = vectors[:, i] / vectors[np.argmax(np.abs(vectors[:, i])), i]
            made.append(Mode(complex(values[i]), dict(zip(self.state_names, shape, strict=True))))
        return made

    def expected_zeros(self) -> dict[str, str]:
        """Return the states behind eigenvalues that must be zero, each with the reason.

        A coordinate on which nothing depends but other such coordinates can be chosen freely: a
        degree of freedom that is cyclic gives a zero, and another one where its rate may be chosen
        freely too; a kinematic coordinate or an auxiliary state gives one. At rest (B = 0) there
        are as many as kinematic coordinates.
        """
        found: dict[str, str] = {}
        nd, nk, S = self.degrees_of_freedom, self.kinematic_coordinates, self.state_matrix
        end = 2 * nd - self.generalized_speeds  # of the degrees of freedom's values
        depends = np.abs(S) > 1e-12 * max(1.0, float(np.abs(S).max(initial=0.0)))
        at_rest = not depends[end : end + nk, nd:].any()
        names, kinematic = self.state_names, range(end, end + nk)
        left = list(range(nd, len(names)))
        while free := [i for i in left if not depends[:, i].any()]:
            depends[free] = False  # what those feel makes no difference to the others
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

    def to_control(self) -> Any:
        """Return a ``control.StateSpace`` with the names of states, inputs and outputs.

        Raises
        ------
        ModelError
            If the package ``control`` is not installed.
        """
        try:
            import control
        except ImportError as missing:
            raise ModelError("to_control needs the package control: pip install control") from (
                missing
            )
        q = self.equations
        return control.ss(
            self.state_matrix,
            self.input_matrix,
            self.output_matrix,
            self.feedthrough,
            states=[s.name.replace(".", "_") for s in q.states],
            inputs=[i.name.replace(".", "_") for i in q.inputs],
            outputs=[o.name.replace(".", "_") for o in q.outputs],
            name=self.name,
        )
