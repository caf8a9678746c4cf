"""Shapes as shaded faces and edges in space, ready to be sorted by depth and drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.drawing.projection.camera import Camera

INK = "#2b3138"
ROUND = 36
"""Corners of a circle."""
STRIPS = 5
"""Strips of different brightness along a tube."""
SPOKES = 8
RIM = 0.86
"""Inner radius of a tyre as a fraction of its radius."""
FLAT = 1e-9
"""Distance from a plane at which a surface lies in it, in parts of its extent."""


@dataclass
class Face:
    """A polygon, or a segment where it has two places.

    Attributes
    ----------
    places : ndarray, shape (n, 3)
    face, edge : tuple of three, or None
        Colours of the inside and of the outline.
    width : float
        Of the outline, points.
    nearer : float
        Offset of its depth towards the viewer, for sorting, m.
    where : ndarray, shape (3,), optional
        Point whose depth it is sorted by; its centre by default.
    normal : ndarray, shape (3,), optional
        Of a large side, which is not sorted by its depth: what is before its plane covers it.
    """

    places: np.ndarray
    face: tuple[float, ...] | None
    edge: tuple[float, ...] | None
    width: float = 0.4
    nearer: float = 0.0
    where: np.ndarray | None = None
    normal: np.ndarray | None = None

    def depth(self, camera: Camera) -> float:
        """Return the depth that it is sorted by, m; larger is nearer."""
        place = self.places.mean(axis=0) if self.where is None else self.where
        return float(camera.depth(place)) + self.nearer


def colour(text: str) -> np.ndarray:
    """Return the colour of ``"#rrggbb"`` as three numbers in [0, 1]."""
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def lit(base: np.ndarray, brightness: float) -> tuple[float, ...]:
    """Return a colour brighter (1) or darker (0) than it is (0.6)."""
    light = np.clip(brightness, 0.0, 1.0)
    if light > 0.6:
        return tuple(base + (1 - base) * 0.55 * (light - 0.6) / 0.4)
    return tuple(base * (0.5 + 0.5 * light / 0.6))


def shade(normal: np.ndarray, camera: Camera) -> float:
    """Return the brightness of a face with this outward normal, in [0, 1]."""
    return float(0.42 + 0.5 * max(normal @ camera.light, -0.4))


def faces_of(
    kind: str, details: Mapping[str, Any], tint: str, numbers: np.ndarray, camera: Camera
) -> Iterator[Face]:
    """Yield the faces of a shape; none for arrows, dots and grounds, drawn elsewhere."""
    base = colour(tint)
    if kind == "line":
        places = numbers.reshape(-1, 3)
        closed = np.vstack([places, places[:1]]) if details.get("closed") else places
        yield from _line(closed, base)
    elif kind == "tube":
        places, radius = numbers[:-1].reshape(-1, 3), float(numbers[-1])
        if details.get("closed"):
            yield from _ring(places, radius, base, camera)
        else:
            yield from _tube(places, radius, base, camera)
    elif kind == "disc":
        whole = bool(details.get("solid"))
        yield from _disc(*_frame(numbers), numbers[12:14], base, camera, whole)
    elif kind == "box":
        yield from _box(*_frame(numbers), numbers[12:15], base, camera)
    elif kind == "ball":
        yield from _ball(*_frame(numbers), numbers[12:15], base, camera)
    elif kind == "surface" and not details.get("ground"):
        yield from _surface(numbers.reshape(details["rows"], details["columns"], 3), base, camera)


def _frame(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return numbers[:3], numbers[3:12].reshape(3, 3).T


def dot_faces(
    place: np.ndarray, details: Mapping[str, Any], tint: str, radius: float, camera: Camera
) -> Iterator[Face]:
    """Yield the faces of a point in space: a disc that faces the viewer, moved slightly nearer."""
    one, other = radius * camera.right, radius * camera.above
    near = 3 * radius
    mark = details.get("mark", "")
    if mark in ("centre", "hinge"):
        rim = _circle(place, one, other, 16)
        yield Face(rim, (1.0, 1.0, 1.0), tuple(colour(INK)), 0.8, near)
    else:
        small = _circle(place, 0.6 * one, 0.6 * other, 12)
        yield Face(small, tuple(colour(tint)), (1.0, 1.0, 1.0), 0.5, near)
    if mark == "centre":
        for first in (0.0, np.pi):
            turns = first + np.linspace(0, np.pi / 2, 5)[:, None]
            arc = place + np.cos(turns) * one + np.sin(turns) * other
            yield Face(np.vstack([arc, place]), tuple(colour(INK)), None, 0.0, 1.01 * near, place)


def _line(places: np.ndarray, base: np.ndarray) -> Iterator[Face]:
    for a, b in itertools.pairwise(places):
        yield Face(np.array([a, b]), None, tuple(base), 1.1)


def _circle(centre: np.ndarray, one: np.ndarray, other: np.ndarray, count: int) -> np.ndarray:
    """Places on an ellipse of two half axes, shape (count, 3)."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)[:, None]
    return centre + np.cos(angle) * one + np.sin(angle) * other


