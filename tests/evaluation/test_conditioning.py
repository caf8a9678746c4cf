"""A motion that reaches a singular configuration never goes on without a word."""

import re
from collections.abc import Callable
from time import process_time
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import OptimizeResult

from benchmarks.scaling.chains import ladder, linked_ladder
from mbcore import (
    Body,
    ConfigurationError,
    Model,
    ModelWarning,
    Result,
    SimulationError,
    Truss,
    simulate,
)
from mbcore.codegen.compiler import CompilerError
from mbcore.equations.equations import Equations
from mbcore.equations.functions import Functions
from mbcore.evaluation import moving_point
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import SingularityError
from mbcore.native import compiled
from tests.singular_models import (
    GRAVITY,
    double_pendulum,
    four_bar,
    free_body,
    pendulum,
    slider_crank,
)

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14, "progress": False}

BOTTOM = 0.5919582
"""s: the time a pendulum of 1 m takes from the horizontal to its lowest point, at 9.81 m/s2:
K(sin 45 deg) sqrt(l / g)."""


@pytest.fixture(scope="module")
def by_height() -> Equations:
    return pendulum("y").equations()


@pytest.mark.parametrize(
    ("method", "rtol", "max_step", "within"),
    [
        ("DOP853", 1e-9, float("inf"), 1e-5),
        pytest.param("DOP853", 1e-3, float("inf"), 1e-4, marks=pytest.mark.heavy),
        pytest.param("RK45", 1e-6, float("inf"), 1e-4, marks=pytest.mark.heavy),
        ("Radau", 1e-6, float("inf"), 1e-4),
        pytest.param("BDF", 1e-6, float("inf"), 1e-4, marks=pytest.mark.heavy),
        ("LSODA", 1e-6, float("inf"), 1e-4),
        ("classical", 1e-9, 1e-2, 2e-2),
        ("one_stage", 1e-9, 1e-3, 5e-2),
    ],
)
def test_pendulum_by_its_height_stops_at_its_lowest_point(
    by_height: Equations, method: str, rtol: float, max_step: float, within: float
) -> None:
    with pytest.raises(SingularityError, match=r"pendulum: .*rod\.elongation") as error:
        simulate(by_height, 2.0, method=method, rtol=rtol, max_step=max_step)
    assert error.value.time == pytest.approx(BOTTOM, abs=within)


@pytest.mark.parametrize("method", ["classical", "one_stage"])
@pytest.mark.parametrize("step", [0.0125, 0.02, 0.04, 0.1])
def test_equal_steps_do_not_step_across(by_height: Equations, method: str, step: float) -> None:
    with pytest.raises(SingularityError, match=r"singular configuration .*smaller steps"):
        simulate(by_height, 1.1, method=method, max_step=step)


@pytest.mark.parametrize("step", [0.0925, 0.095, 0.0975, 0.115, 0.14])
def test_coarse_steps_of_one_stage_differ_from_half_steps(
    by_height: Equations, step: float
) -> None:
    """The measure fades away there; two half steps end elsewhere by half of the step's change."""
    with pytest.raises(SingularityError, match=r"two half ones .*rod\.elongation"):
        simulate(by_height, 1.1, method="one_stage", max_step=step)


def test_equal_steps_come_near_a_singular_configuration(by_height: Equations) -> None:
    """The bob begins 0.44 m beside its lowest point, at rest, and does not reach it in 0.1 s."""
    run = simulate(by_height, 0.1, start={"q": -0.9}, method="classical", max_step=0.01)
    assert run.time[-1] == pytest.approx(0.1)


@pytest.mark.parametrize("backend", ["python", "c"])
def test_creeping_ends_with_the_state_that_is_fastest(backend: Literal["python", "c"]) -> None:
    """A spring of 1e18 N/m needs 1e10 steps of an explicit method: nobody waits for that."""
    model = Model("stiff", gravity=(0, -9.81))
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (0, -1))
    rod = model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    bob.x.fix()
    rod.elongation.dof("stretch", "stretch_rate").spring(1e18)
    words = r"^stiff: (\d+) steps from t = 0 s .* next to no progress; stretch_rate changes fastest"
    with pytest.raises(SimulationError, match=words) as told:
        simulate(model.equations(), 100.0, start={"stretch": 1e-6}, backend=backend)
    assert 1000 <= int(str(told.value).split()[1]) <= (1000 if backend == "python" else 1064)


