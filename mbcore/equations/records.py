"""The variables of equations: records in the order of the functions' arguments and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.checks.called_functions import table_requirements
from mbcore.model.interface.range_requirements import range_requirements
from mbcore.model.variables import (
    Array,
    Discrete,
    Event,
    Input,
    Output,
    Parameter,
    Requirement,
    State,
)


@dataclass(frozen=True)
class Records:
    """Records of ``mbcore.model.variables``; the first discrete ones are the events' modes."""

    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    states: tuple[State, ...]
    discretes: tuple[Discrete, ...]
    events: tuple[Event, ...]
    outputs: tuple[Output, ...]
    requirements: tuple[Requirement, ...]
    arrays: tuple[Array, ...] = ()


def records(assembly: Assembly, winding: Iterable[str], released: Iterable[Requirement]) -> Records:
    """Return the records of a model.

    Parameters
    ----------
    winding : iterable of str
        Names of angles that are solved for with their turns: these have no limit of turns.
    released : iterable of Requirement
        Of constraints that were released.
    """
    model = assembly.model
    events = tuple(model.events.values())
    modes = [
        Discrete(
            f"{e.name}.active",
            e.active,
            description=f"mode of {e.name}",
            kind="boolean",
            visibility="local",
        )
        for e in events
    ]
    wound = set(winding)
    checks = ((element.name, element.checks) for element in model.elements.values())
    return Records(
        parameters=tuple(model.parameters.values()),
        inputs=tuple(model.inputs.values()),
        states=assembly.state_records(),
        discretes=(*modes, *model.discretes.values()),
        events=events,
        outputs=tuple(model.outputs.values()),
        requirements=(
            *model.requirements.values(),
            *range_requirements(checks, model.parameters),
            *(r for r in model.limits() if r.name not in wound),
            *released,
            *table_requirements(model),
        ),
        arrays=tuple(model.interface.arrays.values()),
    )
