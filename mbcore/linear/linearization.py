"""A linearization: its matrices, eigenvalues, modes and zeros, transfer functions and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing.projection.camera import View
from mbcore.equations.equations import Equations
from mbcore.host.backend import Evaluator
from mbcore.linear.matrices import Matrices
from mbcore.linear.spectrum import Spectrum
from mbcore.linear.terms.contributions import Contributions, contributions_at
from mbcore.linear.transfer.functions import TransferFunctions
from mbcore.linear.turning import Turned
from mbcore.linear.varied_motion import Place
from mbcore.model import summary, wording
from mbcore.model.errors import ConfigurationError, ModelError
from mbcore.model.taken import taken
from mbcore.results.mode import Mode
from mbcore.results.mode_motion import LARGE, ModeMotion, chosen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNSTEADY = 1e-6
"""Rate, relative to its natural size, above which a motion is not steady."""
MOST_STATES = 200
"""States above which a description leaves out the eigenvalues, which take long to compute."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Linearization(Matrices, summary.Summarized):
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
    f_d : ndarray, shape (nd,)
        Forces that must be added to keep the nominal motion; zero for a motion by itself.
    change : ndarray, shape (ns, ns), or None
        Where free rotations turn: rate of the state matrix in small turns, along the motion.
    held_slips : ndarray, shape (nh, ns), or None
        Change of the slips that are held there, and of the rates of closed contacts' gaps. Changes
        of their forces are in the state matrix, but not in M, C and K, which are those of the
        system without these constraints.
    closed_gaps : ndarray, shape (nc, ns), or None
        Change of the gaps of contacts that are closed there.
    backend : {"python", "c"}
        Backend that calculated the matrices.
    place : Place, or None
        Arguments of the equations' functions there.
    """

    name: str
    equations: Equations
    time: float
    state: np.ndarray
    parameters: np.ndarray
    inputs: np.ndarray
    f_d: np.ndarray
    change: np.ndarray | None = None
    held_slips: np.ndarray | None = None
    closed_gaps: np.ndarray | None = None
    backend: Evaluator = "python"
    place: Place | None = None

    def _title(self) -> str:
        return f"linearization of {self.name}"

    def _facts(self) -> list[str]:
        equations = self.equations
        modes = self._modes_or_reason()
        if isinstance(modes, str):
            spectrum = modes
        else:
            values = wording.eigenvalues(mode.eigenvalue for mode in modes)
            spectrum = f"eigenvalues {values or 'none'} 1/s"
        return [
            f"t = {self.time:g} s",
            f"{wording.count(self.degrees_of_freedom, 'degree of freedom')}, "
            f"{wording.count(self.kinematic_coordinates, 'kinematic coordinate')}, "
            f"{wording.count(len(equations.states), 'state')}, "
            f"{wording.count(len(equations.inputs), 'input')}, "
            f"{wording.count(len(equations.outputs), 'output')}",
            spectrum,
        ]

    def _tables(self) -> list[summary.Table]:
        modes, equations = self._modes_or_reason(), self.equations
        rows = [
            (m.eigenvalue, m.frequency, m.damping_ratio, m.largest[0])
            for m in (() if isinstance(modes, str) else modes)
            if m.eigenvalue.imag >= 0
        ]
        head = ("eigenvalue / (1/s)", "frequency / (rad/s)", "damping ratio", "largest in")
        at = (
            zip(equations.states, self.state, strict=True),
            zip(equations.inputs, self.inputs, strict=True),
        )
        states, inputs = ([(r.name, r.unit, float(value)) for r, value in of] for of in at)
        return [
            summary.Table("eigenvalues", head, rows),
            summary.Table("states", ("name", "unit", "value"), states),
            summary.Table("inputs", ("name", "unit", "value"), inputs),
            *summary.variable_tables(("outputs", equations.outputs, None)),
        ]

    def _modes_or_reason(self) -> list[Mode] | str:
        """Return the modes, or why they are not listed."""
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
    def _spectrum(self) -> Spectrum:
        return Spectrum(
            self.equations, self, self.state, self.change, self.held_slips, self.closed_gaps
        )

    eigenvalues = taken("_spectrum", Spectrum.eigenvalues)
    modes = taken("_spectrum", Spectrum.modes)
    expected_zeros = taken("_spectrum", Spectrum.expected_zeros)

    @property
    def turned(self) -> Turned:
        """The state matrix in small turns of free rotations in place of their Euler parameters."""
        return self._spectrum.turned

    @property
    def structural_zeros(self) -> dict[str, str]:
        """States behind eigenvalues that are zero by structure, one each, with the reason.

        ``expected_zeros`` names the coordinates that can be chosen freely; here a cyclic degree of
        freedom stands for a double zero with its rate, if the rate is free as well.
        """
        return self._spectrum.structural_zeros()

    def changing(self) -> str | None:
        """Return the state that changes although the motion should be steady, and its rate.

        None if there is none: accelerations vanish, and so do the rates of all states on which
        something else depends. Free rotations may turn: ``eigenvalues`` tells whether steadily.
        A rate is compared with the nominal value of its state, and with the rates that nominal
        changes of the states would cause.
        """
        nominal = np.array([state.nominal for state in self.equations.states])
        size = nominal + np.abs(np.nan_to_num(self.state_matrix)) @ nominal
        part = np.abs(self.rates) / size
        if not part.max(initial=0.0) > UNSTEADY:
            return None
        free = [self.state_names.index(name) for name in self.expected_zeros()]
        for spin in self.equations.spins:  # eigenvalues are sought on axes that turn with them
            free += [*spin.parameters, *spin.speeds]
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

    def contributions(self) -> Contributions:
        """Return the terms that M̄, C̄ and K̄ are sums of, [Schwab2002] (A.114) to (A.116).

        Stiffness of springs, geometric stiffness, convective terms and others, each by itself, by
        degree of freedom, with the part of each in an eigenvalue.

        Returns
        -------
        Contributions

        Raises
        ------
        ModelError
            If laws depend on constraint forces: their change is in one piece.
        """
        if self.place is None:
            raise ModelError(f"{self.name}: contributions: linearize() gives the point they need")
        M, C, K = contributions_at(self.equations, self.place)
        names, end = self.state_names, self._after_values + self.kinematic_coordinates
        unclear = None
        if self.change is not None:
            unclear = "free rotations turn there, with eigenvalues on axes that turn with them"
        if self.held_slips is not None and len(self.held_slips):
            unclear = (
                "slips are held or contacts closed there, and no term of M, C and K has the "
                "changes of their forces"
            )
        return Contributions(
            name=self.name,
            M=M,
            C=C,
            K=K,
            rates=names[: self.degrees_of_freedom],
            values=names[self.degrees_of_freedom : end],
            auxiliary=self.reduced[:, end : len(self.state)],
            state_matrix=self.state_matrix,
            nominal=np.array([state.nominal for state in self.equations.states]),
            unclear=unclear,
        )

    # Transfer functions

    @cached_property
    def _transfer(self) -> TransferFunctions:
        return TransferFunctions(
            self.name,
            self.equations,
            self.state_matrix,
            self.input_matrix,
            self.output_matrix,
            self.feedthrough,
        )

    to_control = taken("_transfer", TransferFunctions.to_control)
    bode = taken("_transfer", TransferFunctions.bode)
    step_response = taken("_transfer", TransferFunctions.step_response)

    def poles(self, input: str | None = None, output: str | None = None) -> Figure:
        """Draw the eigenvalues, and the zeros between an input and an output if both are given.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If only one of both is given, a name is unknown, or ``control`` is not installed, which
            zeros need.
        """
        return self._transfer.poles(self.eigenvalues(zeros=True), input, output)

    # Pictures of modes

    def draw(
        self,
        mode: Mode | int = 0,
        *,
        amplitude: float = LARGE,
        view: View = None,
        axes: bool = True,
        names: bool = False,
    ) -> Figure:
        """Draw a mode at its largest displacement, with the nominal configuration in pale colours.

        Parameters
        ----------
        mode : Mode or int
            One of ``modes()``, or its number from 0 on.
        amplitude : float
            Largest displacement in parts of the scene's size.
        view, axes, names
            As in ``Model.draw``.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If there is no such mode, nothing that is seen moves in it, or the model has no shapes.
        """
        return self._moving(mode, amplitude).draw(view=view, axes=axes, names=names)

    def animate(
        self,
        mode: Mode | int,
        target: str | Path,
        *,
        amplitude: float = LARGE,
        fps: float = 25.0,
        view: View = None,
        axes: bool = True,
        progress: bool = True,
    ) -> Path:
        """Write one period of a mode as an endless film, and return its file.

        It moves about the point at which the equations are linearized, without growth or decay;
        kinematic coordinates follow. The mode of a real eigenvalue moves back and forth.

        Parameters
        ----------
        mode : Mode or int
            One of ``modes()``, or its number from 0 on.
        target : str or Path
            A name that ends with ``.gif``, ``.mp4`` or ``.html``.
        amplitude : float
            Largest displacement in parts of the scene's size.
        fps : float
            Frames per second, of three seconds.
        view, axes, progress
            As in ``Result.animate``.

        Raises
        ------
        ModelError
            As `draw`, or if the file cannot be written.
        """
        moving = self._moving(mode, amplitude)
        return moving.animate(target, fps=fps, view=view, axes=axes, progress=progress)

    def _moving(self, mode: Mode | int, amplitude: float) -> ModeMotion:
        taken = chosen(self.modes(), mode, self.name)
        point = (self.state, self.parameters, self.inputs)
        return ModeMotion(self.equations, self.time, point, taken, amplitude)
