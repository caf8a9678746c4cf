"""Flows in C against those in Python: states, derivatives, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest

from mbcore import Model, ModelError, SimulationError, compile_equations, evaluate_by
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.fmus import (
    bicycle,
    caster,
    caster_flexible,
    clearance_joint,
    iltis,
    journal_bearing,
    rolling_disk,
    vehicle,
    vehicle_grip,
)
from mbcore.periodic.compiled_steps import CompiledSteps
from mbcore.periodic.flow import Flow, Trajectory
from mbcore.periodic.variational import StepOptions, VariationalIntegration
from tests import oscillators, singular_models
from tests.conftest import equations_of
from tests.equations.test_switched_constraints import rink
from tests.native.test_native_models import STATELESS
from tests.oscillators import slider
from tests.periodic.test_saltation import bounce, relay, table_ball
from tests.shipped import SHIPPED


@dataclass(frozen=True)
class Case:
    """A model, for how long it moves, how it starts, and what is varied."""

    make: Callable[[], Model]
    span: float
    options: dict[str, Any] = field(default_factory=dict)


SWAY = {"steer.angle": lambda t: 0.02 * math.sin(t)}
CASES = {
    "van_der_pol": Case(oscillators.van_der_pol, 5.0),
    "excited_pendulum": Case(lambda: oscillators.excited_pendulum(2.0), 2.0),
    "large": Case(lambda: ring(12), 1.0),
    "four_bar": Case(lambda: singular_models.four_bar((1, 1, 1, 1), False, 3.0), 0.5),
}


HEAVY = {
    "bicycle": Case(bicycle.model, 0.5),
    "caster": Case(caster.model, 1.0),
    "caster_flexible": Case(caster_flexible.model, 0.3),
    "clearance_joint": Case(clearance_joint.model, 1e-3),  # it touches at 0.227 ms
    "iltis": Case(iltis.model, 0.01),
    "rolling_disk": Case(rolling_disk.model, 2.0),
    "vehicle": Case(vehicle.model, 2.0, {"inputs": SWAY}),
    "vehicle_grip": Case(vehicle_grip.model, 1.0, {"inputs": SWAY}),
}
ELSEWHERE = {"car", *STATELESS}
"""The car is compared in `tests.native.test_parity`."""
HEAVY |= {
    name: Case(shipped.model, 10 * shipped.experiment.step)
    for name, shipped in SHIPPED.items()
    if name not in HEAVY.keys() | ELSEWHERE
}


def flows(case: Case, **options: Any) -> tuple[Trajectory, Trajectory]:
    """Return the motion in Python and in C."""
    equations = equations_of(case.make)
    found = []
    for backend in ("python", "c"):
        if backend == "c":
            compile_equations(equations)
        evaluate_by(equations, "c" if backend == "c" else "python")
        flow = Flow(equations, **{**case.options, **options})
        found.append(flow(flow.point.s.copy(), case.span, record=True))
    return found[0], found[1]


def compare(case: Case, **options: Any) -> tuple[Trajectory, Trajectory]:
    """Compare states, derivatives, the integral of the trace, and the motion between."""
    python, c = flows(case, **options)
    assert c.state == pytest.approx(python.state, rel=1e-10, abs=1e-10)
    assert python.derivative is not None
    size = max(np.abs(python.derivative).max(), 1e-30)  # of what lies it is zero but for rounding
    assert c.derivative == pytest.approx(python.derivative, rel=1e-8, abs=1e-9 * size)
    if python.by_value is not None:
        assert c.by_value == pytest.approx(python.by_value, rel=1e-8, abs=1e-9)
    assert c.trace == pytest.approx(python.trace, rel=1e-10, abs=1e-10)
    for t in np.linspace(0, 0.99 * case.span, 7):
        [here] = [p.between(t) for p in c.pieces if p.begin <= t < p.end]
        [there] = [p.between(t) for p in python.pieces if p.begin <= t < p.end]
        assert here == pytest.approx(there, rel=1e-9, abs=1e-9)
    return python, c


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_flows_are_those_in_python(name: str, implicit: bool) -> None:
    python, c = compare(CASES[name], steps=StepOptions(implicit=implicit))
    assert len(c.pieces) == len(python.pieces)  # the same steps


@pytest.mark.heavy
@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("name", HEAVY)
def test_flows_of_fmus_are_those_in_python(name: str, implicit: bool) -> None:
    """Making the functions of `iltis` takes 20 s, for both kinds of steps together."""
    python, c = compare(HEAVY[name], steps=StepOptions(implicit=implicit))
    assert [name for _, name in c.events] == [name for _, name in python.events]
    assert bool(c.events) == (name == "clearance_joint")


def test_flows_without_states_are_refused() -> None:
    with pytest.raises(ModelError, match="flow of journal_bearing: it has no states"):
        Flow(journal_bearing.model().equations())


@pytest.mark.parametrize("implicit", [pytest.param(True, marks=pytest.mark.heavy), False])
def test_parameters_are_varied_as_in_python(implicit: bool) -> None:
    steps = StepOptions(implicit=implicit)
    compare(CASES["van_der_pol"], vary="mu", steps=steps)
    duffing = Case(oscillators.duffing, 3.0)
    _, c = compare(duffing, vary=["speed", "strength"], steps=steps)
    assert c.by_value is not None
    assert c.by_value.shape == (2, 2)
    flow = Flow(duffing.make().equations(), vary="speed", steps=steps)
    [first] = flow(flow.point.s.copy(), 3.0).by_value[:, None].T
    assert c.by_value[:, 0] == pytest.approx(first, rel=1e-9)


EVENTS = {
    "bouncing": Case(lambda: table_ball(20.0), 2.0, {"start": bounce(20.0)[0]}),
    "lying": Case(
        lambda: table_ball(14.0, 0.0, math.pi / 2), 1.0, {"start": {"y": 0.04, "v": 0.1}}
    ),
    "held": Case(lambda: rink(Model("rink")), 1.0),
    "switched": Case(lambda: slider("relay", relay), 3.0, {"start": {"v": 0.7, "x": 0.4}}),
}


def steered(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return a force that pulls to a place that an input says."""
    return 4.0 * model.event("right", x - model.input("place", unit="m"), band=1e-9) - 2.0


