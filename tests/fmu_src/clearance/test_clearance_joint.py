"""Friction and drag in the joint of the slider-crank: Newton's laws by hand, and power."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import clearance_joint
from tests.conftest import OK, OpenFmu, equations_of

CRANK, ROD, MASS, SPEED = 0.05, 0.12, 0.145, 523.6
GAP, JOURNAL, BEARING, WIDTH, VISCOSITY = 0.5e-3, 9.5e-3, 10e-3, 20e-3, 0.1
FRICTION, FRICTION_SPEED = 0.2, 1e-2
LINEAR, LUBRICATED = 2, 4
NAMES = ("crank.angle", "joint.x", "joint.y", "joint.x_rate", "joint.y_rate")
RUBBING = {"joint.friction": FRICTION}
CASES = {
    "hertz": RUBBING,
    "linear": RUBBING | {"joint.law": LINEAR, "joint.damping": 3e3},
    "lubricated": {"joint.law": LUBRICATED, "joint.drag": 1.0},
    "lubricated, without drag": {"joint.law": LUBRICATED, "joint.friction": FRICTION},
}


class Rod:
    """Where the rod is and how it moves, from the states alone; the sleeve stays on the line."""

    def __init__(self, angle: Any, x: Any, y: Any, x_rate: Any, y_rate: Any) -> None:
        self.sine = (y - CRANK * np.sin(angle)) / ROD
        self.cosine = np.sqrt(1 - self.sine**2)
        self.rate = (y_rate - CRANK * SPEED * np.cos(angle)) / (ROD * self.cosine)
        self.pin_velocity = CRANK * SPEED * np.array([-np.sin(angle), np.cos(angle)])
        self.across = ROD * np.array([-self.sine, self.cosine])
        self.journal_velocity = self.pin_velocity + self.rate * self.across
        self.slider_velocity = self.journal_velocity[0] - x_rate

    def energy(self) -> np.ndarray:
        """Of rod and slider, J."""
        middle = (self.pin_velocity + self.journal_velocity) / 2
        rod = (middle**2).sum(axis=0) + (ROD * self.rate) ** 2 / 12
        return MASS / 2 * (rod + self.slider_velocity**2)


class Slider:
    """The model at a point, by names; a constant force pushes the slider."""

    PUSH = 200.0

    def __init__(self, case: str, start: dict[str, float]) -> None:
        equations = equations_of(clearance_joint.model)
        self.point = Evaluation(equations, CASES[case], {"slider.force": self.PUSH})
        self.point.start(start)
        self.states = [state.name for state in equations.states]
        self.outputs = [output.name for output in equations.outputs]

    def state(self) -> dict[str, float]:
        return dict(zip(self.states, self.point.s, strict=True))

    def rates(self) -> dict[str, float]:
        return dict(zip(self.states, self.point.derivative(), strict=True))

    def output(self) -> dict[str, float]:
        return dict(zip(self.outputs, self.point.output(), strict=True))

    def rod(self) -> Rod:
        state = self.state()
        return Rod(*(state[name] for name in NAMES))

    def moment_on_rod(self, drag: bool = True) -> float:
        """About the journal's centre, from what the sleeve feels about its own."""
        state, out = self.state(), self.output()
        couple = state["joint.x"] * out["joint.force_y"] - state["joint.y"] * out["joint.force_x"]
        return couple - out["joint.moment"] if drag else 0.0

    def powers(self, drag: bool) -> tuple[float, float]:
        """What crank and push give, and what the joint takes, W."""
        state, out = self.state(), self.output()
        given = SPEED * out["crank.torque"] + self.PUSH * out["slider.velocity"]
        taken = sum(out[f"joint.force_{i}"] * state[f"joint.{i}_rate"] for i in "xy")
        return given, taken - self.moment_on_rod(drag) * self.rod().rate

    def move(self, s: np.ndarray) -> None:
        self.point.s[:] = s
        self.point.configure()


START = {"joint.x": 4.0e-4, "joint.y": -2.2e-4, "joint.x_rate": 1.5, "crank.angle": 0.7}


