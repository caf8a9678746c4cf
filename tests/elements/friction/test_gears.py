"""Friction of gears against closed forms: efficiency of a pair, a train, a planetary gear."""

from __future__ import annotations

from math import cos, radians

import numpy as np
import pytest

from mbcore import Model, simulate
from mbcore.elements import Body, Coupling, Friction, GearPair, PlanarHinge
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError

DISTANCE, PRESSURE, ARM, COEFFICIENT = 0.12, radians(20), 0.006, 0.15


def pair(ratio: float, torques: tuple[float, float], rate: float, **friction: object) -> Model:
    """Two gears on fixed shafts, with a torque on each."""
    model = Model("pair")
    shafts = model.point("p", (0, 0), fixed=True), model.point("q", (DISTANCE, 0), fixed=True)
    p, q = model.angle("p turned"), model.angle("q turned")
    for shaft, angle in zip(shafts, (p, q), strict=True):
        model.add(Body(f"gear {angle.name}", shaft, angle, mass=1.0, inertia=0.02))
    gears = model.add(GearPair("gears", shafts[0], p, shafts[1], q, ratio=ratio))
    p.angle.dof("angle", "rate", rate_start=rate)
    for angle, torque in zip((p, q), torques, strict=True):
        model.load(torque, angle.rate)
    model.add(Friction("teeth", gears, **friction))
    return model


def started(model: Model) -> float:
    """Return the acceleration at the start."""
    point = Evaluation(model.equations())
    point.start()
    return float(point.derivative()[0])


@pytest.mark.parametrize("ratio", [3.0, -3.0])
@pytest.mark.parametrize("rate", [2.0, -2.0])
def test_efficiency_of_teeth(ratio: float, rate: float) -> None:
    """Teeth pressed by N leave N r_q - μ e N of N r_p + μ e N; an annulus turns the same way."""
    base = DISTANCE * cos(PRESSURE) / (1 + ratio)
    r_p, r_q = abs(base), abs(ratio * base)
    rub = COEFFICIENT * ARM
    # an annulus turns slower the same way as its pinion, which the sliding drives then
    driven = r_q - rub if ratio > 0 else r_q + rub
    push = np.sign(rate) * 50.0
    load = np.sign(ratio) * push / (r_p + rub) * driven
    found = started(pair(ratio, (push, load), rate, coefficient=COEFFICIENT, radius=ARM))
    assert found == pytest.approx(0, abs=1e-10)


def train(
    ratios: tuple[float, ...], torques: tuple[float, float], rate: float, **friction: object
) -> Model:
    """Shafts in a row, coupled by gears of these ratios, with torques on the first and last."""
    model = Model("train")
    place, frame = model.point("place", (0, 0), fixed=True), model.angle("frame", fixed=True)
    hinges = []
    for i in range(len(ratios) + 1):
        turned = model.angle(f"turned {i}")
        hinges.append(model.add(PlanarHinge(f"shaft {i}", frame, turned)))
        model.add(Body(f"gear {i}", place, turned, mass=1.0, inertia=0.1))
    for i, ratio in enumerate(ratios):
        a, b = hinges[i].angle.value, hinges[i + 1].angle.value
        mesh = model.add(Coupling(f"mesh {i}", a + ratio * b, unit="rad"))
        model.add(Friction(f"teeth {i}", mesh, **friction))
    hinges[0].angle.dof("angle", "rate", rate_start=rate)
    model.load(torques[0], hinges[0].angle.rate)
    model.load(torques[1], hinges[-1].angle.rate)
    return model


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("forwards", [True, False])
@pytest.mark.parametrize("rate", [3.0, pytest.param(-3.0, marks=pytest.mark.heavy)])
def test_efficiency_of_trains(stages: int, forwards: bool, rate: float) -> None:
    """Each stage passes on the part η of the power, whichever side drives."""
    efficiency, ratios = 0.9, (4.0, -2.5)[:stages]
    total = float(np.prod([-ratio for ratio in ratios]))  # ω_first / ω_last
    push = np.sign(rate) * 7.0
    resisting = -push * total * efficiency ** (stages if forwards else -stages)
    torques = (push, resisting) if forwards else (-push, -resisting)
    coefficient = (1 - efficiency) / (1 + efficiency)
    assert started(train(ratios, torques, rate, coefficient=coefficient)) == pytest.approx(
        0, abs=1e-11
    )


