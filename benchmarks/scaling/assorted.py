"""Models that grow by parts of one kind: nets, trees, trailers, casters, wheels and tables."""

from __future__ import annotations

import math
import tempfile
import warnings
from pathlib import Path

import numpy as np

from benchmarks.robots.odometry import RADIUS, TRAIL, WHEEL
from mbcore import (
    Body,
    Caster,
    Model,
    ModelWarning,
    PlanarHinge,
    RigidLink,
    Rolling,
    Table,
    from_urdf,
)
from mbcore.fmus import road_train

GRAVITY = 9.81
"""m/s²."""
BRANCHES = 10
"""Of a tree, at each node."""
CRANK, APART = 0.2, 1.0
"""Of a net of four-bars: length of its cranks and distance of their pins, m."""


def four_bars(count: int) -> Model:
    """Return a row of cranks of unequal lengths, each joined to the next by a coupler.

    Each coupler goes from one arm of a crank to the other arm of the next one, so that each
    four-bar drives the next, and all have one degree of freedom.
    """
    random = np.random.default_rng(count)
    lengths = CRANK * random.uniform(0.98, 1.02, count + 1)
    model = Model(f"net of {count} four-bars", gravity=(0, -GRAVITY))
    ground = model.angle("ground angle", fixed=True)
    start, arms = 1.1, (0.0, 0.7)
    before = None
    for i in range(count + 1):
        pin = model.point(f"pin {i}", (APART * i, 0), fixed=True)
        crank = model.angle(f"crank {i}", start)
        if i == 0:
            model.add(PlanarHinge("drive", ground, crank)).angle.dof("angle", "rate", start)
        model.add(Body(f"mass {i}", pin, crank, mass=1.0, inertia=0.01, offset=(CRANK / 2, 0)))
        ends = []
        for k, turned in enumerate(arms):
            along = lengths[i] * np.array([math.cos(turned), math.sin(turned)])
            at = start + turned
            place = np.array([APART * i, 0]) + lengths[i] * np.array([math.cos(at), math.sin(at)])
            ends.append((model.point(f"tip {i}.{k}", place.tolist()), place))
            offset = along.tolist()
            model.add(RigidLink(f"arm {i}.{k}", pin, crank, ends[-1][0], offset=offset))
        if before is not None:
            (p, from_place), (q, to_place) = before, ends[0]
            reach = to_place - from_place
            angle = model.angle(f"coupler angle {i}", math.atan2(reach[1], reach[0]))
            long = float(np.hypot(*reach))
            model.add(RigidLink(f"coupler {i}", p, angle, q, offset=(long, 0.0)))
        before = ends[1]
    return model


def tree(count: int) -> Model:
    """Return a tree of rods in the vertical plane, with ten branches at each node."""
    model = Model(f"tree of {count}", gravity=(0, -GRAVITY))
    ends = [(model.point("root", (0, 0), fixed=True), (0.0, 0.0))]
    for i in range(count):
        joint, place = ends[i // BRANCHES]
        direction = -math.pi / 2 + 0.3 * (i % BRANCHES - 4.5)
        end = (place[0] + math.cos(direction), place[1] + math.sin(direction))
        angle, tip = model.angle(f"angle {i}", direction), model.point(f"end {i}", end)
        model.add(RigidLink(f"rod {i}", joint, angle, tip, offset=(1.0, 0.0)))
        angle.angle.dof(f"angle{i}", f"rate{i}", start=direction)
        model.add(Body(f"mass {i}", joint, angle, mass=1.1, inertia=0.1, offset=(0.5, 0.0)))
        ends.append((tip, end))
    return model


def trailers(count: int) -> Model:
    """Return a tractor that draws trailers."""
    return road_train.model(count)


def casters(count: int) -> Model:
    """Return a cart on two driven wheels and casters."""
    parts = [_base("cart")]
    for name, y in (("left", 0.2), ("right", -0.2)):
        parts.append(_turning(f"{name}_wheel", 0.0, y))
    rolling: dict[str, Rolling | Caster] = {
        f"{s}_wheel": Rolling(RADIUS) for s in ("left", "right")
    }
    for i in range(count):
        x, y = 0.3 * (i // 2 - count / 4), 0.15 if i % 2 else -0.15
        parts.append(
            f'<link name="caster{i}"/><joint name="bolt{i}" type="fixed"><parent link="base"/>'
            f'<child link="caster{i}"/><origin xyz="{x} {y} 0"/></joint>'
        )
        rolling[f"caster{i}"] = Caster(0.05, TRAIL, 0.3 * (i % 20))
    return _read(parts, rolling)


def wheels(count: int) -> Model:
    """Return a rover with half of its wheels on each side."""
    parts = [_base("rover")]
    for i in range(count):
        parts.append(_turning(f"wheel{i}", 0.3 * (i // 2 - count / 4), 0.4 if i % 2 else -0.4))
    return _read(parts, {f"wheel{i}": Rolling(RADIUS) for i in range(count)})


def _base(name: str) -> str:
    return (
        f'<robot name="{name}"><link name="base"><inertial><origin xyz="0.02 0 0.1"/>'
        '<mass value="60"/><inertia ixx="2" iyy="4" izz="5"/></inertial></link>'
    )


def _turning(name: str, x: float, y: float) -> str:
    """Return a wheel with its joint."""
    return (
        f'<link name="{name}">{WHEEL}</link><joint name="{name}_joint" type="continuous">'
        f'<parent link="base"/><child link="{name}"/><origin xyz="{x} {y} 0"/>'
        '<axis xyz="0 1 0"/></joint>'
    )


def _read(parts: list[str], rolling: dict) -> Model:
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        file = Path(folder) / "robot.urdf"
        file.write_text("".join([*parts, "</robot>"]))
        return from_urdf(file, rolling=rolling)


def tables(count: int) -> Model:
    """Return masses in a row, each held by a spring whose force is a table of its own."""
    model = Model(f"{count} tables")
    x = np.linspace(-1.0, 1.0, 21)
    for i in range(count):
        place = model.point(f"mass {i}", (float(i), 0))
        place.y.fix()
        force = Table(x, (1 + i / count) * (x + x**3), interpolation="smooth", name=f"spring {i}")
        away = place.x.dof(f"x{i}", f"v{i}", start=i + 0.5)
        away.law(force(away.value - i))
        model.add(Body(f"body {i}", place, mass=1.0))
    return model
