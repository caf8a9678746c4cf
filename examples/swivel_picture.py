"""The picture of a caster that has swivelled, and whose strut is bent."""

from __future__ import annotations

from pathlib import Path

from mbcore import Model, simulate
from mbcore.examples.common import show

ASIDE = {"swivel.angle": -0.4, "strut.deflection": 0.3}
"""rad, m; seen so, neither plate nor wheel hides the strut."""
LOW = (-58.0, 12.0)
"""View below the plate, degrees."""


def show_swivelled(gear: Model, folder: Path, name: str, title: str) -> None:
    """Write the picture of a caster with the shapes of ``caster.add_shapes``."""
    seen = simulate(gear.equations(), 1e-7, start=ASIDE, backend="python")
    show(seen, folder, name, title, times=(0.0,), view=LOW)
