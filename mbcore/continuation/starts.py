"""Where the first solution of a branch is sought: states by name, of whatever they are given by."""

from __future__ import annotations

from collections.abc import Mapping

from mbcore.continuation.branch import BranchEvent
from mbcore.continuation.varied import ParameterRange, Varied
from mbcore.equilibria.statics import Configuration
from mbcore.equilibria.steady_motion import SteadyMotion
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.results.periodic_solution import PeriodicSolution

Start = Mapping[str, float] | Configuration | SteadyMotion


def start_states(what: str, start: object) -> Mapping[str, float] | None:
    """Return states by name; ``what`` says of which solutions.

    Raises
    ------
    ModelError
        If these solutions do not begin there.
    """
    if isinstance(start, Configuration):
        return start.states
    if isinstance(start, SteadyMotion):
        return start.state
    if isinstance(start, BranchEvent | PeriodicSolution):
        raise ModelError(f"continuation of {what} does not start from {start!r}")
    return None if start is None else checks.values("start value", start)


def refuse_event(event: BranchEvent, over: ParameterRange, what: Varied) -> None:
    """Refuse an event at which no orbits begin, or of another parameter or range."""
    title = f"continuation over {over.name}"
    if event.kind != "hopf":
        raise ModelError(
            f"{title}: no periodic solutions begin at a {event.kind}; give the event of a Hopf "
            "bifurcation, or use branch.switch(event)"
        )
    known = event.inputs if what.is_input else event.parameters
    if known[over.name] != event.value:
        raise ModelError(
            f"{title}: the event was found over another parameter, {over.name} is "
            f"{known[over.name]:g} there and the event's value {event.value:g}"
        )
    if not over.low <= event.value <= over.high:
        raise ModelError(
            f"{title}: the event at {event.value:.9g} is outside the range {over.low:g} to "
            f"{over.high:g}"
        )
