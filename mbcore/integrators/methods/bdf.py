"""Backward differentiation, by SciPy."""

from __future__ import annotations

from mbcore.integrators.method import Method

METHOD = Method(
    "BDF",
    "stiff systems whose evaluations are costly",
    order=5,
    stability="stiffly stable; orders 1 to 5 in turn",
    solver="scipy.integrate:BDF",
    implicit=True,
    many_steps=True,
)
