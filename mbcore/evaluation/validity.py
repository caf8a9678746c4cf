"""Conditions at a point: requirements, a regular configuration, masses that move, finite rates.

A part of `mbcore.evaluation.evaluation`, apart from it because it only refuses, and moves nothing.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.implicit_forces import unsolvable
from mbcore.equations.tolerances import SINGULAR
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.evaluation.position import Position
from mbcore.evaluation.reduced_mass import reduced_mass, refuse_singular, vanished
from mbcore.model.errors import ConfigurationError, SimulationError


class Validity:
    """Checks of a point.

    Parameters
    ----------
    point : BoundPoint
        The point.
    position : Position
        Its configuration, with how regular the motion has been.

    Attributes
    ----------
    start_mass : ndarray or None
        The reduced mass matrix where the motion starts, (nd, nd).
    """

    def __init__(self, point: BoundPoint, position: Position) -> None:
        self.point, self.position = point, position
        self.start_mass: np.ndarray | None = None
        of_all = enumerate(point.equations.requirements)
        self._always = [i for i, r in of_all if r.severity == "error" and not r.start]

    def check(self, at_rest: bool = False) -> None:
        """Check what must hold at an accepted point; where ``at_rest``, not its derivative."""
        e, t = self.point.equations, self.point.t[0]
        self.require()
        measures = self.point.call("conditioning").results[0].ravel()
        for i, measure in enumerate(measures):
            if not abs(measure) > SINGULAR:
                if i < self.position.conditioning.limits:
                    limit = e.requirements[e.followed[i]]
                    raise SimulationError(f"{e.name}: {limit.name} at t = {t:.9g}: {limit.message}")
                law = unsolvable(e.conditioning_names[i])
                if law is not None:
                    raise ConfigurationError(f"{e.name}: at t = {t:.9g} {law}")
                raise ConfigurationError(
                    f"{e.name}: singular configuration at t = {t:.9g} in "
                    f"{e.conditioning_names[i]}; choose other degrees of freedom, or keep away"
                )
        if not at_rest:
            self.refuse_infinite()

    def refuse_massless(self) -> None:
        """Refuse a start at which some motion of the degrees of freedom moves no mass.

        An explicit solution hides that: what divides a force by a mass that is zero may cancel in
        it, or be rounding.

        Raises
        ------
        ConfigurationError
            Naming the degrees of freedom.
        """
        mass = self.start_mass = self._reduced_mass()
        if mass is not None and np.isfinite(mass).all():
            refuse_singular(mass, self.point.equations, self.point.p)

    def vanished_mass(self) -> str | None:
        """Return the words for a motion whose mass has vanished on the way; None without one."""
        mass, start = self._reduced_mass(), self.start_mass
        e = self.point.equations
        return None if mass is None or start is None else vanished(e, mass, start)

    def _reduced_mass(self) -> np.ndarray | None:
        e = self.point.equations
        unsymmetric = not e.superposed and e.dynamics.laws_of_state  # it is there as an expression
        if unsymmetric or (self.point.compiled is not None and self.point.compiled.has("mass")):
            return self.point.call("mass").results[0].copy()
        return reduced_mass(e, self.point.values())

    def refuse_infinite(self) -> None:
        """Refuse rates of states that are not finite."""
        e, t = self.point.equations, self.point.t[0]
        derivative = self.point.call("derivative").results[0][:, 0]
        if not np.all(np.isfinite(derivative)):
            i = int(np.flatnonzero(~np.isfinite(derivative))[0])
            raise ConfigurationError(
                f"{e.name}: the derivative of {e.states[i].name} is {derivative[i]} at "
                f"t = {t:.9g}; the configuration is singular or a value has no meaning"
            )

    def require(self, initial: bool = False, start: bool = False) -> None:
        """Check the requirements; those on parameters alone before anything is assembled."""
        e, t = self.point.equations, self.point.t[0]
        if not e.requirements:
            return
        values, shown = (r[:, 0] for r in self.point.call("require").results)
        if not (initial or start) and (values[self._always] > 0).all():  # as after each step
            return
        for record, value, show in zip(e.requirements, values, shown, strict=True):
            if record.severity != "error" or record.start != start:
                continue
            if initial and not record.initial:
                continue
            if not value > 0:
                raise SimulationError(
                    f"{e.name}: {record.name} = {show:.9g} at t = {t:.9g}: {record.message}"
                )
