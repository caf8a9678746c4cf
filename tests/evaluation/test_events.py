"""Events: where they begin, that none is passed, and that each is told once."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model, SimulationError, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.tolerances import MOST_EVENTS
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.integrators.first_negative import (
    MANY,
    SAMPLES,
    first_negative,
    negative_in,
    perhaps_negative,
)
from mbcore.periodic import collocation

G = 9.81


def gate(band: float) -> Model:
    """Return a mass on a line with an event at its origin."""
    model = Model("gate")
    place = model.point("place")
    place.y.fix()
    model.add(Body("mass", place, mass=1.0))
    model.event("gate", place.x.dof("x", "v").value, band=band)
    return model


@pytest.mark.parametrize(("start", "active"), [(0.05, 1.0), (-0.05, 0.0), (0.5, 1.0), (-0.5, 0.0)])
def test_event_starts_on_the_side_of_its_indicator_inside_the_band_too(
    start: float, active: float
) -> None:
    point = Evaluation(gate(0.08).equations())
    point.start({"x": start})
    assert point.d[0] == active


def test_events_that_do_not_rest_together_happen_one_by_one() -> None:
    """Each mode excludes the other, so that both would change for ever."""
    model = gate(0.0)
    one, other = model.event("one"), model.event("other")
    model.event("one", 0.5 - other)
    model.event("other", 0.5 - one)
    point = Evaluation(model.equations())
    point.start()
    names = [event.name for event in point.equations.events]
    modes = dict(zip(names, point.d, strict=False))
    assert modes["one"] + modes["other"] == 1


def test_event_follows_its_indicator_beyond_the_band_only() -> None:
    point = Evaluation(gate(0.08).equations())
    point.start({"x": 0.05})
    for x, active in ((-0.05, 1.0), (-0.09, 0.0), (0.05, 0.0), (0.09, 1.0)):
        point.s[1] = x
        point.configure()
        point.iterate_events()
        assert point.d[0] == active


def test_event_that_begins_and_ends_between_samples_is_found() -> None:
    """A parabola that is above the threshold for 2e-3 of the step, off all samples."""
    # [Schwab2002] (5.22)
    top, half = 0.5625, 1e-3
    run = MovingPoint(Evaluation(gate(0.0).equations()), {})
    run.evaluation.start({"x": -1.0})

    def path(t: float) -> np.ndarray:
        return np.array([-2 * (t - top), half**2 - (t - top) ** 2])

    assert run.first_crossing(path, 0.0, 1.0) == pytest.approx(top - half, abs=1e-12)
    lower = run.first_crossing(lambda t: path(t) - [0.0, 1.01 * half**2], 0.0, 1.0)
    assert lower is None


@pytest.mark.parametrize("top", [0.1, 0.3, 0.95])
def test_the_first_of_many_events_is_found(top: float) -> None:
    """Gates along a line, in any order, and a parabola that is above zero for 2e-3 of the step."""
    places = np.random.default_rng(2).permutation(np.linspace(-0.5, 3.0, MANY + 8))
    model = Model("gates")
    mass = model.point("mass")
    model.add(Body("body", mass, mass=1.0))
    x, y = mass.x.dof("x", "x_rate").value, mass.y.dof("y", "y_rate").value
    for k, place in enumerate(places):
        model.event(f"gate_{k}", x - float(place))
    model.event("dip", y)
    run = MovingPoint(Evaluation(model.equations()), {})
    run.evaluation.start({"x": -1.0, "y": -1.0})
    half = 1e-3

    def path(t: float) -> np.ndarray:
        return np.array([2.0, -2 * (t - top), 2 * t - 1, half**2 - (t - top) ** 2])

    # x is at the first gate at 0.25, which a sample is, and beyond it just after
    assert run.first_crossing(path, 0.0, 1.0) == pytest.approx(min(0.25, top - half), abs=1e-12)


def test_no_event_is_sorted_out_that_a_step_may_have() -> None:
    random = np.random.default_rng(3)
    times = np.linspace(0.0, 1.0, SAMPLES + 1)
    parts = random.normal(size=(4, 3000))
    values = np.polynomial.polynomial.polyvander(times, 3) @ parts
    values -= values.min(axis=0) * random.normal(1, 0.05, 3000)  # most are near to zero
    few = perhaps_negative(values)
    assert 100 < len(few) < 2900
    for i in set(range(3000)).difference(few):
        cubic = np.polynomial.Polynomial(parts[:, i]) + (values[0, i] - parts[0, i])
        assert negative_in(cubic, times, values[:, i]) is None


def test_rounding_where_a_step_begins_is_no_event() -> None:
    """The gate has been passed upwards, and the interpolant begins 1e-17 m below it."""
    run = MovingPoint(Evaluation(gate(0.0).equations()), {})
    run.evaluation.start({"x": 1e-17})
    assert run.evaluation.d[0] == 1.0
    rising, falling = (
        run.first_crossing(lambda t, v=v: np.array([v, -1e-17 + v * t]), 0.0, 1.0)
        for v in (1.0, -1.0)
    )
    assert rising is None
    assert falling == 0.0


def test_an_implicit_step_passes_through_its_nodes() -> None:
    """Not a bit off: events were settled where a step begins."""
    nodes = np.append(0.0, collocation.method().node)
    assert (collocation.lagrange(nodes) == np.eye(nodes.size)).all()


def balls(heights: tuple[float, ...], restitution: float = 0.5) -> Model:
    """Return balls of 1 kg over one floor."""
    model = Model("balls", gravity=(0, -G))
    for name, height in zip("abc", heights, strict=False):
        place = model.point(name, (0, height))
        place.x.fix()
        model.add(Body(f"ball {name}", place, mass=1.0))
        place.y.dof(f"{name}.height", f"{name}.speed", start=height)
        unilateral_contact(model, name, place.y.value, Impact(restitution))
    return model


def test_contacts_that_begin_at_one_time_are_told_once_each() -> None:
    run = simulate(balls((0.5, 0.5), 0.0).equations(), 0.5, progress=False)
    fall = np.sqrt(2 * 0.5 / G)
    told = [name for _, name in run.events]
    assert sorted(told) == ["a.closed", "a.impact", "b.closed", "b.impact"]
    assert [t for t, _ in run.events] == pytest.approx([fall] * 4, abs=1e-9)
    assert run.final("a.impacts") == run.final("b.impacts") == 1
    assert run.final("a.energy_loss") == pytest.approx(G * 0.5, rel=1e-9)


def test_contact_that_opens_already_is_not_counted() -> None:
    """Both have passed the floor by rounding; a falls at 2 m/s, b rises at 3 m/s."""
    point = Evaluation(balls((0.1, 0.1)).equations())
    point.start()
    order = [record.name for record in point.equations.states]
    values = {"a.height": -1e-9, "b.height": -1e-9, "a.speed": -2.0, "b.speed": 3.0}
    for name, value in values.items():
        point.s[order.index(name)] = value
    point.configure()
    assert point.iterate_events() == ["a.impact"]
    after = dict(zip(order, point.s, strict=True))
    there = 0.5 * np.sqrt(2.0**2 - 2 * G * 1e-9)  # half its speed where the gap vanished
    assert (after["a.speed"], after["b.speed"]) == pytest.approx((there, 3.0), abs=1e-12)
    counted = dict(zip((d.name for d in point.equations.discretes), point.d, strict=True))
    assert (counted["a.impacts"], counted["b.impacts"]) == (1, 0)


def test_no_impact_occurs_at_the_start_itself() -> None:
    point = Evaluation(balls((-1e-10,)).equations())
    point.start({"a.speed": -2.0})
    counted = dict(zip((d.name for d in point.equations.discretes), point.d, strict=True))
    assert counted["a.impacts"] == 0
    assert point.s[0] == -2.0


def test_tolerance_scales_with_the_nominal_values() -> None:
    """The same oscillation, in metres and in parts of a micrometre, takes the same steps."""
    steps = []
    for size in (1.0, 2.0**-20):
        model = Model("oscillator")
        place = model.point("place")
        place.y.fix()
        model.add(Body("mass", place, mass=1.0))
        x = place.x.dof("x", "v", start=size, nominal=size, rate_nominal=size)
        x.spring(1.0)
        run = simulate(model.equations(), 20.0, rtol=1e-13, atol=1e-7, progress=False)
        steps.append(run.statistics["steps"])
        assert run.final("x") / size == pytest.approx(np.cos(20.0), abs=1e-4)
    assert steps[0] == steps[1]


@pytest.mark.parametrize(("since", "endless"), [(0.5, True), (0.4, False)])
def test_many_events_are_refused_where_time_does_not_go_on(since: float, endless: bool) -> None:
    """A thousand within a millionth of the run, 1 s, are too many; within a tenth they are not."""
    run = MovingPoint(Evaluation(gate(0.0).equations()), {})
    run.evaluation.start({"x": -1.0})
    run.events = [(since, "gate")] * MOST_EVENTS
    run.move(0.5 + 1e-8, np.array([1.0, 0.1]))
    if endless:
        with pytest.raises(SimulationError, match=r"1000 events since t = 0\.5, the last .* gate"):
            run.process_events(1.0)
    else:
        assert run.process_events(1.0)


@pytest.mark.parametrize("lowest", [0.05, 0.31, 0.5, 0.95])
@pytest.mark.parametrize("depth", [1e-4, 1e-9])
def test_a_dip_in_any_part_of_a_step_is_found(lowest: float, depth: float) -> None:
    """In the first and last part, too, where no sample is beyond it."""

    def dip(t: float) -> float:
        return (t - lowest) ** 2 * (3 + t) - depth

    times = np.linspace(0.0, 1.0, SAMPLES + 1)
    values = np.array([dip(t) for t in times])
    assert (values > 0).all() or lowest == 0.5
    begin, end = negative_in(dip, times, values) or (np.nan, np.nan)
    assert dip(begin) >= 0 > dip(end) and end - lowest < np.sqrt(depth)
    assert negative_in(lambda t: dip(t) + 2 * depth, times, values + 2 * depth) is None


@pytest.mark.parametrize("beyond", [-0.05, 1.05])
def test_a_dip_outside_a_step_is_not_of_it(beyond: float) -> None:
    times = np.linspace(0.0, 1.0, SAMPLES + 1)
    values = (times - beyond) ** 2 - 1e-4
    assert negative_in(lambda t: (t - beyond) ** 2 - 1e-4, times, values) is None
    values[0] = min(values[0], -1e-17)  # noise after an event
    assert negative_in(lambda t: (t - beyond) ** 2, times, np.abs(values)) is None


def test_a_flat_crossing_is_found_to_rounding() -> None:
    """Near a zero of ninth order Brent's method takes more than its usual hundred iterations."""
    found = first_negative(lambda t: np.array([-((t - 0.7) ** 9)]), 0.0, 0.75 * SAMPLES)
    assert found is not None and 0.7 < found < 0.7 * (1 + 2e-15)


def test_the_first_of_many_is_found_with_one_evaluation_a_time() -> None:
    """Of cosines cos(kt), k = 1 to 20, that of k = 20 is the first: at t = pi/40."""
    asked: list[float] = []

    def cosines(t: float) -> np.ndarray:
        asked.append(t)
        return np.cos(t * np.arange(1, 21))

    found = first_negative(cosines, 0.0, 0.3)
    assert found == pytest.approx(np.pi / 40, rel=1e-15)
    assert len(asked) == len(set(asked))
