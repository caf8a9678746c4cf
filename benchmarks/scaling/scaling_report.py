"""Tables and a figure of what ``scaling.py`` measured, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.ticker import FuncFormatter, NullFormatter

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from benchmarks import common
from benchmarks.scaling.families import FAMILIES
from benchmarks.scaling.scaling_run import Case

MB, KB, US = 1e-6, 1e-3, 1e6
AGREEMENT = 1e-9
"""Largest relative difference of accelerations to a peer's."""
LONGEST = {"MuJoCo": 50}
"""Links up to which this is asked of a peer. MuJoCo factors the mass matrix of relative angles,
whose condition grows with the length: of 200 planar links it keeps eight digits."""
CONSTANT = 1.15
"""Operations per part may differ by this factor between sizes."""
OPEN_CHAINS = ("planar", "spatial", "rigid_beam", "rigid_spatial_beam", "mixed", "mixed_spatial")
"""Families of which this is asked, from ten links on."""


@dataclass(frozen=True)
class Mark:
    """A bound on one number of a model; ``sizes`` empty for all."""

    family: str
    sizes: tuple[int, ...]
    what: str
    value: Callable[[Case], float]
    at_most: float


def ratio_to(peer: str) -> Callable[[Case], float]:
    """Return the ratio of ours to a peer whose name begins so."""

    def value(case: Case) -> float:
        return next((r for name, r in case.ratios.items() if name.startswith(peer)), np.nan)

    return value


def total(case: Case) -> float:
    """Return the operations of a right-hand side."""
    return float(sum(case.operations.values())) or np.nan


MARKS = (
    Mark("planar", (10, 50, 200), "operations a link", lambda c: c.per_part, 450),
    Mark("spatial", (10, 50, 100), "operations a link", lambda c: c.per_part, 900),
    Mark("rigid_beam", (), "operations a link", lambda c: c.per_part, 150),
    Mark("rigid_spatial_beam", (), "operations a link", lambda c: c.per_part, 900),
    Mark("beam", (20, 80), "operations an element", lambda c: c.per_part, 700),
    Mark("ladder", (), "operations a window", lambda c: c.per_part, 850),
    Mark("linked_ladder", (), "operations a window", lambda c: c.per_part, 850),
    Mark("spatial", (100,), "equations, s", lambda c: c.equations, 5),
    Mark("spatial", (100,), "memory of it, MB", lambda c: c.equations_memory * MB, 400),
    Mark("spatial", (20,), "FMU, s", lambda c: c.fmu, 20),
    Mark("planar", (100,), "FMU, s", lambda c: c.fmu, 40),
    Mark("planar", (100,), "compiler's memory, MB", lambda c: c.compile_memory * MB, 1000),
    Mark("rigid_beam", (100,), "FMU, s", lambda c: c.fmu, 40),
    Mark("rigid_beam", (100,), "compiler's memory, MB", lambda c: c.compile_memory * MB, 1000),
    Mark("spatial", (20,), "time / Pinocchio's ABA", ratio_to("Pinocchio"), 1.5),
    Mark("planar", (100,), "time / Pinocchio's ABA", ratio_to("Pinocchio"), 1.8),
    Mark("disk", (), "right-hand side in C, us", lambda c: c.rhs * US, 0.7),
    Mark("bicycle", (), "operations", total, 9000),
    Mark("bicycle", (), "C source, kB", lambda c: c.source * KB, 800),
    Mark("bicycle", (), "both FMUs built, validated, run, s", lambda c: c.fmu, 20),
    Mark("bicycle", (), "compiler's memory, MB", lambda c: c.compile_memory * MB, 500),
    Mark("bicycle", (), "right-hand side in C, us", lambda c: c.rhs * US, 5),
)


