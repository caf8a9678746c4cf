"""A branch of solutions over a parameter: labelled data, events, figures, other branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbcore.continuation.branch_data import BranchColumns
from mbcore.host.backend import Evaluator, evaluator
from mbcore.model import near_names, summary, wording
from mbcore.model.errors import ModelError
from mbcore.results.periodic_solution import PeriodicSolution

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = {"fold": "o", "branch": "s", "flip": "v", "neimark_sacker": "D", "hopf": "^"}
NAMES = {"neimark_sacker": "Neimark-Sacker", "hopf": "Hopf", "branch": "branch point"}
LOWEST = 1e-6
"""Part of the largest harmonic below which none is drawn."""


@dataclass(frozen=True)
class BranchEvent:
    """Where something happens to the solutions of a branch.

    Attributes
    ----------
    kind : {"fold", "branch", "flip", "neimark_sacker", "hopf"}
        The branch turns back; another one crosses it; the period doubles; a pair of multipliers, or
        of exponents of solutions at rest or steady, crosses the limit of stability.
    value : float
        Of the parameter.
    index : int
        Of the point in the branch's data.
    exponent : complex
        The critical one, 1/s; that of a pair with a positive imaginary part.
    state : mapping of str to float
        All states there, of a periodic solution at t = 0.
    parameters, inputs : mapping of str to float
        Their values there.
    """

    kind: str
    value: float
    index: int
    exponent: complex
    state: Mapping[str, float] = field(repr=False)
    parameters: Mapping[str, float] = field(repr=False)
    inputs: Mapping[str, float] = field(repr=False)


@dataclass(frozen=True, repr=False)
class Branch(summary.Summarized):
    """A branch of solutions, found by `continuation`.

    Attributes
    ----------
    name : str
        Name of the model.
    of : {"equilibrium", "steady", "periodic"}
        Kind of the solutions.
    parameter : str
        Name of the parameter.
    columns : BranchColumns
        Arrays without labels, which cost no import: ``values`` of the parameter, ``stable``,
        ``along(name)``, ``amplitude(name)`` and others.
    events : list of BranchEvent
        In order along the branch.
    ended : str
        Why it is no longer.
    backend : {"python", "c"}
        Backend that evaluated the equations.
    """

    name: str
    of: str
    parameter: str
    columns: BranchColumns
    events: list[BranchEvent]
    ended: str
    _switch: Callable[[int], Branch] = field(repr=False)
    _solutions: Sequence[PeriodicSolution] = field(default=(), repr=False)
    backend: Evaluator = field(default_factory=evaluator, compare=False)

    @cached_property
    def data(self) -> xarray.Dataset:
        """All numbers over the dimension ``point``, in order along the branch, events among them.

        The coordinate ``parameter`` (which also has the parameter's own name), ``states`` and
        ``outputs`` by name (of periodic solutions at t = 0), ``exponents`` (1/s, complex, each
        followed along the branch), ``stable`` and ``event`` (kind, or empty). Of periodic solutions
        also ``period`` (s), ``multipliers``, and by the name of a state or output (``quantity``)
        ``amplitudes`` (half ranges) and ``harmonics`` (complex, from 0 on).
        """
        return self.columns.dataset()

    def _title(self) -> str:
        return f"branch of {self.name} over {self.parameter}, {self.of}"

    def _facts(self) -> list[str]:
        events = wording.listed(f"{e.kind} at {e.value:.9g}" for e in self.events) or "no events"
        return [f"{len(self)} points", events, self.ended]

    def _tables(self) -> list[summary.Table]:
        events = [(e.kind, e.value, e.index, wording.formatted(e.exponent)) for e in self.events]
        head = ("kind", self.parameter, "point", "exponent / (1/s)")
        return [summary.Table("events", head, events)]

    def __len__(self) -> int:
        return len(self.columns.values)

    def __getitem__(self, name: str) -> xarray.DataArray:
        """Return a state or output along the branch, with its unit; of orbits at t = 0."""
        kind = "state" if self._place(name) < self.columns.state_count else "output"
        return self._of(f"{kind}s", kind, name)

    def amplitude(self, name: str) -> xarray.DataArray:
        """Return the half range of a state or output by ``name``, along periodic solutions."""
        self._refuse_constant()
        self._place(name)
        return self._of("amplitudes", "quantity", name)

    def harmonics(self, name: str) -> xarray.DataArray:
        """Return complex Fourier coefficients of a state or output by ``name``, (points, m + 1)."""
        self._refuse_constant()
        self._place(name)
        return self._of("harmonics", "quantity", name)

    def states(self, index: int) -> dict[str, float]:
        """Return all states of the point ``index``, for ``simulate`` or ``linearize``."""
        names = self.columns.names[: self.columns.state_count]
        return dict(zip(names, self.columns.states[index].tolist(), strict=True))

    def solution(self, index: int) -> PeriodicSolution:
        """Return the periodic solution of the point ``index``, with all signals."""
        self._refuse_constant()
        return self._solutions[index]

    def switch(self, event: BranchEvent) -> Branch:
        """Return the other branch through an event.

        At a branch point that is the branch that crosses this one, on both sides, with the event
        among its points. At a flip it is the branch of solutions of twice the period.

        Raises
        ------
        ModelError
            If the event is of another branch, or of a kind at which no other branch begins.
        SimulationError
            If there is no other branch, or more than one.
        """
        if not any(event is own for own in self.events):
            raise ModelError(
                f"{self.name}: {event!r} is not an event of this branch; see its .events"
            )
        if event.kind not in ("branch", "flip"):
            remedy = {
                "fold": "the branch itself continues there",
                "hopf": "continuation(Periodic(equations, start=event), ...) follows the orbits",
            }.get(event.kind, "the motions that begin there are not periodic")
            raise ModelError(f"{self.name}: no branch to switch to at a {event.kind}; {remedy}")
        return self._switch(event.index)

    def plot(
        self,
        *names: str,
        show: Sequence[str] | None = None,
        harmonics: int | None = None,
        logarithmic: bool = False,
    ) -> Figure:
        """Draw the branch over its parameter: thick where stable, thin and dashed where not.

        Parameters
        ----------
        *names : str
            States or outputs; by default the degrees of freedom, six at most.
        show : sequence of {"value", "amplitude", "harmonics", "exponents"}, optional
            Quantities that are drawn, from the top: by default amplitudes of periodic solutions,
            values of others, and exponents. Harmonics are drawn on a logarithmic scale.
        harmonics : int, optional
            Number of the last one drawn.
        logarithmic : bool
            Whether amplitudes are on a logarithmic scale, as in [Schwab2002] Fig. 4.3.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If ``show`` names something else, or a name is unknown.
        """
        usual = ("amplitude", "exponents") if self.of == "periodic" else ("value", "exponents")
        wanted = tuple(usual if show is None else show)
        if isinstance(show, str) or not set(wanted) <= {*usual, "value", "harmonics"}:
            raise ModelError(
                f"plot: show = {show!r}; give a list of 'value', 'exponents' and, of periodic "
                "solutions, 'amplitude' and 'harmonics'"
            )
        if "harmonics" in wanted:
            self._refuse_constant()
        for name in names:
            self._place(name)
        chosen = names or tuple(self.columns.attributes["degrees_of_freedom"][:6])
        return _figure(self.columns, chosen, wanted, harmonics, logarithmic)

    def _place(self, name: str) -> int:
        """Return the place of a state or output, refuse names that are not known."""
        known = self.columns.names
        if name not in known:
            raise ModelError(f"{self.name}: {near_names.unknown('state or output', name, known)}")
        return known.index(name)

    def _of(self, variable: str, dimension: str, name: str) -> xarray.DataArray:
        found = self.data[variable].sel({dimension: name}, drop=True)
        return found.rename(name).assign_attrs(units=self.columns.unit_of(name), long_name=name)

    def _refuse_constant(self) -> None:
        if self.of != "periodic":
            raise ModelError(
                f"{self.name}: solutions of this branch are constant; amplitudes and harmonics "
                "are those of periodic solutions"
            )


# Figures, in the manner of [Schwab2002] Figs. 4.2 to 4.13


def _figure(
    data: BranchColumns,
    names: Sequence[str],
    show: Sequence[str],
    harmonics: int | None,
    logarithmic: bool = False,
) -> Figure:
    """Draw a branch over its parameter, one axes for each name and kind, exponents below.

    Parameters
    ----------
    data : BranchColumns
        Of `Branch`.
    names : sequence of str
        States or outputs.
    show : sequence of {"value", "amplitude", "harmonics", "exponents"}
        Quantity to draw.
    harmonics : int, optional
        Number of the last harmonic that is drawn.
    logarithmic : bool
        Whether amplitudes are on a logarithmic scale.
    """
    from matplotlib.figure import Figure

    panels = [(kind, name) for kind in show if kind != "exponents" for name in names]
    if "exponents" in show and data.exponents.size:
        panels += [("real", ""), ("imaginary", "")]
    figure = Figure(figsize=(8, 1 + 2.4 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    draw = {"value": _value, "amplitude": _amplitude, "real": _real, "imaginary": _imaginary}
    for axis, (kind, name) in zip(axes, panels, strict=True):
        if kind == "harmonics":
            _harmonics(axis, data, name, harmonics)
        else:
            draw[kind](axis, data, name)
        if kind == "amplitude" and logarithmic:
            axis.set_yscale("log")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel(f"{data.parameter} ({data.unit})")
    axes[0].set_title(f"{data.attributes['title']}: thick where stable, thin and dashed where not")
    return figure


def _lines(axis: Axes, data: BranchColumns, values: np.ndarray, color: str, label: str) -> None:
    """Draw one quantity, stretches of one kind of stability at a time, events marked."""
    x, kinds = data.values, data.event
    good = data.stable | (kinds != "")  # an event is neither: its neighbours count
    own = good[:-1] & good[1:]
    ends = [*(np.flatnonzero(np.diff(own.astype(int))) + 1), own.size]
    begin = 0
    for end in ends:
        if end == begin:
            continue
        thick = bool(own[begin])
        axis.plot(
            x[begin : end + 1],
            values[begin : end + 1],
            color=color,
            linewidth=2.0 if thick else 0.9,
            linestyle="-" if thick else "--",
            label=label if begin == 0 else None,
        )
        begin = end


def _events(axis: Axes, data: BranchColumns, values: np.ndarray) -> None:
    kinds, x = data.event, data.values
    for kind, marker in MARKERS.items():
        at = kinds == kind
        if at.any():
            axis.plot(
                x[at],
                values[at],
                marker,
                color="black",
                markerfacecolor="white",
                label=NAMES.get(kind, kind),
                zorder=5,
            )
    _legend(axis)


def _legend(axis: Axes) -> None:
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")


def _value(axis: Axes, data: BranchColumns, name: str) -> None:
    values, unit = data.along(name), data.unit_of(name)
    _lines(axis, data, values, "C0", "")
    _events(axis, data, values)
    axis.set_ylabel(f"{name} ({unit})" + ("" if data.period is None else " at t = 0"))


def _amplitude(axis: Axes, data: BranchColumns, name: str) -> None:
    values = data.amplitude(name)
    _lines(axis, data, values, "C0", "")
    _events(axis, data, values)
    axis.set_ylabel(f"amplitude of {name} ({data.unit_of(name)})")


def _harmonics(axis: Axes, data: BranchColumns, name: str, last: int | None) -> None:
    sizes = np.abs(data.harmonics_of(name))
    sizes[:, 1:] *= 2  # of c_l and c_-l together
    count = sizes.shape[1] if last is None else min(last + 1, sizes.shape[1])
    floor = LOWEST * float(sizes.max(initial=0.0))
    for i in range(count):
        if sizes[:, i].max() > floor:
            _lines(axis, data, np.where(sizes[:, i] > floor, sizes[:, i], np.nan), f"C{i}", f"{i}")
    axis.set_yscale("log")
    axis.set_ylabel(f"harmonics of {name} ({data.unit_of(name)})")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", title="harmonic")


def _real(axis: Axes, data: BranchColumns, name: str) -> None:
    _exponents(axis, data, data.exponents.real, "Re λ (1/s)")


def _imaginary(axis: Axes, data: BranchColumns, name: str) -> None:
    _exponents(axis, data, data.exponents.imag, "Im λ (1/s)")


def _exponents(axis: Axes, data: BranchColumns, parts: np.ndarray, label: str) -> None:
    parts = np.where(np.isfinite(parts), parts, np.nan)  # a multiplier of zero is not drawn
    axis.axhline(0, color="#888888", linewidth=0.8)
    for i, column in enumerate(parts.T):
        _lines(axis, data, column, f"C{i % 10}", "")
    for value in data.values[data.event != ""]:
        axis.axvline(value, color="#888888", linewidth=0.8, linestyle=":")
    axis.set_ylabel(label)
