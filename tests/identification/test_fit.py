"""Fits of parameters to measurements with known noise."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mbcore import FitOptions, ModelError, ModelWarning, Run, Sensor, Unknown, fit
from mbcore.drivers.equations_driver import EquationsDriver
from tests.identification import models

TRUE = 0.08
"""N.m.s/rad"""
START = 1.2
NOISE = 2e-3
TIMES = np.linspace(0.0, 5.0, 251)


@pytest.fixture(scope="module")
def driver() -> EquationsDriver:
    return EquationsDriver(models.pendulum().equations(), backend="c")


@pytest.fixture(scope="module")
def angles(driver: EquationsDriver) -> np.ndarray:
    """Return what an encoder with noise measures of a decay."""
    course = driver.simulate(TIMES, start={"angle": START}, parameters={"damping": TRUE})
    noise = np.random.default_rng(3).normal(0.0, NOISE, TIMES.size)
    return course.states[:, driver.states.index("angle")] + noise


def test_a_decay_in_degrees_gives_the_damping(
    driver: EquationsDriver, angles: np.ndarray, tmp_path: Path
) -> None:
    """The file has degrees and gaps; the pendulum's start is not the model's."""
    file = tmp_path / "decay.csv"
    shown = np.degrees(angles)
    shown[40:60] = np.nan
    pd.DataFrame({"time [ms]": TIMES * 1e3, "angle [deg]": shown}).to_csv(file, index=False)
    result = fit(driver, file, {"damping": (0.01, 1)})
    for values in (result.intervals(0.999), result.intervals(0.999, "profile")):
        assert values["damping"][0] < TRUE < values["damping"][1]
        assert values["start of angle"][0] < START < values["start of angle"][1]
    assert result.sensors["angle"].deviation == pytest.approx(NOISE, rel=0.15)
    assert result.sensors["angle"].whiteness.white
    assert result.identifiability.complete and not result.warnings
    assert result.evaluations <= 10
    assert sum(r.size for r in result.residuals["angle"]) == TIMES.size - 20


def test_the_covariance_is_that_of_linear_least_squares(driver: EquationsDriver) -> None:
    """An offset alone: its variance is that of a mean, σ² / n."""
    course = driver.simulate(TIMES)
    noise = np.random.default_rng(5).normal(0.0, NOISE, TIMES.size)
    data = {"time": TIMES, "angle": course.states[:, driver.states.index("angle")] + noise}
    known = {"angle": Sensor(deviation=NOISE, offset=(-1, 1))}
    run = Run(data, start={"angle": 1.0})
    result = fit(driver, run, {"damping": Unknown(prior=(0.1, 1e-9))}, sensors=known)
    assert result.values["offset of angle"] == pytest.approx(noise.mean(), abs=1e-7)
    expected = NOISE / math.sqrt(TIMES.size)
    assert result.deviations["offset of angle"] == pytest.approx(expected, rel=1e-5)


def test_products_and_sums_are_named(
    driver: EquationsDriver, angles: np.ndarray, tmp_path: Path
) -> None:
    """(I + m h²) φ'' + c φ' + m g h sin φ = 0 has I + m h² and m h alone, while c is known."""
    data = {"time": TIMES, "angle": angles}
    unknown = {name: (0.01, 3.0) for name in ("mass", "height", "inertia")}
    with pytest.warns(ModelWarning, match="the data do not determine"):
        result = fit(driver, data, unknown)
    told = result.identifiability
    assert told.rank == 3 and len(told.directions) == 1
    assert set(told.combinations) == {"mass · height", "inertia + mass · height²"}
    assert told.telling == ("place",)
    assert result.intervals()["mass"] == (-math.inf, math.inf)
    page = result.report(tmp_path / "report.html").read_text("utf-8")
    assert all(f"<li>{one}</li>" in page for one in told.combinations)


