"""Drivers of foreign FMUs and of our equations against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import mbcore
from mbcore import FmuError, Model, ModelError
from mbcore.drivers.differences import places
from mbcore.evaluation.input_table import TimedInput
from tests.drivers.foreign import foreign

TIMES = np.array([0.0, 0.3, 0.7, 1.1])


def bounced(h: complex, g: complex, e: complex, t: float) -> tuple[complex, complex]:
    """Height and speed of a ball after its first bounce, by hand."""
    fall = (2 * h / g) ** 0.5
    up, since = e * g * fall, t - fall
    return up * since - g * since**2 / 2, up - g * since


def damped() -> Model:
    """A mass on a line with the rates ẍ = -k x - 0.4 ẋ."""
    model = Model("damped")
    k = model.parameter("k", 4.0)
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("place", "speed", start=1.0)
    model.add(mbcore.Body("mass", point, mass=1.0))
    model.force(point, (-k * point.x.value - 0.4 * point.x.rate, 0))
    model.output("twice", 2 * point.x.value)
    return model


@pytest.mark.heavy  # a process
def test_a_linear_fmu_without_derivatives_meets_the_matrix_exponential():
    A = np.array([[-1.0, 3.0], [-2.0, -0.5]])
    by_a21 = np.zeros((4, 4))  # the derivative of expm(A t) by an entry, by its block matrix
    by_a21[:2, :2] = by_a21[2:, 2:] = A
    by_a21[3, 0] = 1.0
    with mbcore.driver(foreign("STATESPACE")) as driver:
        assert driver.derivatives == "differences"
        assert "by differences" in repr(driver)
        point = driver.point(0.0, [0.2, 0.3], {"u": 2.0})
        found = driver.simulate(TIMES, columns=["x2", "a21", "x1"])
    np.testing.assert_allclose(point.A, A, atol=1e-11)
    np.testing.assert_allclose(point.B, [[0.0], [1.0]], atol=1e-11)
    np.testing.assert_allclose(point.C, np.eye(2), atol=1e-11)
    np.testing.assert_allclose(point.by_parameters(["a21"])[:, 0], [0, 0.2, 0, 0], atol=1e-11)
    assert found.compared == ("a21",)
    for t, row, columns in zip(TIMES, found.states, found.state_columns, strict=True):
        np.testing.assert_allclose(row, expm(A * t)[:, 0], atol=1e-9)
        np.testing.assert_allclose(columns[:, [2, 0]], expm(A * t), atol=1e-9)
        np.testing.assert_allclose(columns[:, 1], expm(by_a21 * t)[2:, 0], atol=1e-9)


@pytest.mark.heavy  # a process each
@pytest.mark.parametrize("version", [2, 3])
def test_directional_derivatives_are_used_and_those_that_lie_are_not(version):
    def rates(t: float, y: np.ndarray) -> np.ndarray:
        (x, v), Y = y[:2], y[2:].reshape(2, 3)
        A = np.array([[0.0, 1.0], [-2 * x * v - 1, 1 - x * x]])
        forced = A @ Y
        forced[1, 2] += (1 - x * x) * v
        return np.concatenate([[v, (1 - x * x) * v - x], forced.ravel()])

    begin = np.concatenate([[2.0, 0.0], np.eye(2, 3).ravel()])
    own = solve_ivp(rates, (0, 1.1), begin, "DOP853", TIMES, rtol=1e-13, atol=1e-13).y
    with mbcore.driver(foreign("VANDERPOL", version)) as driver:
        assert driver.derivatives == "directional"
        found = driver.simulate(TIMES, columns=["x0", "x1", "mu"])
    assert found.compared == ("mu",)  # the FMU says that nothing depends on it
    np.testing.assert_allclose(found.states.T, own[:2], atol=1e-9)
    np.testing.assert_allclose(found.state_columns.reshape(4, -1).T, own[2:], atol=1e-8)


@pytest.mark.heavy  # a process each
@pytest.mark.parametrize("name", ["BALL", "BALL_UNSAVED"])
def test_a_bounce_passes_derivatives(name):
    with mbcore.driver(foreign(name)) as driver:
        found = driver.simulate(TIMES, columns=["h", "g", "e"])
    assert found.events[0][0] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)
    given = (1.0, 9.81, 0.7)
    for k in (2, 3):
        t = float(TIMES[k])
        if t > 0.45 + 2 * 0.7 * 0.4515:
            continue
        np.testing.assert_allclose(found.states[k], np.real(bounced(*given, t)), atol=1e-9)
        for column in range(3):
            varied = [x + 1e-30j * (i == column) for i, x in enumerate(given)]
            by = np.imag(bounced(*varied, t)) / 1e-30
            np.testing.assert_allclose(found.state_columns[k, :, column], by, atol=1e-8)


@pytest.mark.heavy  # a process each
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CRASH", "crashes: its process ended by SIGABRT"),
        ("HANG", "hangs: it gave no sign of life for 1 s"),
        ("TALK", "sends messages without end"),
    ],
)
def test_what_an_fmu_does_wrong_is_an_error_by_name(name, said):
    with mbcore.driver(foreign(name), patience=1.0) as driver:
        with pytest.raises(FmuError, match=said):
            driver.simulate([0.0, 2.0])
        # the next question begins a new process
        assert driver.simulate([0.0, 0.4]).states[-1, 0] == pytest.approx(np.cos(0.4), abs=1e-9)


def test_equations_have_exact_columns():
    with mbcore.driver(damped()) as driver:
        found = driver.simulate(TIMES, columns=["k", "speed"], start={"speed": 0.5})
        point = driver.point(0.0, {"place": 2.0, "speed": 0.0})
    A = np.array([[0.0, 1.0], [-4.0, -0.4]])
    by_k = np.zeros((4, 4))
    by_k[:2, :2] = by_k[2:, 2:] = A
    by_k[3, 0] = -1.0
    order = [driver.states.index(name) for name in ("place", "speed")]
    for t, row, columns in zip(TIMES, found.states, found.state_columns, strict=True):
        np.testing.assert_allclose(row[order], expm(A * t) @ [1.0, 0.5], atol=1e-9)
        np.testing.assert_allclose(columns[order, 1], expm(A * t)[:, 1], atol=1e-9)
        by = expm(by_k * t) @ [1.0, 0.5, 0, 0]
        np.testing.assert_allclose(columns[order, 0], by[2:], atol=1e-9)
    np.testing.assert_allclose(
        found.columns[:, 0, 0], 2 * found.state_columns[:, order[0], 0], atol=1e-12
    )
    np.testing.assert_allclose(point.A[np.ix_(order, order)], A, atol=1e-12)
    assert point.by_parameters(["k"])[driver.states.index("speed"), 0] == pytest.approx(-2.0)


def test_motions_do_not_depend_on_those_before():
    """Other values, other starts and a failure leave nothing behind in the next motion."""
    with mbcore.driver(damped()) as driver:
        order = [driver.states.index(name) for name in ("place", "speed")]
        for start, k in ((0.5, 4.0), (-1.0, 9.0), (0.5, 4.0)):
            given = {"parameters": {"k": k}, "columns": ["k"]}
            found = driver.simulate(TIMES, start={"speed": start}, **given)
            expected = expm(np.array([[0.0, 1.0], [-k, -0.4]]) * TIMES[-1]) @ [1.0, start]
            np.testing.assert_allclose(found.states[-1, order], expected, atol=1e-9)
            with pytest.raises(ModelError, match="did you mean 'speed'"):
                driver.simulate(TIMES, start={"sped": start}, **given)


@pytest.mark.parametrize("late", [-1e-16, 0.0, 1e-16])
def test_inputs_that_jump_beside_the_end_are_followed(late):
    """A mass of 2 kg: 0.1 s each of 1 N, 3 N and -2 N; what holds from the end on is not felt."""
    model = Model("pushed")
    force = model.input("force", unit="N")
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("place", "speed")
    model.add(mbcore.Body("mass", point, mass=2.0))
    model.force(point, (force, 0))
    table = mbcore.InputTable([0, 0.1, 0.1, 0.2, 0.2, 0.3 + late, 0.3 + late, 1],
                              {"force": [1, 1, 3, 3, -2, -2, 1e3, 1e3]})  # fmt: skip
    with mbcore.driver(model) as driver:
        found = driver.simulate([0.15, 0.3], inputs=table, columns=["speed"])
    order = [driver.states.index(name) for name in ("speed", "place")]
    np.testing.assert_allclose(found.states[:, order], [[0.125, 0.006875], [0.1, 0.03]], atol=1e-9)
    np.testing.assert_allclose(found.state_columns[:, order, 0], [[1, 0.15], [1, 0.3]], atol=1e-9)


def test_tables_are_followed_in_c(monkeypatch):
    """A mass of 2 kg under a force that rises by 10 N/s for 1 s, then falls as fast.

    By hand: after 2 s its speed is 5 m/s, and it is 5 m away. Python reads the table at the ends of
    steps only, a twelfth of the evaluations of their method.
    """
    asked = []
    known = TimedInput.__call__
    monkeypatch.setattr(TimedInput, "__call__", lambda *args: asked.append(1) or known(*args))
    model = Model("pushed")
    force = model.input("force", unit="N")
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("place", "speed")
    model.add(mbcore.Body("mass", point, mass=2.0))
    model.force(point, (force, 0))
    table = mbcore.InputTable([0, 1, 2], {"force": [0, 10, 0]})
    with mbcore.driver(model, backend="c") as driver:
        found = driver.simulate([0.5, 2.0], inputs=table, columns=["place"])
        order = [driver.states.index(name) for name in ("speed", "place")]
    np.testing.assert_allclose(found.states[:, order], [[0.625, 5 / 48], [5.0, 5.0]], atol=1e-9)
    assert len(asked) < found.evaluations / 3


def test_mistakes_are_named(tmp_path):
    driver = mbcore.driver(damped())
    with pytest.raises(ModelError, match="no column 'kk'"):
        driver.simulate(TIMES, columns=["kk"])
    with pytest.raises(ModelError, match=r"time 0\.1 s in row 2"):
        driver.simulate([0.2, 0.1])
    with pytest.raises(ModelError, match="outputs = 'twice'; give a list"):
        driver.simulate(TIMES, outputs="twice")
    with pytest.raises(ModelError, match="patience= is not an option of equations"):
        mbcore.driver(damped(), patience=1.0)
    with pytest.raises(ModelError, match="there is no FMU"):
        mbcore.driver(tmp_path / "none.fmu")
    with pytest.raises(ModelError, match="give a model, its equations"):
        mbcore.driver(3.0)
    (tmp_path / "no.fmu").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="cannot be read as an FMU"):
        mbcore.driver(tmp_path / "no.fmu")


def test_differences_keep_bounds():
    for value in (0.0, 0.5, 1.0):
        at = places(value, 0.01, 0.0, 1.0)
        assert all(0 <= place <= 1 for place, _ in at)
        assert sum(w * place**4 for place, w in at) == pytest.approx(4 * value**3, abs=1e-12)
