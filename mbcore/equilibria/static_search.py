"""The search for an equilibrium: holding forces at the start are removed in load steps.

At first the degrees of freedom are held where they start, with the inputs at their start values.
The holding forces are then removed while the inputs go to their final values: at once if Newton's
method converges, else in load steps, smaller after a failure and larger after a success.

Nodes that rotate far stretch stiff elements in every iteration, and that stress would stiffen the
next tangent out of all proportion. The stresses of laws are therefore unknowns of Newton's method
with iterates of their own, which changes the iteration but not its limit: Magisano, Leonetti,
Garcea, How to improve efficiency and robustness of the Newton method in geometrically non-linear
structural problem discretized via displacement-based finite elements, Comput. Methods Appl. Mech.
Engrg. 313 (2017) 986-1005.

Used by `mbcore.equilibria.statics` alone; it stands apart because the search is one method, and the
other module says what is given and returned.
"""

from __future__ import annotations

import numpy as np
from tqdm import tqdm

from mbcore.equilibria.holding_forces import HoldingForces
from mbcore.equilibria.tangent import Step, Tangent
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, SimulationError

SMALLEST_LOAD = 1.0 / 1024
"""Smallest load step."""
MODES = 20
"""Largest number of rounds in which events change their modes."""
SOFT = 0.25
"""Fraction of the initial stiffness below which a message calls it lost."""
LONG = 2.0
"""Seconds after which a progress bar appears."""
LONGEST = 0.5
"""Longest step at first, in parts of the system's size or rad."""
FORESEEN = 0.1
"""Relative error of a step's prediction up to which the next step may be twice as long."""
CLOSE, ROUNDED = 1e-8, 1e-13
"""Step sizes that end the iteration: where they shrink no more, and in any case."""
ITERATIONS, FULL = 60, 16
"""Number of iterations, and how many of them may take full steps."""
SMALLEST_STEP = 1.0 / 1024
"""Smallest fraction of the allowed step."""
NUDGES, NUDGE = 8, 0.05
"""Number of steps along directions without stiffness, and size of the first; each doubles."""
MOST_NAMED = 5
"""Largest number of states in a message."""


