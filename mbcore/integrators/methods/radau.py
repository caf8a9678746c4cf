"""Radau IIA, by SciPy."""

from __future__ import annotations

from mbcore.integrators.method import Method

METHOD = Method(
    "Radau",
    "stiff systems, in Python",
    order=5,
    stability="L-stable",
    solver="mbcore.integrators.implicit_steps:RadauSteps",
    implicit=True,
    rates_by_values=True,
)
