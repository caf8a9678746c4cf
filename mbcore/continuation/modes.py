"""Modes of events where solutions are tried: each trial begins from those of the last solution."""

from __future__ import annotations

import numpy as np

from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import SimulationError


class Modes:
    """Discrete variables and states of the last solution that was accepted.

    Laws that change with an event then do so at each trial, so that Newton's method sees what holds
    there; and a contact that closes is seen before anything beyond it is taken for a solution.

    Parameters
    ----------
    point : Evaluation
        At the first solution.
    """

    def __init__(self, point: Evaluation) -> None:
        self._has_events = bool(point.equations.events)
        self.remember(point)

    def remember(self, point: Evaluation) -> None:
        """Take a point's modes for those to begin from."""
        self._modes, self._state = point.d.copy(), point.s.copy()

    def restore(self, point: Evaluation) -> None:
        """Give a point the modes and states to begin from."""
        if self._has_events:
            point.d[:], point.s[:] = self._modes, self._state

    def follow(self, point: Evaluation) -> None:
        """Let events happen at a point whose configuration is found.

        Raises
        ------
        SimulationError
            If the modes do not come to rest, or a contact closes, or a slip becomes held.
        """
        if not self._has_events:
            return
        before = point.s.copy()
        point.iterate_events()
        if not np.array_equal(before, point.s):
            equations = point.equations
            what = (
                [f"a contact ({', '.join(equations.contacts)}) closes"]
                if equations.contacts
                else []
            )
            what += [f"a slip ({', '.join(equations.held)}) becomes held"] if equations.held else []
            raise SimulationError(
                f"{equations.name}: {' or '.join(what)} there; solutions are not followed beyond: "
                "keep a contact closed by a rigid deformation, and a slip held from the start"
            )