def _tube(places: np.ndarray, radius: float, base: np.ndarray, camera: Camera) -> Iterator[Face]:
    steps = np.diff(places, axis=0)
    # A tube is drawn as the strip that its silhouette fills, which is far cheaper than a mesh.
    sideways = np.cross(camera.towards, steps)
    sizes = np.linalg.norm(sideways, axis=1)
    lengths = np.linalg.norm(steps, axis=1)
    # A piece seen end on has no silhouette; the discs at its ends cover it.
    seen = sizes > 1e-6 * np.maximum(lengths, 1e-300)
    sideways[seen] /= sizes[seen, None]
    sideways[~seen] = 0.0
    corners = np.vstack([sideways[:1], sideways[:-1] + sideways[1:], sideways[-1:]])
    scale = np.linalg.norm(corners, axis=1, keepdims=True)
    corners = np.divide(corners, scale, out=np.zeros_like(corners), where=scale > 0) * radius
    for end in (places[0], places[-1]):
        disc = _circle(end, radius * camera.right, radius * camera.above, 16)
        yield Face(disc, lit(base, 0.62), lit(base, 0.1), 0.5)
    marks = np.linspace(-1, 1, STRIPS + 1)
    for i in np.flatnonzero(seen):
        a, b, one, other = places[i], places[i + 1], corners[i], corners[i + 1]
        for low, high in itertools.pairwise(marks):
            middle = (low + high) / 2
            normal = middle * sideways[i] + np.sqrt(1 - middle**2) * camera.towards
            tone = lit(base, shade(normal, camera))
            strip = np.array([a + low * one, b + low * other, b + high * other, a + high * one])
            yield Face(strip, tone, tone, 0.3, nearer=1e-3 * radius)
        for side in (-1, 1):
            rim = np.array([a + side * one, b + side * other])
            yield Face(rim, None, lit(base, 0.1), 0.5, nearer=2e-3 * radius)


def _ring(places: np.ndarray, radius: float, base: np.ndarray, camera: Camera) -> Iterator[Face]:
    """A closed tube, as a mesh around its centre line."""
    along = np.roll(places, -1, axis=0) - np.roll(places, 1, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    out = places - places.mean(axis=0)
    out -= (out * along).sum(axis=1, keepdims=True) * along
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-300)
    across = np.cross(along, out)
    turns = np.linspace(0, 2 * np.pi, 13)
    normals = np.array([np.cos(turn) * out + np.sin(turn) * across for turn in turns])
    net = places + radius * normals
    count = len(places)
    for i in range(len(turns) - 1):
        for j in range(count):
            k = (j + 1) % count
            normal = normals[i : i + 2, [j, k]].mean(axis=(0, 1))
            if normal @ camera.towards <= 0:
                continue
            tone = lit(base, shade(normal, camera))
            corners = np.array([net[i, j], net[i, k], net[i + 1, k], net[i + 1, j]])
            yield Face(corners, tone, tone, 0.4)


def _disc(
    centre: np.ndarray,
    matrix: np.ndarray,
    sizes: np.ndarray,
    base: np.ndarray,
    camera: Camera,
    solid: bool,
) -> Iterator[Face]:
    radius, width = sizes
    axle = matrix[:, 2]
    facing = 1.0 if axle @ camera.towards >= 0 else -1.0
    one, other = radius * matrix[:, 0], radius * matrix[:, 1]
    half = axle * width / 2
    dark = lit(base, 0.15)
    if width > 0:
        yield from _tread(centre, one, other, half, base, camera)
    face = centre + facing * half
    near = 1e-3 * radius
    outer, inner = (_circle(face, k * one, k * other, ROUND) for k in (1.0, RIM))
    tone = lit(base, shade(facing * axle, camera))
    if solid:
        yield from _quarters(face, outer, tone, near)
        yield Face(outer, None, dark, 0.6, 2 * near, face)
        return
    glass = tuple(0.80 + 0.14 * base)
    yield Face(inner, glass, None, 0.0, near, face)
    for i in range(ROUND):
        j = (i + 1) % ROUND
        ring = np.array([outer[i], outer[j], inner[j], inner[i]])
        yield Face(ring, tone, tone, 0.3, near)
        yield Face(np.array([outer[i], outer[j]]), None, dark, 0.6, 2 * near)
    for k in range(SPOKES):
        angle = 2 * np.pi * k / SPOKES
        tip = face + RIM * (np.cos(angle) * one + np.sin(angle) * other)
        spoke = np.array([face, tip])
        thick = 2.2 if k == 0 else 0.9
        yield Face(spoke, None, tuple(0.35 + 0.4 * base), thick, 2 * near, face)
    hub = _circle(face, 0.12 * one, 0.12 * other, 16)
    yield Face(hub, lit(base, 0.5), dark, 0.5, 3 * near, face)


