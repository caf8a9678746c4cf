"""The result of an optimization: values, what holds them, and how they were found.

`mbcore.optimization.optimize` makes it; it stands apart because users read it, and not the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mbcore.model import summary, wording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOUND, MISSED = "#1f5fa8", "#9aa3ad"


@dataclass(frozen=True, repr=False)
class Optimum(summary.Summarized):
    """The result of `optimize`.

    Attributes
    ----------
    name : str
        Of the model.
    values : dict of str to float
        Of the parameters that were varied.
    units : dict of str to str
        Their units.
    objective, first : float
        The objective there and at the start.
    gradient : dict of str to float
        Its derivatives there, which vanish where nothing is active.
    conditions : dict of str to ndarray
        Values that had to be within bounds.
    active : tuple of str
        Bounds and conditions that hold the optimum.
    met : bool
        Whether all conditions are met, to 1e-6 of their size.
    history : DataFrame
        A row for each evaluation: parameters, ``objective``, ``violation``.
    refused : tuple of str
        Why trials failed, after which smaller steps were made.
    message : str
        Why the search has ended.
    interrupted : bool
        Whether Ctrl-C ended it; values are the best until then.
    """

    name: str
    values: dict[str, float]
    units: dict[str, str]
    objective: float
    first: float
    gradient: dict[str, float]
    conditions: dict[str, np.ndarray]
    active: tuple[str, ...]
    met: bool
    history: pd.DataFrame = field(repr=False)
    refused: tuple[str, ...] = field(repr=False)
    message: str
    interrupted: bool
    _bounds: dict[str, tuple[float, float]] = field(repr=False)

    @property
    def evaluations(self) -> int:
        """Evaluations with derivatives, those that failed too."""
        return len(self.history) + len(self.refused)

    def _title(self) -> str:
        return f"optimum of {self.name}"

    def _facts(self) -> list[str]:
        return [
            wording.quantities(self.values, self.units),
            f"objective {self.first:.6g} -> {self.objective:.6g}",
            f"active: {wording.listed(self.active)}" if self.active else "",
            "" if self.met else "conditions are not met",
            wording.count(self.evaluations, "evaluation"),
            self.message,
        ]

    def _tables(self) -> list[summary.Table]:
        rows = [
            [name, value, self.units[name], *self._bounds[name], self.gradient[name]]
            for name, value in self.values.items()
        ]
        head = ["", "value", "unit", "low", "high", "derivative of the objective"]
        return [summary.Table("values", head, rows)]

    def plot(self) -> Figure:
        """Return a picture of the history: the objective, and parameters between their bounds."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 5.5), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True)
        count = np.arange(1, len(self.history) + 1)
        goal, violated = self.history["objective"], self.history["violation"].to_numpy() > 1e-6
        upper.plot(count, goal, "-", color=MISSED, linewidth=0.8)
        for chosen, colour, label in (
            (~violated, FOUND, "conditions met"),
            (violated, MISSED, "conditions violated"),
        ):
            if chosen.any():
                upper.plot(count[chosen], goal[chosen], "o", ms=4, color=colour, label=label)
        upper.set(ylabel="objective", title=f"Optimum of {self.name}")
        if violated.any():
            upper.legend(fontsize="small")
        for name, (low, high) in self._bounds.items():
            finite = np.isfinite(high - low)
            begin, width = (low, high - low) if finite else (0.0, abs(self.values[name]) or 1.0)
            lower.plot(count, (self.history[name] - begin) / width, ".-", label=name)
        lower.set(xlabel="evaluation", ylabel="place between the bounds (1)")
        if np.isfinite([high - low for low, high in self._bounds.values()]).all():
            lower.set_ylim(-0.05, 1.05)
        lower.legend(fontsize="small")
        return figure
