"""The search for an equilibrium: holding forces at the start are removed in load steps.

At first the degrees of freedom are held where they start, with the inputs at their start values.
The holding forces are then removed while the inputs go to their final values: at once if Newton's
method converges, else in load steps, smaller after a failure and larger after a success.

Used by `mbcore.equilibria.statics` alone; it stands apart because the search is one method, and the
other module says what is given and returned.
"""

from __future__ import annotations

import numpy as np
from tqdm import tqdm

from mbcore.equilibria.holding_forces import HoldingForces
from mbcore.equilibria.newton import Newton
from mbcore.equilibria.tangent import Tangent
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import SimulationError

SMALLEST = 1.0 / 1024
"""Smallest load step."""
MODES = 20
"""Largest number of rounds in which events change their modes."""
SOFT = 0.25
"""Fraction of the initial stiffness below which a message calls it lost."""
LONG = 2.0
"""Seconds after which a progress bar appears."""


class Search:
    """Goes from a start configuration to an equilibrium.

    Parameters
    ----------
    point : Evaluation
        Assembled at its start, with the inputs that the search begins with.
    inputs : ndarray, shape (nu,)
        Inputs of the equilibrium.
    unstable : bool
        Whether equilibria may be unstable.

    Attributes
    ----------
    forces : HoldingForces
        The forces at the point.
    """

    def __init__(self, point: Evaluation, inputs: np.ndarray, unstable: bool) -> None:
        self.point, self.forces = point, HoldingForces(point.equations)
        self._newton = Newton(point, self.forces)
        self._first, self._goal = point.u.copy(), inputs
        self._unstable = unstable

    @property
    def residual(self) -> float:
        """Largest force that is left."""
        return self._newton.residual

    def run(self, steps: int, progress: bool) -> Tangent:
        """Search; return the tangent at the equilibrium, where the point is then.

        Parameters
        ----------
        steps : int
            Smallest number of load steps.
        progress : bool
            Whether to show a bar on long searches.

        Raises
        ------
        SimulationError
            If none is found; says how far the search came and what it met.
        """
        holding = self.forces.at(self.point)
        tangent = begin = self.forces.tangent()
        share, step, succeeded = 0.0, 1.0 / steps, False
        with tqdm(
            total=1.0,
            delay=LONG,
            disable=None if progress else True,  # None: on terminals only
            leave=False,
            bar_format="{l_bar}{bar}| {n:.3g} of the load [{elapsed}<{remaining}]",
        ) as bar:
            while share < 1.0:
                # No tiny last step, which rounding of the sum would leave.
                aim = 1.0 if share + step > 1.0 - SMALLEST / 2 else share + step
                saved = self.point.save()
                inputs = self._first + aim * (self._goal - self._first)
                found = self._reach(inputs, (1.0 - aim) * holding)
                if found is None:
                    self.point.restore(saved)
                    step, succeeded = step / 2, False
                    # A force that nothing resists at the very start is not a matter of the step.
                    if step < SMALLEST or (self._newton.loose and share == 0.0):
                        raise self._not_found(share, begin, tangent)
                    continue
                tangent = found
                bar.update(aim - share)
                share = aim
                # Only the second success in a row lengthens the step: one after a failure says
                # little.
                if succeeded:
                    step = min(2 * step, 1.0 / steps)
                succeeded = True
        return tangent

    def _reach(self, inputs: np.ndarray, holding: np.ndarray) -> Tangent | None:
        """Go to the equilibrium at given inputs and holding forces, with the modes it has."""
        for _ in range(MODES):
            if not self._newton.go(inputs, holding):
                return None
            if not self.point.iterate_events():
                break
            self.point.accept()
        else:
            self._newton.why = f"events change their modes in each of {MODES} rounds"
            return None
        tangent = self.forces.tangent()
        return tangent if self._is_acceptable(tangent) else None

    def _is_acceptable(self, tangent: Tangent) -> bool:
        """Return False where the equilibrium is unstable and must not be."""
        driven = None if self._unstable else tangent.unstable()
        if driven is None:
            return True
        self._newton.why = (
            f"the equilibrium there is unstable, {self._newton.names(driven)} would run away; "
            "unstable=True takes it nevertheless"
        )
        return False

    def _not_found(self, share: float, begin: Tangent, tangent: Tangent) -> SimulationError:
        text = (
            f"{self.point.equations.name}: no equilibrium found from this start; {self._newton.why}"
        )
        if self._newton.loose:
            return SimulationError(text)
        if share > 0.0:
            first, (least, q) = begin.softest()[0], tangent.softest()
            text += (
                f"; {100 * share:.4g} % of the way from the held start to the full load are in "
                f"equilibrium, the softest motion there is that of {self._newton.names(q)}"
            )
            if least < SOFT * first:
                return SimulationError(
                    f"{text}, whose stiffness has fallen to {least / first:.2g} of the least one "
                    "at the start: a limit point or buckling is near; give a smaller load, start "
                    "on its other side, or disturb the symmetry"
                )
        return SimulationError(f"{text}; start nearer, or take more steps")
