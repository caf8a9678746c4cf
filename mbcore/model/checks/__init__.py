"""Checks of what users give: an error names the thing, its value and the remedy.

Elements and models call them where values come in. ``owner`` begins each message (``"wheel w"``)
and ``what`` names the argument. An expression is allowed wherever a number is; if it depends on
parameters, a `Check` stores its condition until `refuse_at_start` can evaluate it.
"""

from mbcore.model.checks.conditions import Check, refuse_at_start
from mbcore.model.checks.expressions import expression, in_unit, matrix
from mbcore.model.checks.numbers import (
    direction,
    fields,
    fields_in_units,
    number,
    numbers,
    real,
    scalar,
    values,
    vector,
    warn_of_degrees,
    whole,
)
from mbcore.model.checks.texts import choice, names, text

__all__ = [
    "Check",
    "choice",
    "direction",
    "expression",
    "fields",
    "fields_in_units",
    "in_unit",
    "matrix",
    "names",
    "number",
    "numbers",
    "real",
    "refuse_at_start",
    "scalar",
    "text",
    "values",
    "vector",
    "warn_of_degrees",
    "whole",
]
