"""Draws the figures of the page on benchmarks from the table in ``measurements/scaling.md``."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

SOURCE = Path(__file__).parents[1] / "measurements" / "scaling.md"
HEAD = "| model | operations |"
FAMILIES = {
    "planar": "planar chain",
    "spatial": "spatial chain",
    "beam": "beam elements",
    "linked_ladder": "parallelograms of bodies",
    "loop": "closed loop",
}
"""Quantity that is drawn, and its name."""

Rows = dict[str, dict[int, dict[str, float]]]
"""Figures by family, size and column."""


def table() -> Rows:
    """Return the stored figures of models that come in several sizes."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(HEAD))
    columns = _cells(lines[first])
    found: Rows = {}
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        name, *values = _cells(line)
        family, _, size = name.partition(" ")
        if family in FAMILIES and size:
            # both compiler and builder have columns called MB and CPU s: the first of them counts
            row = {
                c: float(v) for c, v in reversed(list(zip(columns[1:], values, strict=True))) if v
            }
            found.setdefault(family, {})[int(size)] = row
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _lines(axes: Axes, rows: Rows, column: str, across: bool = True) -> None:
    for family, sizes in rows.items():
        points = [(n, row[column]) for n, row in sizes.items() if column in row]
        if points:
            axes.plot(*zip(*points, strict=True), "o-", label=FAMILIES[family], markersize=4)
    axes.set_xscale("log")
    axes.set_xticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.set_ylim(bottom=0) if not across else axes.set_yscale("log")
    axes.set_xlabel("number of parts")
    axes.grid(alpha=0.3)


def cost(rows: Rows) -> Figure:
    """Draw operations of each part, and seconds from the model to checked FMUs."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _lines(left, rows, "per part", across=False)
    left.set(title="Operations of a right-hand side, for each part", ylabel="operations / part")
    _lines(right, rows, "FMU s")
    right.set(title="From the model to both FMUs, built and checked", ylabel="time (s)")
    right.set_yticks([3, 10, 30], ["3", "10", "30"])
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def speed(rows: Rows) -> Figure:
    """Draw the time of a right-hand side in Python and C, and beside other programs."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    spatial = {"spatial": rows["spatial"]}
    for column, label in (("Python us", "Python"), ("C us", "C, as in an FMU")):
        _lines(left, spatial, column)
        left.lines[-1].set_label(label)
    for column, row in (("Pinocchio", "Pinocchio"), ("MuJoCo", "MuJoCo")):
        full = next(c for c in next(iter(rows["spatial"].values())) if c.startswith(column))
        _lines(left, spatial, full)
        left.lines[-1].set_label(row)
    left.set(title="A spatial chain: one right-hand side", ylabel="time (µs)")
    left.legend(fontsize="small")
    _lines(right, rows, "C us")
    right.set(title="One right-hand side in C", ylabel="time (µs)")
    right.legend(fontsize="small")
    return figure


def draw(folder: Path) -> None:
    """Draw all figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = table()
    cost(rows).savefig(folder / "cost.png", dpi=110)
    speed(rows).savefig(folder / "speed.png", dpi=110)
