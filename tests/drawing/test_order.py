"""Faces in front cover those behind: what is drawn last at a place is what a ray meets first."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore.drawing.projection.camera import Camera, camera
from mbcore.drawing.projection.faces import Face, faces_of
from mbcore.drawing.projection.order import far_to_near

TINTS = ("#ff0000", "#00ff00", "#0000ff", "#888888")


def boxes(rng: np.random.Generator, count: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return centres, frames and half sizes of boxes, some of which go through others."""
    found = []
    for _ in range(count):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn[:, 0] *= np.sign(np.linalg.det(turn))
        found.append((rng.uniform(-1, 1, 3), turn, rng.uniform(0.1, 1.2, 3)))
    return found


def first_met(
    place: np.ndarray, eye: Camera, solids: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> tuple[int | None, float]:
    """Return which box a ray through a place of the picture meets first, and by how much, m."""
    depths = []
    for centre, turn, half in solids:
        origin, way = turn.T @ (place - centre), turn.T @ eye.towards
        ends = np.sort([(-half - origin) / way, (half - origin) / way], axis=0)
        inside = ends[0].max() < ends[1].min() - 1e-6
        depths.append(ends[1].min() if inside else -np.inf)
    order = np.argsort(depths)
    nearest = int(order[-1])
    apart = depths[nearest] - depths[order[-2]]
    return (nearest if np.isfinite(depths[nearest]) else None), float(apart)


def last_drawn(at: np.ndarray, eye: Camera, faces: list[Face]) -> tuple[float, ...] | None:
    """Return the colour of the last polygon over a place of the picture."""
    for face in reversed(faces):
        if face.face is None:
            continue
        corners = eye.flat(face.places)
        steps = np.roll(corners, -1, axis=0) - corners
        to = at - corners
        turns = steps[:, 0] * to[:, 1] - steps[:, 1] * to[:, 0]
        if np.all(turns > 0) or np.all(turns < 0):
            return face.face
    return None


@pytest.mark.parametrize("seed", range(4))
def test_boxes_hide_what_is_behind_them_also_where_they_go_through_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    eye = camera((rng.uniform(-180, 180), rng.uniform(-80, 80)), False, (0, 0, 1))
    solids = boxes(rng, 4)
    own, faces = {}, []
    for tint, (centre, turn, half) in zip(TINTS, solids, strict=True):
        numbers = np.concatenate([centre, turn.T.ravel(), 2 * half])
        made = list(faces_of("box", {}, tint, numbers, eye))
        own |= {face.face: tint for face in made if face.face is not None}
        faces += made
    drawn = far_to_near(faces, eye)
    seen = 0
    for _ in range(300):
        across, up = rng.uniform(-1.5, 1.5, 2)
        place = across * eye.right + up * eye.above
        nearest, apart = first_met(place, eye, solids)
        if apart < 1e-4:
            continue
        colour = last_drawn(np.array([across, up]), eye, drawn)
        wanted = None if nearest is None else TINTS[nearest]
        assert (None if colour is None else own[colour]) == wanted
        seen += nearest is not None
    assert seen > 100


def test_lines_are_cut_where_they_enter_a_box() -> None:
    eye = camera("front", False, (0, 0, 1))  # seen from x
    side = Face(
        np.array([[0.0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]]),
        (1.0, 0.0, 0.0), None, normal=np.array([1.0, 0, 0]),
    )  # fmt: skip
    line = Face(np.array([[-1.0, 0, 0], [3.0, 0.4, 0]]), None, (0.0, 0.0, 0.0))
    behind, within, before = far_to_near([line, side], eye)
    assert within is side
    assert behind.places == pytest.approx(np.array([[-1, 0, 0], [0, 0.1, 0]]))
    assert before.places == pytest.approx(np.array([[0, 0.1, 0], [3, 0.4, 0]]))


def test_nothing_is_drawn_of_nothing() -> None:
    assert far_to_near([], camera(None, False, (0, 0, 1))) == []


def test_without_large_sides_the_order_is_that_of_depths() -> None:
    """Depths by hand: middles 0, 3 and 1 m towards the viewer, one of them moved 1.5 m nearer."""
    eye = camera("top", False, (0, 0, 1))
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    low = Face(flat, (1.0, 0, 0), None, nearer=1.5)
    high = Face(flat[:3] + [0, 0, 3], (0, 1.0, 0), None)
    steep = Face(flat[:2] * [1, 1, 0] + [[0, 0, 0], [0, 0, 2]], None, (0, 0, 1.0))
    moved = Face(flat, (0, 0, 0.5), None, where=np.array([0.0, 0, 2]))
    assert far_to_near([high, moved, low, steep], eye) == [steep, low, moved, high]
    assert far_to_near([], eye) == []
