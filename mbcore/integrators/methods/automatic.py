"""The automatic choice: explicit steps, and implicit ones where the equations are stiff."""

from __future__ import annotations

from mbcore.integrators.method import Method
from mbcore.model.variables import Item

METHOD = Method(
    "auto",
    "the default: explicit, and implicit where the equations are stiff",
    order=4,
    stability="that of DOP853 or, where it pays, of Rodas5P (Radau in Python)",
    source="E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.2, on "
    "where steps are bound by stability",
    item=Item("automatic", "Explicit steps, implicit ones with the exact Jacobian where stiff"),
    number=4,
    automatic=("RK45", "rosenbrock"),
    tighter="DOP853",
    tighter_implicit="Rodas5P",
)
