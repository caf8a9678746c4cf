"""The picture of a slider-crank whose journal touches its sleeve."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mbcore import Model, simulate
from mbcore.examples.common import show

TOUCHING = {"crank.angle": 1.0, "joint.x": 0.4e-3, "joint.y": 0.3e-3}
"""rad, m; the clearance is 0.5 mm."""


def show_joint(
    model: Model, folder: Path, name: str, title: str, bent: Mapping[str, float] | None = None
) -> None:
    """Write the picture of a slider-crank of `clearance_joint`, whose rod may be bent."""
    start = TOUCHING | dict(bent or {})
    seen = simulate(model.equations(), 1e-7, start=start, backend="python")
    show(seen, folder, name, title, times=(0.0,))
