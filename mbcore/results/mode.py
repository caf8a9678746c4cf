"""One mode of a linearization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.model import near_names, summary, wording
from mbcore.model.errors import ModelError


@dataclass(frozen=True, repr=False)
class Mode(summary.Summarized):
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

    @property
    def largest(self) -> list[str]:
        """States that take part, the one of the largest amplitude first."""
        taking_part = [name for name, value in self.shape.items() if abs(value) > 1e-9]
        return sorted(taking_part, key=lambda name: -abs(self.shape[name]))

    def ratio(self, of: str, to: str) -> complex:
        """Return amplitude ratio and phase of two states as a complex number, [Schwab2002] (3.47).

        Raises
        ------
        ModelError
            If ``of`` or ``to`` is not a state.
        """
        for name in (of, to):
            if name not in self.shape:
                raise ModelError(near_names.unknown("state", name, self.shape))
        return self.shape[of] / self.shape[to]

    def _title(self) -> str:
        return "mode"

    def _facts(self) -> list[str]:
        return [
            f"eigenvalue {wording.formatted(self.eigenvalue)} 1/s",
            f"frequency {self.frequency:.4g} rad/s, damping ratio {self.damping_ratio:.4g}",
            f"largest in {wording.listed(self.largest)}",
        ]

    def _tables(self) -> list[summary.Table]:
        rows = [
            (
                name,
                f"{abs(self.shape[name]):.4g}",
                f"{np.degrees(np.angle(self.shape[name])) + 0.0:.4g}",
            )
            for name in self.largest
        ]
        return [summary.Table("shape", ("state", "amplitude", "phase / °"), rows)]
