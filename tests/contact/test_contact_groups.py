"""Contacts in groups: those apart leave each other alone, those coupled are solved for together."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

from benchmarks.scaling.contacts import (
    GRAVITY,
    LINK,
    RESTITUTION,
    dropped_balls,
    falling_chain,
    heights,
    loose_pendulums,
)
from mbcore import Body, Model, Result, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.tolerances import EVENT_ROUNDS
from mbcore.equations.unilateral.pressed import pressed
from mbcore.evaluation import event_rounds
from mbcore.evaluation.evaluation import Evaluation
from mbcore.host.backend import Backend
from tests.contact.test_impact import block, struck

SETTLING = 1e-6
"""Default settling time, s."""


@pytest.mark.parametrize(
    "model", [dropped_balls, pytest.param(loose_pendulums, marks=pytest.mark.heavy)]
)
def test_operations_of_an_impact_grow_with_the_number_of_contacts(model: object) -> None:
    assert callable(model)
    counts = {n: model(n).equations().functions["update"].n_instructions() for n in (4, 12)}
    assert counts[12] / 12 == pytest.approx(counts[4] / 4, rel=0.05)


def test_an_impact_leaves_other_balls_alone() -> None:
    state = {"y_0": 0.0, "y_rate_0": -1.0, "y_1": 0.02, "y_rate_1": -0.3, "y_2": 0.03}
    state |= {"floor_1.flight": 0.1, "floor_1.flight_height": 0.01}
    after = struck(dropped_balls(3), state, "floor_0.impact")
    assert after["y_rate_0"] == pytest.approx(RESTITUTION, rel=1e-15)
    for name in ("y_1", "y_rate_1", "y_2"):
        assert after[name] == state[name]
    assert (after["floor_0.impacts"], after["floor_1.impacts"]) == (1, 0)
    assert after["floor_0.flight"] == pytest.approx(2 * RESTITUTION / GRAVITY, rel=1e-12)
    assert (after["floor_1.flight"], after["floor_1.flight_height"]) == (0.1, 0.01)
    assert after["floor_2.flight"] == 0


def rests(run: Result, count: int) -> None:
    """Compare rest times and numbers of impacts with the closed form of a single ball."""
    # [Schwab2002] (5.25), (5.26)
    closed = {name: t for t, name in run.events if name.endswith(".closed")}
    for i, height in enumerate(heights(count)):
        first, speed = math.sqrt(2 * height / GRAVITY), math.sqrt(2 * GRAVITY * height)
        e = RESTITUTION
        rest = first + 2 * e * speed / (GRAVITY * (1 - e))
        assert closed[f"floor_{i}.closed"] == pytest.approx(rest, abs=1.1 * SETTLING)
        # the k-th impact is the last one where 2 e^k v/(g (1 - e)) ≤ τ for the first time
        last = math.log(SETTLING * GRAVITY * (1 - e) / (2 * speed)) / math.log(e)
        assert run.final(f"floor_{i}.impacts") == math.ceil(last)
        assert run.final(f"floor_{i}.energy_loss") == pytest.approx(
            0.3 * GRAVITY * height, rel=1e-9
        )


def test_each_ball_comes_to_rest_as_if_it_were_alone() -> None:
    rests(simulate(dropped_balls(2).equations(), 1.0, backend="python"), 2)


@pytest.mark.heavy
def test_each_of_many_balls_comes_to_rest_as_if_it_were_alone() -> None:
    rests(simulate(dropped_balls(30).equations(), 1.0, backend="c"), 30)


def level_balls(count: int, height: float) -> Model:
    """Return balls that are dropped from one height, and meet the floor at once."""
    model = Model("level balls", gravity=(0, -GRAVITY))
    for i in range(count):
        centre = model.point(f"ball_{i}", (float(i), height))
        model.add(Body(f"mass_{i}", centre, mass=0.3))
        centre.x.fix(float(i))
        gap = centre.y.dof(f"y_{i}", f"y_rate_{i}", start=height).value
        unilateral_contact(model, f"floor_{i}", gap, Impact(RESTITUTION))
    return model


@pytest.mark.parametrize(
    ("count", "backend", "rounds"),
    [(5, "python", 2), pytest.param(EVENT_ROUNDS + 10, "c", None, marks=pytest.mark.heavy)],
)
def test_more_balls_may_meet_at_once_than_there_are_rounds_of_one_event(
    count: int, backend: Backend, rounds: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if rounds is not None:
        monkeypatch.setattr(event_rounds, "EVENT_ROUNDS", rounds)
    height = 0.1
    run = simulate(level_balls(count, height).equations(), 0.15, backend=backend)
    falls = math.sqrt(2 * height / GRAVITY)
    assert [t for t, _ in run.events] == pytest.approx([falls] * count, abs=1e-9)
    assert {name for _, name in run.events} == {f"floor_{i}.impact" for i in range(count)}
    speed = RESTITUTION * GRAVITY * falls - GRAVITY * (0.15 - falls)
    for i in range(count):
        assert run.final(f"y_rate_{i}") == pytest.approx(speed, rel=1e-9)


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_impacts_at_once_are_listed_once_each(backend: Backend) -> None:
    """Each impact foresees the flights of all others anew, which is not an impact of theirs."""
    count, height = (5, 0.1) if backend == "c" else (3, 0.01)
    run = simulate(level_balls(count, height).equations(), 1.0, backend=backend)
    # the k-th impact is the last one where 2 e^k v/(g (1 - e)) ≤ τ for the first time
    least = SETTLING * GRAVITY * (1 - RESTITUTION) / (2 * math.sqrt(2 * GRAVITY * height))
    each = math.ceil(math.log(least) / math.log(RESTITUTION))
    expected = {
        f"floor_{i}.{what}": n
        for i in range(count)
        for what, n in (("impact", each), ("closed", 1))
    }
    assert Counter(name for _, name in run.events) == expected


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_impacts_of_a_block_are_listed_as_often_as_counted(backend: Backend) -> None:
    start = {"y": 0.1 * math.sin(0.05) + 0.5 * math.cos(0.05)}
    run = simulate(block(0.5).equations(), 0.3, start=start, backend=backend)
    listed = Counter(name for _, name in run.events)
    for corner in ("left", "right"):
        assert listed[f"{corner}.impact"] == run.final(f"{corner}.impacts") > 3


def row(masses: tuple[float, ...], e: float) -> Model:
    """Return balls on a line that touch at 0.1 m from each other, as Newton's cradle."""
    model = Model("row")
    places = []
    for i, mass in enumerate(masses):
        ball = model.point(f"ball_{i}", (0.1 * i, 0))
        ball.y.fix(0)
        model.add(Body(f"mass_{i}", ball, mass=mass))
        places.append(ball.x.dof(f"x_{i}", f"v_{i}", start=0.1 * i).value)
    for i, (left, right) in enumerate(pairwise(places)):
        unilateral_contact(model, f"c_{i}", right - left - 0.1, Impact(e))
    return model


