"""Friction in all joints of a slider-crank against an independent simulation, with sticking."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Model, simulate
from mbcore.elements import Body, Friction, PlanarHinge, RigidLink, Slide
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from tests.elements.friction.complementarity import moved
from tests.elements.friction.judge import SliderCrank, motion


def equations_of(
    made: SliderCrank, start: float, *, rubs: bool = True, driven: float | None = None
) -> Equations:
    """The same slider-crank in mbcore, with a torque on its crank, and friction if it ``rubs``.

    It may be ``driven`` at a rate; then its output ``drive`` is the torque that this takes.
    """
    r, length, beta = made.crank, made.rod, made.rod_angle(start)
    e, d = (np.array([np.cos(a), np.sin(a)]) for a in (start, beta))
    model = Model("slider_crank", gravity=(0, -made.gravity))
    bed, origin = model.angle("bed", fixed=True), model.point("origin", (0, 0), fixed=True)
    turned, tilted = model.angle("turned", start), model.angle("tilted", beta)
    pin, end = model.point("pin", r * e), model.point("end", (r * e[0] + length * d[0], 0))
    model.add(RigidLink("crank", origin, turned, pin, offset=(r, 0)))
    model.add(RigidLink("rod", pin, tilted, end, offset=(length, 0)))
    for i, (p, angle, size, place) in enumerate(
        [(origin, turned, r, r * e / 2), (pin, tilted, length, r * e + length * d / 2)]
    ):
        middle = model.point(f"middle {i}", place)
        model.add(RigidLink(f"half {i}", p, angle, middle, offset=(size / 2, 0)))
        body = Body(f"body {i}", middle, angle, mass=made.masses[i], inertia=made.inertias[i])
        model.add(body)
    model.add(Body("slider", end, bed, mass=made.masses[2]))
    slide = model.add(Slide("slide", origin, bed, end, axis=(1, 0), offset=(0, 0)))
    hinges = [
        model.add(PlanarHinge(f"hinge {i}", p, q))
        for i, (p, q) in enumerate([(bed, turned), (turned, tilted), (bed, tilted)])
    ]
    if driven is None:
        hinges[0].angle.dof("angle", "rate", start=start)
        model.load(model.input("torque", start=0.0), hinges[0].angle.rate)
    else:
        hinges[0].angle.prescribe(start + driven * model.time)
        model.output("drive", -hinges[0].angle.stress)
    if not rubs:
        return model.equations()
    for i, (hinge, at) in enumerate(zip(hinges, (origin, pin, end), strict=True)):
        friction = Friction(f"pin_{i}", hinge, radius=made.pin, coefficient=made.coefficient, at=at)
        model.output(f"friction_{i}", model.add(friction).torque)
    rubbing = model.add(Friction("rubbing", slide, coefficient=made.coefficient))
    model.output("friction_3", rubbing.force)
    return model.equations()


def test_accelerations_and_frictions() -> None:
    made = SliderCrank()
    point = Evaluation(equations_of(made, 1.0))
    for angle, rate in ((0.3, 2.0), (1.9, -3.0), (4.0, 5.0)):
        point.renew()
        point.start({"angle": angle, "rate": rate})
        senses = np.sign(rate * made.joint_rates(angle))
        acceleration, friction, _ = made.forces(angle, rate, 0.0, senses)
        assert point.derivative()[0] == pytest.approx(acceleration, rel=1e-12)
        assert point.output() == pytest.approx(friction, rel=1e-11)


def test_torque_of_a_driven_crank() -> None:
    """Without a degree of freedom: the torque at which the free one keeps its rate."""
    made, start, rate = SliderCrank(coefficient=0.3, pin=0.04), 0.8, 5.0
    driven = simulate(equations_of(made, start, driven=rate), 1.3, samples=14)
    assert len(driven.events) > 20
    for k, time in enumerate(driven.time):
        angle = start + rate * time
        senses = np.sign(rate * made.joint_rates(angle))
        torques = [0.0, 1.0]
        for _ in range(6):  # of the secant method: friction is nearly linear in the torque
            (a, fa), (b, fb) = ((q, made.forces(angle, rate, q, senses)[0]) for q in torques[-2:])
            torques.append(b - fb * (b - a) / (fb - fa) if fa != fb else b)
        friction = made.forces(angle, rate, torques[-1], senses)[1]
        assert driven["drive"][k] == pytest.approx(torques[-1], abs=1e-12)
        found = [driven[f"friction_{i}"][k] for i in range(4)]
        assert found == pytest.approx(friction, rel=1e-11)


@pytest.mark.heavy
def test_a_torque_that_pauses() -> None:
    """In some of the pauses all joints stick, until the torque comes back.

    One judge is that of Newton's method, the other the complementarity of free bodies; they take
    most of seven seconds. Python goes through two pauses, C through all.
    """
    made, start, torque, seconds = SliderCrank(coefficient=0.3, pin=0.06), 1.9, 4.0, 3
    pieces = [p for k in range(seconds) for p in ((k + 0.4, torque), (k + 1.0, 0.0))]
    times = np.linspace(0, seconds, 50 * seconds + 1)
    expected, stops = motion(made, start, pieces, times)
    free, apart = moved(made, start, pieces, times)
    assert apart < 1e-12
    for backend, until, turns, rests in (("c", seconds, 4, 2), ("python", 2, 2, 1)):
        many = 50 * until + 1
        assert expected[many - 1, 0] - start > 2 * np.pi * turns
        within = [stop for stop in stops if stop < until]
        assert len(within) >= rests
        result = simulate(
            equations_of(made, start),
            float(until),
            inputs={"torque": lambda t: torque if t % 1.0 < 0.4 else 0.0},
            breaks=[end for end in sorted(end for end, _ in pieces) if end < until],
            rtol=1e-12,
            atol=1e-14,
            samples=many,
            backend=backend,
        )
        for judge in (expected[:many], free[:many]):
            assert result["angle"] == pytest.approx(judge[:, 0], abs=1e-7), backend
            assert result["rate"] == pytest.approx(judge[:, 1], abs=1e-7), backend
        for stop in within:
            still = (times[:many] > stop) & (times[:many] < np.ceil(stop))
            assert abs(result["rate"][still]).max() < 1e-14, backend
