"""Modes as motions about the point of linearization."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing.animation import Film, target_path, write_film
from mbcore.drawing.ghost import ghosted
from mbcore.drawing.layout import Layout, Parts, fitted
from mbcore.drawing.projection.camera import View
from mbcore.drawing.still import draw_on, empty_figure
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.results.mode import Mode
from mbcore.results.motion import called, configured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGE = 0.12
"""Largest displacement drawn, in scene sizes."""
SMALL = 1e-4
"""Fraction of the mode shape with which displacements are measured."""
ROUNDING = 1e-9
"""Relative size below which a part of an eigenvalue is printed as zero."""
PAGE_FRAMES = 200
"""Frames of a page for one period."""
LENGTH = 3.0
"""Period given to a mode without frequency, s."""


class ModeMotion:
    """One mode, shown about the point at which equations were linearized.

    Growth and decay are left out, so that the motion is periodic; the mode of a real eigenvalue is
    drawn as an oscillation. All states take part, kinematic coordinates among them, and the
    configuration follows from them without linearization.

    Parameters
    ----------
    equations : Equations
    time : float
        s.
    point : sequence of ndarray
        States, parameters and inputs about which the mode is.
    mode : Mode
    amplitude : float
        Largest displacement in parts of the scene's size.

    Raises
    ------
    ModelError
        If nothing that is seen moves, or the amplitude is not positive.
    """

    def __init__(
        self,
        equations: Equations,
        time: float,
        point: tuple[np.ndarray, np.ndarray, np.ndarray],
        mode: Mode,
        amplitude: float,
    ) -> None:
        self.mode, self.equations = mode, equations
        owner = f"{equations.name}: mode"
        part = checks.real(owner, "amplitude", amplitude, above=0, most=2)
        self._shape = np.array([mode.shape[record.name] for record in equations.states])
        self._at = _configured_at(equations, time, *point)
        self.scene = equations.scene()
        rest = self._numbers(np.zeros((1, len(self._shape))))[0]
        # The real and the imaginary part of the shape: at one phase alone a mode may be at rest.
        moved = max(self._displacement(rest, phase) for phase in (0.0, np.pi / 2))
        if not moved > 1e-9 * self.scene.size:
            largest = ", ".join(mode.largest[:3]) or "nothing"
            raise ModelError(
                f"{owner}: no visible part moves in it; it is mostly a motion of {largest}; choose "
                "another mode, or show the moving parts by model.show(...)"
            )
        self.scale = part * self.scene.size / moved
        self.rest = rest

    def _numbers(self, changes: np.ndarray) -> np.ndarray:
        """The scene at changes of the states, shape (k, ns), as (k, n)."""
        columns = [np.repeat(a[:, None], len(changes), axis=1) for a in self._at]
        columns[1] = columns[1] + changes.T
        columns[5] = configured(self.equations, columns)
        return called(self.scene.function, columns)[0].T

    def _displacement(self, rest: np.ndarray, phase: float) -> float:
        """The largest of all places for the mode's own shape, m."""
        step = SMALL * (self._shape * np.exp(1j * phase)).real
        there = self._numbers(step[None, :])[0]
        before, after = (Parts(self.scene.description, n).reach() for n in (rest, there))
        return float(np.linalg.norm(after - before, axis=1).max(initial=0.0)) / SMALL

    def frames(self, phases: np.ndarray) -> np.ndarray:
        """Return the scene's numbers at phases of the mode, rad, shape (k, n)."""
        turned = np.exp(1j * phases)[:, None] * self._shape
        return self._numbers(self.scale * turned.real)

    @property
    def period(self) -> float:
        """Period, s."""
        return 2 * np.pi / self.mode.frequency if self.mode.frequency > 0 else LENGTH

    @property
    def caption(self) -> str:
        """The eigenvalue in words."""
        value = self.mode.eigenvalue
        real = 0.0 if abs(value.real) < ROUNDING * abs(value) else value.real
        if self.mode.frequency > 0:
            frequency = self.mode.frequency / (2 * np.pi)
            return f"   {frequency:.3g} Hz, eigenvalue {real:.3g} ± {abs(value.imag):.3g}i 1/s"
        return f"   eigenvalue {real:.3g} 1/s"

    def draw(self, *, view: View = None, axes: bool = True, names: bool = False) -> Figure:
        """Draw the largest displacement, in front of a ghost image of the point itself."""
        phases = np.linspace(0, np.pi, 24, endpoint=False)
        frames = self.frames(phases)
        places = [Parts(self.scene.description, n).reach() for n in (self.rest, *frames)]
        sizes = [float(np.abs(place - places[0]).max(initial=0.0)) for place in places[1:]]
        numbers = frames[int(np.argmax(sizes))]
        description = self.scene.description
        both = np.array([self.rest, numbers])
        layout = fitted(description, both, Layout(view, axes, names))
        figure, on = empty_figure(description, layout)
        draw_on(on, ghosted(description), self.rest, replace(layout, scales={}), behind=True)
        draw_on(on, description, numbers, layout, caption=self.caption, before=True)
        return figure

    def animate(
        self, target: str | Path, *, fps: float, view: View, axes: bool, progress: bool
    ) -> Path:
        """Write one period of it as a film."""
        path = target_path(f"{self.equations.name}: animate", target)
        rate = checks.real(f"{self.equations.name}: animate", "fps", fps, above=0, most=50)
        # a page plays on from its last frame, which therefore repeats the first
        is_page = path.suffix.lower() == ".html"
        count = PAGE_FRAMES if is_page else max(round(LENGTH * rate), 8)
        parts = np.arange(count + is_page) / count
        return write_film(
            path,
            self.scene.description,
            self.frames(2 * np.pi * parts),
            self.period * parts,
            Layout(view, axes),
            Film(rate, float(f"{self.period / LENGTH:.1g}"), self.caption, progress),
        )


def chosen(modes: list[Mode], mode: Mode | int, name: str) -> Mode:
    """Return a mode, or the one of a number.

    Raises
    ------
    ModelError
        If there is no such mode.
    """
    if isinstance(mode, Mode):
        return mode
    if isinstance(mode, bool) or not isinstance(mode, int | np.integer):
        raise ModelError(f"{name}: mode = {mode!r}; give its number from 0 on, or one of modes()")
    if not 0 <= mode < len(modes):
        raise ModelError(
            f"{name}: there is no mode {mode}; there are {len(modes)}, counted from 0 in the order "
            "of eigenvalues()"
        )
    return modes[int(mode)]


def _configured_at(
    equations: Equations,
    time: float,
    states: np.ndarray,
    parameters: np.ndarray,
    inputs: np.ndarray,
) -> list[np.ndarray]:
    """The point (t, s, d, u, p, x) with its configuration."""

    def named(records: tuple, values: np.ndarray) -> dict[str, float]:
        return {r.name: float(v) for r, v in zip(records, values, strict=True)}

    e = Evaluation(
        equations, named(equations.parameters, parameters), named(equations.inputs, inputs)
    )
    e.t[0] = time
    e.start(named(equations.states, states), at_rest=True)
    return [e.t.copy(), np.asarray(states, float), e.d.copy(), e.u.copy(), e.p.copy(), e.x.copy()]