def close(point: Evaluation, *contacts: str) -> None:
    """Let contacts be closed."""
    names = [d.name for d in point.equations.discretes]
    for name in contacts:
        point.d[names.index(f"{name}.closed.active")] = 1.0


def hit(point: Evaluation, contact: str) -> dict[str, float]:
    """Let a contact meet, and return the states after its impact."""
    events = point.equations.events
    point.configure()
    point.fired[:] = [float(event.name == f"{contact}.impact") for event in events]
    discretes, states = (part[:, 0] for part in point.call("update").results)
    point.d[:], point.s[:] = discretes, states
    return dict(zip([s.name for s in point.equations.states], states, strict=True))


def test_balls_that_touch_are_hit_as_one() -> None:
    """The first ball meets three, of which the last two touch: they answer as one mass."""
    masses, e, speed = (0.2, 0.3, 0.5, 0.7), 0.6, 2.0
    point = Evaluation(row(masses, e).equations())
    point.start()
    close(point, "c_1")
    point.s[[s.name for s in point.equations.states].index("v_0")] = speed
    hit(point, "c_0")
    after = hit(point, "c_2")
    pair = masses[1] + masses[2]
    impulse = (1 + e) * speed * masses[0] * pair / (masses[0] + pair)
    assert after["v_0"] == pytest.approx(speed - impulse / masses[0], rel=1e-14)
    # then the pair meets the last ball, and stays together, for it is pressed
    v = impulse / pair
    second = (1 + e) * v * pair * masses[3] / (pair + masses[3])
    assert after["v_1"] == pytest.approx(v - second / pair, rel=1e-13)
    assert after["v_2"] == pytest.approx(after["v_1"], rel=1e-14)
    assert after["v_3"] == pytest.approx(second / masses[3], rel=1e-13)
    momentum = sum(m * after[f"v_{i}"] for i, m in enumerate(masses))
    assert momentum == pytest.approx(masses[0] * speed, rel=1e-14)


