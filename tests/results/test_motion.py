"""The motion behind a result: configurations at rows and between them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mbcore import Body, Model, ModelError, RigidLink, simulate
from mbcore.contact import Impact, unilateral_contact
from mbcore.results.motion import Motion


def pendulum(by: str = "angle") -> Model:
    """Length 2 m, mass 1 kg, starts at 1 rad from the vertical with the gravity of 9.81 m/s2."""
    swing = Model("pendulum", gravity=(0, -9.81))
    hook = swing.point("hook", (0, 0), fixed=True)
    bob = swing.point("bob", (2 * np.sin(1), -2 * np.cos(1)))
    turn = swing.angle("turn", 1.0)
    swing.add(RigidLink("rod", hook, turn, bob, offset=(0, -2)))
    swing.add(Body("weight", bob, mass=1))
    if by == "angle":
        turn.angle.dof("angle", "rate")
    else:
        bob.x.dof("x", "speed", rate_start=3.0, or_else=turn.angle)
    return swing


def place(equations: object, x: np.ndarray, name: str) -> np.ndarray:
    return np.asarray(x)[equations.coordinate_names.index(name)]  # type: ignore[attr-defined]


def test_configurations_between_rows_are_those_of_the_motion() -> None:
    equations = pendulum().equations()
    coarse = simulate(equations, until=2, samples=41).motion
    times = np.linspace(0, 2, 173)
    fine = simulate(equations, until=2, samples=times).motion
    assert coarse is not None and fine is not None
    t, s, _, _, _, x = coarse.arguments(times)
    assert t[0] == pytest.approx(times)
    assert pytest.approx(fine.states, abs=3e-5) == s.T  # cubic between rows 0.05 s apart
    bx, by = (place(equations, x, name) for name in ("bob.x", "bob.y"))
    assert np.hypot(bx, by) == pytest.approx(2.0, abs=1e-9)  # the rod keeps its length


def test_configurations_are_kept_where_coordinates_change() -> None:
    equations = pendulum("x").equations()
    run = simulate(equations, until=3)
    assert run.switches and run.motion is not None
    x = run.motion.configuration.T
    bx, by = (place(equations, x, name) for name in ("bob.x", "bob.y"))
    assert np.hypot(bx, by) == pytest.approx(2.0, abs=1e-8)
    assert bx == pytest.approx(run["x"], abs=1e-8)
    assert by.min() < -1.9 < by.max()


def test_a_page_has_frames_at_events() -> None:
    ball = Model("ball", gravity=(0, -10))
    centre = ball.point("centre", (0, 1))
    centre.x.fix()
    centre.y.dof("height", "speed")
    ball.add(Body("ball", centre, mass=1))
    unilateral_contact(ball, "floor", centre.y.value, Impact(restitution=0.5))
    times = np.asarray(simulate(ball.equations(), until=1).play().times)
    bounces = np.sqrt(0.2) * np.array([1.0, 2.0])  # falls for √(2 h/g), then 2 e times as long
    assert [np.abs(times - t).min() for t in bounces] == pytest.approx([0, 0], abs=1e-8)


def test_a_page_evaluates_no_rows_but_those_beside_its_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = simulate(pendulum().equations(), until=1, samples=3001)
    asked: list[int] = []
    rates = Motion._rates

    def counted(motion: Motion, rows: np.ndarray) -> np.ndarray:
        asked.append(len(rows))
        return rates(motion, rows)

    monkeypatch.setattr(Motion, "_rates", counted)
    times = np.asarray(run.play().times)
    assert asked and max(asked) <= 2 * len(times) < 1000


def test_times_outside_are_refused() -> None:
    motion = simulate(pendulum().equations(), until=1).motion
    assert motion is not None
    for time in (-0.1, 1.1, np.nan):
        with pytest.raises(ModelError, match="outside of the motion, which is from 0 s to 1 s"):
            motion.arguments(np.array([time]))


def test_a_part_of_a_result_has_the_part_of_the_motion() -> None:
    run = simulate(pendulum().equations(), until=1, samples=11)
    part = run.between(0.2, 0.5)
    assert part.motion is not None
    assert part.motion.time == pytest.approx([0.2, 0.3, 0.4, 0.5])
    assert part.motion.states[:, 1] == pytest.approx(run["angle"][2:6])


def test_a_result_can_be_sent_without_its_model() -> None:
    run = simulate(pendulum().equations(), until=0.1, samples=3)
    sent = pickle.loads(pickle.dumps(run))
    assert sent["angle"] == pytest.approx(run["angle"])
    with pytest.raises(ModelError, match="draw it where it was simulated"):
        sent.motion.solved()
