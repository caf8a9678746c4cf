"""What accelerations lose near singular coordinates, as `docs/theory/limits.md` says.

Two rods of 1 m hang on each other, with bobs of 1 kg. Their places and speeds, as they come out,
give angles and rates; of these, Lagrange's equations give the accelerations.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model, Truss
from mbcore.evaluation.evaluation import Evaluation

GRAVITY, EPSILON = 9.81, 2.0**-52
RATES = np.array([1.3, -0.7])


def lagrange(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Accelerations of both bobs, (2, 2), m/s2, by the angles from the horizontal."""
    weight, apart = np.array([[2.0, 1.0], [1.0, 1.0]]), angles[:, None] - angles
    force = -(weight * np.sin(apart)) @ rates**2 - np.diag(weight) * GRAVITY * np.cos(angles)
    changes = np.linalg.solve(weight * np.cos(apart), force)
    along, across = np.array([np.cos(angles), np.sin(angles)]), [-np.sin(angles), np.cos(angles)]
    return np.cumsum(across * changes - along * rates**2, axis=1).T


def error(angles: np.ndarray, chosen: list[tuple[int, int]]) -> float:
    """Return the relative error of accelerations, with places of bobs as degrees of freedom."""
    model = Model("rods", gravity=(0, -GRAVITY))
    before = model.point("top", (0, 0), fixed=True)
    along = np.array([np.cos(angles), np.sin(angles)])
    places = np.cumsum(along, axis=1).T
    speeds = np.cumsum([-along[1] * RATES, along[0] * RATES], axis=1).T
    bobs = []
    for i, place in enumerate(places):
        bobs.append(model.point(f"bob {i}", tuple(place)))
        model.add(Truss(f"rod {i}", before, bobs[i]))
        model.add(Body(f"mass {i}", bobs[i], mass=1.0))
        before = bobs[i]
    for i, axis in chosen:
        [bobs[i].x, bobs[i].y][axis].dof(start=places[i, axis], rate_start=speeds[i, axis])
    for bob in bobs:
        for k, part in enumerate((bob.position, bob.velocity, bob.acceleration)):
            for axis in range(2):
                model.output(f"{bob.name} {k} {axis}", part[axis])
    point = Evaluation(model.equations())
    point.start()
    place, speed, change = point.output().reshape(2, 3, 2).transpose(1, 0, 2)
    rod, rate = (np.diff(what, axis=0, prepend=0.0) for what in (place, speed))
    found = lagrange(
        np.arctan2(rod[:, 1], rod[:, 0]), rod[:, 0] * rate[:, 1] - rod[:, 1] * rate[:, 0]
    )
    return float(np.abs(change - found).max() / np.abs(found).max())


@pytest.mark.parametrize("small", [1e-2, 1e-3, 1e-4])
def test_one_coordinate_loses_as_much_as_it_magnifies(small: float) -> None:
    """The height of a bob that hangs nearly straight down."""
    lost = error(np.array([small - np.pi / 2, 0.7]), [(0, 1), (1, 1)])
    assert lost < 100 * EPSILON / small


def test_two_that_become_dependent_lose_its_square() -> None:
    """The place of the end of two rods that are nearly in line."""
    lost = [error(np.array([-0.7, small - 0.7]), [(1, 0), (1, 1)]) for small in (1e-2, 1e-4)]
    assert lost[0] < 100 * EPSILON / 1e-2**2
    assert EPSILON / 1e-4 < lost[1] < 100 * EPSILON / 1e-4**2