def quickening(frequency: Callable[[ca.SX], ca.SX]) -> Equations:
    """Return z̈ = -ω² z, by its states alone."""
    model = Model("quickening")
    z, v = model.state("z", start=1.0), model.state("v")
    model.derivative("z", v)
    model.derivative("v", -(frequency(model.time) ** 2) * z)
    return model.equations()


@pytest.mark.parametrize("backend", ["python", "c"])
def test_creeping_towards_a_time_that_is_never_reached_ends_early(
    monkeypatch: pytest.MonkeyPatch, backend: Literal["python", "c"]
) -> None:
    """Of z̈ = -(50/τ)² z, τ = 1/2 s - t, the phase 50 ln(1/τ) grows without bound: 128 steps of
    0.4 rad or so leave a third of τ. They are slower each time, and would take 1e5 steps for the
    half second that is left from where they advance by less than 6.4e-4 s: where τ falls below a
    thousandth. Without the rule of runs that slow down, τ would become 1e-7 s. C asks every 64
    steps."""
    monkeypatch.setattr(moving_point, "CREEP_STEPS", 128)
    equations = quickening(lambda t: 50 / (0.5 - t))
    with pytest.raises(SimulationError, match="v changes fastest") as told:
        simulate(equations, 1.0, progress=False, backend=backend)
    found = re.search(r"(\d+) steps .* to t = ([\d.]+)", str(told.value))
    assert found is not None
    assert 128 <= int(found[1]) <= (128 if backend == "python" else 192)
    assert 5e-5 < 0.5 - float(found[2]) < 1e-3


def test_a_motion_that_is_fast_for_a_while_is_no_creeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same until τ is 0.04 s, and slower again after: it ends."""
    monkeypatch.setattr(moving_point, "CREEP_STEPS", 128)
    equations = quickening(lambda t: 50 / (0.04 + ca.fabs(0.5 - t)))
    assert simulate(equations, 1.0, progress=False).time[-1] == 1.0


def test_a_run_that_is_repeated_is_no_creeping() -> None:
    """Shooting integrates one period again and again, thousands of steps in all."""
    model = Model("mass")
    place = model.point("place")
    model.add(Body("body", place, mass=1.0))
    place.y.fix(0)
    place.x.dof("x", "v").spring(1.0)
    point = Evaluation(model.equations())
    run = MovingPoint(point, {})
    for _ in range(4):
        point.t[0] = 0.0
        point.start()
        point.accept()
        run.begin(1e7)
        for _ in range(400):
            run.count_steps()
        assert not run.creeps(0.0)
    run.count_steps(599)
    with pytest.raises(SimulationError, match=r"1000 steps .* t = 0 s .*try an implicit"):
        run.count_steps()
    with pytest.raises(SimulationError, match="try an explicit method or a looser"):
        run.count_steps(implicit=True)


def drift(run: Result, size: float) -> float:
    """Return how much the energy changes, in parts of a typical size."""
    return float(np.abs(run["energy"] - run["energy"][0]).max()) / size


def test_other_coordinates_make_no_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linearization and periodic solutions need them; of a large mechanism they are expensive."""
    made: set[str] = set()
    make = Functions.__getitem__

    def note(functions: Functions, name: str) -> ca.Function:
        made.add(name)
        return make(functions, name)

    monkeypatch.setattr(Functions, "__getitem__", note)
    run = simulate(pendulum("y", or_else="x").equations(), 0.6)
    assert run.statistics["switches"] == 1
    assert {"newton", "derivative", "update"} <= made
    assert not {name for name in made if name.endswith("change")} | made & {"mass", "tangent"}


