"""Remarks of a run: boolean outputs that became false, inputs that have no effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.fmi.page_settings import Remark
from mbcore.results.result import Result


def said(remarks: Mapping[str, Remark], limits: Mapping[str, float], result: Result) -> list[str]:
    """Return the remarks on outputs that are false at the end, as far as the result tells them.

    Parameters
    ----------
    remarks : mapping of str to Remark
        By boolean output.
    limits : mapping of str to float
        Parameters, in their units.
    result : Result
        Of the run.
    """
    found = []
    for name, remark in remarks.items():
        watched = [n for n in remark.watched if n in result]
        if name in result and not result.final(name) and watched and remark.limit in limits:
            places = {n: int(np.argmax(np.abs(result[n]))) for n in watched}
            peaks = {n: (float(result[n][k]), float(result.time[k])) for n, k in places.items()}
            found.append(f"not {name}: {remark.said(peaks, limits[remark.limit])}")
    return found


def without_effect(
    conditions: Mapping[str, tuple[str, str]],
    given: Iterable[str],
    equations: Equations,
    parameters: Mapping[str, float],
) -> list[str]:
    """Return a remark on each input that is given and does not act with the values of parameters.

    Parameters
    ----------
    conditions : mapping of str to (str, str)
        By input the enumeration and the value with which it acts.
    given : iterable of str
        Names of inputs.
    equations : Equations
        Whose parameters say what the values of enumerations are called.
    parameters : mapping of str to float
        All of them.
    """
    lists = {record.name: record.items for record in equations.parameters if record.items}
    found = []
    for name in given:
        enumeration, wanted = conditions.get(name, ("", ""))
        if enumeration not in lists:
            continue
        now = lists[enumeration][int(parameters[enumeration]) - 1].name
        if now != wanted:
            found.append(
                f"{name} has no effect with {enumeration} = {now}: "
                f"give --set {enumeration}={wanted}, or leave it out"
            )
    return found
