"""The search for an equilibrium: Newton's method on the forces that hold a system at rest.

At first the degrees of freedom are held where they start, with the inputs at their start values.
The forces that hold them are then taken away while the inputs go to their values: at once if that
succeeds, else in load steps that become smaller where Newton's method fails, and larger again.

Nodes that turn far stretch stiff elements in every iteration, and the stress of that would stiffen
the next tangent out of all proportion. The tangent is therefore made with stresses of laws that
follow Newton's method as unknowns of their own, which changes its way but not its end: Magisano,
Leonetti, Garcea, How to improve efficiency and robustness of the Newton method in geometrically
non-linear structural problem discretized via displacement-based finite elements, Comput. Methods
Appl. Mech. Engrg. 313 (2017) 986-1005.
"""

from __future__ import annotations

import numpy as np
from tqdm import tqdm

from mbcore.analysis.held import Held
from mbcore.analysis.tangent import Step, Tangent
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, SimulationError

LONGEST = 0.5
"""Longest step of Newton's method, in parts of the system's size or rad."""
CLOSE, ROUNDED = 1e-8, 1e-13
"""Steps of these sizes are the last ones: where they shrink no more, and at once."""
ITERATIONS, FULL = 60, 16
"""Iterations of one load step, and how many of them may be of full length."""
SMALLEST = 1.0 / 1024
"""Smallest load step, and smallest part of a step of Newton's method."""
NUDGES, NUDGE = 5, 0.05
"""Steps into directions in which nothing resists, and their size."""
MODES = 20
"""Rounds in which events may change their modes."""
LONG = 2.0
"""Seconds after which a progress bar appears."""
SHOWN = 5
"""States named at most."""


