"""The rolling disk of [SchwabMeijaard2003] 3.2 by ``simulate``, m = r = g = 1.

Rows at six times from equations derived by hand (Lagrange-d'Alembert), integrated at relative
tolerances of 1e-12; their accuracy is 3e-8.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, Result, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.rolling.rolling_disk import add_residuals, model
from mbcore.fmus import rolling_disk

NAMES = (
    "contact.x", "contact.y", "disk.lean", "disk.yaw",
    "contact.force_longitudinal", "contact.force_lateral", "contact.force_normal",
)  # fmt: skip
ROWS = {
    10: (1.10938538, 1.97540063, -0.44902739, 4.16676561, 0.03449994, 0.27651947, 0.90182006),
    20: (1.04803539, -2.29186531, 0.06993122, 4.73326943, -0.00086366, -0.05093638, 0.99608623),
    40: (4.93958978, -1.04579202, -0.57065022, 0.89264843, -0.05370985, 0.33688675, 0.90825916),
    60: (1.20082908, -3.72121062, 0.34641812, 0.46470834, 0.02071582, -0.22616628, 0.92643370),
    80: (4.62610708, -3.23125105, -0.03860698, 4.77276623, 0.00027760, 0.02822112, 0.99873047),
    87: (4.81510037, -6.11909303, 0.12660034, 4.65880688, -0.00278343, -0.09115017, 0.98765393),
}
ENERGY = 1.12712342
END = (4.8151003700, -6.1190930252)


@pytest.fixture(scope="module")
def equations() -> Equations:
    return add_residuals(model()).equations()


@pytest.fixture(scope="module", params=[20, pytest.param(87, marks=pytest.mark.heavy)])
def motion(equations: Equations, request: pytest.FixtureRequest) -> Result:
    """The first rows' motion, and the whole one."""
    end, samples = request.param, 100 * request.param + 1
    return simulate(equations, end, rtol=1e-12, atol=1e-12, samples=samples, progress=False)


def test_rows_of_the_reference(motion: Result) -> None:
    # [Schwab2002] (3.51)
    reached = [time for time in ROWS if time <= motion.time[-1]]
    assert len(reached) >= 2
    for time in reached:
        assert motion.table(NAMES, [time])[0] == pytest.approx(ROWS[time], abs=1e-7), time


def test_energy_stays(motion: Result) -> None:
    assert motion["energy.total"][0] == pytest.approx(ENERGY, abs=1e-8)
    assert np.ptp(motion["energy.total"]) < 1e-9


def test_strains_and_forbidden_slips_stay_zero(motion: Result) -> None:
    # [Schwab2002] (3.48), (3.49), (3.51)
    assert motion["largest_strain"].max() < 1e-10
    assert motion["largest_slip"].max() < 1e-10


def test_contact_point_moves_as_the_rim_unrolls(motion: Result) -> None:
    # dx = r cos(yaw) dpitch, dy = r sin(yaw) dpitch, by the trapezoidal rule
    yaw, pitch = motion["disk.yaw"], motion["disk.pitch"]
    for name, direction in (("contact.x", np.cos(yaw)), ("contact.y", np.sin(yaw))):
        steps = np.diff(pitch) * (direction[1:] + direction[:-1]) / 2
        assert motion[name][1:] == pytest.approx(np.cumsum(steps), abs=2e-4)


@pytest.mark.heavy
def test_few_right_hand_sides_for_an_accuracy_of_1e_6(equations: Equations) -> None:
    motion = simulate(equations, 87, rtol=1e-10, atol=1e-10, progress=False)
    assert motion.final("contact.x") == pytest.approx(END[0], abs=1e-6)
    assert motion.final("contact.y") == pytest.approx(END[1], abs=1e-6)
    assert motion.statistics["evaluations"] <= 3500


def test_the_fmu_s_forces_are_what_moves_its_centre() -> None:
    """Mass times the acceleration of the centre, along the heading, to its left, and upwards."""
    disk = rolling_disk.model()
    centre = disk.nodes["centre"]
    for name in "xyz":
        disk.output(f"acceleration_{name}", getattr(centre, name).acceleration)
    point = Evaluation(disk.equations())
    point.start({"disk.lean": 0.4, "disk.yaw": 0.3, "disk.yaw_rate": 0.7, "disk.pitch_rate": 0.9})
    shown = {o.name: v for o, v in zip(point.equations.outputs, point.output(), strict=True)}
    x, y, z = (shown[f"acceleration_{name}"] for name in "xyz")
    forces = [shown[f"contact.force_{name}"] for name in ("longitudinal", "lateral", "normal")]
    sine, cosine = np.sin(0.3), np.cos(0.3)
    assert abs(forces[1]) > 0.1
    assert forces == pytest.approx(
        [x * cosine + y * sine, y * cosine - x * sine, z + 1.0], abs=1e-12
    )


def test_mirrored_start_gives_the_mirrored_motion(equations: Equations) -> None:
    here, mirrored = (
        simulate(
            equations, 20, start={"disk.lean_rate": rate}, rtol=1e-11, atol=1e-12, progress=False
        )
        for rate in (-0.01, 0.01)
    )
    assert mirrored.final("contact.x") == pytest.approx(here.final("contact.x"), abs=1e-10)
    assert mirrored.final("contact.y") == pytest.approx(-here.final("contact.y"), abs=1e-10)
