"""Purposes of libraries of compiled equations, by their contents."""

from __future__ import annotations

from typing import Literal

from mbcore.integrators.method import Method

Extent = Literal["runs", "implicit runs", "analyses", "batches", "held"]
"""Purpose of a library: runs by explicit methods, also by those with Jacobians, all analyses, and
these with batches in lanes; each has what those before it have. That for held motions has these
alone, since few models need them."""
_NESTED: tuple[Extent, ...] = ("runs", "implicit runs", "analyses", "batches")


def extent_of(method: Method) -> Extent:
    """Return what runs by a method need."""
    return "implicit runs" if method.implicit or method.automatic else "runs"


def serving(extent: Extent) -> tuple[Extent, ...]:
    """Return the extents with all functions of one, which is the first."""
    return _NESTED[_NESTED.index(extent) :] if extent in _NESTED else (extent,)