class Newton:
    """Goes from one equilibrium with given inputs and holding forces to another.

    Parameters
    ----------
    point : Evaluation
        The point that moves.
    forces : HoldingForces
        The forces there.

    Attributes
    ----------
    why : str
        Why the last attempt failed.
    loose : bool
        Whether that was a force that nothing resists.
    residual : float
        Largest force that is left where the last attempt succeeded.
    """

    def __init__(self, point: Evaluation, forces: HoldingForces) -> None:
        self.why, self.loose, self.residual = "", False, 0.0
        self._point, self._forces = point, forces
        nd = point.equations.dofs
        self._values = slice(nd, 2 * nd)

    def go(self, inputs: np.ndarray, holding: np.ndarray) -> bool:
        """Go to the equilibrium under forces ``holding``, shape (nd,); return whether it was found.

        ``inputs``, shape (nu,), are reached on the way.
        """
        point, forces = self._point, self._forces
        force = forces.at(point)
        stresses, self.loose = forces.stresses(), False
        part, longest, full, nudges = 1.0, LONGEST, 0, 0
        before, previous = np.zeros(forces.scale.size), np.inf
        for _ in range(ITERATIONS):
            here, left = forces.stresses(), force - holding
            tangent = forces.tangent(stresses)
            step = tangent.solve(left, inputs - point.u)
            if step.loose.any():
                self._note_loose(step.loose, left)
                self.loose = nudges == NUDGES
                if self.loose:
                    return False
                step = self._nudged(step, tangent, NUDGE * 2**nudges)
                nudges += 1
            size = self._size(step.x)
            there = np.array_equal(point.u, inputs)
            # A small step ends the iteration only if it is more than half the one before: until
            # then Newton's method still converges.
            if there and size <= CLOSE and (size <= ROUNDED or size > previous / 2):
                self.residual = float(np.abs(left).max(initial=0.0))
                return True
            if full >= FULL or not np.isfinite(size):
                break
            if part < 1.0:
                # After a partial step, the next full step should be what was left of it; the
                # difference measures how far the linearization was wrong.
                off = self._size(step.x - (1 - part) * before)
                longest = 2 * longest if off < FORESEEN * part * previous else LONGEST
            before, previous = step.x, size
            allowed = min(1.0, longest / max(size, 1e-300))
            moved = self._move(step, inputs, min(2 * part, allowed), SMALLEST_STEP * allowed)
            if moved is None:
                return False
            part, force = moved
            full += part == 1.0
            # A system that is loose in one direction may be stopped by a contact there.
            if nudges and point.iterate_events():  # perhaps it came into contact
                point.accept()
                force = forces.at(point)
            # The stress that the linearized step predicts, not the one at its end, which holds the
            # stretch of stiff elements by large rotations.
            stresses = (1 - part) * stresses + part * (here + step.stresses)
        self.why = (
            "Newton's method does not converge; the largest force left is "
            f"{np.abs(left).max(initial=0.0):.6g}, its step {size:.3g} of the system's size"
        )
        return False

    def _move(
        self, step: Step, inputs: np.ndarray, part: float, least: float
    ) -> tuple[float, np.ndarray] | None:
        """Make a step, halved until the point is admissible; return its fraction and the forces."""
        point = self._point
        here, u, q = point.save(), point.u.copy(), point.s[self._values].copy()
        while part >= least:
            # Exactly the inputs at the end: rounding would keep ``there`` false.
            point.u[:] = inputs if part == 1.0 else u + part * (inputs - u)
            point.s[self._values] = q + part * step.q
            try:
                point.configure()
                point.check(at_rest=True)
                force = self._forces.at(point)
            except (ConfigurationError, SimulationError) as error:
                self.why = str(error).removeprefix(f"{point.equations.name}: ")
                point.restore(here)
                part /= 2
            else:
                point.accept()
                return part, force
        return None

    def _nudged(self, step: Step, tangent: Tangent, size: float) -> Step:
        """Return the step plus one along the direction without stiffness."""
        x = tangent.vary(step.loose, np.zeros(self._point.u.size))[0]
        more = size / self._size(x)
        return Step(step.q + more * step.loose, step.x + more * x, step.stresses, step.loose)

    def _size(self, x: np.ndarray) -> float:
        return float(np.abs(x / self._forces.scale).max(initial=0.0))

    def _note_loose(self, loose: np.ndarray, force: np.ndarray) -> None:
        worst = int(np.argmax(np.abs(loose * force)))
        self.why = (
            f"nothing resists a motion of {self.names(loose)}, along which forces act, "
            f"{force[worst]:.6g} on {self._point.equations.states[self._values][worst].name}; "
            "give it a spring, or hold it with fix(), rigid() or prescribe()"
        )

    def names(self, q: np.ndarray) -> str:
        """Return the degrees of freedom with the largest parts of a displacement, by name."""
        records = self._point.equations.states[self._values]
        parts = np.abs(q / np.array([record.nominal for record in records]))
        largest = [i for i in np.argsort(-parts) if parts[i] >= parts.max() / 2]
        found = ", ".join(records[i].name for i in largest[:MOST_NAMED])
        unnamed = len(largest) - MOST_NAMED
        return found + (f" and {unnamed} more" if unnamed > 0 else "")


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
            If none is found; says how far the search came and what stopped it.
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
                aim = 1.0 if share + step > 1.0 - SMALLEST_LOAD / 2 else share + step
                saved = self.point.save()
                inputs = self._first + aim * (self._goal - self._first)
                found = self._reach(inputs, (1.0 - aim) * holding)
                if found is None:
                    self.point.restore(saved)
                    step, succeeded = step / 2, False
                    # A force that nothing resists at the very start is not a matter of the step.
                    if step < SMALLEST_LOAD or (self._newton.loose and share == 0.0):
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
            "unstable=True accepts it"
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
