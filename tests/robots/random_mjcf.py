"""Random trees as MJCF text: several joints at a body, with springs and armature."""

from __future__ import annotations

import numpy as np


def random_mjcf(seed: int, bodies: int) -> str:
    """Return a file whose first body is free in space for odd seeds."""
    random = np.random.default_rng(seed)
    parents = [-1, *(int(random.integers(max(0, i - 3), i)) for i in range(1, bodies))]
    gravity = _text(random.uniform(-9, 9, 3))
    inside = _body(0, parents, random, bool(seed % 2))
    return (
        f'<mujoco model="random"><compiler angle="radian"/><option gravity="{gravity}"/>'
        f"<worldbody>{inside}</worldbody></mujoco>"
    )


def _body(i: int, parents: list[int], random: np.random.Generator, free: bool) -> str:
    joints = '<freejoint name="free"/>' if free and i == 0 else _joints(i, random)
    children = "".join(
        _body(k, parents, random, free) for k, parent in enumerate(parents) if parent == i
    )
    return (
        f'<body name="body{i}" pos="{_text(random.uniform(-0.5, 0.5, 3))}" '
        f'quat="{_text(random.normal(size=4))}">{joints}{_inertial(random)}{children}</body>'
    )


def _joints(i: int, random: np.random.Generator) -> str:
    count = int(random.choice([0, 1, 2, 3], p=[0.1, 0.6, 0.2, 0.1])) if i else 1
    return "".join(_joint(f"joint{i}_{k}", random) for k in range(count))


def _joint(name: str, random: np.random.Generator) -> str:
    kind = str(random.choice(["hinge", "slide"], p=[0.7, 0.3]))
    more = ""
    for word, size in (
        ("ref", 1), ("armature", 0.5), ("damping", 2), ("stiffness", 30), ("springref", 1),
    ):  # fmt: skip
        if random.random() < 0.5:
            more += f' {word}="{random.uniform(0, size):.17g}"'
    if random.random() < 0.6:
        more += f' pos="{_text(random.uniform(-0.3, 0.3, 3))}"'
    return f'<joint name="{name}" type="{kind}" axis="{_text(random.normal(size=3))}"{more}/>'


def _inertial(random: np.random.Generator) -> str:
    """Return an inertial of random point masses, which makes it a possible one."""
    points = random.uniform(-0.3, 0.3, (4, 3))
    points -= points.mean(0)
    mass = random.uniform(0.5, 3)
    tensor = sum((p @ p * np.eye(3) - np.outer(p, p) for p in points), np.zeros((3, 3))) * mass / 4
    entries = [tensor[j, k] for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    place = _text(random.uniform(-0.3, 0.3, 3))
    return f'<inertial pos="{place}" mass="{mass:.17g}" fullinertia="{_text(entries)}"/>'


def _text(values: object) -> str:
    return " ".join(f"{value:.17g}" for value in np.asarray(values, float))
