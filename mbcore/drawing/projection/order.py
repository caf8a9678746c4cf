"""In which order faces are drawn, so that those in front cover those behind.

By depth alone a large side of a box and what stands before it change places. So the planes of these
sides divide space: what lies behind a plane is drawn before its side, and what lies in front of it
after the side. Faces that cross the plane are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mbcore.drawing.projection.camera import Camera
from mbcore.drawing.projection.faces import Face

FLUSH = 1e-6
"""Distance from a plane at which a place lies in it, in parts of the extent of all faces."""


def far_to_near(faces: Sequence[Face], camera: Camera) -> list[Face]:
    """Return faces and parts of faces, those to be drawn first ahead.

    Parameters
    ----------
    faces : sequence of Face
        Those with a ``normal`` divide space; they have to face the viewer.
    """
    if not faces:
        return []
    places = np.concatenate([face.places for face in faces])
    return _ordered(faces, camera, FLUSH * float(np.ptp(places, axis=0).max()))


def _ordered(faces: Sequence[Face], camera: Camera, flush: float) -> list[Face]:
    if not faces:
        return []
    sides = [face for face in faces if face.normal is not None]
    if not sides:
        return [faces[i] for i in np.argsort(_depths(faces, camera), kind="stable")]
    dividing = min(sides, key=lambda side: sum(_crosses(side, other, flush) for other in sides))
    behind: list[Face] = []
    within: list[Face] = []
    before: list[Face] = []
    for face in faces:
        away = _distances(dividing, face, camera)
        if np.all(np.abs(away) <= flush):
            within.append(face)
        elif np.all(away <= flush):
            behind.append(face)
        elif np.all(away >= -flush):
            before.append(face)
        else:
            behind.append(_part(face, -away))
            before.append(_part(face, away))
    within.sort(key=lambda face: (face.face is None, face.depth(camera)))
    return [*_ordered(behind, camera, flush), *within, *_ordered(before, camera, flush)]


def _depths(faces: Sequence[Face], camera: Camera) -> np.ndarray:
    """Return `Face.depth` of many faces, m, by one product."""
    sorted_by = [face.places if face.where is None else face.where[None, :] for face in faces]
    counts = np.array([len(places) for places in sorted_by])
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    sums = np.add.reduceat(camera.depth(np.concatenate(sorted_by)), first)
    return np.asarray(sums / counts + [face.nearer for face in faces])


def _crosses(side: Face, other: Face, flush: float) -> bool:
    """Say whether a side's plane cuts another one."""
    assert side.normal is not None
    away = (other.places - side.places[0]) @ side.normal
    return bool(away.min() < -flush and away.max() > flush)


def _distances(side: Face, face: Face, camera: Camera) -> np.ndarray:
    """Return how far before a side's plane a face is, m: its corners, or one place if it is whole.

    A face with an outline of its own colour, or at a place of its own, is not cut.
    """
    assert side.normal is not None
    cut = face.where is None and (face.face is None or face.edge in (None, face.face))
    if cut:
        return np.asarray((face.places - side.places[0]) @ side.normal)
    middle = face.places.mean(axis=0) if face.where is None else face.where
    place = middle + face.nearer * camera.towards
    return np.array([(place - side.places[0]) @ side.normal])


def _part(face: Face, away: np.ndarray) -> Face:
    """Return the part of a face on the positive side, given the distances of its corners."""
    kept = []
    count = len(away)
    ends = count if count > 2 else 1  # a segment does not come back to its start
    for i in range(ends):
        j = (i + 1) % count
        if away[i] >= 0:
            kept.append(face.places[i])
        if away[i] * away[j] < 0:
            share = away[i] / (away[i] - away[j])
            kept.append(face.places[i] + share * (face.places[j] - face.places[i]))
    if count == 2 and away[1] >= 0:
        kept.append(face.places[1])
    return replace(face, places=np.array(kept))
