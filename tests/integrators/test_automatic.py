"""The automatic choice of a method: exact where stiff, and nothing changed where not."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Body, Model, SimulationError, revolute, simulate
from mbcore.equations.equations import Equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.fmi.export import export
from mbcore.model.errors import ConfigurationError
from mbcore.simulation.automatic_stepper import _spectral_radius
from tests.conftest import AUTOMATIC

BACKENDS = ["python", pytest.param("c", marks=pytest.mark.heavy)]
SHARED = [
    pytest.param("c", "rosenbrock", 1.5, marks=pytest.mark.heavy),
    pytest.param("c", "Rodas5P", 1.3, marks=pytest.mark.heavy),
]
RATES = 2.0, 2e4
"""Rates of decay r beside 4, 1/s."""


def row(rates: tuple[float, ...] = RATES) -> Equations:
    """Return masses of 1 kg on springs 4 r and dampers 4 + r: they decay by 4 and by r, 1/s."""
    model = Model("row")
    for i, rate in enumerate(rates):
        point = model.point(f"mass {i}", (i, 0))
        point.y.fix()
        point.x.dof(f"x{i}", start=i + 0.1).spring(4 * rate, 4 + rate, rest=float(i))
        model.add(Body(f"body {i}", point, mass=1))
    return model.equations()


def decayed(rate: float, t: Any) -> Any:
    """Return x of ẍ + (4 + r) ẋ + 4 r x = 0 from x = 0.1 at rest."""
    return 0.1 * (rate * np.exp(-4 * t) - 4 * np.exp(-rate * t)) / (rate - 4)


@pytest.fixture(scope="module")
def stiff() -> Equations:
    return row()


@pytest.mark.parametrize("backend", BACKENDS)
def test_stiff_equations_are_integrated_implicitly(stiff: Equations, backend: Any) -> None:
    run = simulate(stiff, 3.0, backend=backend, samples=[1.0, 3.0])
    for i, rate in enumerate(RATES):
        assert run[f"x{i}"] - i == pytest.approx([decayed(rate, t) for t in (1, 3)], abs=1e-9)
    (_, first), (changed, then), *_ = run.steps
    assert (first, then) == ("DOP853", "Radau" if backend == "python" else "Rodas5P")
    assert changed < 0.02  # 20 steps of 6 / RATES[1], and those that grow before
    assert run.statistics["steps"] < 1000  # explicit: 3 s RATES[1] / 6 = 10,000


@pytest.mark.parametrize(("backend", "method", "least"), [("python", "Radau", 1.5), *SHARED])
def test_implicit_rates_count_by_what_they_change_in_values(
    stiff: Equations, backend: Any, method: str, least: float
) -> None:
    """The fast rate is 2e4 times its value: where it counted by itself, it alone would bound steps.

    So a thousandfold tolerance of values lengthens steps, by up to its fourth root, 5.6, or for
    Rodas5P its fifth, 4, while a smaller one of rates changes little: it takes part in the choice
    of the first step only.
    """
    states = stiff.states

    def steps(value: float, rate: float) -> float:
        sizes = (rate,) * stiff.dofs + (value,) * stiff.dofs
        pairs = zip(states, sizes, strict=True)
        stiff.states = tuple(replace(state, nominal=size) for state, size in pairs)
        run = simulate(stiff, 0.5, method=method, backend=backend, samples=2)
        assert run.final("x1") == pytest.approx(
            1 + decayed(RATES[1], 0.5), abs=1e-9 * max(1, value)
        )
        return run.statistics["steps"]

    try:
        usual = steps(1.0, 1.0)
        assert steps(1e3, 1.0) < usual / 2
        assert steps(1.0, 1e-6) == pytest.approx(usual, rel=0.15)
        assert steps(1.0, 1e8) < 0.9 * usual < usual < steps(1e-3, 1.0) / least
    finally:
        stiff.states = states


@pytest.mark.parametrize("backend", BACKENDS)
def test_motions_that_are_not_stiff_keep_their_bits(backend: Any) -> None:
    equations = row((2.0, 5.0))
    options: dict[str, Any] = {"backend": backend, "samples": 7}
    chosen = simulate(equations, 3.0, **options)
    explicit = simulate(equations, 3.0, method="DOP853", **options)
    assert chosen.steps == ((0.0, "DOP853"),) == explicit.steps
    for name in explicit:
        assert np.array_equal(chosen[name], explicit[name])


def test_a_trial_leaves_nothing_behind() -> None:
    """A damped pendulum, whose steps are doubtful after 20 s: the same steps as without trials."""
    model = Model("pendulum", gravity=(0, -9.81))
    place, turn = model.point("place", (0, 0)), model.angle("turn")
    bar = model.add(Body("bar", place, turn, mass=1, inertia=0.02, offset=(0.5, 0)))
    joint = revolute("joint", model, bar, at=(0, 0))
    joint.angle.dof("angle", "rate", start=0.3).spring(50, 0.5)
    equations = model.equations()
    chosen, explicit = (
        simulate(equations, 20.0, samples=11, backend="python", method=method)
        for method in ("auto", "DOP853")
    )
    assert chosen.steps == ((0.0, "DOP853"),)
    assert np.array_equal(chosen["rate"], explicit["rate"])


def root() -> Equations:
    """Return a stiff mass beside one at rest where its law, sqrt(|x|), has no finite slope."""
    model = Model("root")
    for name, start in (("stiff", 0.1), ("rests", 0.0)):
        point = model.point(name, (0, 0))
        point.y.fix()
        x = point.x.dof(name, start=start)
        model.add(Body(f"body {name}", point, mass=1))
        if name == "stiff":
            x.spring(4 * 3e4, 4 + 3e4)
        else:
            x.law(ca.sign(x.value) * ca.sqrt(ca.fabs(x.value)))
    return model.equations()


def test_where_there_is_no_jacobian_steps_stay_explicit() -> None:
    run = simulate(root(), 0.02, backend="python")
    assert run.final("stiff") == pytest.approx(decayed(3e4, 0.02), abs=1e-9)
    with pytest.raises(
        SimulationError, match=r"of d\(rests.*\)/dt is not finite at t = 0;.*DOP853"
    ):
        simulate(root(), 0.02, backend="python", method="Radau")


@pytest.mark.heavy
def test_a_longest_step_is_heeded_where_methods_are_tried() -> None:
    """Steps of 1 ms at most, as explicit ones may be, are not worth a Jacobian."""
    run = simulate(row((100.0, 1000.0)), 2.0, backend="c", max_step=1e-3)
    assert run.steps == ((0.0, "DOP853"),)


def test_steps_become_explicit_again() -> None:
    """Van der Pol's oscillator at 100 is stiff but for its jumps; its limit cycle has x = 2.

    The period by the asymptotic formula (3 - 2 ln 2) μ + 3 a μ^(-1/3), a = 2.33811 (J. Grasman),
    is 162.84; terms beyond it, ln μ / μ and 1 / μ, are of 0.05.
    """
    model = Model("van der Pol")
    point = model.point("mass")
    point.y.fix()
    x = point.x.dof("x", "v", start=2.0)
    model.add(Body("body", point, mass=1))
    x.law(x.value - 100 * (1 - x.value**2) * x.rate)
    run = simulate(model.equations(), 260.0, rtol=1e-6, atol=1e-8, backend="python")
    names = [name for _, name in run.steps]
    assert names[:3] == ["DOP853", "Radau", "DOP853"] and "Radau" in names[3:]
    falls = np.flatnonzero((run["x"][:-1] > 0) & (run["x"][1:] <= 0))
    at = [np.interp(0, -run["x"][i : i + 2], run.time[i : i + 2]) for i in falls]
    period = (3 - 2 * np.log(2)) * 100 + 3 * 2.33811 / 100 ** (1 / 3)
    assert at[1] - at[0] == pytest.approx(period, abs=0.2)


def test_a_method_that_is_named_is_kept(stiff: Equations) -> None:
    run = simulate(stiff, 0.01, method="DOP853", backend="python")
    assert run.steps == ((0.0, "DOP853"),)


def test_an_implicit_method_that_fails_hands_back(
    stiff: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    jacobian, calls = MovingPoint.jacobian, []

    def fails(self: MovingPoint, t: float, s: np.ndarray) -> np.ndarray:
        calls.append(t)
        if len(calls) == 5:  # the second one behind three trials
            raise ConfigurationError("no Jacobian here")
        return jacobian(self, t, s)

    monkeypatch.setattr(MovingPoint, "jacobian", fails)
    # so that each trial makes its own
    monkeypatch.setattr(MovingPoint, "known_jacobian", lambda *_: None)
    run = simulate(stiff, 0.05, backend="python")
    assert [name for _, name in run.steps] == ["DOP853", "Radau", "DOP853"]
    assert run.final("x0") == pytest.approx(decayed(RATES[0], 0.05), abs=1e-9)


def test_a_run_that_cannot_go_on_tells_what_was_tried() -> None:
    """A damped body whose force ends at x = 0: v = -√x, so √x = 1 - t/2, and nothing after 2 s."""
    model = Model("ending")
    place = model.point("place", (1, 0))
    place.y.fix()
    x = place.x.value
    place.x.dof("x", "v", start=1.0).law(1e5 * place.x.rate + 1e5 * ca.sqrt(x))
    model.add(Body("body", place, mass=1.0))
    with pytest.raises(SimulationError, match="explicit and implicit steps were tried") as refused:
        simulate(model.equations(), 10.0, backend="python")
    [time] = re.findall(r"t = ([\d.]+)", str(refused.value))
    assert float(time) == pytest.approx(2, abs=2e-4)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_the_spectral_radius_is_found_through_badly_scaled_states() -> None:
    """Of an oscillator of 300 rad/s beside a slow one, in position and velocity: ±300 i."""
    J = np.zeros((4, 4))
    J[0, 2] = J[1, 3] = 1
    J[2, 0], J[3, 1] = -(300.0**2), -1.0
    assert _spectral_radius(J) == pytest.approx(300, rel=0.02)


@pytest.mark.heavy
def test_an_fmu_chooses_too(stiff: Equations, tmp_path: Any) -> None:
    """The same answer at communication points, after few evaluations."""
    [path] = export(stiff, tmp_path, fmi="3.0")
    run = simulate_fmu(
        str(path), stop_time=3.0, output_interval=1.0, output=["x0", "x1"],
        start_values={"solver.method": AUTOMATIC, "solver.tolerance": 1e-8},
    )  # fmt: skip
    for i, rate in enumerate(RATES):
        assert run[f"x{i}"][1:] - i == pytest.approx(decayed(rate, run["time"][1:]), abs=1e-7)
