"""Meijaard's explicit method of one stage."""

from __future__ import annotations

from mbcore.integrators.method import Method

METHOD = Method(
    "one_stage",
    "equal steps of one evaluation each; order 1 where accelerations depend on rates",
    order=2,
    stability="explicit: undamped for steps below 2 over the highest angular frequency",
    source="[Schwab2002] (5.28)",
    solver="mbcore.integrators.steps:OneStage",
)
