"""Loops on a moving body as one block: the same accelerations, by fewer operations."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, Model, RigidLink, Truss
from mbcore.equations.elimination import recursion
from mbcore.equations.elimination.block_solver import Triangular
from mbcore.equations.elimination.composites import CompositeBlock
from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.ordering import Part
from mbcore.equations.elimination.recursion import Recursion
from mbcore.equations.elimination.samples import ClosedSamples
from mbcore.equations.elimination.tearing import Tearing
from mbcore.equations.equations import Equations
from tests.conftest import equations_of


def carriage() -> Model:
    """A free body with two loops: an arm, a carrier on its end, two rods back to the body."""
    model = Model("carriage", gravity=(0, 0, -9.81))
    place, cabin = model.point("place", (0, 0, 0)), model.rotation("cabin")
    cabin.free()
    for i, axis in enumerate("xyz"):
        getattr(place, axis).dof(axis, f"v{axis}", rate_start=0.3 * i)
    body = model.add(Body("body", place, cabin, mass=20.0, inertia=(3.0, 5.0, 6.0)))
    for name, side in (("left", 1), ("right", -1)):
        pivot = body.point(f"{name} pivot", (0, side * 0.2, -0.2))
        inner = body.point(f"{name} inner", (0.1, side * 0.2, 0.3))
        middle = body.point(f"{name} middle", (-0.2, side * 0.1, 0.2))
        arm, carrier = model.rotation(f"{name} arm"), model.rotation(f"{name} carrier")
        hinge = model.add(Hinge(f"{name} hinge", cabin, arm, axis=(1, 0, 0)))
        hinge.angle.dof(f"{name}.angle", f"{name}.rate", 0.1 * side, rate_start=-0.4)
        ball = model.point(f"{name} ball", (0, side * 0.6, -0.25))
        model.add(RigidLink(f"{name} arm end", pivot, arm, ball))
        ends = []
        for where, at in (("upper", (0.1, side * 0.5, 0.3)), ("tie", (-0.2, side * 0.5, 0.1))):
            ends.append(model.point(f"{name} {where}", at))
            model.add(RigidLink(f"{name} {where} seat", ball, carrier, ends[-1]))
        upper = model.add(RigidLink(f"{name} guide", inner, cabin, ends[0]))
        upper.y.release()
        upper.z.release().law(400.0 * upper.z.value + 30.0 * upper.z.rate)
        model.add(Truss(f"{name} upper rod", inner, ends[0]))
        model.add(Truss(f"{name} tie rod", middle, ends[1]))
        model.add(Body(f"{name} wheel", ball, carrier, mass=3.0, inertia=(0.2, 0.3, 0.2)))
    return model


def closed_points(E: Equations) -> list[list[object]]:
    """Return arguments of functions at some states, with the loops closed."""
    random, found = np.random.default_rng(8), []
    for _ in range(3):
        s = np.array([state.start for state in E.states], float)
        given = [0.0, s + 0.1 * random.standard_normal(s.size), [], [], []]
        x = E.functions["start"](*given, np.zeros(len(E.coordinate_names)))[0]
        for _ in range(20):
            x = E.functions["newton"](*given, x)[0]
        found.append([*given, x])
    return found


def recursion_of(model: Model, monkeypatch: pytest.MonkeyPatch) -> tuple[Equations, Recursion]:
    made: list[Recursion] = []
    whole = Recursion.__init__

    def note(self: Recursion, *arguments: object) -> None:
        made.append(self)
        whole(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Recursion, "__init__", note)
        return model.equations(), made[0]


@pytest.mark.heavy
def test_loops_on_a_body_are_one_block_each(monkeypatch: pytest.MonkeyPatch) -> None:
    lean, made = recursion_of(carriage(), monkeypatch)
    composite = [b for b in made._blocks if isinstance(b, CompositeBlock)]
    assert len(composite) == 2
    for block in composite:
        assert len(block.others) == 6  # the cabin's place and angular velocity alone
    monkeypatch.setattr(recursion, "with_composites", lambda blocks, *_: blocks)
    plain = carriage().equations()
    for at in closed_points(lean):
        expected = np.array(plain.functions["derivative"](*at)).ravel()
        found = np.array(lean.functions["derivative"](*at)).ravel()
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)
    counts = [E.functions["derivative"].n_instructions() for E in (lean, plain)]
    assert counts[0] < 0.75 * counts[1]


@pytest.mark.heavy
def test_a_loop_carries_on_as_a_rigid_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its inner rates zero, a carrier has the cabin's angular velocity, however it stands."""
    E, made = recursion_of(carriage(), monkeypatch)
    [block] = [b for b in made._blocks if isinstance(b, CompositeBlock)][:1]
    transfer = block.transfer()
    turning = [block.others.index(j) for j in E.form.columns["cabin"]]
    carrier = [block.columns.index(j) for j in E.form.columns["left carrier"]]
    assert ca.DM(transfer[carrier, turning]).full() == pytest.approx(np.eye(3))


