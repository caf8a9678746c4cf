"""Points of a motion visited in one call of C, beside closed forms and Python."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, ConfigurationError, Equations, Model, Truss, compile_equations, evaluate_by
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint


@pytest.fixture(scope="module")
def pendulum() -> Equations:
    """Equations of a pendulum of length 1 m in its horizontal place, pushed by an input."""
    model = Model("pendulum", gravity=(0, -10.0))
    bob = model.point("bob", (0, -1))
    model.add(Truss("rod", model.point("support", fixed=True), bob))
    bob.x.dof("x", "v")
    model.add(Body("bob mass", bob, mass=2.0))
    push = model.input("push", unit="N")
    model.load(push, bob.x.rate)
    model.output("height", bob.y.value, unit="m")
    model.output("acceleration", bob.x.acceleration, unit="m/s2")
    return model.equations()


def rows(*places: float) -> np.ndarray:
    """Return t, v, x and the push at places, at rest."""
    x = np.array(places)
    return np.column_stack([np.arange(x.size), np.zeros(x.size), x, 3 * np.ones(x.size)])


def test_configurations_and_outputs_are_those_of_a_circle(pendulum: Equations) -> None:
    x = np.linspace(-0.9, 0.9, 7)
    for backend in ("python", "c"):
        if backend == "c":
            compile_equations(pendulum)
        evaluate_by(pendulum, backend)  # type: ignore[arg-type]
        point = Evaluation(pendulum)
        point.start()
        assert point.backend == backend
        found, outputs = point.visit(rows(*x))
        height = -np.sqrt(1 - x**2)
        assert found.shape == (7, len(pendulum.coordinate_names))
        assert outputs[:, 0] == pytest.approx(height, rel=1e-14)
        # at rest along the circle: a_x = (F/m) y² + g x y
        assert outputs[:, 1] == pytest.approx(1.5 * height**2 + 10 * x * height, rel=1e-12)
        assert (point.t[0], point.s[1], point.accepted_time) == (6.0, 0.9, 6.0)
        assert point.x == pytest.approx(found[-1], rel=0, abs=0)


def test_what_cannot_be_reached_is_refused_as_in_python(pendulum: Equations) -> None:
    messages = []
    compile_equations(pendulum)
    for backend in ("python", "c"):
        evaluate_by(pendulum, backend)  # type: ignore[arg-type]
        point = Evaluation(pendulum)
        point.start()
        with pytest.raises(ConfigurationError, match=r"at t = 2; .*rod") as refused:
            point.visit(rows(0.1, 0.5, 1.5, 0.2))
        messages.append(str(refused.value))
        assert point.accepted_time == 1.0
    assert messages[0] == messages[1]


def test_inputs_that_are_functions_of_time_have_a_row_each(pendulum: Equations) -> None:
    evaluate_by(pendulum, "python")
    point = Evaluation(pendulum, inputs={"push": 2.0})
    times = np.array([0.0, 0.5, 2.0])
    assert MovingPoint(point, {}).inputs(times) == pytest.approx(np.full((3, 1), 2.0))
    moving = MovingPoint(point, {0: lambda t: t**2})
    assert moving.inputs(times) == pytest.approx(np.array([[0.0], [0.25], [4.0]]))
