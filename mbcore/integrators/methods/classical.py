"""The classical Runge-Kutta method."""

from __future__ import annotations

from mbcore.integrators.method import Method
from mbcore.integrators.tableau import Tableau
from mbcore.model.variables import Item

TABLEAU = Tableau(a=(("1/2",), (0, "1/2"), (0, 0, 1)), b=("1/6", "1/3", "1/3", "1/6"))

METHOD = Method(
    "classical",
    "equal steps of `max_step`, for real-time targets",
    order=4,
    stability="explicit: undamped oscillations for steps below 2.8 over the angular frequency",
    source="W. Kutta: Beitrag zur näherungsweisen Integration totaler Differentialgleichungen. "
    "Z. Math. Phys. 46 (1901)",
    item=Item("fixed_step", "equal steps of at most solver.step, for real-time targets"),
    number=3,
    tableau=TABLEAU,
)