def marks(cases: Sequence[Case]) -> common.Table:
    """Return what is asked beside what was measured; what was not measured is not in it."""
    table = common.Table("What is asked")
    for mark in MARKS:
        for case in cases:
            if case.family != mark.family or (mark.sizes and case.size not in mark.sizes):
                continue
            value = mark.value(case)
            if np.isfinite(value):
                table.number(f"{_label(case)}: {mark.what}", value, mark.at_most)
    for family in OPEN_CHAINS:
        counts = [c.per_part for c in cases if c.family == family and c.size >= 10]
        counts = [count for count in counts if np.isfinite(count)]
        if len(counts) > 1:
            label = f"{family}, 10 and more: most / least operations a link"
            table.number(label, max(counts) / min(counts), CONSTANT)
    for case in cases:
        for name, difference in case.differences.items():
            longest = LONGEST.get(name.partition(" ")[0], case.size)
            asked = AGREEMENT if case.size <= longest else None
            table.number(f"{_label(case)}: accelerations, {name}", difference, asked)
    return table


def _label(case: Case) -> str:
    return f"{case.family} {case.size}" if case.family in FAMILIES else case.family


def rows(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Return heads and a row for each case."""
    names = list(dict.fromkeys(name for case in cases for name in case.peers))
    heads = [
        "model",
        "operations",
        "per part",
        "equations s",
        "CPU s",
        "MB",
        "source kB",
        "compile s",
    ]
    heads += ["MB", "FMU s", "CPU s", "Python us", "C us"]
    for name in names:
        heads += [f"{name} us", "ours / it"]
    found = [tuple(heads)]
    for case in cases:
        cells = [
            _label(case),
            _number(total(case)),
            _number(case.per_part if case.family in FAMILIES else np.nan),
            _number(case.equations, 2),
            _number(case.equations_cpu, 2),
            _number(case.equations_memory * MB),
            _number(case.source * KB),
            _number(case.compile, 1),
            _number(case.compile_memory * MB),
            _number(case.fmu, 1),
            _number(case.fmu_cpu, 1),
            _number(case.python * US, 1),
            _number(case.rhs * US, 2),
        ]
        for name in names:
            cells.append(_number(case.peers.get(name, np.nan) * US, 2))
            cells.append(_number(case.ratios.get(name, np.nan), 2))
        found.append(tuple(cells))
    return found


def _number(value: float, digits: int = 0) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else ""


def plain(table: Sequence[tuple[str, ...]]) -> str:
    """Return rows as aligned columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    head, *body = table
    lines = [head, tuple("-" * width for width in widths), *body]
    return "\n".join(
        " | ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def markdown(table: Sequence[tuple[str, ...]]) -> str:
    """Return rows as a table in Markdown, numbers to the right."""
    head, *body = table
    ruler = tuple("---" if i == 0 else "---:" for i in range(len(head)))
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ruler, *body))


def plot(cases: Sequence[Case], file: Path) -> None:
    """Draw cost against size, with the peers where there are any, and operations per part."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    for ax, (family, title) in zip(
        axes, (("planar", "open planar chain"), ("spatial", "open spatial chain")), strict=False
    ):
        own = [case for case in cases if case.family == family and np.isfinite(case.rhs)]
        sizes = [case.size for case in own]
        ax.loglog(sizes, [case.rhs * US for case in own], "o-", label="mbcore, with Newton")
        for name in dict.fromkeys(name for case in own for name in case.peers):
            times = [case.peers.get(name, np.nan) * US for case in own]
            ax.loglog(sizes, times, "s--", label=name, markersize=4)
        ax.set_title(title)
        ax.set_ylabel("one right-hand side, us")
    for family in FAMILIES:
        own = [case for case in cases if case.family == family and case.operations]
        if not own:
            continue
        part = FAMILIES[family].part
        axes[2].loglog(
            [case.size for case in own],
            [case.per_part for case in own],
            "o-",
            label=f"{family}, each {part}",
        )
    axes[2].set_ylim(50, 20000)
    axes[2].set_title("operations of one right-hand side")
    axes[2].set_ylabel("operations per part")
    for ax in axes:
        ax.set_xlabel("links, elements, windows")
        ax.grid(True, which="both", alpha=0.3)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
        if ax.lines:
            ax.legend(fontsize="small")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150)
    plt.close(figure)