def remembered(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return a spring that a number changes, in which all that changes leaves its trace."""
    stiffness, kept = model.parameter("stiffness", 2.0, unit="N/m"), model.discrete("kept", 0.3)
    model.event(
        "up",
        x - 0.1,
        rising={"kept": v**2 + 0.2 * kept + 0.1 * stiffness},
        falling={"kept": 0.5 * kept + x + 0.3 * model.time},
    )
    return stiffness * x + 1.5 * kept * x**2 - 0.5 * kept


EVENTS["remembered"] = Case(
    lambda: slider("remembered", remembered),
    9.0,
    {"start": {"v": 0.7, "x": 0.4, "kept": 0.3}, "vary": "stiffness"},
)
EVENTS["steered"] = Case(
    lambda: slider("steered", steered),
    3.0,
    {"start": {"v": 0.7, "x": 0.4}, "inputs": {"place": lambda t: 0.1 * math.sin(3 * t)}},
)


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.heavy) if n == "held" else n for n in EVENTS]
)
def test_motions_through_events_are_those_in_python(name: str, implicit: bool) -> None:
    python, c = compare(EVENTS[name], steps=StepOptions(implicit=implicit))
    assert [name for _, name in c.events] == [name for _, name in python.events]
    times = [time for time, _ in python.events]
    assert [time for time, _ in c.events] == pytest.approx(times, rel=1e-10)
    assert len(times) > 1  # a ball flies exactly: rounding is its error, and chooses its steps
    assert c.jumps == pytest.approx(python.jumps, rel=1e-9, abs=1e-15)


def columns_alone(flow: Flow, start: np.ndarray, span: float, by: Any) -> VariationalIntegration:
    """Return a motion with columns by the start values of some states; None: of all."""
    flow.begin(start)
    found = flow.integration(span, by_states=by)
    found.go(span)
    return found


@pytest.mark.parametrize(
    ("name", "backend", "implicit"),
    [
        ("bouncing", "c", True),
        ("bouncing", "c", False),
        pytest.param("remembered", "c", True, marks=pytest.mark.heavy),
        ("remembered", "c", False),
        pytest.param("remembered", "python", False, marks=pytest.mark.heavy),
    ],
)
def test_columns_by_some_start_values_are_those_among_all(
    name: str, backend: Literal["python", "c"], implicit: bool
) -> None:
    """Through impacts, switches and remembered numbers, beside columns by parameters."""
    case, equations = EVENTS[name], EVENTS[name].make().equations()
    varied = [record.name for record in equations.parameters][:2]
    steps = StepOptions(implicit=implicit)
    flow = Flow(equations, **{**case.options, "vary": varied}, steps=steps, backend=backend)
    start, n = flow.whole(flow.point.s).copy(), flow.nominal.size
    every = columns_alone(flow, start, case.span, None).columns
    for by in ([1], []):
        some = columns_alone(flow, start, case.span, by)
        wanted = every[:, [*by, *range(n, n + len(varied))]]
        assert some.columns.shape == wanted.shape
        size = np.abs(every).max()
        assert some.columns == pytest.approx(wanted, rel=1e-10, abs=1e-10 * size)
        assert some.derivatives()[0] is None
    assert len(flow.run.events) > 1


def test_an_event_between_samples_is_passed_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lasts 20 ms, in steps of a tenth of a second and more, each looked at in eight parts."""
    begin, end, place = oscillators.flashed(np.array(0.5137), 0.01, 1.1)
    equations = oscillators.flash().equations()
    compile_equations(equations)
    flow = Flow(equations, start={"v": 1.1})
    monkeypatch.setattr(MovingPoint, "first_crossing", None)  # what seeks them in Python
    found = flow(flow.point.s.copy(), 1.0)
    assert [time for time, _ in found.events] == pytest.approx([begin, end], abs=1e-12)
    names = [state.name for state in equations.states]
    assert found.state[names.index("x")] == pytest.approx(place, abs=1e-12)
    assert place == pytest.approx(1.070822, abs=1e-6)


@pytest.mark.parametrize("name", ["bouncing", "steered", "remembered"])
def test_events_are_passed_in_c(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = EVENTS[name]
    equations = case.make().equations()
    compile_equations(equations)
    flow = Flow(equations, **case.options)
    monkeypatch.setattr(MovingPoint, "first_crossing", None)  # what seeks them in Python
    found = flow(flow.point.s.copy(), case.span, record=True)
    assert len(found.events) > 1
    ends = [piece.end for piece in found.pieces]
    assert [p.begin for p in found.pieces[1:]] == ends[:-1]
    assert {t for t, _ in found.events} <= set(ends)


@pytest.mark.parametrize("backend", [pytest.param("python", marks=pytest.mark.heavy), "c"])
def test_derivatives_by_a_number_are_differences(backend: Literal["python", "c"]) -> None:
    case, step = EVENTS["remembered"], 1e-6
    flow = Flow(case.make().equations(), vary="stiffness", backend=backend)
    start = np.array([0.7, 0.4, 0.3])

    def end(*by: float) -> np.ndarray:
        return flow(start + step * np.array(by), case.span, derivative=False).state

    found = flow(start, case.span)
    for column, by in zip(found.derivative.T, np.eye(3), strict=True):
        assert column == pytest.approx((end(*by) - end(*-by)) / (2 * step), abs=1e-7)
    ends = []
    for side in (1, -1):
        flow.point.vary_to(2.0 + side * step)
        ends.append(end(0, 0, 0))
    assert found.by_value == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-7)


def derivative_refused(model: Model, start: list[float], backend: Literal["python", "c"]) -> str:
    """Return why there is no derivative of a motion over one second."""
    flow = Flow(model.equations(), backend=backend)
    with pytest.raises(SimulationError) as raised:
        flow(np.array(start), 1.0)
    return str(raised.value)


@pytest.mark.parametrize("backend", ["python", "c"])
def test_events_without_a_derivative_are_refused_by_name(
    backend: Literal["python", "c"],
) -> None:
    """A mass that nothing pulls passes two switches, which another speed than 1 m/s parts."""

    def switches(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        model.event("first", x)
        model.event("second", x + (v - 1))
        return 0 * x

    said = derivative_refused(slider("switches", switches), [1.0, -0.25], backend)
    assert "switches: the events first, second come in one instant, t = 0.25, by chance" in said


@pytest.mark.parametrize("implicit", [True, False])
def test_an_input_that_is_no_number_is_told(implicit: bool) -> None:
    equations = vehicle.model().equations()
    compile_equations(equations)
    flow = Flow(
        equations,
        inputs={"steer.angle": lambda t: 0.0 if t < 0.5 else math.nan},
        steps=StepOptions(implicit=implicit),
    )
    with pytest.raises(SimulationError, match=r"input steer.angle is nan at t = "):
        flow(flow.point.s.copy(), 1.0)


def test_an_interruption_in_an_input_ends_the_flow() -> None:
    def interrupted(t: float) -> float:
        if t > 0.5:
            raise KeyboardInterrupt
        return 0.0

    equations = vehicle.model().equations()
    compile_equations(equations)
    flow = Flow(equations, inputs={"steer.angle": interrupted}, steps=StepOptions(implicit=True))
    with pytest.raises(KeyboardInterrupt):
        flow(flow.point.s.copy(), 1.0)


@pytest.mark.parametrize("implicit", [True, False])
def test_steps_are_made_in_c_and_python_examines_few(implicit: bool) -> None:
    equations = oscillators.van_der_pol().equations()
    compile_equations(equations)
    calls = []
    original = CompiledSteps.step
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledSteps, "step", lambda self: calls.append(1) or original(self))
        flow = Flow(equations, steps=StepOptions(implicit=implicit))
        found = flow(flow.point.s.copy(), 0.5, record=True)
    assert len(calls) == 1
    assert len(found.pieces) > 3


def ring(count: int) -> Model:
    """Return oscillators in a ring, each coupled with the one before."""
    model = Model("ring")
    places = [model.state(f"z{i}", start=1.0) for i in range(count)]
    for i, z in enumerate(places):
        v = model.state(f"v{i}")
        model.derivative(f"z{i}", v)
        model.derivative(f"v{i}", 0.1 * places[i - 1] - z)
    return model


@pytest.mark.parametrize("backend", ["python", "c"])
def test_a_jacobian_that_is_no_number_ends_by_name(backend: Literal["python", "c"]) -> None:
    """The rate √z is finite at z = 0, its derivative is not."""
    model = Model("root")
    z, v = model.state("z"), model.state("v")
    model.derivative("z", 0 * v)
    model.derivative("v", ca.sqrt(z))
    equations = model.equations()
    if backend == "c":
        compile_equations(equations)
    evaluate_by(equations, backend)
    flow = Flow(equations, steps=StepOptions(implicit=True))
    with pytest.raises(SimulationError, match="too small"):
        flow(flow.point.s.copy(), 1.0)


def refusal(model: Model, span: float, implicit: bool, backend: Literal["python", "c"]) -> str:
    """Return what is said of a motion that cannot be followed."""
    equations = model.equations()
    if backend == "c":
        compile_equations(equations)
    evaluate_by(equations, backend)
    flow = Flow(equations, steps=StepOptions(implicit=implicit))
    with pytest.raises(SimulationError) as raised:
        flow(flow.point.s.copy(), span)
    return str(raised.value)


@pytest.mark.parametrize("implicit", [pytest.param(True, marks=pytest.mark.heavy), False])
def test_a_motion_that_grows_beyond_all_bounds_ends_as_in_python(implicit: bool) -> None:
    """x' = x² from 1 is 1/(1 - t)."""
    model = Model("growth")
    x = model.state("x", start=1.0)
    model.derivative("x", x**2)
    python, c = (refusal(model, 2.0, implicit, backend) for backend in ("python", "c"))
    assert c == python
    assert "too small at t = 1 (" in c


@pytest.mark.heavy
@pytest.mark.parametrize("implicit", [True, False])
def test_a_singular_place_is_named_as_in_python(implicit: bool) -> None:
    """A pendulum by its height, at its lowest point."""
    for backend in ("python", "c"):
        said = refusal(singular_models.pendulum("y"), 3.0, implicit, backend)
        assert "rod.elongation hardly determine the motion there" in said
