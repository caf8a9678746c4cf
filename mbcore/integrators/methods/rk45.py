"""Dormand and Prince's method of order 5."""

from __future__ import annotations

from mbcore.integrators.method import Method
from mbcore.integrators.tableau import Tableau
from mbcore.model.variables import Item

METHOD = Method(
    "RK45",
    "loose tolerances",
    order=5,
    stability="explicit: steps follow the fastest part",
    source="J. R. Dormand, P. J. Prince: A family of embedded Runge-Kutta formulae. J. Comp. Appl. "
    "Math. 6 (1980)",
    solver="mbcore.integrators.steps:RK45AtOnce",
    item=Item("runge_kutta", "explicit Runge-Kutta method of order 5 with adaptive steps"),
    number=1,
    tighter="DOP853",
    damping=0.04,
    tableau=Tableau(
        a=(
            ("1/5",),
            ("3/40", "9/40"),
            ("44/45", "-56/15", "32/9"),
            ("19372/6561", "-25360/2187", "64448/6561", "-212/729"),
            ("9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"),
        ),
        b=("35/384", 0, "500/1113", "125/192", "-2187/6784", "11/84"),
        errors=(("71/57600", 0, "-71/16695", "71/1920", "-17253/339200", "22/525", "-1/40"),),
        error_order=4,
    ),
)
