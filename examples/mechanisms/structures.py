"""Structures of beams and bars whose large deflections are known, for `statics_benchmarks.py`."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore import Equations, Model, PlanarBeam, SpatialBeam, Truss, drawing
from mbcore.model.nodes.nodes import Angle, Node, Point, Rotation

LEE = {"EI": 1440.0, "EA": 4320.0, "size": 120.0}
"""E = 720 kN/cm2, section 3 cm by 2 cm, both members 120 cm long."""
TOGGLE = {"EI": 9.274e3, "EA": 1.885e6, "half": 12.936, "rise": 0.386}
"""In pounds and inches."""
HALF_ANGLE = float(np.radians(107.5))
"""Of the deep arch with R = EI = 1, rad."""
OBLIQUE = np.array([1.0, 0.0, 2.0])
"""Tip moment of the helix, EI = l = 1."""
TORSION = 0.7
"""G I_t there, on which its axis does not depend."""


def line(n: int) -> np.ndarray:
    """Return n + 1 places along x from 0 to 1, shape (n + 1, 2)."""
    return np.column_stack([np.linspace(0, 1, n + 1), np.zeros(n + 1)])


def beams(model: Model, places: np.ndarray, **data: float) -> tuple[list[Point], list[Angle]]:
    """Add nodes at places, shape (n, 2), with planar beams between them."""
    points = [model.point(f"p{i}", tuple(place)) for i, place in enumerate(places)]
    angles = [model.angle(f"a{i}") for i in range(len(places))]
    for i in range(len(places) - 1):
        ends = (points[i], angles[i], points[i + 1], angles[i + 1])
        model.add(PlanarBeam(f"b{i}", *ends, **data))
    return points, angles


def free_nodes(nodes: Sequence[Node]) -> None:
    """Make every coordinate a degree of freedom that plays no other role.

    Of Euler parameters those are three, the first one follows.
    """
    for node in nodes:
        for coordinate in node.quantities[isinstance(node, Rotation) :]:
            if coordinate.fixed is None and coordinate.role is None:
                coordinate.dof()


def cantilever(n: int, kind: str) -> Equations:
    """Return a cantilever of n elements, EI = l = 1, without stretch.

    Its ``load`` is a tip ``kind`` "force" along y, "follower" across the tip or "moment", or the
    "weight" of its whole length.
    """
    model = Model("cantilever")
    load = model.input("load", 0.0)
    if kind == "weight":
        model.gravity = ca.vertcat(0, -load)
    points, angles = beams(model, line(n), bending_stiffness=1.0, mass_per_length=1.0)
    points[0].fix()
    angles[0].fix()
    for i in range(n):
        for end in "pq":
            model.elements[f"b{i}"].deformations[f"bending_{end}"].dof()
    turn = angles[-1].value
    if kind == "force":
        model.force(points[-1], (0, load))
    elif kind == "follower":
        model.force(points[-1], ca.vertcat(-ca.sin(turn), ca.cos(turn)) * load)
    elif kind == "moment":
        model.moment(angles[-1], load)
    model.show(drawing.line([(0, 0), (1, 0)], name="unloaded"))
    if kind == "force":
        model.show(drawing.arrow(points[-1], (0, load), name="force"))
    for i in range(1, n + 1):
        model.output(f"x{i}", points[i].x.value)
        model.output(f"y{i}", points[i].y.value)
    model.output("rotation", angles[-1].angle.value)
    return model.equations()


def thick_cantilever(shear: float) -> Equations:
    """Return two elements, EI = l = 1, with the shear stiffness k G A; ``load`` at the tip."""
    model = Model("thick_cantilever")
    load = model.input("load", 0.0)
    data = {"bending_stiffness": 1.0, "axial_stiffness": 1e3}
    points, angles = beams(model, line(2), shear_factor=12 / (shear * 0.25), **data)
    points[0].fix()
    angles[0].fix()
    free_nodes([*points, *angles])
    model.force(points[-1], (0, load))
    model.output("deflection", points[-1].y.value)
    return model.equations()


def propped_cantilever(n: int) -> Equations:
    """Return a beam that is clamped at one end and supported at the other, under its ``weight``."""
    model = Model("propped_cantilever")
    model.gravity = ca.vertcat(0, -model.input("weight", 0.0))
    data = {"bending_stiffness": 1.0, "axial_stiffness": 1e3, "mass_per_length": 1.0}
    points, angles = beams(model, line(n), **data)
    points[0].fix()
    angles[0].fix()
    points[-1].y.fix()
    free_nodes([*points, *angles])
    model.output("prop", points[-1].y.reaction)
    model.output("clamp", angles[0].angle.reaction)
    return model.equations()


def lee_frame(n: int) -> Equations:
    """Return Lee's frame, n elements a member, with a prescribed ``sinking`` under its ``load``."""
    model, size = Model("lee_frame"), LEE["size"]
    s = np.linspace(0, size, n + 1)
    places = np.vstack([np.column_stack([0 * s, s]), np.column_stack([s[1:], 0 * s[1:] + size])])
    points, angles = beams(model, places, bending_stiffness=LEE["EI"], axial_stiffness=LEE["EA"])
    points[0].fix()
    points[-1].fix()
    under = points[n + n // 5].y
    under.prescribe(size - model.input("sinking", 0.0))
    free_nodes([*points, *angles])
    model.output("load", under.stress)
    return model.equations()


def toggle(n: int) -> Equations:
    """Return Williams' toggle, n elements a member, under a ``load``."""
    model, half, rise = Model("toggle"), TOGGLE["half"], TOGGLE["rise"]
    load, s = model.input("load", 0.0), np.linspace(-1, 1, 2 * n + 1)
    places = np.column_stack([half * s, rise * (1 - np.abs(s))])
    points, angles = beams(
        model, places, bending_stiffness=TOGGLE["EI"], axial_stiffness=TOGGLE["EA"]
    )
    for node in (points[0], angles[0], points[-1], angles[-1]):
        node.fix()
    free_nodes([*points, *angles])
    model.force(points[n], (0, -load))
    model.output("sinking", rise - points[n].y.value)
    model.output("thrust", points[0].x.reaction)
    return model.equations()


def deep_arch(n: int) -> Equations:
    """Return the arch of 2 n elements, with a prescribed ``sinking`` of its crown.

    It is clamped on the left and hinged on the right.
    """
    model = Model("deep_arch")
    phi = HALF_ANGLE * np.linspace(-1, 1, 2 * n + 1)
    places = np.column_stack([np.sin(phi), np.cos(phi)])
    points, angles = beams(model, places, bending_stiffness=1.0, axial_stiffness=1e5)
    for node in (points[0], angles[0], points[-1]):
        node.fix()
    points[n].y.prescribe(1 - model.input("sinking", 0.0))
    free_nodes([*points, *angles])
    model.output("load", points[n].y.stress)
    return model.equations()


def spatial_rod(name: str, places: np.ndarray, **data: float) -> Model:
    """Return a spatial rod through places, shape (n, 3), clamped at the first, with tip outputs."""
    model = Model(name)
    points = [model.point(f"p{i}", tuple(p), fixed=i == 0) for i, p in enumerate(places)]
    turns = [model.rotation(f"r{i}", fixed=i == 0) for i in range(len(places))]
    for i in range(len(places) - 1):
        ends = (points[i], turns[i], points[i + 1], turns[i + 1])
        model.add(SpatialBeam(f"b{i}", *ends, y_axis=(0, 0, 1), **data))
    free_nodes([*points, *turns])
    for label in "xyz":
        model.output(label, getattr(points[-1], label).value)
    return model


def helix(n: int) -> Equations:
    """Return a straight spatial rod under the ``share`` of an oblique tip moment."""
    places = np.column_stack([line(n), np.zeros(n + 1)])
    bending = {"bending_stiffness_y": 1.0, "bending_stiffness_z": 1.0}
    stiff = {"axial_stiffness": 1e6, "torsional_stiffness": TORSION}
    model = spatial_rod("helix", places, **stiff, **bending)
    share = model.input("share", 0.0)
    model.moment(model.nodes[f"r{n}"], [share * m for m in OBLIQUE])  # type: ignore[arg-type]
    return model.equations()


def bend(n: int) -> Equations:
    """Return the bend of 45°, radius 100, with a tip ``load`` across its plane."""
    phi = np.linspace(0, np.pi / 4, n + 1)
    places = 100 * np.column_stack([1 - np.cos(phi), np.sin(phi), 0 * phi])
    E, G = 1e7, 0.5e7
    bending = {"bending_stiffness_y": E / 12, "bending_stiffness_z": E / 12}
    model = spatial_rod("bend", places, axial_stiffness=E, torsional_stiffness=G / 6, **bending)
    load = model.input("load", 0.0)
    model.force(model.nodes[f"p{n}"], (0, 0, load))  # type: ignore[arg-type]
    return model.equations()


def cable(n: int, span: float, EA: float, mass: float = 1.0) -> Equations:
    """Return n elastic bars of length 1 altogether, hung at one height under their weight g = 1.

    They start along a slack or a stretched straight line; a ``load`` pulls down in the middle.
    """
    model = Model("cable", gravity=(0, -1.0))
    load = model.input("load", 0.0)
    points = [model.point(f"p{i}", (span * i / n, 0)) for i in range(n + 1)]
    for i in range(n):
        bar = model.add(
            Truss(f"bar {i}", points[i], points[i + 1], rest_length=1 / n, mass=mass / n)
        )
        bar.elongation.release().spring(EA * n)
    points[0].fix()
    points[-1].fix()
    free_nodes(points)
    model.force(points[n // 2], (0, -load))
    model.output("sag", -points[n // 2].y.value)
    model.output("thrust", points[-1].x.reaction)
    return model.equations()
