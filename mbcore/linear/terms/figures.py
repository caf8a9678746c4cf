"""Pictures of terms.

Used by `mbcore.linear.terms.contributions` alone; it stands apart because only figures need
matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ENTRIES = 24
"""Entries of a matrix that are drawn, the largest ones of all rows."""
FELT = 1e-12
"""Part of the largest entry of a row below which an entry is left out."""


def draw_terms(
    title: str, terms: Mapping[str, np.ndarray], rows: Sequence[str], columns: Sequence[str]
) -> Figure:
    """Draw terms over the entries of their matrix, in parts of each entry's largest term."""
    from matplotlib.figure import Figure

    stacked = np.array([*terms.values(), sum(terms.values())])
    size = np.abs(stacked).max(axis=0)
    part = size / np.maximum(size.max(axis=1, keepdims=True), np.finfo(float).tiny)
    places = np.argwhere(part > FELT)
    ranked = np.argsort([-part[i, k] for i, k in places], kind="stable")[:MOST_ENTRIES]
    chosen = [tuple(places[i]) for i in sorted(ranked)]
    shown = np.array([stacked[:, i, k] / size[i, k] for i, k in chosen]).reshape(-1, len(stacked)).T
    width, height = 3.0 + 0.42 * max(len(chosen), 4), 2.8 + 0.26 * len(stacked)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(shown, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
    axes.set_yticks(range(len(stacked)), [_symbol(name) for name in (*terms, "sum")])
    names = [f"{rows[i]}, {columns[k]}" for i, k in chosen]
    axes.set_xticks(range(len(chosen)), names, rotation=60, ha="right", fontsize="small")
    axes.axhline(len(stacked) - 1.5, color="black", linewidth=0.8)
    axes.set_title(title)
    figure.colorbar(image, ax=axes, label="part of the largest term")
    return figure


def draw_parts(title: str, parts: Mapping[str, complex]) -> Figure:
    """Draw real parts to the right where they destabilize, to the left where they damp."""
    from matplotlib.figure import Figure

    felt = {name: part.real for name, part in parts.items() if part}
    figure = Figure(figsize=(6.4, 1.6 + 0.3 * len(felt)), layout="constrained")
    axes = figure.subplots()
    colours = ["tab:red" if value > 0 else "tab:blue" for value in felt.values()]
    axes.barh(range(len(felt)), list(felt.values()), color=colours)
    axes.set_yticks(range(len(felt)), [_symbol(name) for name in felt])
    axes.invert_yaxis()
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("real part (1/s); to the right it destabilizes")
    axes.set_title(title)
    return figure


def _symbol(name: str) -> str:
    """Return the name of a term as a formula."""
    letter, _, index = name.partition("^")
    return rf"${letter}^{{{index}}}$" if index else name
