"""RODAS: its step is ``mb_rosenbrock.c``, its coefficients are in ``mb_rodas.h``; in C alone."""

from __future__ import annotations

from mbcore.integrators.method import Method
from mbcore.model.variables import Item

METHOD = Method(
    "rosenbrock",
    "stiff systems, in C",
    order=4,
    stability="L-stable",
    source="E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.7",
    item=Item("rosenbrock", "Rosenbrock method for stiff systems, with the exact Jacobian"),
    number=2,
    implicit=True,
    rates_by_values=True,
    c_arrays=7,
    stand_in="Radau",
)
