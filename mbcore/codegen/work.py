"""How much work one call of an FMU may cause, by the size of the model."""

from __future__ import annotations

import math

from mbcore.equations.equations import Equations

LONGEST_CALL = 0.5
"""Seconds that one call takes at most, by default and about, on a machine of today."""
PER_INSTRUCTION = 1e-9
CALL = 60
"""Instructions that a call of a function is worth besides its own, as in ``mb_model.h``."""
FEWEST_EVALUATIONS = 20_000.0
"""For models so large that fewer would do: it has to be possible to begin."""


def most_evaluations(equations: Equations) -> float:
    """Return the start value of ``solver.most_evaluations``.

    These are evaluations of the right-hand side, one, two or five times a power of ten, for which a
    machine needs less than `LONGEST_CALL`.
    """
    size = equations.functions["derivative"].n_instructions() + CALL
    most = max(LONGEST_CALL / (size * PER_INSTRUCTION), FEWEST_EVALUATIONS)
    power = 10.0 ** math.floor(math.log10(most))
    return max(leading * power for leading in (1.0, 2.0, 5.0) if leading * power <= most)