@pytest.mark.heavy
def test_a_recorded_torque_its_delay_and_a_gain_are_found(driver: EquationsDriver) -> None:
    delay, gain = 0.08, 1.05
    torque = 2.0 * np.sin(2.0 * TIMES)
    course = driver.simulate(
        TIMES, inputs={"torque": lambda t: 2.0 * math.sin(2.0 * max(t - delay, 0.0))}
    )
    values = gain * course.states[:, driver.states.index("angle")]
    noise = np.random.default_rng(1).normal(0.0, 1e-4, TIMES.size)
    data = {"time": TIMES, "angle": values + noise, "torque": torque}
    result = fit(
        driver,
        Run(data, start={"angle": 1.0}, between="smooth"),
        {"damping": (0.01, 1)},
        sensors={"angle": Sensor(gain=(0.5, 2))},
        options=FitOptions(delays={"torque": (0.0, 0.3)}),
    )
    assert result.values["delay of torque"] == pytest.approx(delay, abs=5e-4)
    assert result.values["gain of angle"] == pytest.approx(gain, abs=1e-3)
    assert result.values["damping"] == pytest.approx(0.1, abs=1e-3)


def test_a_robust_loss_bears_outliers(driver: EquationsDriver, angles: np.ndarray) -> None:
    spoilt = angles.copy()
    spoilt[::25] += 0.5
    data = {"time": TIMES, "angle": spoilt}
    plain = fit(driver, data, {"damping": (0.01, 1)}).values["damping"]
    robust = fit(driver, data, {"damping": (0.01, 1)}, options=FitOptions(loss="cauchy"))
    assert abs(robust.values["damping"] - TRUE) < 5e-4 < abs(plain - TRUE)


@pytest.mark.heavy
def test_segments_and_runs_give_the_same(driver: EquationsDriver, angles: np.ndarray) -> None:
    """Multiple shooting has the same optimum; two runs of the same data the same values."""
    data = {"time": TIMES, "angle": angles}
    whole = fit(driver, data, {"damping": (0.01, 1)})
    parts = fit(driver, data, {"damping": (0.01, 1)}, options=FitOptions(segment=1.0))
    twice = fit(driver, [data, data], {"damping": (0.01, 1)})
    for other in (parts, twice):
        assert other.values["damping"] == pytest.approx(whole.values["damping"], abs=2e-6)
    share = parts.deviations["damping"] / whole.deviations["damping"]
    assert share == pytest.approx(1.0, abs=0.01)
    share = twice.deviations["damping"] / whole.deviations["damping"]
    assert share == pytest.approx(math.sqrt(0.5), rel=0.01)


@pytest.mark.heavy
def test_files_for_importers_and_readers(
    driver: EquationsDriver, angles: np.ndarray, tmp_path: Path
) -> None:
    result = fit(driver, {"time": TIMES, "angle": angles}, {"damping": (0.01, 1)})
    written = result.write(tmp_path / "found.ssv").read_text("utf-8")
    assert f'value="{result.values["damping"]!r}" unit="N.m.s/rad"' in written
    page = result.report(tmp_path / "report.html").read_text("utf-8")
    assert page.count("<svg") == 2 and "Ljung-Box" in page and "Combinations" not in page


def test_swapped_columns_are_suspected(driver: EquationsDriver) -> None:
    course = driver.simulate(TIMES, outputs=["geared"])
    data = {"time": TIMES, "geared": course.states[:, driver.states.index("angle")]}
    data["angle"] = course.values[:, 0]
    with pytest.warns(ModelWarning, match="are the two columns swapped"):
        fit(driver, Run(data, start={"angle": 1.0}), {"damping": (0.05, 0.2)})


SAMPLES: dict[str, Any] = {"time": [0.0, 0.1, 0.2, 0.3], "angle": [1.0, 0.9, 0.7, 0.4]}


