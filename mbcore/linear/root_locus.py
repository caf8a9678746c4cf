"""A root locus: how the eigenvalues of a linearization move along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from mbcore.host.backend import Backend, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.linear.linearization import Linearization
from mbcore.linear.linearize import linearize
from mbcore.model import checks, summary, wording
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.results.plotting import plot_root_locus

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class RootLocus(summary.Summarized):
    """Eigenvalues along a parameter, tracked from value to value.

    Attributes
    ----------
    parameter : str
    values : ndarray, shape (n,)
    eigenvalues : ndarray of complex, shape (n, nr)
        Column j follows one mode. Structural zeros are left out where they exist at all values;
        others are exact zeros.
    structural_zeros : tuple of str
        States behind those that are left out.
    """

    parameter: str
    values: np.ndarray
    eigenvalues: np.ndarray
    structural_zeros: tuple[str, ...] = ()

    def _title(self) -> str:
        return f"root locus over {self.parameter}"

    def _facts(self) -> list[str]:
        if not len(self.values):
            return ["no values"]
        return [
            f"{wording.count(len(self.values), 'value')} "
            f"from {self.values[0]:g} to {self.values[-1]:g}",
            f"eigenvalues at first {wording.eigenvalues(self.eigenvalues[0], 4)} 1/s",
            f"at last {wording.eigenvalues(self.eigenvalues[-1], 4)} 1/s",
        ]

    def _tables(self) -> list[summary.Table]:
        """Return the least stable eigenvalue at some of the values."""
        places = np.unique(np.linspace(0, len(self.values) - 1, summary.MOST_ROWS).astype(int))
        worst = [(i, self.eigenvalues[i]) for i in (places if self.eigenvalues.size else ())]
        rows = [(self.values[i], wording.formatted(of[of.real.argmax()])) for i, of in worst]
        head = (self.parameter, "eigenvalue of largest real part / (1/s)")
        return [summary.Table("stability", head, rows)]

    def plot(self) -> Figure:
        """Draw the eigenvalues in the complex plane; return the figure."""
        return plot_root_locus(self.parameter, self.values, self.eigenvalues)


@explains_arguments
@takes_backend
@single_threaded
def root_locus(
    about: Linearization,
    parameter: str,
    values: Sequence[float] | np.ndarray,
    *,
    backend: Backend = "auto",
) -> RootLocus:
    """Return the eigenvalues for other values of a parameter or input, at the same state.

    Modes are tracked by the assignment that moves the eigenvalues least.

    Parameters
    ----------
    about : Linearization
        Where it begins: its equations, time, state, parameters and inputs.
    parameter : str
        Name of the parameter or input that varies.
    values : sequence of float
        Its values, in order.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        If the name is neither a parameter nor an input.
    """
    if not isinstance(about, Linearization):
        raise ModelError(
            f"root_locus begins at a linearization, got {about!r}; give linearize(...)"
        )
    given = checks.matrix("root_locus", "values", values)
    listed = isinstance(values, Sequence | np.ndarray) and given.is_column()
    if not (listed and given.numel() and given.is_constant()):
        raise ModelError(f"root_locus: values = {values!r}; give a list of numbers")
    equations = about.equations
    parameters = {
        r.name: float(v) for r, v in zip(equations.parameters, about.parameters, strict=True)
    }
    inputs = {r.name: float(v) for r, v in zip(equations.inputs, about.inputs, strict=True)}
    varied = parameters if parameter in parameters else inputs
    if parameter not in varied:
        raise ModelError(
            f"{parameter!r} is neither a parameter nor an input; there is "
            f"{', '.join((*parameters, *inputs))}"
        )
    points = []
    varying = np.atleast_1d(np.asarray(values, float))
    for value in varying:
        varied[parameter] = float(value)
        points.append(
            linearize(
                equations,
                about.state,
                parameters=parameters,
                inputs=inputs,
                time=about.time,
                unsteady=about.changing() is not None,
            )
        )
    zeros = min((tuple(p.structural_zeros) for p in points), key=len, default=())
    rows: list[np.ndarray] = []
    for point in points:
        found = point.eigenvalues(zeros=True)
        found = found[: found.size - len(zeros)]  # they are the last ones
        if rows:
            distance = np.abs(rows[-1][:, None] - found[None, :])
            found = found[linear_sum_assignment(distance)[1]]
        rows.append(found)
    return RootLocus(parameter, varying, np.array(rows), zeros)
