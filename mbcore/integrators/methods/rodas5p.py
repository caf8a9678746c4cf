"""Rodas5P: its step is ``mb_rosenbrock.c``, its coefficients are in ``mb_rodas.h``; in C alone."""

from __future__ import annotations

from mbcore.integrators.method import Method

METHOD = Method(
    "Rodas5P",
    "stiff systems at tight tolerances, in C",
    order=5,
    stability="L-stable",
    source="G. Steinebach: Construction of Rosenbrock-Wanner method Rodas5P and numerical "
    "benchmarks within the Julia Differential Equations package. BIT 63, 27 (2023)",
    implicit=True,
    rates_by_values=True,
    c_arrays=9,
    stand_in="Radau",
)
