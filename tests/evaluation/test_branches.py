"""Two assemblies next to each other beside a moving part: the motion stays in its own.

Six bars carry a platform on a rotor. Three lead to its near side and three to its far side, at
equal distances from the axis. Turned by ψ against the rotor, at the height h, the square of their
lengths is a² + b² + h² ∓ 2 a b cos ψ, so that they fit at ψ and at -ψ alike. They determine height
and turn together, in one block of six conditions, which is singular between the two.

The rotor turns freely, by ω t: its motor's moment vanishes at ψ, and does not at -ψ.
"""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from numpy.typing import ArrayLike

from mbcore import Body, Equations, Hinge, Model, RigidLink, Truss, simulate
from mbcore.fmi import export
from mbcore.fmi.component import Component
from mbcore.host.backend import Backend
from tests.conftest import OK, Archive, Instance

BASE, ARM, HEIGHT = 1.0, 0.6, 0.8
DRAWN = 0.5
"""Turn of the platform as it is drawn, rad, where it is far from singular."""
TURN = 0.01
"""Turn in the runs: the assemblies are 0.02 rad apart."""
SPEED = 3.0


def turned(by: float, at: tuple[float, float]) -> tuple[float, float]:
    c, s = np.cos(by), np.sin(by)
    return c * at[0] - s * at[1], s * at[0] + c * at[1]


@pytest.fixture(scope="module")
def platform() -> Equations:
    model = Model("platform", gravity=(0, 0, -9.81))
    turn, stiffness = model.parameter("turn", DRAWN), model.parameter("stiffness", 20)
    origin, rotor = model.point("origin", (0, 0, 0), fixed=True), model.rotation("rotor")
    place = model.point("place", (0, 0, HEIGHT))
    own = model.rotation("own", (np.cos(DRAWN / 2), 0, 0, np.sin(DRAWN / 2)))
    motor = model.add(Hinge("motor", model.ground, rotor, axis=(0, 0, 1))).angle
    model.add(Body("flywheel", None, rotor, inertia=(1, 1, 1)))
    model.add(Body("plate", place, own, mass=1, inertia=(0.1, 0.1, 0.2)))
    ends = []
    for k in range(6):
        side = 1 if k < 3 else -1
        foot = turned(2 * np.pi * k / 3, (BASE, 0))
        arm = turned(2 * np.pi * k / 3, (side * ARM, 0))
        top = model.point(f"end {k}", (*turned(DRAWN, arm), HEIGHT))
        ends.append((model.point(f"foot {k}", (*foot, 0)), top))
        model.add(RigidLink(f"base {k}", origin, rotor, ends[k][0], offset=(*foot, 0)))
        model.add(RigidLink(f"arm {k}", place, own, ends[k][1], offset=(*arm, 0)))
        square = BASE**2 + ARM**2 + HEIGHT**2 - side * 2 * BASE * ARM * ca.cos(turn)
        model.add(Truss(f"bar {k}", *ends[k], rest_length=ca.sqrt(square)))
    a, b = (end.position for end in ends[0])
    sine = (a[0] * b[1] - a[1] * b[0]) / (BASE * ARM)
    motor.dof("angle", "speed", rate_start=SPEED).law(stiffness * (sine - ca.sin(turn)))
    model.output("between", sine)
    return model.equations()


def stays(between: ArrayLike, speed: ArrayLike) -> None:
    """Hold that the platform is turned by ψ everywhere, and that the rotor has kept its speed."""
    np.testing.assert_allclose(between, np.sin(TURN), atol=1e-9)
    np.testing.assert_allclose(speed, SPEED, rtol=1e-9)


def moves(platform: Equations, method: str, backend: Backend, until: float, by: float) -> None:
    step = 0.05 if method == "classical" else np.inf
    run = simulate(
        platform,
        until,
        parameters={"turn": TURN, "stiffness": by},
        method=method,
        max_step=step,
        samples=round(until / 0.025) + 1,
        backend=backend,
    )
    stays(run["between"], run["speed"])


def test_rows_stay_in_their_assembly(platform: Equations) -> None:
    moves(platform, "DOP853", "python", 0.2, 20)


@pytest.mark.heavy
def test_rows_and_stages_stay_in_their_assembly_in_c(platform: Equations) -> None:
    """Without a moment, DOP853 takes long steps, with many rows between their ends."""
    moves(platform, "DOP853", "c", 3.0, 0)
    moves(platform, "classical", "c", 3.0, 20)


@pytest.mark.heavy
def test_an_fmu_stays_in_its_assembly(platform: Equations, tmp_path: Path) -> None:
    """Model Exchange knows one configuration, and is asked for others, up to 0.4 rad away."""
    export(Component("platform", "a platform on a rotor", platform), tmp_path)
    archive = Archive.of(tmp_path / "fmi3" / "platform.fmu")
    for method in (1, 3):  # with a test of errors, and equal steps
        with Instance(archive) as fmu:
            assert fmu.initialize({"turn": TURN, "solver.method": method}) == OK
            for _ in range(10):
                assert fmu.step(0.05) == OK
                stays(fmu.get("between"), fmu.get("speed"))
    with Instance(archive, "ModelExchange") as fmu:
        assert fmu.initialize({"turn": TURN}) == OK
        speed = fmu.states.index("speed")
        for k in range(1, 41):
            state = np.full(2, 0.01 * k)
            state[speed] = SPEED
            assert fmu.move(1e-3 * k, state) == OK
            stays(fmu.get("between"), fmu.get("speed"))