@pytest.mark.parametrize(
    ("data", "parameters", "said"),
    [
        (SAMPLES | {"time": [0.0, 0.1, 0.1, 0.3]}, {"damping": (0, 1)}, "row 3: the time repeats"),
        (SAMPLES | {"time": [0, 0.2, 0.1, 0.3]}, {"damping": (0, 1)}, "row 3: the time runs back"),
        (SAMPLES | {"angle": [1, "x", 2, 3]}, {"damping": (0, 1)}, "row 2: angle = 'x'"),
        (SAMPLES | {"angle [m]": SAMPLES["angle"]}, {"damping": (0, 1)}, "are called angle"),
        ({"time": [0, 1], "angle [m]": [1, 2]}, {"damping": (0, 1)}, "has the unit of a length"),
        ({"time": [0, 1], "angel": [1, 2]}, {"damping": (0, 1)}, "no column is an output or state"),
        (SAMPLES, {"dampnig": (0, 1)}, "did you mean 'damping'"),
        (SAMPLES, {"damping": (1, 2)}, "the model's value, 0.1, is outside of 1 to 2"),
        (SAMPLES, {"damping": 0.3}, "give bounds, as in (0.05, 5)"),
        (SAMPLES, {"damping": (1, 0)}, "the lower one comes first"),
        (Run(SAMPLES, begin=math.nan), {"damping": (0, 1)}, "begin = nan s is not a number"),
        (
            {"time": [0, 1], "angle": [1, 0.9]},
            {name: (0.01, 3.0) for name in ("damping", "mass", "height")},
            "2 samples for 4 unknowns; add samples, or fit fewer unknowns",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
def test_mistakes_are_named(driver: EquationsDriver, data: Any, parameters: Any, said: str) -> None:
    with pytest.raises(ModelError) as refused:
        fit(driver, data, parameters)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Sensor(deviation=-1.0), "Sensor: deviation = -1"),
        (lambda: Sensor(deviation=math.nan), "Sensor: deviation = nan"),
        (lambda: 0.1, "sensors: angle is 0.1; give a Sensor, Sensor(deviation=0.01)"),
    ],
)
def test_sensors_that_are_none_are_named(driver: EquationsDriver, make: Any, said: str) -> None:
    with pytest.raises(ModelError) as refused:
        fit(driver, SAMPLES, {"damping": (0, 1)}, sensors={"angle": make()})
    assert said in str(refused.value)


def test_a_first_guess_that_tells_less_says_nothing_of_what_is_found(
    driver: EquationsDriver,
) -> None:
    """At an amplitude of zero nothing depends on the frequency; noise is that of an encoder."""
    model = models.driven()
    own = EquationsDriver(model.equations(), backend="c")
    true = {"amplitude": 0.8, "frequency": 1.5}
    x = own.simulate(TIMES, parameters=true).states[:, own.states.index("x")]
    noise = np.random.default_rng(7).normal(0.0, 1e-3, TIMES.size)
    data = {"time": TIMES, "x": x + noise}
    unknown = {"amplitude": (-2, 2, 0.0), "frequency": (1, 2, 1.4)}
    result = fit(own, Run(data, start={"x": 0.0, "v": 0.0}), unknown)
    assert result.identifiability.complete and not result.warnings
    low, high = result.intervals(0.999)["frequency"]
    assert low < 1.5 < high and high - low < 0.01


def test_an_exact_sensor_does_not_hide_what_another_tells(driver: EquationsDriver) -> None:
    """The offset of a sensor with deviation 1 is known up to 1/sqrt(n) of it."""
    course = driver.simulate(TIMES, parameters={"damping": TRUE})
    angle, rate = (course.states[:, driver.states.index(n)] for n in ("angle", "rate"))
    noise = np.random.default_rng(9).normal(0.0, 1.0, TIMES.size)
    data = {"time": TIMES, "angle": angle, "rate": rate + 0.5 + noise}
    sensors = {"angle": Sensor(deviation=1e-8), "rate": Sensor(deviation=1.0, offset=(-1, 1))}
    result = fit(driver, Run(data, start={}), {"damping": (0.01, 1)}, sensors=sensors)
    assert result.identifiability.complete
    assert result.deviations["offset of rate"] == pytest.approx(1 / np.sqrt(TIMES.size), rel=1e-6)


def test_degrees_that_are_taken_as_radians_are_suspected(
    driver: EquationsDriver, angles: np.ndarray
) -> None:
    data = {"time": TIMES, "angle": np.degrees(angles)}
    with pytest.warns(ModelWarning, match="angle: residuals of .* is its unit right"):
        result = fit(driver, data, {"damping": (0.01, 1)})
    assert result.sensors["angle"].unexplained
