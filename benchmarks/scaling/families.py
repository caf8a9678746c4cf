"""The families of models that grow, by name, with the sizes that are measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.scaling import chains
from benchmarks.scaling.mixed_chains import Layout, Mixed
from mbcore import Model


@dataclass(frozen=True)
class Family:
    """Models of one kind, of any size; ``part`` is what the size counts."""

    build: Callable[[int], Model]
    part: str
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    links: Callable[[int], chains.Links] | None = None


def _mixed(flat: bool) -> Callable[[int], Model]:
    return lambda size: Mixed(Layout(size, flat)).model


def _mixed_links(flat: bool) -> Callable[[int], chains.Links]:
    return lambda size: Mixed(Layout(size, flat)).links


FAMILIES = {
    "planar": Family(
        chains.planar_chain, "link", (5, 10, 20, 50, 100, 200), (5, 10), chains.planar_links
    ),
    "spatial": Family(
        chains.spatial_chain, "link", (5, 10, 20, 50, 100), (3, 5), chains.spatial_links
    ),
    "rigid_beam": Family(
        chains.rigid_planar_beams, "link", (5, 10, 20, 40, 80), (5, 10), chains.planar_links
    ),
    "rigid_spatial_beam": Family(
        chains.rigid_spatial_beams, "link", (5, 10, 20, 40), (3, 5), chains.rod_links
    ),
    "mixed": Family(_mixed(True), "link", (5, 10, 20, 40, 80), (5, 10), _mixed_links(True)),
    "mixed_spatial": Family(_mixed(False), "link", (5, 10, 20, 40), (3, 5), _mixed_links(False)),
    "beam": Family(chains.clamped_beam, "element", (5, 10, 20, 40, 80), (3, 5)),
    "ladder": Family(chains.ladder, "window", (5, 10, 20, 40), (3, 5)),
    "linked_ladder": Family(chains.linked_ladder, "window", (5, 10, 20, 40), (3, 5)),
    "scissors": Family(chains.scissors, "stage", (10, 20, 40, 80, 160), (3, 5)),
    "closed": Family(chains.closed_chain, "link", (5, 10, 20, 50), (4, 6)),
    "loop": Family(chains.closed_loop, "link", (5, 10, 20, 50), (4, 6)),
}
