"""Examples that sweep: a bicycle's stability, statistics of rattling, a caster's basin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from mbcore.examples.bicycles import (
    bicycle_stability_map,
    bicycle_stability_slider,
    shimmy_basin,
)
from mbcore.examples.contact import rattling_ensemble, rattling_statistics
from mbcore.fmus import bicycle
from mbcore.native import compiled


@pytest.mark.heavy
def test_map_of_the_bicycle_has_the_published_boundaries(tmp_path: Path) -> None:
    record = bicycle_stability_map.run(60, 12)
    for name, published in bicycle_stability_map.PUBLISHED.items():
        assert record.numbers[name] == pytest.approx(published, abs=2e-5)
    found = np.column_stack([record.weave, record.capsize])
    expected = np.where(record.by_matrices < 10, record.by_matrices, np.nan)  # the map's end
    assert found == pytest.approx(expected, abs=1e-3, nan_ok=True)
    found = np.nan_to_num(found, nan=np.inf)
    speeds = record.data["bicycle.speed"].values
    inside = (speeds > found[:, :1]) & (speeds < found[:, 1:])
    assert (record.data.stable.values == inside).all()
    assert (record.data.error == "").all()
    bicycle_stability_map.draw_map(record).savefig(tmp_path / "map.png")


@pytest.mark.heavy
def test_maps_follow_a_slider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three maps of the example and a fourth of its window: some thousand linearizations."""
    monkeypatch.setenv(compiled.VARIABLE, "c")
    record = bicycle_stability_slider.run()
    assert len(record.numbers) == 3
    for name, points in record.numbers.items():
        assert points == 0, name
    bicycle_stability_slider.draw(record).savefig(tmp_path / "slider.png")
    window = bicycle_stability_slider.Window(bicycle.model().equations())
    window.slider.set_val(30.0)
    np.testing.assert_array_equal(np.ravel(window.mesh.get_array()), record.growth[30.0].ravel())


def test_peaks_are_those_of_parabolas_at_uneven_times() -> None:
    times = np.array([0.0, 0.1, 0.35, 0.4, 0.7, 1.0])
    found, tops = rattling_statistics.peaks(times, 3.0 - 5.0 * (times - 0.31) ** 2)
    assert found == pytest.approx([0.31]) and tops == pytest.approx([3.0])


@pytest.mark.heavy
def test_intervals_hold_a_known_expectation_as_often_as_they_say() -> None:
    values = np.random.default_rng(4).normal(3.0, 2.0, 5000)
    assert rattling_statistics.coverage(values) == pytest.approx(0.95, abs=0.03)
    low, high = rattling_statistics.interval(values[:400])
    half = stats.t.ppf(0.975, 399) * values[:400].std(ddof=1) / 20
    assert (high - low) / 2 == pytest.approx(half)
    numbers, halves = rattling_statistics.halves(values)
    slope = np.polyfit(np.log(numbers[10:]), np.log(halves[10:]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.05)


@pytest.mark.heavy
def test_starts_and_one_long_motion_rattle_alike(tmp_path: Path) -> None:
    record = rattling_statistics.run(32, 62)
    assert (record.data.error == "").all()
    assert record.data.unbalanced.max() < 1e-9  # momentum's change is the impulse
    for name, values in record.values.items():
        mean, error = record.long[name]
        together = np.hypot(error, values.std(ddof=1) / np.sqrt(len(values)))
        assert abs(values.mean() - mean) < 4 * together
        low, high = record.student[name]
        assert low < values.mean() < high
        assert np.diff(record.bootstrap[name]) == pytest.approx(high - low, rel=0.25)
    rattling_statistics.draw(record).savefig(tmp_path / "statistics.png")


def test_deviations_of_groups_fall_as_the_root_of_their_size() -> None:
    values = np.random.default_rng(5).exponential(2.0, 20_000)
    sizes, spread = rattling_ensemble.deviations(values)
    np.testing.assert_allclose(spread, 2.0 / np.sqrt(sizes), rtol=0.15)
    assert rattling_ensemble.slope(values) == pytest.approx(-0.5, abs=0.02)


@pytest.mark.heavy
def test_many_starts_rattle_as_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compiled.VARIABLE, "c")
    record = rattling_ensemble.run(200)
    assert (record.data.error == "").all()
    # the slider's speed is not a state: its balance is as good as steps are, with a tolerance of
    # 1e-7
    assert record.unbalanced < 1e-9 and abs(record.drift) < 4
    for name, values in record.values.items():
        known, error = rattling_ensemble.PUBLISHED[name]
        assert abs(values.mean() - known) < 4 * np.hypot(stats.sem(values), error), name
    rattling_ensemble.draw(record).savefig(tmp_path / "ensemble.png")
    rattling_ensemble.draw_clouds(record).savefig(tmp_path / "clouds.png")


@pytest.mark.heavy
def test_an_unstable_cycle_parts_the_basins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """41² motions in C, a third of the example's starts, take some seconds, in Python minutes."""
    monkeypatch.setenv(compiled.VARIABLE, "c")
    monkeypatch.setattr(shimmy_basin, "SIDE", np.linspace(-1.2, 1.2, 41))  # of which it is drawn
    record = shimmy_basin.run(shimmy_basin.SIDE)
    for name, expected in shimmy_basin.REFERENCE.items():
        accuracy = 1e-4 if "amplitude" in name else 0.0  # between two samples
        assert record.numbers[name] == pytest.approx(expected, abs=accuracy), name
    shimmy_basin.draw(record, tmp_path)
    assert (tmp_path / "shimmy_basin.png").stat().st_size > 10_000
