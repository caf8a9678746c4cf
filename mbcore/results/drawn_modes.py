"""Pictures and films of the modes about a point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing.camera import View
from mbcore.equations.equations import Equations
from mbcore.results.mode import Mode
from mbcore.results.mode_motion import LARGE, ModeMotion, chosen

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class DrawnModes:
    """What has modes about a point of a model, and draws them."""

    name: str
    equations: Equations
    time: float
    state: np.ndarray
    parameters: np.ndarray
    inputs: np.ndarray

    def modes(self) -> list[Mode]:
        """Return the modes."""
        raise NotImplementedError

    def draw(
        self,
        mode: Mode | int = 0,
        *,
        amplitude: float = LARGE,
        view: View = None,
        axes: bool = True,
        names: bool = False,
    ) -> Figure:
        """Draw a mode where it is farthest, before the point itself in pale colours.

        Parameters
        ----------
        mode : Mode or int
            One of ``modes()``, or its number from 0 on.
        amplitude : float
            Largest displacement in parts of the scene's size.
        view, axes, names
            As in ``Model.draw``.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If there is no such mode, nothing that is seen moves in it, or the model has no shapes.
        """
        return self._moving(mode, amplitude).draw(view=view, axes=axes, names=names)

    def animate(
        self,
        mode: Mode | int,
        target: str | Path,
        *,
        amplitude: float = LARGE,
        fps: float = 25.0,
        view: View = None,
        axes: bool = True,
        progress: bool = True,
    ) -> Path:
        """Write one period of a mode as a film that goes on for ever, and return its file.

        It moves about the point at which the equations are linearized, without growth or decay;
        kinematic coordinates follow. The mode of a real eigenvalue is shown to and fro.

        Parameters
        ----------
        mode : Mode or int
            One of ``modes()``, or its number from 0 on.
        target : str or Path
            A name that ends with ``.gif`` or ``.html``.
        amplitude : float
            Largest displacement in parts of the scene's size.
        fps : float
            Frames per second, of three seconds.
        view, axes, progress
            As in ``Result.animate``.

        Raises
        ------
        ModelError
            As `draw`, or if the file cannot be written.
        """
        moving = self._moving(mode, amplitude)
        return moving.animate(target, fps=fps, view=view, axes=axes, progress=progress)

    def _moving(self, mode: Mode | int, amplitude: float) -> ModeMotion:
        taken = chosen(self.modes(), mode, self.name)
        point = (self.state, self.parameters, self.inputs)
        return ModeMotion(self.equations, self.time, point, taken, amplitude)