@pytest.mark.parametrize("case", CASES)
def test_energy_changes_by_the_work_given_less_what_the_joint_takes(case: str) -> None:
    slider = Slider(case, START)
    drag = case != "lubricated, without drag"
    dry = "lubricated" not in case

    def motion(t: float, s: np.ndarray) -> np.ndarray:
        slider.move(s[:-2])
        return np.append(slider.point.derivative(), slider.powers(drag))

    def contact(t: float, s: np.ndarray) -> float:
        slider.move(s[:-2])
        return float(slider.point.indicator()[0]) + (1e-13 if slider.point.d[0] else -1e-13)

    contact.terminal = True  # type: ignore[attr-defined]
    before = slider.rod().energy()
    time, s, powers = 0.0, np.append(slider.point.s, [0.0, 0.0]), []
    crossings = 0
    while time < 1.5e-4:
        run = solve_ivp(
            motion, (time, 1.5e-4), s, rtol=1e-12, atol=1e-14,
            method="DOP853", events=contact if dry else None,
        )  # fmt: skip
        powers += [motion(t, s)[-1] for t, s in zip(run.t, run.y.T, strict=True)]
        time, s = run.t[-1], run.y[:, -1]
        if run.status == 1:
            s[:-2] += 1e-15 * motion(time, s)[:-2]  # just beyond
            slider.move(s[:-2])
            slider.point.iterate_events()
            slider.point.accept()
            crossings += 1
    slider.move(s[:-2])
    work, loss = s[-2:]
    change = slider.rod().energy() - before
    assert abs(work) > 0.1
    assert loss > 1e-2
    assert work - loss == pytest.approx(change, abs=1e-8 * abs(work))
    if case == "hertz":
        assert crossings == 2  # it came and went
    if case == "lubricated":
        assert min(powers) > 0


def sliding(s: dict[str, float]) -> float:
    """Speed of the journal's surface past the sleeve's, counter-clockwise."""
    x, y = s["joint.x"], s["joint.y"]
    turn = Rod(*(s[name] for name in NAMES)).rate
    return (x * s["joint.y_rate"] - y * s["joint.x_rate"]) / math.hypot(x, y) + JOURNAL * turn


TOUCHING = START | {"joint.x": 4.2e-4, "joint.y": -2.9e-4}


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("case", CASES)
def test_slider_and_rod_accelerate_by_newton_s_laws(case: str, direction: int) -> None:
    lubricated = "lubricated" in case
    start = START if lubricated else TOUCHING
    start = start | {"joint.x_rate": 6.0, "joint.y_rate": direction * 6.0}
    slider = Slider(case, start)
    out, rates, rod = slider.output(), slider.rates(), slider.rod()
    x, y, angle = (start[name] for name in ("joint.x", "joint.y", "crank.angle"))
    r = math.hypot(x, y)
    force = np.array([out["joint.force_x"], out["joint.force_y"]])
    assert out["joint.force"] == pytest.approx(math.hypot(*force), rel=1e-14)

    # what the joint does to the sleeve and to the rod
    couple = x * force[1] - y * force[0]
    if lubricated:
        shear = 2 * math.pi * VISCOSITY * WIDTH * BEARING**3 * rod.rate / GAP
        shear /= math.sqrt(1 - (r / GAP) ** 2)
        assert out["joint.moment"] == pytest.approx(shear + couple / 2, rel=1e-12)
        moment_on_rod = 0.0 if "without" in case else couple / 2 - shear
    else:
        radial = np.array([x, y]) / r
        normal = radial @ force
        tangential = np.array([-radial[1], radial[0]]) @ force
        v = sliding(slider.state())
        assert math.copysign(1, v) == direction
        ratio = FRICTION * v / math.hypot(v, FRICTION_SPEED)
        assert normal > 100
        assert tangential == pytest.approx(ratio * normal, rel=1e-11)
        assert out["joint.moment"] == pytest.approx(ratio * normal * (JOURNAL + r), rel=1e-11)
        moment_on_rod = -ratio * normal * JOURNAL

    # the slider, then the rod about the pin
    assert MASS * out["slider.acceleration"] == pytest.approx(force[0] + Slider.PUSH, rel=1e-11)
    turn = (rates["joint.y_rate"] + CRANK * SPEED**2 * math.sin(angle)) / ROD
    turn = (turn + rod.sine * rod.rate**2) / rod.cosine
    along = ROD * np.array([rod.cosine, rod.sine])
    pin = -CRANK * SPEED**2 * np.array([math.cos(angle), math.sin(angle)])
    inertia = MASS * ROD**2 / 3 * turn + MASS / 2 * (along[0] * pin[1] - along[1] * pin[0])
    given = along[1] * force[0] - along[0] * force[1] + moment_on_rod
    assert inertia == pytest.approx(given, rel=1e-9)


def test_friction_in_the_fmu(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize(RUBBING | {"joint.friction_speed": 0.5}) == OK
    assert fmu.get("joint.moment") == 0
    fmu.run(2.272853257e-4, step=1e-5)
    for _ in range(4):
        fmu.run(fmu.time + 4e-6, step=1.0)
        s = {name: fmu.get(name) for name in NAMES}
        r = math.hypot(s["joint.x"], s["joint.y"])
        v = sliding(s)
        ratio = FRICTION * v / math.hypot(v, 0.5)
        normal = fmu.get("joint.force") / math.hypot(1, ratio)
        assert v < -1  # the rod turns clockwise near top dead centre
        assert normal > 1e3
        assert fmu.get("joint.moment") == pytest.approx(ratio * normal * (JOURNAL + r), rel=1e-9)


def test_without_friction_there_is_no_moment(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize() == OK
    fmu.run(2.4e-4, step=1e-5)
    assert fmu.get("joint.in_contact")
    assert fmu.get("joint.moment") == 0
