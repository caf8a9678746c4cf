"""Large deflections of beams: circles, the elastica, a curved cantilever out of its plane."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.beam_structures import planar_chain, spatial_chain


def elastica(load: float) -> tuple[float, float]:
    """Tip of a cantilever, EI = l = 1, under a transverse dead load, by shooting."""

    def along(s: float, z: np.ndarray) -> list[float]:
        return [z[1], -load * np.cos(z[0]), np.cos(z[0]), np.sin(z[0])]

    def tip(curvature: float) -> np.ndarray:
        z = [0, curvature, 0, 0]
        return solve_ivp(along, (0, 1), z, rtol=1e-12, atol=1e-12).y[:, -1]

    z = tip(brentq(lambda k: tip(k)[1], 0, load, xtol=1e-13))
    return float(z[2]), float(z[3])


def orders(errors: Sequence[float]) -> np.ndarray:
    return -np.diff(np.log2(errors))


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("chord", (6, 12, 24)),
        pytest.param("chord", (8, 16, 32), marks=pytest.mark.heavy),
        pytest.param("arc", (8, 16, 32), marks=pytest.mark.heavy),
    ],
)
def test_cantilever_under_an_end_moment_becomes_a_circle(kind: str, sizes: tuple[int, ...]) -> None:
    angle, errors = 1.5 * np.pi, []
    for n in sizes:
        chain = planar_chain(n, 1.0, bending_stiffness=1.0, elongation=kind)
        turn = chain.nodes[-1].coordinates
        x = chain.deflect(chain.nodes[:2], angle * turn)
        circle = np.array([np.sin(angle), 1 - np.cos(angle)]) / angle
        errors.append(float(np.linalg.norm(x[-3:-1] - circle)))
    assert errors[-1] < 1e-2
    assert min(orders(errors)) > 1.9


@pytest.mark.heavy
def test_cantilever_under_an_end_force_is_the_elastica() -> None:
    exact, errors = np.array(elastica(10.0)), []
    assert exact == pytest.approx(
        [1 - 0.55500, 0.81061], abs=1e-5
    )  # [Mattiasson 1981], PL²/EI = 10
    for n in (8, 16, 32):
        chain = planar_chain(n, 1.0, bending_stiffness=1.0)
        x = chain.deflect(chain.nodes[:2], 10.0 * chain.nodes[-2].coordinates[1])
        errors.append(float(np.linalg.norm(x[-3:-1] - exact)))
    assert errors[-1] < 1e-3
    assert min(orders(errors)) > 1.9


@pytest.mark.heavy
def test_spatial_cantilever_bends_as_the_elastica_in_any_plane() -> None:
    n, direction = 8, np.array([0, 0.6, 0.8])
    places = np.outer(np.arange(n + 1) / n, [1.0, 0, 0])
    data = {"bending_stiffness_y": 1.0, "bending_stiffness_z": 1.0}
    chain = spatial_chain(places, **data)
    tip = chain.nodes[-2].coordinates
    x = chain.deflect(chain.nodes[:2], 3.0 * ca.dot(tip, ca.DM(direction)))[-7:-4]
    flat = planar_chain(n, 1.0, bending_stiffness=1.0)
    planar = flat.deflect(flat.nodes[:2], 3.0 * flat.nodes[-2].coordinates[1])[-3:-1]
    assert x[0] == pytest.approx(planar[0], abs=1e-9)
    assert x[1:] == pytest.approx(planar[1] * direction[1:], abs=1e-9)
    assert planar == pytest.approx(elastica(3.0), abs=5e-3)


@pytest.mark.heavy
def test_curved_cantilever_out_of_its_plane() -> None:
    """The bend of 45° by Bathe and Bolourchi (1979), with the result of Simo and Vu-Quoc (1986)."""
    E, G = 1e7, 0.5e7

    def tip(n: int) -> np.ndarray:
        angles = np.linspace(0, np.pi / 4, n + 1)
        chain = spatial_chain(
            100 * np.column_stack([1 - np.cos(angles), np.sin(angles), 0 * angles]),
            y_axis=(0, 0, 1),
            axial_stiffness=E,
            torsional_stiffness=G / 6,
            bending_stiffness_y=E / 12,
            bending_stiffness_z=E / 12,
        )
        end = chain.nodes[-2].coordinates
        return chain.deflect(chain.nodes[:2], 600.0 * end[2], steps=20)[-7:-4]

    coarse, fine = tip(8), tip(16)
    # Their own eight elements, and those of others, scatter by about 0.3.
    assert fine + (fine - coarse) / 3 == pytest.approx([15.79, 47.23, 53.37], abs=0.13)