@pytest.mark.parametrize(("part", "moves"), [(0.999, False), (1.001, True)])
def test_gears_at_rest_hold_down_to_their_efficiency(part: float, moves: bool) -> None:
    """With 7 N.m on one shaft, the other holds it with 7 i η or more."""
    efficiency, ratio = 0.8, 4.0
    coefficient = (1 - efficiency) / (1 + efficiency)
    holding = 7.0 * ratio * (1 - part * (1 - efficiency))
    equations = train((ratio,), (7.0, holding), 0.0, coefficient=coefficient).equations()
    result = simulate(equations, 10.0, max_step=10)  # no force depends on time
    assert (np.ptp(result["angle"]) > 0) == moves


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_a_train_that_runs_down(backend: str) -> None:
    """Flywheels I and J are stopped by a brake: the mesh takes its share, then all sticks."""
    efficiency, ratio, brake, rate = 0.9, 4.0, 1.5, 8.0
    model = train((ratio,), (0.0, 0.0), rate, coefficient=(1 - efficiency) / (1 + efficiency))
    hinge, place, gear = model.elements["shaft 1"], model.nodes["place"], model.elements["gear 1"]
    numbers = {"radius": 1.0, "coefficient": 0.0, "preload": brake}
    model.add(Friction("brake", hinge, at=place, of=gear, **numbers))  # type: ignore[arg-type]
    run = simulate(model.equations(), 3.0, rtol=1e-11, atol=1e-13, max_step=0.1, backend=backend)
    # I drives, by the power it loses: J φ'' = T_2 - M with T_2 = i η T_1 and I i φ'' = -T_1
    slowing = brake / (0.1 + 0.1 * ratio**2 * efficiency)
    stops = rate / ratio / slowing
    assert stops < 3.0
    assert run.final("angle") == pytest.approx(
        ratio * (rate / ratio) ** 2 / (2 * slowing), rel=1e-9
    )
    assert run.final("rate") == 0
    assert run.events[-1][0] == pytest.approx(stops, rel=1e-9)


@pytest.mark.parametrize("rate", [1.0, -1.0])
def test_efficiency_of_a_planetary_gear(rate: float) -> None:
    """Sun in, carrier out, ring fixed: η = (1 - i η_0)/(1 - i), with i = -z_ring/z_sun."""
    basic, ratio = 0.95, -3.0
    model = Model("planetary")
    place, frame = model.point("place", (0, 0), fixed=True), model.angle("frame", fixed=True)
    sun, carrier = model.angle("sun"), model.angle("carrier")
    for angle in (sun, carrier):
        model.add(Body(f"{angle.name} body", place, angle, mass=1.0, inertia=0.1))
    to_sun, to_ring = (
        model.add(PlanarHinge(f"{name} hinge", carrier, angle))
        for name, angle in (("sun", sun), ("ring", frame))
    )
    mesh = model.add(Coupling("mesh", to_sun.angle.value - ratio * to_ring.angle.value, unit="rad"))
    model.add(Friction("teeth", mesh, coefficient=(1 - basic) / (1 + basic)))
    sun.angle.dof("angle", "rate", rate_start=rate)
    push = rate * 5.0
    efficiency = (1 - ratio * basic) / (1 - ratio)
    model.load(push, sun.rate)
    model.load(-push * (1 - ratio) * efficiency, carrier.rate)
    assert started(model) == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize(
    ("friction", "message"),
    [
        ({"coefficient": 0.1}, "teeth: a gear pair needs the mean distance"),
        ({"coefficient": 0.1, "radius": 0.01, "span": 0.1}, "span is for hinges"),
        ({"coefficient": 0.1, "radius": 0.01, "fit": "loose"}, "fit is for hinges"),
    ],
)
def test_mistakes_at_gear_pairs(friction: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        pair(2.0, (1.0, 1.0), 0.0, **friction)


def test_mistakes_at_couplings() -> None:
    with pytest.raises(ModelError, match="radius is for hinges, screws and gear pairs"):
        train((2.0,), (1.0, 1.0), 0.0, coefficient=0.1, radius=0.1)
    model = Model("cam")
    frame, turned, follower = (model.angle(x, fixed=x == "frame") for x in ("frame", "a", "b"))
    a, b = (model.add(PlanarHinge(f"hinge {x.name}", frame, x)) for x in (turned, follower))
    cam = model.add(Coupling("cam", a.angle.value - b.angle.value**2, unit="rad"))
    with pytest.raises(ModelError, match="ratio of coupling cam changes during the motion"):
        model.add(Friction("teeth", cam, coefficient=0.1))
