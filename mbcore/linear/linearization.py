"""What a linearization holds, and what is asked of it: eigenvalues, modes, zeros."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.reduced_mass import refuse_singular
from mbcore.linear.expected_zeros import expected_zeros
from mbcore.linear.slip_states import SlipStates, with_slips
from mbcore.linear.structural_zeros import Deflation
from mbcore.linear.transfer import TransferFunctions
from mbcore.linear.turning import Turned, on_steady_axes, reasons_of, turned
from mbcore.model import shown
from mbcore.model.errors import ConfigurationError, ModelError
from mbcore.results.drawn_modes import DrawnModes
from mbcore.results.mode import Mode

UNSTEADY = 1e-6
"""Rate, in parts of its natural size, above which a motion is not steady."""
MOST_STATES = 200
"""States above which a description does not tell eigenvalues, for they take their time."""


@dataclass(frozen=True, repr=False)
class Linearization(TransferFunctions, DrawnModes, shown.Shown):
    """M̄ Δq̈ + C̄ Δq̇^d + K̄^d Δq^d + K̄^k Δq^k = ..., Δq̇^k = A Δq̇^d + B^d Δq^d + B^k Δq^k.

    [Schwab2002] (2.43), with nd degrees of freedom and nk kinematic coordinates, and the complete
    state-space model Δṡ = state_matrix Δs + input_matrix Δu, Δy = output_matrix Δs + feedthrough Δu
    over all states (rates, values, kinematic coordinates, auxiliary states) in the order of
    ``equations.states``. An input and its rate are two inputs here.

    Attributes
    ----------
    name, equations : str, Equations
        Of the model.
    time, state, parameters, inputs : float, ndarray, ndarray, ndarray
        Where it is linearized: s, and values in the order of the equations' records.
    degrees_of_freedom, kinematic_coordinates : int
        nd and nk.
    generalized_speeds : int
        Number of the last degrees of freedom that are slips, which have no value: K_d and B_d have
        so many columns less than nd.
    M, C, K_d, K_k : ndarray, shapes (nd, nd), (nd, nd), (nd, nd), (nd, nk)
    A, B_d, B_k : ndarray, shapes (nk, nd), (nk, nd), (nk, nk)
    f_d : ndarray, shape (nd,)
        Forces that must be added to keep the nominal motion; zero for a motion by itself.
    rates : ndarray, shape (ns,)
        Time derivatives of the states there.
    depends : ndarray of bool, shape (ns, ns)
        Which entries of the state matrix are more than what rounding leaves of sums that vanish.
    change : ndarray, shape (ns, ns), or None
        Where free rotations turn: rate of the state matrix in small turns, along the motion.
    held_slips : ndarray, shape (nh, ns), or None
        Change of the slips that are held there. Their forces are in the state matrix, but not in
        M, C and K, which are those of the system without them.
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
    rates: np.ndarray
    depends: np.ndarray
    generalized_speeds: int = 0
    change: np.ndarray | None = None
    held_slips: np.ndarray | None = None

    def _title(self) -> str:
        return f"linearization of {self.name}"

    def _facts(self) -> list[str]:
        q = self.equations
        modes = self._modes_told()
        told = modes if isinstance(modes, str) else shown.eigenvalues(m.eigenvalue for m in modes)
        return [
            f"t = {self.time:g} s",
            f"{shown.count(self.degrees_of_freedom, 'degree of freedom')}, "
            f"{shown.count(self.kinematic_coordinates, 'kinematic coordinate')}, "
            f"{shown.count(len(q.states), 'state')}, {shown.count(len(q.inputs), 'input')}, "
            f"{shown.count(len(q.outputs), 'output')}",
            told if isinstance(modes, str) else f"eigenvalues {told or 'none'} 1/s",
        ]

    def _tables(self) -> list[shown.Table]:
        modes, q = self._modes_told(), self.equations
        rows = [
            (m.eigenvalue, m.frequency, m.damping_ratio, m.largest[0])
            for m in (() if isinstance(modes, str) else modes)
            if m.eigenvalue.imag >= 0
        ]
        head = ("eigenvalue / (1/s)", "frequency / (rad/s)", "damping ratio", "largest in")
        at = zip(q.states, self.state, strict=True), zip(q.inputs, self.inputs, strict=True)
        states, inputs = ([(r.name, r.unit, float(value)) for r, value in of] for of in at)
        return [
            shown.Table("eigenvalues", head, rows),
            shown.Table("states", ("name", "unit", "value"), states),
            shown.Table("inputs", ("name", "unit", "value"), inputs),
            *shown.records(("outputs", q.outputs, None)),
        ]

    def _modes_told(self) -> list[Mode] | str:
        """Return the modes, or why they are not told."""
        if len(self.state) > MOST_STATES:
            return f"eigenvalues of more than {MOST_STATES} states are not shown"
        try:
            return self.modes()
        except (ModelError, ConfigurationError, np.linalg.LinAlgError):
            return "no eigenvalues: see eigenvalues()"

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order."""
        return tuple(s.name for s in self.equations.states)

    @cached_property
    def turned(self) -> Turned:
        """The state matrix in small turns of free rotations in place of their Euler parameters."""
        return turned(self.equations.spins, self.state, self.rates, self.state_matrix, self.depends)

    @cached_property
    def _steady(self) -> Turned:
        if self.change is None:
            return self.turned
        spins = self.equations.spins
        return on_steady_axes(spins, self.turned, self.change, self.state, self.name)

    @cached_property
    def _deflation(self) -> Deflation:
        refuse_singular(self.M, self.equations)
        values = self.degrees_of_freedom - self.generalized_speeds
        matrix = self._held.matrix
        return Deflation(matrix, matrix != 0, self.degrees_of_freedom, values)

    @cached_property
    def _held(self) -> SlipStates:
        """The matrix with held slips in the place of rates: they stay, whatever the others do."""
        steady, nd = self._steady, self.degrees_of_freedom
        none = np.zeros((0, len(self.state)))
        rows = none if self.held_slips is None else self.held_slips @ steady.basis
        return with_slips(steady.matrix, rows, nd)

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
            with which the others rest, or that no other one feels.

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
            Mode(complex(value), dict(zip(self.state_names, self._of_states(shape), strict=True)))
            for value, shape in made
        ]

    @property
    def structural_zeros(self) -> dict[str, str]:
        """States behind eigenvalues that are zero by structure, one each, with the reason.

        ``expected_zeros`` names the coordinates that can be chosen freely; here a degree of freedom
        that is cyclic stands for a double zero with its rate, if that may be chosen freely too.
        """
        found, names = self._deflation, self.state_names
        expected = self.expected_zeros()
        reasons = {names[i]: "a held slip, in place of this rate, stays" for i in self._held.places}
        turns = {i: text for spin in self.equations.spins for i, text in reasons_of(spin).items()}
        for i in found.zeros:
            if found.is_left_out(i):
                reason = "nothing but other such states depends on it"
            else:
                reason = "its difference from a combination of other states stays"
            reasons.setdefault(names[i], turns.get(i) or expected.get(names[i], reason))
        return reasons

    def expected_zeros(self) -> dict[str, str]:
        """Return the states behind eigenvalues that must be zero, each with the reason.

        A coordinate on which nothing depends but other such coordinates can be chosen freely: a
        degree of freedom that is cyclic gives a zero, and another one where its rate may be chosen
        freely too; a kinematic coordinate or an auxiliary state gives one. At rest (B = 0) there
        are as many as kinematic coordinates.
        """
        counts = self.degrees_of_freedom, self.generalized_speeds, self.kinematic_coordinates
        return expected_zeros(self.state_names, self.depends, *counts)

    def changing(self) -> str | None:
        """Return which state changes that should not in a steady motion, and how fast.

        None if there is none: accelerations vanish, and so do the rates of all states on which
        something else depends. Free rotations may turn: ``eigenvalues`` tells whether steadily.
        What counts is the change in parts of a nominal value and of what nominal changes of the
        states would bring about.
        """
        nominal = np.array([state.nominal for state in self.equations.states])
        size = nominal + np.abs(np.nan_to_num(self.state_matrix)) @ nominal
        free = [self.state_names.index(name) for name in self.expected_zeros()]
        for spin in self.equations.spins:  # eigenvalues are sought on axes that turn with them
            free += [*spin.parameters, *spin.speeds]
        part = np.abs(self.rates) / size
        part[free] = 0.0
        nd = self.degrees_of_freedom
        names, accelerations = self.state_names, part[:nd]
        if np.max(accelerations, initial=0.0) > UNSTEADY:
            worst = int(np.argmax(accelerations))
            return f"the acceleration d({names[worst]})/dt is {self.rates[worst]:.6g}"
        if np.max(part, initial=0.0) > UNSTEADY:
            worst = int(np.argmax(part))
            return f"{names[worst]} changes by {self.rates[worst]:.6g} per second"
        return None


def _order(values: np.ndarray) -> np.ndarray:
    """Return the places of eigenvalues, sorted by real part, largest first."""
    return np.lexsort((values.imag, -np.round(values.real, 12)))


def _scaled(shape: np.ndarray) -> np.ndarray:
    return shape / shape[np.argmax(np.abs(shape))]
