"""Sizes of a model's functions: the counts in which they are expressed, and their check."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.equations.equations import Equations
from mbcore.equations.functions import COUNTS, FUNCTIONS, number
from mbcore.model.errors import ModelError


def counts(equations: Equations) -> dict[str, int]:
    """Return the counts in which sizes are expressed."""
    counted: dict[str, Sequence] = {
        "nx": equations.coordinate_names,
        "ni": range(equations.iterated),
        "nc": equations.constraint_names,
        "ns": equations.states,
        "nd": equations.discretes,
        "nu": equations.inputs,
        "np": equations.parameters,
        "ny": equations.outputs,
        "ne": equations.events,
        "nq": equations.requirements,
        "nr": equations.conditioning_names,
        "nf": range(equations.dofs),
        "nm": range(equations.dofs - equations.speeds),
        "nv": equations.form.velocity_rows,
    }
    return {name: len(counted.get(name, ())) for name in COUNTS}


def checked_function(equations: Equations, name: str) -> ca.Function:
    """Return a function of the equations whose sizes fit the table."""
    try:
        function = equations.functions[name]
    except KeyError:
        raise ModelError(f"{equations.name}: the equations have no function {name!r}") from None
    _check_sizes(equations, name, function)
    return function


def _check_sizes(equations: Equations, name: str, function: ca.Function) -> None:
    row, sizes = FUNCTIONS[name], counts(equations)
    arguments = [number(size, sizes) for size in row.arguments().values()]
    expected = [number(size, sizes) for size in row.results.values()]
    given = [function.numel_in(i) for i in range(function.n_in())]
    results = [function.numel_out(i) for i in range(function.n_out())]
    if given != arguments or results != expected:
        raise ModelError(
            f"{equations.name}: function {name!r} takes {given} and returns {results} numbers, "
            f"expected {arguments} and {expected}"
        )