@pytest.mark.parametrize(
    ("entry", "number"),
    [
        (lambda a, b, c: ca.cos(a) ** 2 + ca.sin(a) ** 2, True),
        (lambda a, b, c: (a + b) - (b + a) + a * b - b * a, True),
        (lambda a, b, c: 1 + 1e-6 * a, False),
        (lambda a, b, c: ca.if_else(c > 5, b, 1), False),
        (lambda a, b, c: c, False),  # 1 at the start
    ],
)
def test_numbers_are_told_from_what_varies_or_switches(
    entry: Callable[[ca.SX, ca.SX, ca.SX], ca.SX], number: bool
) -> None:
    E = equations_of(carriage)
    a, b, c = ca.vertsplit(ca.SX.sym("s", len(E.states)))[:3]
    s = ca.vertcat(a, b, c)
    samples = ClosedSamples(
        E.configuration,
        [ca.SX.sym("t"), E.form.s, ca.SX(0, 1), ca.SX(0, 1), ca.SX(0, 1)],
        [np.zeros(1), np.array([state.start for state in E.states]), *([np.zeros(0)] * 3)],
        [],
        1.0,
        lambda e: ca.substitute(e, s, E.form.s[:3]),
    )
    [found] = samples([ca.densify(entry(a, b, c))])
    assert found.is_constant() == number


def crossed_loops() -> tuple[np.ndarray, Triangular]:
    """Return J and its solver: two loops, each with a parent, and two blocks that need both.

    The first of these needs hardly more than the first loop and becomes one with it; the second
    needs the second loop and what is now one with the first.
    """
    random = np.random.default_rng(3)
    parent, loop, other_parent, other_loop, child, last = blocks = [
        [0, 1], [2, 3, 4, 5, 6], [7, 8], [9, 10, 11, 12, 13], [14, 15], [16, 17],
    ]  # fmt: skip
    J, tearings = np.eye(18), {}
    for block, above in ((loop, parent), (other_loop, other_parent)):
        J[np.ix_(block[:2], above)] = random.uniform(-1, 1, (2, 2))
        J[np.ix_(block, block)] += np.tril(random.uniform(-0.3, 0.3, (5, 5)))
        J[block[:4], block[4]] = random.uniform(0.2, 0.5, 4)
        tearings[block[0]] = Tearing([Part([i], [i]) for i in block[:4]], block[4:], block[4:])
    J[np.ix_(child, [loop[0], loop[2], other_loop[0]])] = random.uniform(-1, 1, (2, 3))
    J[np.ix_(last, [*other_loop[2:4], child[0]])] = random.uniform(-1, 1, (2, 3))
    parts = [Part(block, block) for block in blocks]
    solver = Triangular(Entries(ca.SX(J)), parts, lambda part: tearings.get(part.rows[0]))
    return J, solver


def test_crossed_loops_are_eliminated_as_by_dense_algebra() -> None:
    """M̄ q̈ = Hᵀ(f - M J⁻¹g) and a = H q̈ + J⁻¹g."""
    J, solver = crossed_loops()
    n, random = len(J), np.random.default_rng(4)
    unit, mass = np.eye(n)[:, [2, 3, 10]], np.diag(random.uniform(1, 2, n))
    f, g = random.standard_normal((2, n, 1))
    rates, M = ca.sparsify(ca.SX(unit)), ca.sparsify(ca.SX(mass))
    made = Recursion(solver, M, rates, (), lambda part, short: (part, short))
    assert sum(isinstance(block, CompositeBlock) for block in made._blocks) == 2
    found = made.solve(ca.SX(f), ca.SX(g))
    H, rest = np.split(np.linalg.solve(J, np.hstack([unit, g])), [-1], axis=1)
    expected = np.linalg.solve(H.T @ mass @ H, H.T @ (f - mass @ rest))
    np.testing.assert_allclose(ca.DM(found[0]).full(), expected, rtol=1e-11)
    np.testing.assert_allclose(ca.DM(found[1]).full(), H @ expected + rest, atol=1e-11)
