"""Random robots as URDF text: trees with all that their joints and links may be.

Links hang on random earlier ones; joints are of all types, and some mimic another one. Inertial
frames are turned and have products of inertia; some links have no mass.
A link at the end of a tree may be massless only where it is fixed, so that no joint is held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

KINDS = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed")
SHARES = (0.36, 0.14, 0.22, 0.06, 0.04, 0.18)
SEVERAL = ("planar", "floating")
"""Joints with more than one coordinate: their links have a mass, and mimic no other."""
MOST = 40
"""Links of a robot of any size."""
MASSLESS = 0.2
"""Share of links without an inertial."""
MIMIC = 0.15
"""Share of moving joints that follow another one."""


@dataclass(frozen=True)
class RandomTree:
    """A robot's text, and how many of its joints mimic others or have several coordinates."""

    text: str
    mimics: int
    several: int


def random_tree(seed: int, links: int | None = None, plain: bool = False) -> RandomTree:
    """Return a robot of a number of links besides its root, by default 1 to 40.

    A ``plain`` one has no mimics and no joints with several coordinates.
    """
    random = np.random.default_rng(seed)
    size = int(random.integers(1, MOST + 1)) if links is None else links
    parents = [int(random.integers(max(0, i - 4), i + 1)) for i in range(size)]
    kinds = random.choice(KINDS, size, p=SHARES).tolist()
    if plain:
        kinds = ["revolute" if kind in SEVERAL else kind for kind in kinds]
    leaves = set(range(size + 1)) - set(parents)
    parts = ['<robot name="random">', f'<link name="link0">{_inertial(random)}</link>']
    free: list[str] = []
    mimics = several = 0
    for i, (parent, kind) in enumerate(zip(parents, kinds, strict=True), 1):
        bare = random.random() < MASSLESS and (i not in leaves or kind == "fixed")
        bare = bare and not _ends_bare(i, parents, kinds) and kind not in SEVERAL
        parts.append(f'<link name="link{i}">{"" if bare else _inertial(random)}</link>')
        name = f"joint{i}"
        rows = [f'<parent link="link{parent}"/><child link="link{i}"/>{_origin(random)}']
        if kind != "fixed":
            rows.append(f'<axis xyz="{_text(_axis(random))}"/>')
            rows.append('<limit lower="-9" upper="9" effort="1" velocity="1"/>')
            if kind in SEVERAL:
                several += 1
            elif not plain and free and not bare and random.random() < MIMIC:
                factor, offset = random.uniform(-2, 2), random.uniform(-1, 1)
                leader = str(random.choice(free))
                rows.append(
                    f'<mimic joint="{leader}" multiplier="{factor:.17g}" offset="{offset:.17g}"/>'
                )
                mimics += 1
            else:
                free.append(name)
        parts.append(f'<joint name="{name}" type="{kind}">{"".join(rows)}</joint>')
    return RandomTree("\n".join([*parts, "</robot>"]), mimics, several)


def _ends_bare(link: int, parents: list[int], kinds: list[str]) -> bool:
    """Return whether all that hangs on a link is fixed to it, so that it needs a mass itself."""
    children = [i for i, parent in enumerate(parents, 1) if parent == link]
    return kinds[link - 1] != "fixed" and all(kinds[i - 1] == "fixed" for i in children)


def _text(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def _axis(random: np.random.Generator) -> np.ndarray:
    if random.random() < 0.5:
        return np.eye(3)[random.integers(3)] * random.choice([-1, 1])
    axis = random.normal(size=3)
    return axis / np.linalg.norm(axis)


def _origin(random: np.random.Generator) -> str:
    place = random.uniform(-0.5, 0.5, 3)
    quarter = random.random() < 0.3
    turn = random.integers(-1, 3, 3) * (np.pi / 2) if quarter else random.uniform(-3, 3, 3)
    return f'<origin xyz="{_text(place)}" rpy="{_text(turn)}"/>'


def _inertial(random: np.random.Generator) -> str:
    """Return an inertial of three random point pairs, which makes it a possible one."""
    points = random.uniform(-0.3, 0.3, (4, 3))
    mass = random.uniform(0.5, 3)
    points -= points.mean(0)
    tensor = sum((p @ p * np.eye(3) - np.outer(p, p) for p in points), np.zeros((3, 3))) * mass / 4
    entries = " ".join(
        f'i{"xyz"[i]}{"xyz"[j]}="{tensor[i, j]:.17g}"' for i in range(3) for j in range(i, 3)
    )
    return f'<inertial>{_origin(random)}<mass value="{mass:.17g}"/><inertia {entries}/></inertial>'