class Search:
    """Goes from a start configuration to an equilibrium.

    Parameters
    ----------
    point : Evaluation
        Assembled at its start, with the inputs that the search begins with.
    inputs : ndarray, shape (nu,)
        Inputs of the equilibrium.
    unstable : bool
        Whether an unstable equilibrium may be found by going on from stable ones.

    Attributes
    ----------
    held : Held
        The forces at the point.
    residual : float
        Largest force that is left.
    """

    def __init__(self, point: Evaluation, inputs: np.ndarray, unstable: bool) -> None:
        self.point, self.held, self.residual = point, Held(point.equations), 0.0
        nd = point.equations.dofs
        self._values = slice(nd, 2 * nd)
        self._first, self._goal = point.u.copy(), inputs
        self._must_be_stable = False
        self._may_become_unstable = unstable
        self._why = ""

    def run(self, steps: int, progress: bool) -> Tangent:
        """Search; return the tangent at the equilibrium, where the point is then.

        Raises
        ------
        SimulationError
            If none is found; says how far the search came and what it met.
        """
        holding = self.held.at(self.point)
        tangent = begin = self.held.tangent()
        self._is_acceptable(tangent)
        share, step, succeeded = 0.0, 1.0 / steps, False
        with tqdm(
            total=1.0,
            delay=LONG,
            disable=None if progress else True,  # None: on terminals only
            leave=False,
            bar_format="{l_bar}{bar}| {n:.3g} of the load [{elapsed}<{remaining}]",
        ) as bar:
            while share < 1.0:
                aim = 1.0 if share + step > 1.0 - SMALLEST / 2 else share + step
                kept = self.point.keep()
                inputs = self._first + aim * (self._goal - self._first)
                found = self._reach(inputs, (1.0 - aim) * holding)
                if found is None:
                    self.point.restore(kept)
                    step, succeeded = step / 2, False
                    if step < SMALLEST:
                        raise self._not_found(share, begin, tangent)
                    continue
                tangent = found
                bar.update(aim - share)
                share = aim
                if succeeded:
                    step = min(2 * step, 1.0 / steps)
                succeeded = True
        return tangent

    def _reach(self, inputs: np.ndarray, holding: np.ndarray) -> Tangent | None:
        """Go to the equilibrium at given inputs and holding forces, with the modes it has."""
        for _ in range(MODES):
            if not self._newton(inputs, holding):
                return None
            if not self.point.fire():
                break
            self.point.accept()
        else:
            self._why = f"events change their modes in each of {MODES} rounds"
            return None
        tangent = self.held.tangent()
        return tangent if self._is_acceptable(tangent) else None

    def _is_acceptable(self, tangent: Tangent) -> bool:
        """Return False where a system is unstable that was stable before."""
        driven = tangent.unstable()
        if driven is None:
            self._must_be_stable = not self._may_become_unstable
            return True
        self._why = f"the equilibrium there is unstable, {self.names(driven)} would run away"
        return not self._must_be_stable

    def _newton(self, inputs: np.ndarray, holding: np.ndarray) -> bool:
        """Go to the point where the forces are ``holding``; return whether that succeeded."""
        point, held = self.point, self.held
        left = held.at(point) - holding
        stresses = held.stresses()
        part, previous, full, nudges = 1.0, np.inf, 0, 0
        for _ in range(ITERATIONS):
            here = held.stresses()
            tangent = held.tangent(stresses)
            step = tangent.solve(left, inputs - point.u)
            if step.loose.any():
                self._why = self._nothing_resists(step.loose, left)
                nudges += 1
                if nudges > NUDGES:
                    return False
                step = self._nudged(step, tangent)
            size = self._size(step.x)
            if size <= CLOSE and (size <= ROUNDED or size > previous / 2):
                self.residual = float(np.abs(left).max(initial=0.0))
                return True
            if full >= FULL or not np.isfinite(size):
                break
            previous = size
            part = self._go(step, inputs, min(1.0, 2 * part, LONGEST / max(size, 1e-300)))
            if part == 0.0:
                return False
            full += part == 1.0
            left = held.at(point) - holding
            stresses = (1 - part) * stresses + part * (here + step.stresses)
        self._why = (
            "Newton's method does not converge; the largest force left is "
            f"{np.abs(left).max(initial=0.0):.6g}, its step {size:.3g} of the system's size"
        )
        return False

    def _go(self, step: Step, inputs: np.ndarray, part: float) -> float:
        """Go a part of a step, halved until all that must hold does; return it, 0 if none."""
        point = self.point
        here, u, q = point.keep(), point.u.copy(), point.s[self._values].copy()
        while part >= SMALLEST:
            point.u[:] = inputs if part == 1.0 else u + part * (inputs - u)
            point.s[self._values] = q + part * step.q
            try:
                point.configure()
                point.check(at_rest=True)
                self.held.at(point)
            except (ConfigurationError, SimulationError) as error:
                self._why = str(error).removeprefix(f"{point.equations.name}: ")
                point.restore(here)
                part /= 2
            else:
                point.accept()
                return part
        return 0.0

    def _nudged(self, step: Step, tangent: Tangent) -> Step:
        """Return the step with a further one into the direction in which nothing resists."""
        x = tangent.vary(step.loose, np.zeros(self._goal.size))[0]
        more = NUDGE / self._size(x)
        self.point.fire()
        return Step(step.q + more * step.loose, step.x + more * x, step.stresses, step.loose)

    def _size(self, x: np.ndarray) -> float:
        return float(np.abs(x / self.point.scale).max(initial=0.0))

    # Words

    def names(self, q: np.ndarray, least: float = 0.5) -> str:
        """Return the degrees of freedom with the largest parts of a displacement, by name."""
        records = self.point.equations.states[self._values]
        parts = np.abs(q / np.array([record.nominal for record in records]))
        largest = [i for i in np.argsort(-parts) if parts[i] >= least * parts.max()]
        found = ", ".join(records[i].name for i in largest[:SHOWN])
        return found + (f" and {len(largest) - SHOWN} more" if len(largest) > SHOWN else "")

    def _nothing_resists(self, loose: np.ndarray, force: np.ndarray) -> str:
        worst = int(np.argmax(np.abs(loose * force)))
        return (
            f"nothing resists a motion of {self.names(loose)}, along which forces act, "
            f"{force[worst]:.6g} on {self.point.equations.states[self._values][worst].name}; "
            "give it a spring, or hold it with fix(), rigid() or prescribe()"
        )

    def _not_found(self, share: float, begin: Tangent, tangent: Tangent) -> SimulationError:
        name = self.point.equations.name
        text = f"{name}: no equilibrium found from this start; {self._why}"
        if share > 0.0:
            first, (least, q) = begin.softest()[0], tangent.softest()
            text += (
                f"; {100 * share:.4g} % of the way from the held start to the full load are in "
                f"equilibrium, the softest motion there is that of {self.names(q)}"
            )
            if least < first / 10:
                text += (
                    f", whose stiffness has fallen to {least / first:.2g} of what it was: a limit "
                    "point or buckling is near; give a smaller load, or start on its other side"
                )
                return SimulationError(text)
        return SimulationError(f"{text}; start nearer, or take more steps")
