"""The result of a fit: values, how sure they are, what is left of the errors, files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from mbcore.fmi.parameter_file import written_set
from mbcore.identification.identifiability import Identifiability
from mbcore.identification.pictures import pictures
from mbcore.identification.report import Reported, write_report
from mbcore.identification.sensor_fit import SensorFit, swapped
from mbcore.identification.starts import Starts
from mbcore.model import checks, near_names, summary, wording
from mbcore.model.errors import ModelError
from mbcore.model.parameter_files.write import Entry

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Fit(summary.Summarized):
    """The result of `fit`.

    Attributes
    ----------
    name : str
        Of the model.
    values : dict of str to float
        What was unknown, by names; start values, delays, gains and offsets behind the parameters.
    units : dict of str to str
        Their units.
    covariance : ndarray, shape (n, n)
        Of the values, in their order: linear, infinite where the data tell nothing.
    sensors : dict of str to SensorFit
        What is left between measurement and model.
    identifiability : Identifiability
        What the data can tell.
    cost : float
        Negative logarithm of the likelihood, but for a constant.
    evaluations : int
        Simulations of all runs with derivatives.
    derivatives : str
        Where derivatives come from: ``"exact"``, ``"directional"`` or ``"differences"``.
    message : str
        Why the search has ended.
    interrupted : bool
        Whether Ctrl-C ended it, or left out starts; values are the best until then.
    at_bounds : tuple of str
        Values at one of their bounds, for which the covariance does not hold.
    starts : Starts
        What the searches from several starts came to: how many found this minimum.
    """

    name: str
    values: dict[str, float]
    units: dict[str, str]
    covariance: np.ndarray
    sensors: dict[str, SensorFit]
    identifiability: Identifiability
    cost: float
    evaluations: int
    derivatives: str
    message: str
    interrupted: bool
    at_bounds: tuple[str, ...]
    starts: Starts
    _parameters: tuple[str, ...] = field(repr=False)
    _profiler: Any = field(repr=False)

    def _title(self) -> str:
        return f"fit of {self.name}"

    def _facts(self) -> list[str]:
        return [
            wording.quantities(self.values, self.units),
            wording.count(self.evaluations, "evaluation"),
            self.starts.said,
            self.message,
        ]

    def _tables(self) -> list[summary.Table]:
        rows = [[str(i), *row] for i, row in zip(self.values, self.table().values, strict=True)]
        return [summary.Table("values", ["", *self.table().columns], rows)]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons not to trust the values, in words."""
        said = []
        if self.identifiability.missing:
            said.append(self.identifiability.missing)
        if self.at_bounds:
            said.append(
                f"at a bound: {wording.listed(self.at_bounds)}; intervals do not hold there"
            )
        for name, one in self.sensors.items():
            if one.unexplained:
                said.append(
                    f"{name}: residuals of {one.deviation:.3g} {one.unit} are as large as what is "
                    "measured: the model does not follow it; is its unit right?"
                )
            elif not one.whiteness.white:
                said.append(
                    f"residuals of {name} are not white: the model lacks an effect, and intervals "
                    "are too narrow"
                )
        said += [
            f"{one} and {other}: each fits far better to the other's motion; are the two columns "
            "swapped?"
            for one, other in swapped(self.sensors)
        ]
        return tuple(said)

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations of the values."""
        return dict(zip(self.values, map(float, np.sqrt(np.diag(self.covariance))), strict=True))

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the model's parameters alone."""
        return {name: self.values[name] for name in self._parameters}

    @property
    def correlations(self) -> pd.DataFrame:
        """Correlations of the values, NaN where the data tell nothing."""
        deviations = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.covariance / np.outer(deviations, deviations)
        return pd.DataFrame(found, index=list(self.values), columns=list(self.values))

    @property
    def residuals(self) -> dict[str, tuple[np.ndarray, ...]]:
        """Measured less simulated, by sensors and runs."""
        return {name: sensor.residuals for name, sensor in self.sensors.items()}

    def intervals(
        self, level: float = 0.95, method: str = "linear"
    ) -> dict[str, tuple[float, float]]:
        """Return intervals that hold the true values with a probability.

        Parameters
        ----------
        level : float
            The probability.
        method : {"linear", "profile"}
            From the covariance, with Student's distribution; or by the profile of the likelihood,
            where each end is sought with all other unknowns fitted anew: right where the model is
            far from linear in a value, and slower.

        Raises
        ------
        ModelError
            The level is no probability.
        """
        checks.real("intervals", "level", level, above=0.0, below=1.0)
        checks.choice("intervals", "method", method, ("linear", "profile"))
        if method == "profile":
            return dict(self._profiler(level))
        free = sum(t.size for one in self.sensors.values() for t in one.times) - len(self.values)
        factor = float(student.ppf((1 + level) / 2, max(free, 1)))
        deviations = self.deviations
        return {
            name: (value - factor * deviations[name], value + factor * deviations[name])
            for name, value in self.values.items()
        }

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return values, standard deviations and intervals of a probability ``level``."""
        intervals = self.intervals(level)
        return pd.DataFrame(
            {
                "value": self.values,
                "unit": self.units,
                "standard deviation": self.deviations,
                "low": {name: ends[0] for name, ends in intervals.items()},
                "high": {name: ends[1] for name, ends in intervals.items()},
            },
            index=list(self.values),
        )

    def plot(self, *sensors: str) -> Figure:
        """Return a picture of measurements, the fitted motion and residuals.

        Raises
        ------
        ModelError
            A sensor is unknown.
        """
        for name in sensors:
            if name not in self.sensors:
                raise ModelError(near_names.unknown("sensor", name, self.sensors))
        return pictures({name: self.sensors[name] for name in sensors or self.sensors})

    def report(self, path: str | Path) -> Path:
        """Write an HTML page to a ``path``: values with intervals, residuals, and pictures."""
        told = Reported(
            self.name,
            self.sensors,
            self.table(),
            self.correlations,
            self.evaluations,
            self.derivatives,
            "; ".join(filter(None, (self.starts.said, self.message))),
            self.warnings,
            self.identifiability.combinations,
        )
        return write_report(told, path)

    def write(self, path: str | Path, ssp: str = "1.0") -> Path:
        """Write the parameters to a file that importers read.

        Parameters
        ----------
        path : path
            Ends in ``.ssv`` (a parameter set of SSP), ``.csv``, ``.json`` or ``.toml``.
        ssp : {"1.0", "2.0"}
            SSP's version.

        Raises
        ------
        ModelError
            The file's end is another, or it cannot be written.
        """
        entries = [
            Entry(name, "real", self.units[name], (value,))
            for name, value in self.parameters.items()
        ]
        return written_set(self.name, entries, path, ssp)
