"""A motion: the points (t, s, d, u, p, x) behind the rows of a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.results.blocks import Blocks, Followed
from mbcore.results.seldom import Seldom

ITERATIONS = 12
"""Largest number of Newton steps for a configuration between two known ones."""
ENOUGH = 1e-10
"""Residual, in natural sizes, at which they end."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Points of a motion, one for each row, in the order of the equations' arguments.

    Attributes
    ----------
    equations : Equations or None
        Equations of the motion; lost where a result is sent to another process or saved.
    parameters : ndarray, shape (np,)
    time : ndarray, shape (nt,)
        s, not decreasing; two rows at one time are before and after an event.
    states, inputs : ndarray or Blocks, shapes (nt, ns), (nt, nu)
    discretes : ndarray or Seldom, shape (nt, nd)
    configuration : ndarray, Blocks or Followed, shape (nt, nx)
        x, in the order of ``equations.coordinate_names``.
    """

    equations: Equations | None
    parameters: np.ndarray
    time: np.ndarray
    states: np.ndarray | Blocks
    inputs: np.ndarray | Blocks
    discretes: np.ndarray | Seldom
    configuration: np.ndarray | Blocks | Followed

    def __getstate__(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        # expressions of CasADi cannot be pickled
        return fields | {"equations": None, "configuration": np.asarray(self.configuration)}

    def rows(self, chosen: np.ndarray) -> Motion:
        """Return the motion of some rows alone, by a mask or by numbers."""
        names = ("time", "states", "inputs", "discretes", "configuration")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def solved(self) -> Equations:
        """Return the equations.

        Raises
        ------
        ModelError
            If they were lost.
        """
        if self.equations is None:
            raise ModelError(
                "this result was saved or sent from another process, which leaves its model "
                "behind, so that it cannot be drawn; draw it where it was simulated"
            )
        return self.equations

    def arguments(self, times: np.ndarray) -> list[np.ndarray]:
        """Return (t, s, d, u, p, x) at times, a column for each: the arguments of all functions.

        Between rows, states are cubic by their rates at both, inputs linear, and configurations
        are solved for; at an event they are those after it.

        Raises
        ------
        ModelError
            If a time is outside of the motion.
        """
        t = np.atleast_1d(np.asarray(times, float))
        self._refuse_outside(t)
        row = np.clip(
            np.searchsorted(self.time, t, side="right") - 1, 0, max(len(self.time) - 2, 0)
        )
        step = self.time[row + 1] - self.time[row] if len(self.time) > 1 else np.zeros(len(t))
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(step > 0, (t - self.time[row]) / step, 0.0)
        after = np.minimum(row + 1, len(self.time) - 1)
        # At the end of a step the row itself is exact; no configuration has to be solved for.
        row = np.where(part >= 1, after, row)
        part = np.where(part >= 1, 0.0, part)[:, None]
        u = (1 - part) * self.inputs[row] + part * self.inputs[after]
        x = (1 - part) * self.configuration[row] + part * self.configuration[after]
        s = self._between(row, after, part)
        d = self.discretes[row]
        p = np.repeat(self.parameters[:, None], len(t), axis=1)
        found = [t[None, :], s.T, d.T, u.T, p, x.T]
        between = part[:, 0] > 0
        if between.any():
            found[5][:, between] = configured(
                self.solved(), [argument[:, between] for argument in found]
            )
        return found

    def _refuse_outside(self, times: np.ndarray) -> None:
        if not len(self.time):
            raise ModelError("this result has no rows, so that nothing can be drawn")
        first, last = float(self.time[0]), float(self.time[-1])
        slack = 1e-9 * max(abs(first), abs(last))
        for t in times:
            if not (first - slack <= t <= last + slack):
                raise ModelError(
                    f"t = {t:.9g} s is outside of the motion, which is from {first:.9g} s to "
                    f"{last:.9g} s; choose a time within, or simulate longer"
                )

    def _rates(self, rows: np.ndarray) -> np.ndarray:
        """Rates of the states at rows, shape (nt, ns); NaN where there are none."""
        p = np.repeat(self.parameters[:, None], len(rows), axis=1)
        s, d, u, x = (
            values[rows].T
            for values in (self.states, self.discretes, self.inputs, self.configuration)
        )
        function = self.solved().functions["derivative"]
        return called(function, [self.time[rows][None, :], s, d, u, p, x])[0].T

    def _between(self, row: np.ndarray, after: np.ndarray, part: np.ndarray) -> np.ndarray:
        """States by the cubic with their rates at both ends of a step."""
        before, then = self.states[row], self.states[after]
        straight = (1 - part) * before + part * then
        if not part.any():
            return straight
        step = (self.time[after] - self.time[row])[:, None]
        # A long motion is seen at few moments; most of its rows need no rates.
        asked, places = np.unique(np.concatenate([row, after]), return_inverse=True)
        first, last = np.split(self._rates(asked)[places], 2)
        bent = (1 - part) * (first * step - (then - before))
        bent = bent - part * (last * step - (then - before))
        found = straight + part * (1 - part) * bent
        # Rates are NaN where there is no configuration; straight lines are better than gaps.
        return np.where(np.isfinite(found), found, straight)


def followed(motion: Motion) -> Motion:
    """Return a motion of equations without iterated coordinates, with the configurations."""
    equations = motion.solved()
    shape = len(motion.time), len(equations.coordinate_names)

    def made(rows: np.ndarray) -> np.ndarray:
        s, d, u = (table[rows].T for table in (motion.states, motion.discretes, motion.inputs))
        p, x = (
            np.repeat(motion.parameters[:, None], len(rows), axis=1),
            np.zeros((shape[1], len(rows))),
        )
        arguments = [motion.time[rows][None, :], s, d, u, p, x]
        return called(equations.functions["newton"], arguments)[0].T

    return replace(motion, configuration=Followed(shape, made))


def called(function: ca.Function, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Call a function at many points, one column each; results have one column each."""
    n = arguments[0].shape[1]
    if function.n_in() and n > 1:
        # CasADi asks for as many columns of empty arguments as well.
        arguments = [np.zeros((0, n)) if a.size == 0 else a for a in arguments]
        many = function.map(n)
        results = many.call([ca.DM(a) for a in arguments])
    else:
        results = function.call([ca.DM(a) for a in arguments])
    return [np.array(result.full()) for result in results]


def configured(equations: Equations, arguments: list[np.ndarray]) -> np.ndarray:
    """Return configurations x near given ones, shape (nx, n); the given one where none is found.

    Parameters
    ----------
    arguments : list of ndarray
        (t, s, d, u, p, x), a column for each point.
    """
    newton = equations.functions["newton"]
    size = equations.natural_length
    *point, given = arguments
    x = given
    for step in range(ITERATIONS):
        # The residual is that before the step, where the degrees of freedom are still the old ones.
        x, residual = called(newton, [*point, x])
        if step and not np.abs(residual).max(initial=0.0) > ENOUGH * min(1.0, size):
            break
    return np.where(np.isfinite(x).all(axis=0), x, given)