@pytest.mark.parametrize(("count", "struck_first"), [(6, 0), (6, 3), (6, 6), (8, 4)])
def test_impulses_on_a_chain_that_lies_push_and_hold(count: int, struck_first: int) -> None:
    """Joints of a chain lie on a floor and one is hit: M Δq̇ = Gᵀp by the textbook's matrices."""
    mass, e = 0.1, 0.5
    equations = falling_chain(count).equations()
    angles = np.zeros(count)
    names = [s.name for s in equations.states]
    # heights y_j = y + Σ l sin φ, with mass points at the joints
    rows = np.zeros((count + 1, count + 2))
    rows[:, 1] = 1.0
    along = np.zeros_like(rows)
    along[:, 0] = 1.0
    for j in range(1, count + 1):
        rows[j, 2 : 2 + j] = LINK * np.cos(angles[:j])
        along[j, 2 : 2 + j] = -LINK * np.sin(angles[:j])
    M = mass * (rows.T @ rows + along.T @ along)
    point = Evaluation(equations)
    point.start()
    close(point, *(f"floor_{j}" for j in range(count + 1) if j != struck_first))
    for name in [n for n in names if n.startswith(("y", "angle"))]:
        point.s[names.index(name)] = 0.0
    place = [names.index(n) for n in ("x_rate", "y_rate", *(f"rate_{i}" for i in range(count)))]
    before = np.zeros(count + 2)
    before[1:] = np.linalg.solve(
        rows[:, 1:], np.where(np.arange(count + 1) == struck_first, -1.0, 0.0)
    )
    point.s[place] = before
    hit(point, f"floor_{struck_first}")
    after, modes = point.s[place], [d.name for d in equations.discretes]
    closed = [point.d[modes.index(f"floor_{j}.closed.active")] for j in range(count + 1)]
    impulses = np.linalg.lstsq(rows.T, M @ (after - before), rcond=None)[0]
    assert rows.T @ impulses == pytest.approx(M @ (after - before), abs=1e-12)
    assert rows[struck_first] @ after == pytest.approx(e, rel=1e-12)
    assert impulses[struck_first] > 0
    assert impulses.min() > -1e-12
    held = np.array(closed) > 0.5
    assert rows[held] @ after == pytest.approx(0, abs=1e-12)
    others = ~held & (np.arange(count + 1) != struck_first)
    assert impulses[others] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_contacts_that_open_one_by_one_are_those_that_open_in_rounds(friction: float) -> None:
    """Mobilities at random: both ways find the same contacts, and impulses that stop their gaps."""
    random, n = np.random.default_rng(3), 7
    some = random.normal(size=(n, n + 1))
    G, closed = some @ some.T, np.array([1.0, 1, 0, 1, 1, 1, 1])
    answered = random.normal(size=(n, 2))

    def pulled(impulses: ca.SX) -> ca.SX:
        return impulses[:, 0] + friction * impulses[:, 1] < 0

    mobility, modes, right = ca.SX.sym("G", n, n), ca.SX.sym("closed", n), ca.SX.sym("r", n, 2)
    found = ca.Function(
        "pressed", [mobility, modes, right], pressed(mobility, modes, right, pulled)
    )
    stays, impulses = (np.array(part) for part in found(G, closed, answered))
    active = closed > 0.5
    while True:
        there = np.flatnonzero(active)
        own = np.zeros((n, 2))
        own[there] = -np.linalg.solve(G[np.ix_(there, there)], answered[there])
        bad = active & (own[:, 0] + friction * own[:, 1] < 0)
        if not bad.any():
            break
        active &= ~bad
    assert 0 < active.sum() < closed.sum()
    assert stays.ravel() == pytest.approx(active.astype(float))
    assert impulses == pytest.approx(own, rel=1e-10, abs=1e-12)