def test_other_coordinates_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions made when the model has its own roles again would be those of neither."""
    asked: list[Equations] = []

    def refuse(equations: Equations, extent: str) -> None:
        asked.append(equations)
        raise CompilerError("no compiler")

    monkeypatch.setenv(compiled.VARIABLE, "c")
    monkeypatch.setattr(compiled, "library", refuse)
    monkeypatch.setattr(compiled, "remembered_library", lambda *_: None)
    equations = pendulum("y", or_else="x").equations()
    with pytest.warns(ModelWarning, match="Python evaluates them"):
        run = simulate(equations, 0.6, **TIGHT)
    assert run.statistics["switches"] == 1
    assert asked == [equations]


@pytest.mark.heavy
def test_pendulum_by_its_height_goes_on_by_its_place() -> None:
    """Its energy counts from the support, so that a bob that falls by 1 m has GRAVITY J."""
    model = pendulum("y", or_else="x")
    roles = [(q.name, q.role) for q in model.coordinates()]
    run = simulate(model.equations(), 4.0, **TIGHT)
    assert run.statistics["switches"] >= 5
    assert drift(run, GRAVITY) < 1e-9
    period = 4 * BOTTOM
    before, after = (np.interp(t, run.time, run["bob.X"]) for t in (0.3, period + 0.3))
    assert before == pytest.approx(after, abs=1e-3)
    np.testing.assert_allclose(run["q"], run["bob.Y"], atol=1e-14)
    np.testing.assert_allclose(run["bob.X"] ** 2 + run["q"] ** 2, 1, atol=1e-13)
    assert [(q.name, q.role) for q in model.coordinates()] == roles


@pytest.mark.heavy
def test_roles_chosen_automatically_are_changed_on_the_way() -> None:
    model = Model("pendulum", gravity=(0, -GRAVITY))
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (1, 0))
    model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    model.output("energy", model.kinetic_energy + model.potential_energy)
    run = simulate(model.equations(roles="auto"), 2.0, **TIGHT)
    assert run.statistics["switches"] >= 2
    assert drift(run, GRAVITY) < 1e-9


def test_an_error_names_coordinates_that_would_do(by_height: Equations) -> None:
    with pytest.raises(SingularityError, match=r"bob\.x would be regular there.*singular='switch'"):
        simulate(by_height, 2.0, singular="stop")


def test_a_singular_start_is_told_from_one_that_does_not_fit(by_height: Equations) -> None:
    """At the lowest point all lengths fit, and the height says nothing of how the bob moves."""
    with pytest.raises(ConfigurationError, match=r"start at t = 0 is a singular .* in rod\.elong"):
        simulate(by_height, 1.0, start={"q": -1.0})
    with pytest.raises(ConfigurationError, match=r"do not fit together.* by 0\.10"):
        simulate(by_height, 1.0, start={"q": -1.1})


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("until", "amplitude", "straight"),
    [
        (1.5, 0.0, 1.0),
        (30.0, 0.0, 1.0),
        (3.1, 1.2, np.arcsin(1 / 1.2)),
        (3.1, 1.001, np.arcsin(1 / 1.001)),
    ],
)
def test_two_driven_bars_end_when_they_are_straight(
    until: float, amplitude: float, straight: float
) -> None:
    # Both have length 1, and their ends are 1 + t or 1 + a sin t apart, 2 when a sin t = 1. There
    # are not states, no error that keeps steps short; at the end there is a configuration again.
    model = Model("bars")
    left, right = model.point("left", (0, 0), fixed=True), model.point("right", (1, 0))
    middle = model.point("middle", (0.5, np.sqrt(0.75)))
    right.x.prescribe(1 + (amplitude * ca.sin(model.time) if amplitude else model.time))
    right.y.fix()
    for name, end in (("one", left), ("other", right)):
        model.add(Truss(name, end, middle))
    model.add(Body("mass", middle, mass=1))
    with pytest.raises(SingularityError, match="reaches a singular configuration") as caught:
        simulate(model.equations(), until, samples=2, progress=False)
    assert caught.value.time == pytest.approx(straight, abs=1e-6)


@pytest.mark.heavy
@pytest.mark.parametrize("backend", ["python", "c"])
def test_creeping_beside_a_singular_place_ends_by_its_name(backend: str) -> None:
    """Vibrations of 1e5 rad/s take 8e6 evaluations in 10 s: lost where a rod hangs so nearly."""
    model = Model("creeping")
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (0.6, -0.8))
    model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    x = 1e-3 + 0.599 * ca.exp(-1e4 * model.time)
    bob.y.prescribe(-ca.sqrt(1 - x**2))
    z, v = model.state("z", start=1e-3), model.state("v")
    model.derivative("z", v)
    model.derivative("v", -1e10 * z)
    begin = process_time()
    with pytest.raises(SimulationError, match=r"t = \S* s have brought .*; rod\.elongation hardly"):
        simulate(model.equations(), 10.0, backend=backend, singular="stop")
    assert process_time() - begin < 30


@pytest.mark.heavy
def test_free_body_goes_on_by_other_euler_parameters() -> None:
    run = simulate(free_body().equations(), 8.0, singular="switch", **TIGHT)
    assert run.statistics["switches"] >= 2
    assert drift(run, run["energy"][0]) < 1e-9
    for axis in range(3):
        np.testing.assert_allclose(run[f"momentum.{axis}"], run[f"momentum.{axis}"][0], atol=1e-9)


@pytest.mark.heavy
def test_four_bar_by_its_rocker_passes_its_dead_point() -> None:
    """By its crank it has none; both are the same motion."""
    lengths = (0.4, 1.0, 0.7, 1.1)
    run = simulate(four_bar(lengths, True, 2.0).equations(), 1.5, singular="switch", **TIGHT)
    assert run.statistics["switches"] == 1
    assert drift(run, run["energy"][0]) < 1e-9
    assert not np.all(np.diff(run["angle"]) > 0)  # the rocker turns back


@pytest.mark.heavy
def test_double_pendulum_by_places_moves_as_by_angles() -> None:
    times = np.linspace(0, 5, 51)
    runs = [
        simulate(double_pendulum(by_angles).equations(), 5.0, samples=times, singular=what, **TIGHT)
        for by_angles, what in ((True, "stop"), (False, "switch"))
    ]
    for name in ("one.X", "one.Y", "two.X", "two.Y"):
        np.testing.assert_allclose(runs[1][name], runs[0][name], atol=1e-6)
    assert runs[1].statistics["switches"] >= 5
    assert drift(runs[1], GRAVITY) < 1e-8


@pytest.mark.heavy
def test_double_pendulum_by_places_keeps_its_energy() -> None:
    """Half a minute of chaotic motion passes 80 singular places, at tight tolerances in Python."""
    run = simulate(double_pendulum(False).equations(), 30.0, singular="switch", **TIGHT)
    assert run.statistics["switches"] > 80
    assert drift(run, GRAVITY) < 3e-9


@pytest.mark.heavy
@pytest.mark.parametrize("lengths", [(0.5, 1.0, 0.5, 1.0), (0.4, 0.9, 0.7, 1.2)])
def test_four_bar_passes_its_flat_position(lengths: tuple[float, float, float, float]) -> None:
    """Crank and ground are as long as coupler and rocker: at 0 and pi all bars are in line.

    A parallelogram stays one where all of them turn on.
    """
    run = simulate(four_bar(lengths, False, 3.0).equations(), 3.0, **TIGHT)
    assert len(run.switches) == 4
    assert drift(run, run["energy"][0]) < 1e-9
    if lengths[0] == lengths[2]:
        np.testing.assert_allclose(run["C.X"], 1 + 0.5 * np.cos(run["angle"]), atol=1e-12)
        np.testing.assert_allclose(run["C.Y"], 0.5 * np.sin(run["angle"]), atol=1e-12)


@pytest.mark.parametrize("by_slider", [False, pytest.param(True, marks=pytest.mark.heavy)])
def test_slider_crank_of_equal_lengths_passes_its_middle(by_slider: bool) -> None:
    run = simulate(slider_crank(by_slider).equations(), 1.0, singular="switch", **TIGHT)
    assert any("singular" in what for _, what in run.switches)
    assert drift(run, run["energy"][0]) < 1e-9
    np.testing.assert_allclose(run["place"], 2 * np.cos(run["turned"]), atol=1e-12)


def swung_windows(n: int, rates: list[float], end: float) -> OptimizeResult:
    """Return the angles and rates of a ladder's posts in time, by Lagrange's equations.

    Rungs stay level, so that the top of each window moves with the sum of the posts below it:
    v_i = sum over j <= i of l w_j e(a_j). Posts of mass m l share their motion with the one above.
    """
    per_length, post = 1.3, 0.5
    pair, rung = 2 * per_length * post, per_length
    above = np.array([rung + (n - 1 - i) * (pair + rung) for i in range(n)])
    later = np.maximum.outer(np.arange(n), np.arange(n))
    weight = post**2 * (above + pair / 2)[later]
    weight[np.diag_indices(n)] = post**2 * (above + pair / 3)

    def derivative(_: float, state: np.ndarray) -> np.ndarray:
        a, w = state[:n], state[n:]
        apart = a[:, None] - a
        force = -(weight * np.sin(apart)) @ w**2 - (above + pair / 2) * GRAVITY * post * np.cos(a)
        return np.append(w, np.linalg.solve(weight * np.cos(apart), force))

    lean = np.pi / 2 + 0.2 * np.array([1 if i % 2 else -1 for i in range(n)])
    flat = [lambda _, state, i=i: np.sin(state[i]) for i in range(n)]
    begin, tight = np.append(lean, rates), {"rtol": 1e-12, "atol": 1e-13}
    return solve_ivp(derivative, (0, end), begin, method="DOP853", events=flat, **tight)


@pytest.mark.parametrize(
    ("build", "windows", "end", "flat"),
    [
        (ladder, 1, 1.5, 2),
        pytest.param(ladder, 2, 1.5, 4, marks=pytest.mark.heavy),
        pytest.param(linked_ladder, 2, 1.5, 4, marks=pytest.mark.heavy),
        pytest.param(ladder, 3, 1.5, 11, marks=pytest.mark.heavy),
        pytest.param(linked_ladder, 3, 1.5, 11, marks=pytest.mark.heavy),
        pytest.param(linked_ladder, 4, 1.2, 11, marks=pytest.mark.heavy),
        pytest.param(linked_ladder, 6, 0.8, 3, marks=pytest.mark.heavy),
    ],
)
def test_ladder_passes_its_flat_positions(
    build: Callable[[int], Model], windows: int, end: float, flat: int
) -> None:
    """Each window is flat alone, as its own motion says, and the velocity carries it through."""
    rates = [0.3 * (i + 1) * (-1) ** i for i in range(windows)]
    model = build(windows)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    start = {f"window{i}.rate": rate for i, rate in enumerate(rates)}
    run = simulate(model.equations(), end, start=start, **TIGHT)
    motion = swung_windows(windows, rates, end)
    assert sum(times.size for times in motion.t_events) == flat
    assert flat // 2 < len(run.switches) <= flat  # close ones are passed in one step
    assert drift(run, abs(run["energy"][0])) < max(1e-9, 2e-10 * flat)  # per passage
    angles = [run[f"window{i}.angle"][-1] for i in range(windows)]
    np.testing.assert_allclose(angles, motion.y[:windows, -1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("rtol", [1e-9, 1e-13])
def test_the_jumps_of_a_relaxation_oscillation_are_no_creeping(rtol: float) -> None:
    """Half a period of ẍ = μ (1 - x²) ẋ - x after A. A. Dorodnicyn, Prikl. Mat. Mekh. 11 (1947):
    (3 - 2 ln 2) μ + 7.01432 μ^(-1/3) - 22/9 ln(μ)/μ in all. One implicit method makes all steps."""
    mu = 1000.0
    model = Model("van der Pol")
    x, v = model.state("x", start=2.0), model.state("v")
    model.derivative("x", v)
    model.derivative("v", mu * (1 - x**2) * v - x)
    run = simulate(
        model.equations(),
        1620.0,
        method="rosenbrock",
        backend="c",
        samples=20001,
        rtol=rtol,
        atol=1e-2 * rtol,
    )
    found = run["x"]
    crossings = run.time[np.flatnonzero(np.diff(np.sign(found)))]
    period = (3 - 2 * np.log(2)) * mu + 7.01432 * mu ** (-1 / 3) - 22 / 9 * np.log(mu) / mu
    assert 2 * np.diff(crossings) == pytest.approx([period], abs=2 * run.time[1])
