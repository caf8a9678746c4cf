"""Whether accelerations obey virtual power at an accepted point, to the digits that they need.

The C runtime has the same rule, in ``mb_virtual_power.c``.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.tolerances import LOST, NEARLY_SINGULAR, REFINED_FROM
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.singularities import SingularityError
from mbcore.model.wording import count


class LostAccelerationsError(SingularityError):
    """Accelerations do not obey virtual power, because coordinates have lost accuracy."""


def check_power(evaluation: Evaluation) -> None:
    """Refuse an accepted point whose accelerations have lost accuracy, where that is due.

    Raises
    ------
    LostAccelerationsError
        As `refuse_lost`.
    """
    if evaluation.conditioning.is_due(evaluation.conditioning_measures()):
        refuse_lost(evaluation)


def refuse_lost(evaluation: Evaluation) -> None:
    """Refuse an accepted point whose accelerations have lost accuracy.

    Raises
    ------
    LostAccelerationsError
        Naming the degrees of freedom and the block that is nearest to singular.
    """
    if not evaluation.equations.dofs:
        return
    left, part = (of[:, 0] for of in evaluation.call("virtual_power").results)
    if np.all(np.abs(left) <= REFINED_FROM * NEARLY_SINGULAR * part):  # whatever the blocks are
        return
    measures = np.abs(evaluation.conditioning_measures()[evaluation.conditioning.limits :])
    amplified = np.abs(left) / max(float(measures.min(initial=1.0)), NEARLY_SINGULAR)
    if np.all(amplified <= REFINED_FROM * part):
        return
    [sizes] = (of[:, 0] for of in evaluation.call("power_size").results)
    lost = ~(amplified <= REFINED_FROM * sizes)
    if not lost.any():
        return
    evaluation.conditioning.check_next()  # and another attempt, where this one is refused
    error = float(evaluation.call("power_error").results[0][0, 0])
    if not error <= LOST:
        raise _lost(evaluation, lost, float(np.max(np.abs(left[lost]) / sizes[lost])), error)


def _lost(
    evaluation: Evaluation, lost: np.ndarray, share: float, error: float
) -> LostAccelerationsError:
    e, t = evaluation.equations, float(evaluation.t[0])
    names = [q.name for q, bad in zip(e.assembly.independent, lost, strict=True) if bad]
    block, size = evaluation.conditioning.smallest(evaluation.conditioning_measures())
    near = (
        ""
        if block < 0
        else (
            f"; nearest to singular is {e.conditioning_names[block]} "
            f"(conditioning {size:.2g} of its largest)"
        )
    )
    return LostAccelerationsError(
        f"{e.name}: the accelerations at t = {t:.9g} have lost accuracy: they are wrong by about "
        f"{error:.2g} of the largest one, and {share:.2g} of the virtual power of "
        f"{count(len(names), 'degree of freedom')} is left over: {', '.join(names)}{near}",
        t,
        block,
        size,
    )