def _quarters(
    centre: np.ndarray, rim: np.ndarray, tone: tuple[float, ...], near: float
) -> Iterator[Face]:
    """Yield the quarters of a full disc, two of them paler, so that turning is seen."""
    for k in range(4):
        part = np.arange(k * ROUND // 4, (k + 1) * ROUND // 4 + 1) % ROUND
        own = tone if k % 2 else tuple(np.array(tone) * 0.6 + 0.4)
        yield Face(np.vstack([rim[part], centre]), own, own, 0.3, near, centre)


def _tread(
    centre: np.ndarray,
    one: np.ndarray,
    other: np.ndarray,
    half: np.ndarray,
    base: np.ndarray,
    camera: Camera,
) -> Iterator[Face]:
    rim = _circle(np.zeros(3), one, other, ROUND)
    size = np.linalg.norm(one)
    for i in range(ROUND):
        j = (i + 1) % ROUND
        normal = (rim[i] + rim[j]) / max(2 * size, 1e-300)
        if normal @ camera.towards <= 0:
            continue
        tone = lit(base, shade(normal, camera))
        places = centre + np.array([rim[i] - half, rim[j] - half, rim[j] + half, rim[i] + half])
        yield Face(places, tone, tone, 0.3)
        for side in (-1, 1):
            edge = centre + np.array([rim[i], rim[j]]) + side * half
            yield Face(edge, None, lit(base, 0.1), 0.5, nearer=1e-3 * size)


def _box(
    centre: np.ndarray, matrix: np.ndarray, sizes: np.ndarray, base: np.ndarray, camera: Camera
) -> Iterator[Face]:
    half = sizes / 2
    flat = half <= 1e-9 * half.max(initial=0.0)
    near = 1e-3 * half.max(initial=0.0)
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        if flat[first] or flat[second]:
            continue
        for side in (-1.0, 1.0):
            normal = side * matrix[:, axis]
            if normal @ camera.towards < 1e-9:
                continue
            middle = centre + half[axis] * normal
            one, other = half[first] * matrix[:, first], half[second] * matrix[:, second]
            tone = lit(base, shade(normal, camera))
            corners = middle + np.array([one + other, one - other, -one - other, other - one])
            yield Face(corners, tone, tone, 0.7, normal=normal)
            for k, a in enumerate(corners):
                ends = np.array([a, corners[(k + 1) % 4]])
                yield Face(ends, None, lit(base, 0.1), 0.7, nearer=near)


def _ball(
    centre: np.ndarray, matrix: np.ndarray, sizes: np.ndarray, base: np.ndarray, camera: Camera
) -> Iterator[Face]:
    around = np.linspace(0, 2 * np.pi, 25)
    down = np.linspace(0, np.pi, 13)
    unit = np.stack(
        [
            np.outer(np.sin(down), np.cos(around)),
            np.outer(np.sin(down), np.sin(around)),
            np.outer(np.cos(down), np.ones_like(around)),
        ],
        axis=-1,
    )
    places = centre + (unit * sizes) @ matrix.T
    normals = (unit / np.maximum(sizes, 1e-9 * sizes.max(initial=1e-300))) @ matrix.T
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-300)
    for i in range(len(down) - 1):
        for j in range(len(around) - 1):
            normal = normals[i : i + 2, j : j + 2].sum(axis=(0, 1)) / 4
            if normal @ camera.towards <= -0.02:
                continue
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            tone = lit(base, shade(normal, camera))
            meridian = (j // 6) % 2 == (i // 6) % 2  # so that rotation is visible
            tone = tone if meridian else tuple(np.array(tone) * 0.6 + 0.4)
            yield Face(np.array([places[c] for c in corners]), tone, tone, 0.3)


def _surface(grid: np.ndarray, base: np.ndarray, camera: Camera) -> Iterator[Face]:
    """Yield the meshes of a surface, with lines between them unless it is a flat strip."""
    pale = base + (1 - base) * 0.55
    apart = grid.reshape(-1, 3) - grid.mean(axis=(0, 1))
    flat = np.linalg.matrix_rank(apart, tol=FLAT * float(np.linalg.norm(apart))) < 3
    meshed = min(grid.shape[:2]) > 2 or not flat
    for i in range(grid.shape[0] - 1):
        for j in range(grid.shape[1] - 1):
            places = np.array([grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]])
            normal = np.cross(places[2] - places[0], places[3] - places[1])
            normal /= max(float(np.linalg.norm(normal)), 1e-300)
            normal = normal if normal @ camera.towards > 0 else -normal
            tone = lit(pale, 0.35 + 0.45 * float(normal @ camera.light))
            yield Face(places, tone, tuple(base * 0.92) if meshed else tone, 0.3)
