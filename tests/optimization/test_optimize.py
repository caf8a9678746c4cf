"""What optimize gives and refuses, on small systems whose optima are known in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbcore import ModelError, OptimizeOptions, SimulationError, Trial, Varied, driver, optimize
from tests.conftest import equations_of
from tests.optimization.models import oscillator, rods

QUIET = OptimizeOptions(progress=False)


def best(objective: Any, **given: Any) -> Any:
    over = given.pop("over", {"stiffness": (0.5, 9)})
    return optimize(equations_of(oscillator), objective, over=over, **given)


def test_eigenvalues_and_their_derivatives_are_those_of_an_oscillator() -> None:
    """λ = -c/2 ± i √(k - c²/4)."""
    trial = Trial(driver(equations_of(oscillator)), {"stiffness": 4.0, "damping": 0.6})
    found = trial.eigenvalues(at={"x": 0.0})
    frequency = np.sqrt(4.0 - 0.09)
    assert sorted(found.value, key=np.imag) == pytest.approx(
        [-0.3 - 1j * frequency, -0.3 + 1j * frequency], rel=1e-12
    )
    up = found[int(np.argmax(found.value.imag))]
    expected = [1j / (2 * frequency), -0.5 - 1j * 0.3 / (2 * frequency)]
    assert up.gradient == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("start", [(10.0, 3.0), (40.0, 4.5)])
def test_two_active_conditions_hold_the_optimum_of_trust_constr(start: tuple) -> None:
    """k + 3 c² with c = 1.2 and k = 1.5 + c is 7.02."""
    found = optimize(
        equations_of(oscillator),
        lambda trial: trial["stiffness"] + 3 * trial["damping"] ** 2,
        over={"stiffness": (0.1, 50, start[0]), "damping": (0, 5, start[1])},
        subject_to=[
            lambda trial: trial["damping"] / 4 - 0.3,
            lambda trial: trial["stiffness"] - 1.5 - trial["damping"],
        ],
        options=OptimizeOptions(method="trust-constr", progress=False),
    )
    assert found.objective == pytest.approx(7.02, rel=1e-4)
    assert found.met


@pytest.mark.heavy
def test_response_that_passes_zero_at_a_given_time() -> None:
    """Undamped, cos √k is zero after 1 s with k = (π/2)²; by trust-constr, too."""
    for method in ("slsqp", "trust-constr"):
        found = best(
            lambda trial: trial.response([0.0, 1.0], ["place"])["place"][1] ** 2,
            over={"stiffness": (0.5, 4), "damping": (0, 1, 0)},
            subject_to=[(lambda trial: trial["damping"], 0, 0)],
            options=OptimizeOptions(method=method, tolerance=1e-14, progress=False),
        )
        assert found.values["stiffness"] == pytest.approx(np.pi**2 / 4, rel=1e-4)


def test_steady_motion_under_a_force() -> None:
    """The spring gives way by F/k: 0.25 m under 1 N with 4 N/m."""

    def missed(trial: Trial) -> Varied:
        at = trial.steady(["x", "speed"], inputs={"force": 1.0})
        place = trial.outputs(["place"], at=at, inputs={"force": 1.0})["place"][0]
        assert place.gradient == pytest.approx(-1 / trial["stiffness"].value ** 2, rel=1e-9)
        return (place - 0.25) ** 2

    assert best(missed).values["stiffness"] == pytest.approx(4, rel=1e-5)


def test_smaller_steps_where_a_mechanism_cannot_be_assembled() -> None:
    """Two rods of 1 m are 0.3 m high at a distance of 2 √(1 - 0.09), and nothing beyond 2 m."""
    found = optimize(
        rods(),
        lambda trial: (trial.outputs(["height"])["height"][0] - 0.3) ** 2,
        over={"distance": (0.1, 10)},
        options=QUIET,
    )
    assert found.refused
    assert "top" in found.refused[0] or "first" in found.refused[0]
    assert found.values["distance"] == pytest.approx(2 * np.sqrt(0.91), rel=1e-5)
    assert found.evaluations == len(found.history) + len(found.refused)


def test_several_starts_find_the_lower_of_two_valleys() -> None:
    def valleys(trial: Trial) -> Varied:
        return np.sin(3 * trial["stiffness"]) + 0.1 * trial["stiffness"]

    one = best(valleys, over={"stiffness": (0.5, 9, 8)})
    several = best(valleys, over={"stiffness": (0.5, 9, 8)}, options=OptimizeOptions(starts=8))
    assert several.objective < one.objective
    places = np.linspace(0.5, 9, 100_001)
    forced = np.sin(3 * places) + 0.1 * places
    assert several.objective == pytest.approx(forced.min(), abs=1e-8)


def test_ctrl_c_keeps_the_best() -> None:
    calls: list[float] = []

    def tired(trial: Trial) -> Varied:
        calls.append(1.0)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return (trial["stiffness"] - 7) ** 4

    found = best(tired)
    assert found.interrupted
    assert found.objective == found.history["objective"].min() < found.first


def test_history_picture_and_words() -> None:
    found = best(
        lambda trial: trial["stiffness"],
        subject_to=[(lambda trial: trial["stiffness"] ** 2, 4, np.inf)],
    )
    assert found.values == {"stiffness": pytest.approx(2)}
    assert found.units == {"stiffness": "N/m"}
    assert found.active == ("<lambda> = 4",)
    assert found.gradient == {"stiffness": 1.0}
    assert "stiffness = 2 N/m" in repr(found)
    upper, lower = found.plot().axes
    assert lower.lines[0].get_ydata()[-1] == pytest.approx(1.5 / 8.5)
    assert upper.get_ylabel() == "objective"


def plain(_: Trial) -> float:
    return 3.0


def nothing(trial: Trial) -> Varied:
    return np.log(trial["stiffness"] - 2)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"over": {"stifness": (1, 2)}}, "stiffness"),
        ({"over": {"stiffness": (2, 9)}}, "the model's value, 1, is outside of 2 to 9"),
        ({"over": {}}, "give bounds by parameters"),
        ({"objective": plain}, "without derivatives"),
        ({"objective": nothing}, "nan"),
        ({"objective": 7}, "give a function of a trial"),
        ({"objective": lambda t: t.eigenvalues(at={"x": 0.0})[0]}, "take .real or .imag"),
        ({"objective": lambda t: t.eigenvalues(at={"x": 0.0}).real}, "2 values"),
        ({"objective": lambda t: t.eigenvalues()[0].real}, "not steady"),
        ({"objective": lambda t: t.eigenvalues(["x"], at={"x": 0.0}).real}, "depend on 'speed'"),
        ({"objective": lambda t: t.outputs(["plac"])["plac"]}, "place"),
        ({"objective": lambda t: np.floor(t["stiffness"])}, "numpy.floor"),
        ({"subject_to": plain}, "give a list"),
        ({"subject_to": [(plain, 3, 1)]}, "lower bound first"),
        ({"objective": lambda t: t.stable_range("damping", (3, 1)).low}, "lower value comes first"),
        ({"objective": lambda t: t.stable_range("stiffness", (1, 3)).low}, "varied itself"),
    ],
)
def test_wrong_input_is_refused_by_name(given: dict[str, Any], said: str) -> None:
    goal = given.pop("objective", lambda t: t["stiffness"])
    with pytest.raises(ModelError, match="(?s)" + said.replace("(", r"\(")):
        best(goal, **given)


def test_no_stable_value_at_the_start() -> None:
    """A negative stiffness falls at any damping."""

    def width(trial: Trial) -> Varied:
        return trial.stable_range("force", (0, 1), at={"x": 0.0}, samples=3).width

    with pytest.raises((SimulationError, ModelError), match=r"not steady|none of 3 values"):
        best(width)
