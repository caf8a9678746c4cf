"""Limit on the work of one call of an FMU, by the size of the model."""

from __future__ import annotations

import math

from mbcore.equations.equations import Equations

LONGEST_CALL = 0.5
"""Approximate longest duration of one call by default, s, on a present machine."""
PER_INSTRUCTION = 1e-9
CALL = 60
"""Overhead of a function call in instructions, as in ``mb_model.h``."""
FEWEST_EVALUATIONS = 20_000.0
"""Smallest limit, so that even a very large model can initialize."""


def most_evaluations(equations: Equations) -> float:
    """Return the start value of ``solver.most_evaluations``.

    These are evaluations of the right-hand side, one, two or five times a power of ten, for which a
    machine needs less than `LONGEST_CALL`.
    """
    size = equations.functions["derivative"].n_instructions() + CALL
    most = max(LONGEST_CALL / (size * PER_INSTRUCTION), FEWEST_EVALUATIONS)
    power = 10.0 ** math.floor(math.log10(most))
    within = most * (1 + 1e-9)  # 0.5 / (500 * 1e-9) is a little below its own power of ten
    return max(leading * power for leading in (1.0, 2.0, 5.0) if leading * power <= within)
