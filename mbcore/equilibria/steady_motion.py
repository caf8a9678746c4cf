"""Steady motions: relative equilibria, in which rates and shape are constant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing.projection.camera import View
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equilibria.steady_search import SteadySearch
from mbcore.host.backend import Backend, Evaluator, evaluator, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.model import checks, summary, wording
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import SimulationError
from mbcore.model.variables import Value
from mbcore.results.drawn import Moving
from mbcore.results.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACCURACY = 1e-9
"""Largest acceleration or rate that is left in a steady motion, relative to its nominal value."""


@dataclass(frozen=True, repr=False)
class SteadyMotion(summary.Summarized):
    """A motion in which nothing changes but ignorable coordinates.

    Attributes
    ----------
    state : mapping of str to float or str
        All states; feed it to ``linearize`` or ``simulate``.
    outputs : mapping of str to float
        Outputs there.
    ignorable : tuple of str
        Coordinates that may go on changing, because no acceleration depends on them.
    residual : float
        Largest acceleration that is left.
    inputs : mapping of str to float
        All inputs, those that were found among them.
    dimensions : int
        Conditions that the family of steady motions takes, found inputs counted as free.
    units : mapping of str to str
        Of states, inputs and outputs.
    motion : Motion or None
        Its configuration, for pictures.
    backend : {"python", "c"}
        Backend that evaluated the equations.
    """

    state: dict[str, float]
    outputs: dict[str, float]
    ignorable: tuple[str, ...]
    residual: float
    inputs: dict[str, float]
    dimensions: int
    units: dict[str, str] = field(default_factory=dict)
    motion: Motion | None = field(default=None, compare=False)
    backend: Evaluator = field(default_factory=evaluator, compare=False)

    def _title(self) -> str:
        return "steady motion"

    def _facts(self) -> list[str]:
        return [
            wording.quantities(self.state, self.units),
            f"inputs {wording.quantities(self.inputs, self.units)}" if self.inputs else "",
            f"outputs {wording.quantities(self.outputs, self.units)}" if self.outputs else "",
            f"ignorable {wording.listed(self.ignorable)}" if self.ignorable else "",
            f"residual {self.residual:.3g}",
        ]

    def _tables(self) -> list[summary.Table]:
        groups = {"states": self.state, "inputs": self.inputs, "outputs": self.outputs}
        return [
            summary.Table(
                title,
                ("name", "value", "unit"),
                [(name, value, self.units.get(name, "")) for name, value in of.items()],
            )
            for title, of in groups.items()
        ]

    def draw(self, *, view: View = None, axes: bool = True, names: bool = False) -> Figure:
        """Draw the system in its steady motion, with the forces there.

        Parameters
        ----------
        view, axes, names
            As in ``Model.draw``.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If the model has no shapes, or the motion was saved or sent from another process.
        """
        remedy = "draw what steady_motion(...) returns"
        return Moving("steady motion", self.motion, remedy).draw(
            0.0, view=view, axes=axes, names=names
        )


@takes_backend
@single_threaded
@explains_arguments
def steady_motion(
    equations: Equations,
    conditions: Mapping[str, Value] | None = None,
    *,
    find: Sequence[str] = (),
    guess: Mapping[str, Value] | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    backend: Backend = "auto",
) -> SteadyMotion:
    """Find a relative equilibrium, such as a disk in steady turning or a vehicle on a circle.

    Accelerations vanish, and so do the rates of all coordinates on which accelerations depend;
    the others (a heading, a place) may go on.

    Parameters
    ----------
    equations : Equations or driver
        The system; of an FMU what `mbcore.driver` returns.
    conditions : mapping of str to float or str
        States or outputs with the values that they shall have: as many as the family of steady
        motions has dimensions. More are taken if they agree.
    find : sequence of str
        Inputs that are found too (trim), such as the torque that a given turn needs; each adds a
        dimension to the family. The search begins at their values in ``inputs``.
    guess : mapping of str to float or str
        Where the search begins, where that is not the model's start.
    parameters, inputs : mapping of str to float or str
        Values that differ from the model's.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Returns
    -------
    SteadyMotion

    Raises
    ------
    ModelError
        If a condition names neither a state nor an output, what shall be found is not an input, or
        a force depends on how a free rotation is turned.
    SimulationError
        If there is none near the guess, or the conditions are too few or too many; gives their
        required number, the free quantities, and the superfluous conditions.
    """
    if hasattr(equations, "steady"):
        found: SteadyMotion = equations.steady(conditions, find, guess, parameters, inputs)
        return found
    checked_equations("steady_motion", equations)
    known = (*equations.outputs, *equations.states)
    wanted = checks.values("condition", conditions, known)
    begin = checks.values("guess", guess, equations.states)
    return _solve(SteadySearch(equations, wanted, find, begin, parameters, inputs))


def _solve(search: SteadySearch) -> SteadyMotion:
    """Search, and refuse solutions that are not unique."""
    e, equations = search.evaluation, search.equations
    saved = e.save()
    worst = search.go(search.unknown)
    if not worst <= ACCURACY:
        e.restore(saved)
        if search.go(search.free) <= ACCURACY:
            search.conditions().refuse_too_many()
        raise SimulationError(
            f"{equations.name}: no steady motion near the guess; {worst:.3g} of a nominal "
            "acceleration or rate remains; give a nearer guess or other conditions"
        )
    conditions = search.conditions()
    conditions.refuse_too_few()
    e.warn()
    return SteadyMotion(
        {n: float(v) for n, v in zip(search.names, e.s, strict=True)},
        {n: float(v) for n, v in zip(search.outputs, e.output(), strict=True)},
        tuple(search.names[i] for i in sorted(search.ignorable)),
        worst,
        {n: float(v) for n, v in zip(search.inputs, e.u, strict=True)},
        conditions.dimensions,
        wording.units_of(equations.states, equations.inputs, equations.outputs),
        Motion(
            equations, e.p.copy(), np.zeros(1), *(v.copy()[None, :] for v in (e.s, e.u, e.d, e.x))
        ),
    )
