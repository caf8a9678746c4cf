"""Stretching beams tend to Reissner's beam, or to the one of the texts, as asked for.

Both limits are integrated here by themselves, as boundary value problems: with the material
stresses N, Q and M of the section at angle φ, r' = (1 + ε) e_x + γ e_y, M' = -r' × n, and ε, γ, φ'
from the energy per unstrained length.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from mbcore import Model, ModelError, equilibrium
from mbcore.elements import PlanarBeam, SpatialBeam
from mbcore.elements.beams.beam_strains import Theory
from mbcore.model.nodes.nodes import Angle, Point

EA, EI = 20.0, 1.0
Strains = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def reissner(shear: float) -> Strains:
    """EA ε²/2 + EI φ'²/2 + k G A γ²/2: returns ε, γ and φ' of N, Q and M."""
    return lambda N, Q, M: (N / EA, Q / shear, M / EI)


def stretched(N: np.ndarray, Q: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, ...]:
    """EA ε²/2 + EI φ'² (1 + ε)²/2: N = EA ε + M²/(EI (1 + ε)³), M = EI φ' (1 + ε)²."""
    e = N / EA
    for _ in range(50):
        e = e - (EA * e + M**2 / EI / (1 + e) ** 3 - N) / (EA - 3 * M**2 / EI / (1 + e) ** 4)
    return e, 0 * Q, M / EI / (1 + e) ** 2


def tip(strains: Strains, force: tuple[float, float]) -> np.ndarray:
    """Return x, y and φ at the end of a cantilever of length 1 under a force there."""
    s, z = np.linspace(0, 1, 101), np.zeros((4, 101))
    z[0] = s
    for share in np.linspace(0.1, 1, 10):
        fx, fy = share * np.array(force)

        def rate(_: np.ndarray, z: np.ndarray, fx: float = fx, fy: float = fy) -> np.ndarray:
            c, s = np.cos(z[2]), np.sin(z[2])
            e, g, bent = strains(fx * c + fy * s, -fx * s + fy * c, z[3])
            x, y = (1 + e) * c - g * s, (1 + e) * s + g * c
            return np.vstack([x, y, bent, y * fx - x * fy])

        found = solve_bvp(rate, lambda a, b: np.r_[a[:3], b[3]], s, z, tol=1e-9, max_nodes=50000)
        assert found.success
        s, z = found.x, found.y
    return z[:3, -1]


def planar(n: int, theory: Theory, force: tuple[float, float], shear: float, kind: str) -> Model:
    """A cantilever of n planar elements."""
    model = Model("cantilever")
    points = [model.point(f"p{i}", (i / n, 0.0), fixed=i == 0) for i in range(n + 1)]
    angles = [model.angle(f"a{i}", fixed=i == 0) for i in range(n + 1)]
    for i in range(n):
        beam = PlanarBeam(
            f"b{i}", points[i], angles[i], points[i + 1], angles[i + 1],
            axial_stiffness=EA, bending_stiffness=EI, shear_factor=12 * EI * n**2 / shear,
            theory=theory, elongation=kind,  # type: ignore[arg-type]
        )  # fmt: skip
        model.add(beam)
        points[i + 1].x.dof()
        points[i + 1].y.dof()
        angles[i + 1].angle.dof()
    model.force(points[-1], force)
    model.output("x", points[-1].x.value)
    model.output("y", points[-1].y.value)
    model.output("rotation", angles[-1].angle.value)
    return model


def solved(
    n: int, theory: Theory, force: tuple[float, float], shear: float = np.inf, kind: str = "arc"
) -> np.ndarray:
    found = equilibrium(planar(n, theory, force, shear, kind).equations(), progress=False)
    return np.array(list(found.outputs.values()))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("force", "shear", "kind"),
    [
        ((2.0, 2.0), 20.0, "arc"),
        ((0.0, 3.0), np.inf, "arc"),
        ((0.0, 3.0), np.inf, "chord"),
        ((-0.5, 1.0), 20.0, "chord"),
    ],
)
def test_short_elements_tend_to_reissners_beam(
    force: tuple[float, float], shear: float, kind: str
) -> None:
    # Reissner's beam
    exact = tip(reissner(shear), force)
    coarse, fine = (solved(n, "reissner", force, shear, kind) - exact for n in (6, 12))
    assert np.log2(np.linalg.norm(coarse) / np.linalg.norm(fine)) > 1.9
    assert fine - (coarse - fine) / 3 == pytest.approx(np.zeros(3), abs=5e-5)


@pytest.mark.heavy
def test_those_of_the_texts_tend_to_another_limit() -> None:
    force = (1.5, 1.5)
    exact, other = tip(stretched, force), tip(reissner(np.inf), force)
    assert np.linalg.norm(exact - other) > 0.01
    coarse, fine = (solved(n, "besseling", force) - exact for n in (6, 12))
    assert np.log2(np.linalg.norm(coarse) / np.linalg.norm(fine)) > 1.9
    assert fine - (coarse - fine) / 3 == pytest.approx(np.zeros(3), abs=1e-4)


@pytest.mark.heavy
def test_spatial_beams_do_the_same_in_any_plane() -> None:
    """The planar cantilever, tilted by 0.7 about its axis, with other stiffness across."""
    force, n, tilt = (1.0, 1.0), 4, 0.7
    up = np.array([0, np.cos(tilt), np.sin(tilt)])
    for theory in ("reissner", "besseling"):
        model = Model("spatial")
        points = [model.point(f"p{i}", (i / n, 0.0, 0.0), fixed=i == 0) for i in range(n + 1)]
        turns = [model.rotation(f"r{i}", fixed=i == 0) for i in range(n + 1)]
        for i in range(n):
            beam = SpatialBeam(
                f"b{i}", points[i], turns[i], points[i + 1], turns[i + 1], y_axis=up,
                axial_stiffness=EA, torsional_stiffness=2.0,
                bending_stiffness_y=5.0, bending_stiffness_z=EI, theory=theory,  # type: ignore
            )  # fmt: skip
            model.add(beam)
            for q in beam.deformations.values():
                q.dof()
        model.force(points[-1], [force[0], *(force[1] * up[1:])])
        for axis in "xyz":
            model.output(axis, getattr(points[-1], axis).value)
        found = np.array(list(equilibrium(model.equations(), progress=False).outputs.values()))
        expected = solved(n, theory, force)  # type: ignore[arg-type]
        assert found[0] == pytest.approx(expected[0], abs=1e-8)
        assert found[1:] == pytest.approx(expected[1] * up[1:], abs=1e-8)


def test_unknown_theories_are_refused() -> None:
    ends = Point("p", (0.0, 0.0)), Angle("a"), Point("q", (1.0, 0.0)), Angle("b")
    with pytest.raises(ModelError, match='theory is "besseling" or "reissner", got \'cosserat\''):
        PlanarBeam("rod", *ends, theory="cosserat")  # type: ignore[arg-type]
