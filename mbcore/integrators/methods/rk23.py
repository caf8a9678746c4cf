"""Bogacki and Shampine's method, by SciPy."""

from __future__ import annotations

from mbcore.integrators.method import Method

METHOD = Method(
    "RK23",
    "very loose tolerances",
    order=3,
    stability="explicit: steps follow the fastest part",
    solver="scipy.integrate:RK23",
)
