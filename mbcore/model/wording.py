"""Short texts for messages and summaries: counts, lists of names, values with units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

MOST_NAMES = 6
"""Names or values listed in one line."""
MOST_LETTERS = 60
"""Letters of one text in a line or a cell."""
MOST_OF_EXPRESSION = 80
"""Letters of an expression in an error."""


def count(number: int, what: str) -> str:
    """Return ``"1 node"``, ``"2 nodes"``, ``"2 degrees of freedom"``."""
    first, of, last = what.partition(" of ")
    return f"{number} {first}{'' if number == 1 else 's'}{of}{last}"


def article(noun: str) -> str:
    """Return a noun with its article: ``"an input"``, ``"a state"``."""
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def listed(names: Iterable[object], most: int = MOST_NAMES) -> str:
    """Return names separated by commas, ``most`` of them, and how many more there are."""
    texts = [shortened(str(name)) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def quantities(values: Mapping[str, object], units: Mapping[str, str] | None = None) -> str:
    """Return ``"x = 1 m, v = 0.5 m/s"``, some of them, and how many more there are."""
    known = {name: f" {unit}" for name, unit in (units or {}).items() if unit != "1"}
    first = [
        f"{shortened(name)} = {formatted(value)}{known.get(name, '')}"
        for name, value in [*values.items()][:MOST_NAMES]
    ]
    more = len(values) - MOST_NAMES
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")


def units_of(*groups: Iterable[Any]) -> dict[str, str]:
    """Return the units of variables by their names."""
    return {record.name: record.unit for group in groups for record in group}


def eigenvalues(values: Iterable[complex], most: int = MOST_NAMES) -> str:
    """Return numbers in the complex plane, pairs as one: ``"-1, -0.2 ± 3i"``."""
    found = [complex(value) for value in values]
    kept = [v for v in found if v.imag >= 0 or not np.any(np.isclose(found, v.conjugate()))]
    pairs = [
        f"{v.real:.4g} ± {v.imag:.4g}i"
        if v.imag > 0 and np.any(np.isclose(found, v.conjugate()))
        else formatted(v)
        for v in kept
    ]
    return listed(pairs, most)


def formatted(value: object) -> str:
    """Return a number with six digits, or a text, shortened if it is long."""
    if isinstance(value, bool | np.bool_ | str) or value is None:
        return shortened(str(value))
    if isinstance(value, complex | np.complexfloating):
        value = complex(value)
        return formatted(value.real) if not value.imag else f"{value.real:.4g}{value.imag:+.4g}i"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return f"{value + 0.0:.6g}"  # no -0
    return shortened(str(value))


def shortened(text: str, most: int = MOST_LETTERS) -> str:
    """Return a text in one line of at most so many letters, with an ellipsis if it is cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
