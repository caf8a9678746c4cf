"""ODEPACK's method that looks itself whether a system is stiff, by SciPy."""

from __future__ import annotations

from mbcore.integrators.method import Method

METHOD = Method(
    "LSODA",
    "systems that are stiff at times",
    order=12,
    stability="explicit or stiffly stable, as it chooses; orders 1 to 12 in turn",
    solver="scipy.integrate:LSODA",
    implicit=True,
    many_steps=True,
)
