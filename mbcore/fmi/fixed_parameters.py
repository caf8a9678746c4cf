"""Parameters that an export fixes: by value, by name or by a pattern of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from mbcore.equations.fixed_equations import FixedEquations
from mbcore.fmi.component import Component
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values
from mbcore.model.near_names import unknown
from mbcore.model.variables import Value

Fix = Mapping[str, Value | None] | Sequence[str]
"""Values by name, None for the start value; or names of parameters that are fixed where they start.

A name is that of a parameter or of an array, or a pattern: ``"front.*"``.
"""


def with_fixed_parameters(component: Component, fix: Fix) -> Component:
    """Return a component in which some parameters are constants.

    Raises
    ------
    ModelError
        A name is unknown, nothing matches a pattern, a parameter has a start value and another one
        to be fixed at, or a value is of another type or unit or outside of its range.
    """
    records = component.equations.parameters
    names = [parameter.name for parameter in records]
    asked = _asked(fix)
    matching = {name: _matching(name, names, component) for name in asked}
    chosen = {one for found in matching.values() for one in found}
    if not chosen:
        return component
    values: dict[str, Value] = {}
    for name, value in asked.items():
        if value is None:
            continue
        if np.ndim(value):  # of an array
            values[name] = value
        else:
            values |= {n: value for n in matching[name] if n == name or n not in asked}
    started = {n: v for n, v in component.parameters.items() if chosen & {*_elements(n, names)}}
    for name in started.keys() & values.keys():
        raise ModelError(
            f"{name} starts at {started[name]!r} and is fixed at {values[name]!r}; give one"
        )
    numbers = checked_values("parameter", records, started | values)
    fixed = {name: float(n) for name, n in zip(names, numbers, strict=True) if name in chosen}
    left = {name: value for name, value in component.parameters.items() if name not in started}
    return replace(component, equations=FixedEquations(component.equations, fixed), parameters=left)


def _asked(fix: Fix) -> dict[str, Value | None]:
    """Return the names that are given, with their values where there is one."""
    if isinstance(fix, Mapping):
        asked = dict(fix)
    elif isinstance(fix, Sequence) and not isinstance(fix, str):
        asked = dict.fromkeys(fix)
    else:
        raise ModelError(
            f"fix = {fix!r}; give values by name, as in {{'road': 'direct'}}, or names, ['road']"
        )
    for name in asked:
        if not isinstance(name, str):
            raise ModelError(f"fix names {name!r}; give names of parameters")
    return asked


def _matching(name: str, names: Sequence[str], of: Component) -> list[str]:
    """Return the parameters of a name: itself, the elements of an array, what a pattern matches."""
    pattern = name.replace("[", "[[]")
    found = _elements(name, names) or [n for n in names if fnmatchcase(n, pattern)]
    if not found:
        e = of.equations
        kinds = {
            "a state": [record.name for record in e.states],
            "an input": [record.name for record in e.inputs],
            "an output": [record.name for record in e.outputs],
        }
        for kind, others in kinds.items():
            if _elements(name, others):
                raise ModelError(
                    f"fix: {name} is {kind}; only parameters become constants, and parameters= "
                    "(--parameters) gives other start values"
                )
        raise ModelError(f"fix: {unknown('parameter', name, names)}")
    return found


def _elements(name: str, names: Sequence[str]) -> list[str]:
    return [name] if name in names else [n for n in names if n.startswith(f"{name}[")]
