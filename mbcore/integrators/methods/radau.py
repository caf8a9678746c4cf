"""Radau IIA, by SciPy."""

from __future__ import annotations

from scipy.integrate import Radau

from mbcore.integrators.method import Method

METHOD = Method(
    "Radau",
    "stiff systems, in Python",
    order=5,
    stability="L-stable",
    solver=Radau,
    implicit=True,
)
