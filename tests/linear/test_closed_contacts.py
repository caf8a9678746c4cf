"""Linearization with closed rigid contacts, against joints in their place and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import (
    Body,
    FrictionLaw,
    Linearization,
    Model,
    ModelError,
    RigidLink,
    Truss,
    linearize,
)
from mbcore.contact import CoulombFriction, Impact, unilateral_contact
from mbcore.host.backend import Backend

GRAVITY, RADIUS, SPEED = 9.81, 0.7, 3.0
UPPER, LOWER, STIFFNESS, LENGTH = 2.0, 1.5, 400.0, 0.3
MU, SMOOTHING = 0.3, 0.02
WITHIN = 1e-10


def hung(kind: str, friction: CoulombFriction | float = 0.0) -> Model:
    """A bob at rest at the bottom of a shell or on a rigid rod; another one hangs from it."""
    model = Model("bobs", gravity=(0.0, -GRAVITY))
    upper, lower = model.point("upper", (0.0, -RADIUS)), model.point("lower")
    model.add(Body("upper bob", upper, mass=UPPER))
    model.add(Body("lower bob", lower, mass=LOWER))
    rest = LENGTH + LOWER * GRAVITY / STIFFNESS
    lower.x.dof("x", "vx"), lower.y.dof("y", "vy", -RADIUS - rest)
    upper.x.dof("along", "along_rate")
    push = model.input("push", 0.0, unit="N")
    model.load(push, lower.velocity[0])
    middle = model.point("middle", (0.0, 0.0), fixed=True)
    between = model.add(Truss("spring", upper, lower, rest_length=LENGTH))
    between.elongation.release()
    between.elongation.law(STIFFNESS * between.elongation.value)
    if kind == "rod":
        rod = model.add(Truss("rod", middle, upper, rest_length=RADIUS))
        model.output("force", rod.elongation.stress)
        if isinstance(friction, CoulombFriction):  # smoothed friction about rest
            damping = friction.coefficient * (UPPER + LOWER) * GRAVITY / friction.speed
            model.load(-damping * upper.velocity[0], upper.velocity[0])
    else:
        upper.y.dof("down", "down_rate", -RADIUS)
        x, y = upper.x.value, upper.y.value
        gap = RADIUS - (x**2 + y**2) ** 0.5
        sliding = (x * upper.velocity[1] - y * upper.velocity[0]) / RADIUS
        found = unilateral_contact(
            model, "shell", gap, Impact(0.0), sliding=sliding, friction=friction
        )
        model.output("force", found.force)
    model.output("place", lower.x.value)
    return model


def response(about: Linearization, frequency: float) -> np.ndarray:
    """Return the transfer functions from all inputs to all outputs."""
    A, B = about.state_matrix, about.input_matrix
    inner = np.linalg.solve(1j * frequency * np.eye(len(A)) - A, B)
    return about.output_matrix @ inner + about.feedthrough


FRICTION = [
    pytest.param(0.0, id="smooth"),
    pytest.param(CoulombFriction(MU, SMOOTHING), id="rough"),
]


@pytest.mark.parametrize("friction", FRICTION)
@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_bobs_on_a_shell_vibrate_as_on_a_rod(
    friction: CoulombFriction | float, backend: Backend
) -> None:
    about, right = (
        linearize(hung(kind, friction).equations(), backend=backend) for kind in ("shell", "rod")
    )
    assert about.eigenvalues() == pytest.approx(right.eigenvalues(), rel=WITHIN, abs=1e-9)
    assert list(about.structural_zeros) == ["down_rate", "down"]
    for frequency in (1.0, 17.0):
        expected = response(right, frequency)
        assert np.abs(response(about, frequency) - expected).max() <= WITHIN * abs(expected).max()
    for mode in about.modes():  # along the shell, to first order
        assert abs(mode.shape["down"]) <= 1e-15 >= abs(mode.shape["down_rate"])


@pytest.mark.parametrize("friction", FRICTION)
def test_contributions_are_those_on_a_rod(friction: CoulombFriction | float) -> None:
    found, right = (
        linearize(hung(kind, friction).equations(), backend="python").contributions()
        for kind in ("shell", "rod")
    )
    free = [found.values.index(name) for name in right.values]
    for matrix in "MCK":
        terms, expected = getattr(found, matrix), getattr(right, matrix)
        assert set(terms) == set(expected)
        size = max(np.abs(term).max() for term in expected.values())
        for name, term in expected.items():
            assert np.abs(terms[name][np.ix_(free, free)] - term).max() <= 1e-14 * size, name
    along = free[0]
    weight, tension = (UPPER + LOWER) * GRAVITY, LOWER * GRAVITY
    spring = tension / (LENGTH + tension / STIFFNESS)
    assert found.K["K^f"][along, along] + found.K["K^s"][along, along] == pytest.approx(
        weight / RADIUS + spring, rel=1e-14
    )


def arm(kind: str) -> Model:
    """A steadily turning arm presses a mass against a ring; another mass is on a spring."""
    model = Model("arm")
    turn = model.angle("turn", fixed=False)
    turn.angle.dof("angle", "rate", rate_start=SPEED)
    middle = model.point("middle", (0.0, 0.0), fixed=True)
    for name in ("outer", "inner"):
        place = model.point(name)
        model.add(Body(f"{name} mass", place, mass=UPPER))
        link = model.add(RigidLink(f"{name} arm", middle, turn, place, offset=(0, 0)))
        if name == "inner":
            balance = STIFFNESS * 0.2 / (STIFFNESS - UPPER * SPEED**2)
            link.x.dof("r", "r_rate", balance)
            link.x.law(STIFFNESS * (link.x.value - 0.2))
        elif kind == "joint":
            link.x.rigid(RADIUS)
        else:
            link.x.dof("R", "R_rate", RADIUS)
            unilateral_contact(model, "ring", RADIUS - link.x.value, Impact(0.0))
    model.add(Body("disk", middle, turn, inertia=0.3))
    return model


def test_steady_motion_pressed_against_a_ring() -> None:
    about, right = (linearize(arm(kind).equations()) for kind in ("contact", "joint"))
    assert about.eigenvalues() == pytest.approx(right.eigenvalues(), rel=WITHIN, abs=1e-9)
    # ω² = k/m - Ω² + 4 m r² Ω² / (I + m r²), where I is the inertia without the inner mass
    inertia, inner = 0.3 + UPPER * RADIUS**2, right.state[right.state_names.index("r")]
    turned = UPPER * inner**2
    square = STIFFNESS / UPPER - SPEED**2 + 4 * turned * SPEED**2 / (inertia + turned)
    pair = np.sqrt(square) * np.array([-1j, 1j])
    assert sorted(about.eigenvalues(), key=np.imag) == pytest.approx(pair, rel=WITHIN, abs=1e-9)


def block(belt: float, law: FrictionLaw) -> Model:
    """A block on a belt, held by a spring along it, with a mass on a spring on top of it."""
    model = Model("block", gravity=(0.0, -GRAVITY))
    below, above = model.point("below", (0.0, 0.0)), model.point("above")
    model.add(Body("block", below, mass=UPPER))
    model.add(Body("mass", above, mass=LOWER))
    stretch = 0.0
    if belt:  # friction balances the spring
        stretch = MU * (UPPER + LOWER) * GRAVITY / STIFFNESS
    moving = model.point("moving", (0.0, 0.0))
    moving.y.fix(0.0)
    moving.x.prescribe(belt * model.time)
    below.x.dof("x", "vx", stretch).spring(STIFFNESS)
    below.y.dof("y", "vy")
    above.x.fix(0.0)
    above.y.dof("z", "vz", LENGTH - LOWER * GRAVITY / STIFFNESS)
    shortening = LENGTH - (above.y.value - below.y.value)
    model.load(STIFFNESS * shortening, above.velocity[1] - below.velocity[1])
    push = model.input("push", 0.0, unit="N")
    model.load(-push, above.velocity[1])
    sliding = below.velocity[0] - moving.velocity[0]
    found = unilateral_contact(
        model, "belt", below.y.value, Impact(0.0), sliding=sliding, friction=law
    )
    model.output("force", found.force)
    model.output("friction", found.friction_force)
    model.output("sticks", found.sticks)
    return model


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
@pytest.mark.parametrize("belt", [0.0, 0.4], ids=["sticks", "slides"])
def test_block_that_sticks_or_slides(belt: float, backend: Backend) -> None:
    """The mass vibrates by itself; the force under it follows, and so does sliding friction."""
    about = linearize(block(belt, FrictionLaw(MU)).equations(), backend=backend)
    above, along = np.sqrt(STIFFNESS / LOWER), np.sqrt(STIFFNESS / UPPER)
    expected = [-above, above] if not belt else [-above, -along, along, above]
    assert np.sort(about.eigenvalues().imag) == pytest.approx(expected, rel=WITHIN)
    assert about.eigenvalues().real == pytest.approx(0.0, abs=1e-12)
    frequency = 11.0
    force = STIFFNESS / (STIFFNESS - LOWER * frequency**2)
    found = response(about, frequency)[:, 0]
    assert found[0] == pytest.approx(force, rel=WITHIN)
    assert found[1] == pytest.approx(MU * force if belt else 0.0, rel=WITHIN, abs=1e-12)


def test_contacts_without_a_force_are_refused() -> None:
    model = Model("weightless")
    centre = model.point("centre", (0.0, 0.0))
    model.add(Body("ball", centre, mass=1.0))
    centre.x.fix(0.0)
    centre.y.dof("y", "vy")
    unilateral_contact(model, "floor", centre.y.value, Impact(0.0))
    with pytest.raises(ModelError, match="floor is closed at t = 0, but nothing presses it"):
        linearize(model.equations())
