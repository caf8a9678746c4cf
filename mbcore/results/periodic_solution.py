"""A periodic solution: every state and output over one period by name, and its stability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing.projection.camera import View
from mbcore.host.backend import Evaluator, evaluator
from mbcore.model import near_names, summary, wording
from mbcore.model.errors import ModelError
from mbcore.model.taken import taken
from mbcore.model.variables import Value
from mbcore.results.drawn import Moving
from mbcore.results.fourier_signal import Signal
from mbcore.results.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ON_CIRCLE = 1e-8
"""Excess of a multiplier over one that errors of the integration may cause."""


@dataclass(frozen=True, repr=False)
class PeriodicSolution(summary.Summarized):
    """States and outputs over one period.

    Attributes
    ----------
    name : str
        Name of the model.
    period : float
        s.
    start : mapping of str to float
        All states at t = 0.
    signals : mapping of str to Signal
        All states and outputs over the period.
    parameters, inputs : mapping of str to float
        Values for which it was found.
    multipliers : ndarray of complex, shape (ns,) or (ns + nm,), or None
        Floquet multipliers, the eigenvalues of the monodromy matrix, largest first; None where
        stability was not asked for. Numbers that are remembered are states, too.
    neutral : int
        Number of multipliers that are one by structure: those of the phase of an autonomous
        system and of ignorable coordinates.
    residual : float
        Largest difference of a state after one period, in parts of its nominal value.
    iterations : int
        Newton steps it took.
    motion : Motion or None
        Configurations over the period, for pictures; those of linear equations have none.
    remembered : mapping of str to float
        The nm numbers that events set and motion depends on, at t = 0.
    backend : {"python", "c"}
        Backend that evaluated the equations.
    """

    name: str
    period: float
    start: Mapping[str, float]
    signals: Mapping[str, Signal]
    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    multipliers: np.ndarray | None = None
    neutral: int = 0
    residual: float = 0.0
    iterations: int = 0
    motion: Motion | None = field(default=None, compare=False)
    remembered: Mapping[str, float] = field(default_factory=dict)
    backend: Evaluator = field(default_factory=evaluator, compare=False)

    def __getitem__(self, name: str) -> Signal:
        if name not in self.signals:
            unknown = near_names.unknown("state or output", name, self.signals)
            raise ModelError(f"{self.name}: {unknown}")
        return self.signals[name]

    def _title(self) -> str:
        return f"periodic solution of {self.name}"

    def _facts(self) -> list[str]:
        stability = "" if self.multipliers is None else f", {'' if self.stable else 'un'}stable"
        return [f"period {self.period:g} s{stability}", wording.listed(self.signals)]

    def _tables(self) -> list[summary.Table]:
        signals = [
            (name, signal.unit, float(signal(0.0)), signal.amplitude())
            for name, signal in [*self.signals.items()][: summary.MOST_ROWS]
        ]
        found = () if self.multipliers is None else self.multipliers
        return [
            summary.Table(
                "states and outputs", ("name", "unit", "at t = 0", "half range"), signals
            ),
            summary.Table("multipliers", ("value", "size"), [(m, abs(m)) for m in found]),
        ]

    def amplitude(self, name: str) -> float:
        """Return the half range of a state or output by ``name``, in its unit."""
        return self[name].amplitude()

    def harmonics(self, name: str) -> np.ndarray:
        """Return the complex Fourier coefficients of a state or output by ``name``, from 0 on."""
        return self[name].harmonics()

    @property
    def exponents(self) -> np.ndarray:
        """Characteristic exponents log(multiplier)/T, 1/s, complex; -inf for a zero multiplier."""
        found = self._known_multipliers().astype(complex)
        with np.errstate(divide="ignore"):
            growth = np.log(np.abs(found)) / self.period
        return growth + 1j * np.angle(found) / self.period

    @property
    def stable(self) -> bool:
        """Whether no multipliers but the neutral ones are outside of the unit circle.

        Multipliers of undamped systems lie on it but for rounding; they count as inside.
        """
        found = self._known_multipliers()
        nearest = np.argsort(np.abs(found - 1))[: self.neutral]
        return bool(np.all(np.abs(np.delete(found, nearest)) <= 1 + ON_CIRCLE))

    def draw(
        self,
        time: Value = 0.0,
        *,
        view: View = None,
        axes: bool = True,
        names: bool = False,
        trail: bool = True,
    ) -> Figure:
        """Draw the system at a time within the period.

        Parameters
        ----------
        time : float or str
            From 0 to ``period``, s.
        view, axes, names, trail
            As in ``Result.draw``.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If the time is outside, the model has no shapes, or there are no configurations: a
            solution of linear equations has none.
        """
        return self._moving.draw(time, view=view, axes=axes, names=names, trail=trail)

    play = taken("_moving", Moving.play)
    animate = taken("_moving", Moving.animate)

    @property
    def _moving(self) -> Moving:
        remedy = "find it with the full equations: periodic_solution(equations, period, guess=this)"
        return Moving(self.name, self.motion, remedy, comes_back=True)

    def _known_multipliers(self) -> np.ndarray:
        if self.multipliers is None:
            raise ModelError(
                f"{self.name}: the stability of this periodic solution was not asked for; "
                "use nominal.exponents() or periodic_solution(...)"
            )
        return self.multipliers
