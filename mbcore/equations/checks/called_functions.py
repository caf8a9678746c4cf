"""Functions that expressions call: tables, whose ranges are requirements, and no others."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

import casadi as ca
import numpy as np

from mbcore.equations.checks.unused_variables import written
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, symbolic
from mbcore.model.system import System
from mbcore.model.tables.given import REMEDY
from mbcore.model.tables.lookup import Lookup, calls, is_lookup, is_slope, lookup_of
from mbcore.model.tables.ordinates import Ordinates
from mbcore.model.variables import Requirement
from mbcore.model.wording import formatted


def declare_ordinates(model: System) -> None:
    """Give a model the parameters of the tables that it calls whose ordinates are parameters.

    Raises
    ------
    ModelError
        If a name is in use.
    """
    if not Lookup.made:
        return
    stacked = [ca.vec(symbolic(e)) for e in written(model)]
    stacked += [symbolic(derivative) for _, derivative in model.states.values()]
    for ordinates in Ordinates.found_in(column(stacked)):
        try:
            model.parameters.take(ordinates.array, ordinates.records)
        except ModelError as error:
            name = ordinates.name
            raise ModelError(
                f"{error}; give another name= to a table {name!r}, as in name={f'front.{name}'!r}"
            ) from None


def table_requirements(model: System) -> list[Requirement]:
    """Return the requirements that arguments stay within tables that refuse others.

    Raises
    ------
    ModelError
        If an expression calls any other function of CasADi, which no C can be written of.
    """
    stacked = [ca.vec(symbolic(e)) for e in written(model)]
    stacked += [symbolic(derivative) for _, derivative in model.states.values()]
    found: list[Requirement] = []
    seen = set[tuple[str, float, float, int]]()
    for function, argument in calls(column(stacked)):
        if is_slope(function):
            continue
        if not is_lookup(function):
            raise ModelError(
                f"{model.name}: an expression calls {function.name()}, a function of CasADi "
                f"({function.class_name()}), and no C can be written of it; make a table of an "
                "interpolant, mbcore.Table.of(function), and call that; expand any other function"
            )
        lookup = lookup_of(function)
        if lookup.corners:
            continue
        # A table's integral has its range; another table of the same name need not.
        key = (lookup.label, lookup.ends[0], lookup.ends[-1], argument.element_hash())
        if lookup.refuses and key not in seen:
            seen.add(key)
            taken = {*model.requirements, *(requirement.name for requirement in found)}
            found.append(_requirement(lookup, argument, taken))
    return found


def _requirement(lookup: Lookup, argument: ca.SX, taken: Collection[str]) -> Requirement:
    """Return the requirement that an argument stays within a table."""
    first, last = float(lookup.ends[0]), float(np.nextafter(lookup.ends[-1], -np.inf))
    names = (f"{lookup.label}, argument{f' of call {i + 1}' if i else ''}" for i in count())
    return Requirement(
        next(name for name in names if name not in taken),
        ca.if_else(ca.logic_and(argument >= first, argument <= last), 1, -1),
        f"the points of this table are from {formatted(first)} to {formatted(last)}; {REMEDY}",
        argument,
    )
