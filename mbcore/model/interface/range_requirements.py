"""Ranges of expressions of parameters as requirements, for values that are set later.

`mbcore.model.checks.refuse_at_start` checks the parameters' start values only. A run may set
others, so each range becomes a requirement as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import casadi as ca

from mbcore.model.checks import Check
from mbcore.model.checks.ranges import Range
from mbcore.model.variables import Parameter, Requirement

SAME_DEPTH = 6
"""Depth to which expressions are compared, so that equal ones give one requirement."""


def range_requirement(
    name: str, range_: Range, expression: ca.SX, parameters: Mapping[str, Parameter]
) -> Requirement | None:
    """Return the requirement that an expression of parameters stays in its range.

    Returns
    -------
    Requirement or None
        None if no requirement is needed: the range has no end, the expression contains anything
        but parameters, or it is a parameter whose declared range implies this one.
    """
    if not range_.has_end or expression.is_constant():
        return None
    known = {p.symbol.element_hash(): p for p in parameters.values()}
    if any(symbol.element_hash() not in known for symbol in ca.symvar(expression)):
        return None
    if expression.is_symbolic() and _implied(range_, known[expression.element_hash()]):
        return None
    condition = ca.if_else(range_.holds(expression), 1, -1)
    return Requirement(name, condition, range_.demand(), expression, initial=True)


def range_requirements(
    checks: Iterable[tuple[str, Sequence[Check]]], parameters: Mapping[str, Parameter]
) -> list[Requirement]:
    """Return the requirements of all checks that are ranges, each once.

    Parameters
    ----------
    checks : iterable of pairs
        Names of elements with their checks.
    """
    found: list[tuple[Requirement, Range]] = []
    for name, of_element in checks:
        for check in of_element:
            if check.range is None:
                continue
            name_ = f"{name}.{check.range.what}"
            made = range_requirement(name_, check.range, check.expression, parameters)
            if made is not None and not any(
                check.range.ends == other.ends and ca.is_equal(made.shown, known.shown, SAME_DEPTH)
                for known, other in found
            ):
                found.append((made, check.range))
    return [made for made, _ in found]


def _implied(range_: Range, parameter: Parameter) -> bool:
    """Return whether the parameter's own range lies in the range."""
    least, most = parameter.minimum, parameter.maximum
    low = [end for end in (range_.above, range_.least) if end is not None]
    high = [end for end in (range_.below, range_.most) if end is not None]
    strict = range_.above is not None
    above = not low or (
        least is not None
        and (least > max(low) or (least == max(low) and (parameter.positive or not strict)))
    )
    below = not high or (
        most is not None and (most < min(high) or (most == min(high) and range_.below is None))
    )
    return above and below
