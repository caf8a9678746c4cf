"""The bicycle riding straight on against the literature and closed forms; what is refused."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import Equations, Linearization, Linearizer, SimulationError, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle
from tests.conftest import equations_of
from tests.fmu_src import bicycle_formulas as published
from tests.fmu_src.bicycle_formulas import canonical_matrices, other_axes, rolling_mass

STILL = {"bicycle.lean_rate": 0.0}


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(bicycle.model)


@pytest.fixture(scope="module")
def linearizer(equations: Equations) -> Linearizer:
    return Linearizer(equations)


def straight(linearizer: Linearizer, speed: float, **options: Mapping[str, float]) -> Linearization:
    """Linearize about straight upright riding."""
    return linearizer.at(STILL | {"bicycle.speed": speed}, **options)


def nearest(found: np.ndarray, wanted: complex) -> complex:
    return complex(found[np.argmin(np.abs(found - wanted))])


# Straight riding


def test_parameters_are_those_of_table_1(equations: Equations) -> None:
    assert {p.name: p.value for p in equations.parameters} == published.DATA


def test_closed_form_gives_the_published_matrices() -> None:
    for name, matrix in canonical_matrices().items():
        assert matrix == pytest.approx(np.array(published.PUBLISHED[name]), rel=2e-14), name


def assert_matrices(about: Linearization, data: Mapping[str, float], v: float) -> None:
    """Compare with M, v C1 and g K0 + v² K2, in parts of the largest element of each."""
    known = {name: other_axes(matrix) for name, matrix in canonical_matrices(data).items()}
    g = data["gravity"]
    for found, expected in (
        (about.M, known["M"]),
        (about.C, v * known["C1"]),
        (about.K_d, g * known["K0"] + v**2 * known["K2"]),
    ):
        scale = np.abs(expected).max() + 1e-3
        np.testing.assert_allclose(found[:2, :2], expected, rtol=1e-10, atol=1e-13 * scale)
        # speed is not coupled to lean and steer
        np.testing.assert_allclose(found[2, :2], 0, atol=1e-12 * scale)
        np.testing.assert_allclose(found[:2, 2], 0, atol=1e-12 * scale)
    assert about.M[2, 2] == pytest.approx(rolling_mass(data), rel=1e-12)
    assert about.f_d == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("speed", [0.0, 0.5, 3.0, 4.6, 5.0, 10.0, -2.0])
def test_matrices_of_the_benchmark(linearizer: Linearizer, speed: float) -> None:
    assert_matrices(straight(linearizer, speed), published.DATA, speed)


def other_bicycle(seed: int) -> dict[str, float]:
    """Data of no particular bicycle, with masses where they may be and odd steering geometry."""
    random = np.random.default_rng(seed)
    data = {name: value * random.uniform(0.6, 1.6) for name, value in published.DATA.items()}
    data["geometry.trail"] = random.uniform(-0.1, 0.2)
    data["geometry.tilt"] = random.uniform(-0.2, 0.6)
    for frame in ("rear_frame", "front_frame"):
        limit = np.sqrt(data[f"{frame}.inertia_xx"] * data[f"{frame}.inertia_zz"])
        data[f"{frame}.inertia_xz"] = random.uniform(-0.9, 0.9) * limit
    return data


@pytest.mark.parametrize("seed", range(6))
def test_matrices_of_other_bicycles(linearizer: Linearizer, seed: int) -> None:
    data, speed = other_bicycle(seed), 1.5 + seed
    assert_matrices(straight(linearizer, speed, parameters=data), data, speed)


def test_two_point_masses_on_massless_wheels(linearizer: Linearizer) -> None:
    # a skate with the front contact ahead of the steering axis
    skate = dict.fromkeys((n for n in published.DATA if "inertia" in n or "mass" in n), 0.0) | {
        "gravity": 9.81,
        "geometry.wheelbase": 1.0,
        "geometry.trail": -0.004,
        "geometry.tilt": 0.1,
        "rear_wheel.radius": 0.1,
        "front_wheel.radius": 0.1,
        "rear_frame.x": 0.5,
        "rear_frame.z": 0.4,
        "rear_frame.mass": 10.0,
        "front_frame.x": 1.02,
        "front_frame.z": 0.2,
        "front_frame.mass": 1.0,
    }
    assert_matrices(straight(linearizer, 3.0, parameters=skate), skate, 3.0)


@pytest.mark.parametrize("speed", published.CAPSIZE_AND_CASTERING)
def test_eigenvalues_of_table_2(linearizer: Linearizer, speed: int) -> None:
    found = straight(linearizer, speed).eigenvalues()
    wanted: list[complex] = [*published.CAPSIZE_AND_CASTERING[speed]]
    if speed == 0:
        wanted += [-value for value in wanted]
    else:
        weave = complex(*published.WEAVE[speed])
        wanted += [weave, weave.conjugate()]
    for value in wanted:
        assert nearest(found, value) == pytest.approx(value, abs=1e-12)
    assert found.size == 4
    # neither the six zeros of place, heading and speed hide that it is stable by itself
    stable = published.WEAVE_SPEED < speed < published.CAPSIZE_SPEED
    assert (max(found.real) < 0) == stable


def test_weave_and_capsize_speed(linearizer: Linearizer) -> None:
    def growth(speed: float) -> float:
        return float(straight(linearizer, speed).eigenvalues().real.max())

    assert brentq(growth, 4.2, 4.4, xtol=1e-14) == pytest.approx(published.WEAVE_SPEED, abs=1e-12)
    assert brentq(growth, 5.9, 6.1, xtol=1e-14) == pytest.approx(published.CAPSIZE_SPEED, abs=1e-11)


def test_cyclic_coordinates_have_no_influence(linearizer: Linearizer) -> None:
    about = straight(linearizer, 5.0)
    assert set(about.expected_zeros()) == {
        "bicycle.distance", "bicycle.yaw", "bicycle.x", "bicycle.y", "front_wheel.angle",
    }  # fmt: skip
    assert set(about.structural_zeros) == {*about.expected_zeros(), "bicycle.speed"}


def test_torques_push_where_their_names_say(linearizer: Linearizer) -> None:
    about = straight(linearizer, 5.0)
    inverse = np.linalg.inv(other_axes(canonical_matrices()["M"]))
    columns = {
        "lean.torque": [*inverse[:, 0], 0.0],
        "steer.torque": [*inverse[:, 1], 0.0],
        "drive.torque": [0.0, 0.0, 1 / 0.3 / rolling_mass()],
    }
    inputs = [i.name for i in about.equations.inputs]
    for name, column in columns.items():
        found = about.input_matrix[:3, inputs.index(name)]
        assert found == pytest.approx(column, rel=1e-11, abs=1e-14), name


# What is refused


@pytest.mark.parametrize(
    ("start", "parameters", "said"),
    [
        ({"bicycle.lean": 1.5}, {}, r"bicycle\.lean = 1\.5.*falls on its side"),
        ({"bicycle.steer": 1.7}, {}, r"bicycle\.steer = 1\.7.*across the rear one"),
        ({}, {"rear_frame.inertia_xz": 5.1}, r"rear_frame\.inertia_xz = 5\.1.*no body has"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    equations: Equations, start: dict[str, float], parameters: dict[str, float], said: str
) -> None:
    with pytest.raises(SimulationError, match=said):
        Evaluation(equations, parameters).start(start)


def test_unstable_bicycle_falls_on_its_side(equations: Equations) -> None:
    with pytest.raises(SimulationError, match=r"bicycle\.lean = .*falls on its side"):
        simulate(equations, 10, start={"bicycle.speed": 2.0}, rtol=1e-6, progress=False)
