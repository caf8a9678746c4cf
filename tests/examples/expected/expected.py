"""What an example's numbers are expected to be, and where that is known from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Expected(NamedTuple):
    """Numbers of one example, from outside the library."""

    source: str
    numbers: Mapping[str, tuple[float, float]]
    """By name in the example's record: the value, and the absolute accuracy it is met with."""
