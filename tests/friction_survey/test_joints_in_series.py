"""Joints that come loose or to rest at the same time: which of them stick, and which slide."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scaling.chains import planar_chain
from mbcore import DryFriction, Friction, Model, simulate
from mbcore.evaluation.evaluation import Evaluation


def chain(links: int, **data: float) -> tuple[Model, list[DryFriction]]:
    """A planar chain that rubs in every hinge."""
    model, frictions = planar_chain(links), []
    for i in range(links):
        place = model.nodes["origin" if i == 0 else f"end {i - 1}"]
        friction = Friction(f"pin{i}", model.elements[f"hinge {i}"], at=place, **data)
        frictions.append(model.add(friction))
    return model, frictions


@pytest.mark.parametrize(
    ("links", "starts"), [(2, 15), pytest.param(2, 200, marks=pytest.mark.heavy)]
)
def test_joints_that_come_loose_together(links: int, starts: int) -> None:
    """What sticks is not overcome, and what slides is accelerated the way that it slides."""
    model, frictions = chain(links, radius=0.1, coefficient=0.8)
    for i, friction in enumerate(frictions):
        model.output(f"torque{i}", friction.torque)
        model.output(f"load{i}", friction.load)
    equations = model.equations()
    states, discretes, outputs = (
        [record.name for record in records]
        for records in (equations.states, equations.discretes, equations.outputs)
    )
    random, modes, point = np.random.default_rng(0), set(), Evaluation(equations)
    for _ in range(starts):
        point.renew()
        point.start({f"joint{i}.angle": random.uniform(-3, 3) for i in range(links)})
        found, values = point.derivative(), point.output()
        mode = []
        for i in range(links):
            sticks = point.d[discretes.index(f"pin{i}.sticks")] > 0.5
            torque, load = (values[outputs.index(f"{what}{i}")] for what in ("torque", "load"))
            acceleration = found[states.index(f"joint{i}.rate")]
            if sticks:
                assert acceleration == 0.0
                assert abs(torque) <= 0.08 * load * (1 + 1e-12)
            else:
                assert torque == pytest.approx(np.sign(acceleration) * 0.08 * load, rel=1e-9)
            mode.append(bool(sticks))
        modes.add(tuple(mode))
    assert len(modes) >= 2


@pytest.mark.heavy
def test_ten_joints_rub_on() -> None:
    """A joint comes to rest beside one that sticks, which slides then; energy is what they take."""
    model, frictions = chain(10, radius=0.02, coefficient=0.3)
    model.state("work", sum(friction.power for friction in frictions), unit="J")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    start = {f"joint{i}.rate": 0.5 * (-1) ** i for i in range(10)}
    run = simulate(model.equations(), 0.6, start=start, rtol=1e-10, atol=1e-12, samples=13)
    missing = run["energy"] - run["energy"][0] - run["work"]
    assert np.abs(missing).max() <= 1e-9 * np.ptp(run["energy"])
    assert any(name == "pin6.slides" for _, name in run.events)
