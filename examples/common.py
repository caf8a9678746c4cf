"""What the examples share: the table of ours beside the reference, and the folder for figures."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Row = tuple[str, float, float]
"""What it is, ours, reference."""


def print_comparison(title: str, rows: Iterable[Row]) -> None:
    """Print ours, the reference and the difference."""
    print(f"\n{title}\n{'':44}{'ours':>16}{'reference':>16}{'difference':>12}")
    for name, ours, reference in rows:
        print(f"{name:44}{ours:16.10g}{reference:16.10g}{ours - reference:12.1e}")


def figures_folder(description: str | None) -> Path:
    """Return the folder given with ``--figures``, ``figures/`` by default; it exists."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--figures", type=Path, default=Path("figures"), metavar="DIR", help="where figures go"
    )
    folder = parser.parse_args().figures
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as PNG and say where."""
    target = folder / f"{name}.png"
    figure.savefig(target, dpi=150)
    print(f"figure: {target}")


def largest(values: np.ndarray) -> float:
    """Return the largest value of a densely sampled quantity, by a parabola through the top."""
    i = int(np.clip(np.argmax(values), 1, values.size - 2))
    before, top, after = (float(v) for v in values[i - 1 : i + 2])
    bend = before - 2 * top + after
    inside = bend < 0 and top >= max(before, after)
    return top - (after - before) ** 2 / (8 * bend) if inside else float(values.max())


def plain(axes: Axes, across: str, up: str) -> None:
    """Label the axes and draw a faint grid."""
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
