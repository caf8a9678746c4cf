"""The film of a journal bearing against Reynolds' equation, the literature and its contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from numpy.polynomial.legendre import leggauss
from scipy import optimize

from mbcore import SimulationError, simulate
from mbcore.contact.journal_bearing import LIMIT, film
from mbcore.fmi.check import check
from mbcore.fmi.python.python_flavour import export_python
from mbcore.fmus import clearance_joint, journal_bearing
from tests.conftest import (
    ERROR,
    OK,
    ROSENBROCK,
    Archive,
    Archives,
    Instance,
    OpenFmu,
    equations_of,
)
from tests.fmi.calls.test_fmu_contract import (  # noqa: F401  the contract's tests, here for this FMU
    test_capability_flags,
    test_default_values_are_those_of_the_description,
    test_generation_time_is_utc,
    test_initial_unknowns_are_complete_and_in_order,
    test_names_are_structured,
    test_the_fixed_steps_default_is_the_default_experiment_s,
    test_units_have_their_base_exponents,
)

R, C, L, MU = 10e-3, 0.5e-3, 20e-3, 0.1
"""Fig. 5.3: radius, clearance, length, viscosity."""
SPEED = 163.62
FIGURE_53 = {  # x/c: force on the journal, from the formulas by hand (accuracy 5e-6)
    0.1: (-0.03186, 0.31192),
    0.5: (-1.16352, 2.11039),
    0.9: (-19.81173, 12.89722),
    0.99: (-254.49539, 55.86561),
}
REVOLUTION = 2 * np.pi / 523.6
LUBRICATED = {"joint.law": 4}

Numbers = Callable[..., np.ndarray]


@cache
def numbers(
    radius: float = R, clearance: float = C, length: float = L, viscosity: float = MU
) -> tuple[Numbers, Numbers]:
    """Return force, drag and ratio, and the Jacobian of force and drag, of x, y, rates, speed."""
    q = ca.SX.sym("q", 5)
    oil = film(
        (q[0], q[1]), (q[2], q[3]), q[4],
        radius=radius, clearance=clearance, length=length, viscosity=viscosity,
    )  # fmt: skip
    results = ca.vertcat(oil.force_x, oil.force_y, oil.moment, oil.eccentricity_ratio)
    value = ca.Function("value", [q], [ca.densify(results)])
    slope = ca.Function("slope", [q], [ca.densify(ca.jacobian(results[:3], q))])
    return (
        lambda *at: value(ca.DM(at)).full().ravel(),
        lambda *at: slope(ca.DM(at)).full(),
    )


# Film, against the figure


@pytest.mark.parametrize("ratio", FIGURE_53)
def test_force_of_figure_53(ratio: float) -> None:
    # [Schwab2002] (C.1), (C.2), (C.3), (C.4), (C.5), (C.11)
    value, _ = numbers()
    on_sleeve = value(ratio * C, 0, 0, 0, SPEED)[:2]
    assert -on_sleeve == pytest.approx(FIGURE_53[ratio], abs=6e-6)
    # the same in any direction
    turn = np.array([[np.cos(2.0), -np.sin(2.0)], [np.sin(2.0), np.cos(2.0)]])
    turned = value(*(turn @ [ratio * C, 0]), 0, 0, SPEED)[:2]
    assert turned == pytest.approx(turn @ on_sleeve, rel=1e-10)


# Film, against closed forms of the limits


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.7, 0.95])
def test_steady_rotation_of_a_short_bearing(ratio: float) -> None:
    # Ocvirk, film over half the circumference
    length, rest = 1e-5 * R, 1 - ratio**2
    value, _ = numbers(length=length)
    force = value(ratio * C, 0, 0, 0, SPEED)[:2] / (MU * SPEED * R * length**3 / C**2)
    expected = (ratio**2 / rest**2, -np.pi * ratio / (4 * rest**1.5))
    assert force == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.7, 0.95])
def test_steady_rotation_of_a_long_bearing(ratio: float) -> None:
    # Sommerfeld, film over half the circumference
    length, rest = 1e6 * R, 1 - ratio**2
    value, _ = numbers(length=length)
    force = value(ratio * C, 0, 0, 0, SPEED)[:2] / (MU * SPEED * length * R**3 / C**2)
    below = 2 + ratio**2
    expected = (12 * ratio**2 / (below * rest), -6 * np.pi * ratio / (below * np.sqrt(rest)))
    assert force == pytest.approx(expected, rel=1e-6)


MOTIONS = [(0.5, 0.0, 1.0, 0.0), (0.5, 0.0, -1.0, 0.0), (0.4, -0.3, 0.3, -0.9),
           (0.3, 0.6, -0.3, -0.1), (-0.2, 0.85, 0.5, 0.4), (0.0, 0.0, 0.6, 0.8)]  # fmt: skip
"""Journal's centre over the clearance, and its velocity."""
SOME_MOTIONS = [*MOTIONS[:3], *(pytest.param(m, marks=pytest.mark.heavy) for m in MOTIONS[3:])]


@pytest.mark.parametrize("motion", MOTIONS)
def test_short_bearing_from_reynolds_equation(motion: tuple[float, ...]) -> None:
    # [Schwab2002] (C.6), (C.7)
    X, Y, v_x, v_y = motion
    # p = 6 μ v_n (l²/4 - z²) / h³ where it is positive: on the half where v_n > 0
    nodes, weights = leggauss(400)
    angle = np.arctan2(v_y, v_x) + np.pi / 2 * nodes
    n = np.array([np.cos(angle), np.sin(angle)])
    h = 1 - X * n[0] - Y * n[1]
    expected = np.pi / 2 * (weights * (v_x * n[0] + v_y * n[1]) / h**3 * n).sum(axis=1)
    length = 1e-5 * R
    value, _ = numbers(length=length)
    force = value(X * C, Y * C, v_x, v_y, 0)[:2] / (MU * R * length**3 / C**3)
    assert force == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.linalg.norm(expected))


def long_film(X: float, Y: float, v: np.ndarray) -> tuple[np.ndarray, float]:
    """Force and ∫ h p' dθ of a long film, in units μ l (r/c)³ and μ l r³/c²; h = 1 without journal.

    (h³ p')' = -12 v_n with p periodic; the film ends at two opposite places of equal pressure.
    """
    count = 4096
    theta = 2 * np.pi * np.arange(count) / count
    cubed = (1 - X * np.cos(theta) - Y * np.sin(theta)) ** 3
    flow = -12 * (v[0] * np.sin(theta) - v[1] * np.cos(theta))
    mean = (flow / cubed).mean() / (1 / cubed).mean()
    slope = (flow - mean) / cubed
    order = np.arange(1, count // 2)
    waves = np.fft.rfft(slope)[1:-1] / (1j * order) * 2 / count

    def pressure(angle: np.ndarray | float) -> np.ndarray:
        return (waves[:, None] * np.exp(1j * np.outer(order, np.atleast_1d(angle)))).sum(0).real

    def unlike(angle: float) -> float:
        return float((pressure(angle) - pressure(angle + np.pi))[0])

    begin = np.arctan2(v[1], v[0])
    grid = begin + np.linspace(0, np.pi, 61)
    values = [unlike(angle) for angle in grid]
    [i] = [i for i in range(60) if values[i] * values[i + 1] < 0]
    end = optimize.brentq(unlike, grid[i], grid[i + 1], xtol=1e-14)
    nodes, weights = leggauss(300)
    for start in (end, end + np.pi):
        angle = start + np.pi / 2 * (1 + nodes)
        p = pressure(angle) - pressure(start)
        if p.sum() > 0:
            break
    n = np.array([np.cos(angle), np.sin(angle)])
    force = np.pi / 2 * (weights * p * n).sum(axis=1)
    h = 1 - X * n[0] - Y * n[1]
    gradient = (-12 * (v[0] * n[1] - v[1] * n[0]) - mean) / h**3
    return force, float(np.pi / 2 * (weights * h * gradient).sum())


@pytest.mark.parametrize("motion", SOME_MOTIONS)
def test_long_bearing_from_reynolds_equation(motion: tuple[float, ...]) -> None:
    # [Schwab2002] (C.8), (C.9)
    X, Y, *v = motion
    expected, _ = long_film(X, Y, np.array(v))
    length = 1e6 * R
    value, _ = numbers(length=length)
    force = value(X * C, Y * C, *v, 0)[:2] / (MU * length * (R / C) ** 3)
    assert force == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.linalg.norm(expected))


def test_impedances_in_series() -> None:
    # [Schwab2002] (C.10) along and across the squeeze velocity, from the limits just tested
    at, v = (0.4 * C, -0.3 * C), np.array([0.0, 0.1])

    def impedance(length: float) -> np.ndarray:
        value, _ = numbers(length=length)
        return value(*at, *v, 0)[:2] / length

    short = impedance(1e-6 * R) * (L / (1e-6 * R)) ** 2
    series = 1 / (1 / short + 1 / impedance(1e7 * R))
    assert impedance(L) == pytest.approx(series, rel=1e-9)


# Drag


def test_drag_of_a_centred_journal_is_petroff_s() -> None:
    value, _ = numbers()
    assert value(0, 0, 0, 0, SPEED)[2] == pytest.approx(
        2 * np.pi * MU * L * R**3 * SPEED / C, rel=1e-12
    )


@pytest.mark.parametrize("motion", SOME_MOTIONS)
def test_drag_from_the_shear_stress_on_the_sleeve(motion: tuple[float, ...]) -> None:
    X, Y, *rate = motion
    omega = 900.0
    squeeze = np.array(rate) + omega * C / 2 * np.array([Y, -X])
    _, pull = long_film(X, Y, squeeze)
    length = 1e6 * R
    value, _ = numbers(length=length)
    theta = 2 * np.pi * np.arange(4096) / 4096
    shear = 2 * np.pi * (1 / (1 - X * np.cos(theta) - Y * np.sin(theta))).mean() * omega
    expected = MU * length * (R**3 / C * shear - R**3 / C**2 * pull / 2)
    drag = value(X * C, Y * C, *rate, omega)[2]
    assert drag == pytest.approx(expected, rel=1e-6)


# Numbers everywhere


@pytest.mark.heavy
def test_everything_is_finite_up_to_the_sleeve_and_dissipates() -> None:
    value, slope = numbers()
    for ratio in (0.0, 1e-12, 0.3, 0.99, 0.998614, 0.9999):
        for squeeze in (0.0, 1e-300, 1e-160, 1e-20, 1e-3, 30.0):
            for direction in np.concatenate([[0, np.pi / 2, np.pi], np.linspace(0, 6.2, 32)]):
                v = squeeze * np.array([np.cos(direction), np.sin(direction)])
                for speed in (0.0, SPEED, -500.0):
                    at = (ratio * C, 0.0, *v, speed)
                    force = value(*at)
                    assert np.isfinite(force).all()
                    assert np.isfinite(slope(*at)).all()
                    if speed == 0:
                        assert force[:2] @ v >= 0
    force = value(0.9999 * C, 0, 0, 0, SPEED)
    assert np.linalg.norm(force[:2]) == pytest.approx(26172.5 * SPEED / 163.625, rel=1e-3)


@pytest.mark.parametrize("ratio", [0.0, 0.5, 0.9999])
def test_the_force_goes_to_zero_with_the_squeeze_velocity(ratio: float) -> None:
    value, slope = numbers()
    x, y = 0.6 * ratio * C, 0.8 * ratio * C
    rest = (-SPEED / 2 * y, SPEED / 2 * x)  # a whirl at half the speed squeezes nothing
    largest = np.abs(slope(x, y, 0.1, 0.1, 0)[:2, 2:4]).max()
    assert np.abs(value(x, y, 0, 0, 0)[:2]).max() == 0.0
    assert np.abs(value(x, y, *rest, SPEED)[:2]).max() < 1e-11 * max(largest, 1)
    assert np.isfinite(slope(x, y, 0, 0, 0)).all()
    for direction in np.linspace(0, 2 * np.pi, 17):
        v = np.array([np.cos(direction), np.sin(direction)])
        unit = value(x, y, *v, 0)[:2]
        for size in (1e-3, 1e-9, 1e-20):  # along a ray the force is proportional to the speed
            assert value(x, y, *(size * v), 0)[:2] == pytest.approx(size * unit, rel=1e-6, abs=0)


def test_derivatives_are_those_of_the_force() -> None:
    value, slope = numbers()
    at = np.array([0.3 * C, -0.6 * C, 0.02, -0.01, SPEED])
    steps = np.array([1e-6 * C, 1e-6 * C, 1e-8, 1e-8, 1e-4])
    for i, step in enumerate(steps):
        change = np.eye(5)[i] * step
        difference = (value(*(at + change)) - value(*(at - change)))[:3] / (2 * step)
        assert slope(*at)[:, i] == pytest.approx(difference, rel=2e-6, abs=1e-6)


# Slider-crank of 5.4.4


ANGLES = np.unique(np.round([*np.arange(0, 360.01, 0.05), *np.arange(309, 313, 0.01)], 2))
"""Degrees at which the second revolution is looked at, closely around the largest force."""


@pytest.fixture(scope="module")
def second_revolution() -> dict[str, np.ndarray]:
    """The motion from 360 to 720 degrees, implicit and with exact Jacobian."""
    run = simulate(
        equations_of(clearance_joint.model), 2 * REVOLUTION, parameters=LUBRICATED,
        method="Radau", rtol=1e-7, atol=1e-7,
        samples=np.concatenate([[0.0], REVOLUTION * (1 + ANGLES / 360)]),
    )  # fmt: skip
    assert run.events == ()
    return {name: column[1:] for name, column in run.columns.items()}


EXTREMES = [
    ("joint.force", np.max, 4332.769, 0.02),
    ("joint.eccentricity", np.max, 0.998614 * C, 5e-7 * C),
    ("slider.acceleration", lambda a: np.abs(a).max(), 27056.28, 0.3),
    ("crank.torque", np.max, 120.566, 1e-3),
    ("crank.torque", np.min, -226.570, 1e-3),
    ("slider.velocity", np.max, 29.02122, 1e-5),
    ("slider.velocity", np.min, -28.60465, 1e-5),
]
AT_ANGLES = {60: (-0.417425e-3, 0.269822e-3, -4155.331), 240: (0.481731e-3, 0.129933e-3, 9698.982)}
PLACES = ("joint.x", "joint.y", "slider.acceleration")


@pytest.mark.heavy
def test_lubricated_slider_crank(second_revolution: dict[str, np.ndarray]) -> None:
    motion = second_revolution
    for name, extreme, expected, accuracy in EXTREMES:
        assert extreme(motion[name]) == pytest.approx(expected, abs=accuracy), name
    assert ANGLES[np.argmax(motion["joint.force"])] == pytest.approx(311.295, abs=0.011)
    for degrees, expected in AT_ANGLES.items():
        values = [motion[name][degrees == ANGLES][0] for name in PLACES]
        assert values[:2] == pytest.approx(expected[:2], abs=1e-9)
        assert values[2] == pytest.approx(expected[2], abs=0.05)
    assert not motion["joint.penetration"].any()


@pytest.mark.heavy
def test_lubricated_slider_crank_in_the_fmu(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    method = {"solver.method": ROSENBROCK}
    assert fmu.initialize(LUBRICATED | method, tolerance=1e-8) == OK
    names = ("joint.force", "joint.eccentricity", "slider.acceleration", "crank.torque",
             "slider.velocity", "joint.x", "joint.y")  # fmt: skip
    rows = []
    angles = np.unique(np.round([*np.arange(0, 360.1, 0.1), *np.arange(309, 313, 0.01)], 2))
    for time in REVOLUTION * (1 + angles / 360):
        fmu.run(float(time), step=np.inf)
        rows.append(fmu.values(names))
    motion = dict(zip(names, np.array(rows).T, strict=True))
    for name, extreme, expected, accuracy in EXTREMES:
        assert extreme(motion[name]) == pytest.approx(expected, abs=accuracy, rel=1e-6), name
    assert angles[np.argmax(motion["joint.force"])] == pytest.approx(311.295, abs=0.011)
    for degrees, expected in AT_ANGLES.items():
        values = [motion[name][angles == degrees][0] for name in PLACES]
        assert values[:2] == pytest.approx(expected[:2], abs=1e-9)
        assert values[2] == pytest.approx(expected[2], abs=0.05)
    assert fmu.get("joint.impacts") == 0
    assert fmu.get("joint.impact_time") == -1
    assert not fmu.get("joint.in_contact")


def test_eccentricity_is_limited_only_where_there_is_a_film(open_fmu: OpenFmu) -> None:
    for law, status in ((1, OK), (2, OK), (4, ERROR)):
        fmu = open_fmu("clearance_joint")
        assert fmu.initialize({"joint.law": law, "joint.x": 0.99995 * C}) == status
        if status == ERROR:
            for part in ("joint.eccentricity: ", "0.9999 of the clearance", "0.000499975"):
                assert part in fmu.said
    with pytest.raises(SimulationError, match=r"joint\.eccentricity = 0\.000499975.*viscosity"):
        simulate(
            equations_of(clearance_joint.model), 1e-6, parameters=LUBRICATED,
            start={"joint.x": 0.99995 * C},
        )  # fmt: skip


@pytest.mark.heavy
def test_the_film_s_power_is_what_the_slider_crank_loses(open_fmu: OpenFmu) -> None:
    # over a period: work of the crank = work done on the film
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize(LUBRICATED | {"solver.method": ROSENBROCK}, tolerance=1e-9) == OK
    names = ("crank.torque", "joint.force_x", "joint.force_y", "joint.x_rate", "joint.y_rate")
    rows = []
    for time in REVOLUTION * (1 + np.arange(3601) / 3600):
        fmu.run(float(time), step=np.inf)
        rows.append(fmu.values(names))
    torque, force_x, force_y, x_rate, y_rate = np.array(rows).T
    lost = force_x * x_rate + force_y * y_rate
    assert np.trapezoid(lost, dx=REVOLUTION / 3600) > 0.1
    assert np.trapezoid(torque * 523.6 - lost, dx=REVOLUTION / 3600) == pytest.approx(0, abs=2e-3)


# FMU


@pytest.fixture
def archive(archives: Archives, version: str) -> Archive:
    """The film's FMU in each version in turn, also for the contract's tests."""
    return archives["journal_bearing", version]


@pytest.fixture(params=["CoSimulation", "ModelExchange"])
def bearing(archive: Archive, request: pytest.FixtureRequest) -> Iterator[Instance]:
    """An instance in each interface."""
    with Instance(archive, request.param) as instance:
        yield instance


# Name, unit, causality and variability, start
VARIABLES = """
    journal.x                   m      input continuous      0
    journal.y                   m      input continuous      0
    journal.x_rate              m/s    input continuous      0
    journal.y_rate              m/s    input continuous      0
    journal.speed               rad/s  input continuous      0
    journal.radius              m      parameter fixed       10e-3
    bearing.clearance           m      parameter fixed       0.5e-3
    bearing.length              m      parameter fixed       20e-3
    bearing.viscosity           Pa.s   parameter tunable     0.1
    bearing.force_x             N      output continuous     -
    bearing.force_y             N      output continuous     -
    bearing.moment              N.m    output continuous     -
    bearing.eccentricity_ratio  1      output continuous     -
    """
RESULTS = ("bearing.force_x", "bearing.force_y", "bearing.moment", "bearing.eccentricity_ratio")


def test_variables_of_the_contract(archive: Archive) -> None:
    for line in filter(str.strip, VARIABLES.splitlines()):
        name, unit, causality, variability, start = line.split()
        variable = archive.variables[name]
        assert (variable.causality, variable.variability) == (causality, variability), name
        assert variable.unit == unit, name
        if start != "-":
            assert float(variable.start) == float(start), name
    assert archive.states == []
    assert archive.description.numberOfEventIndicators == 0


def test_the_fmu_is_valid_and_runs(archive: Archive) -> None:
    assert check(archive.path).problems == ()


def test_inputs_give_outputs_at_once(bearing: Instance) -> None:
    motion = {"journal.x": 0.1e-3, "journal.y": -0.3e-3, "journal.x_rate": 0.02,
              "journal.y_rate": -0.05, "journal.speed": 300.0}  # fmt: skip
    value, _ = numbers()
    assert bearing.initialize() == OK
    assert bearing.values(RESULTS) == pytest.approx([0, 0, 0, 0], abs=1e-8)
    assert bearing.set(motion) == OK
    assert bearing.values(RESULTS) == pytest.approx(value(*motion.values()), rel=1e-12)
    if bearing.interface == "CoSimulation":
        assert bearing.step(0.1) == OK
        assert bearing.values(RESULTS) == pytest.approx(value(*motion.values()), rel=1e-12)


def test_figure_53_with_other_parameters(bearing: Instance) -> None:
    # twice the viscosity at half the speed
    start = {"bearing.viscosity": 0.2, "journal.speed": SPEED / 2, "journal.x": 0.9 * C}
    assert bearing.initialize(start) == OK
    assert -bearing.values(RESULTS)[:2] == pytest.approx(FIGURE_53[0.9], abs=6e-6)


def test_a_journal_at_the_sleeve_is_refused(bearing: Instance) -> None:
    assert bearing.initialize({"journal.x": 0.9999 * C, "journal.speed": SPEED}) == OK
    assert np.isfinite(bearing.values(RESULTS)).all()
    assert bearing.set({"journal.x": 0.99995 * C}) == OK
    assert bearing.try_get("bearing.force_x") != OK
    for part in ("bearing.eccentricity_ratio: ", "more viscosity", "it is 0.99995"):
        assert part in bearing.said
    assert bearing.set({"journal.x": -2 * C}) == OK
    assert bearing.try_get("bearing.moment") != OK
    assert bearing.set({"journal.x": 0.5 * C}) == OK
    assert -bearing.values(RESULTS)[:2] == pytest.approx(FIGURE_53[0.5], abs=6e-6)


def test_the_documentation_states_the_force_on_the_journal(archive: Archive) -> None:
    text = "".join(p.read_text() for p in Path(archive.folder).rglob("*.html"))
    text = text.replace("<wbr>", "")  # where names may be broken
    for part in ("Appendix C", "0.9999", "What the journal feels", "bearing.moment"):
        assert part in text


@pytest.mark.heavy
def test_the_python_flavour_is_valid(tmp_path: Path) -> None:
    path = export_python(journal_bearing.component(), journal_bearing.__file__, tmp_path)
    assert validate_fmu(str(path)) == []


@pytest.mark.parametrize("beyond", [1.0, 1.7])
def test_film_beyond_its_limit_is_that_at_the_limit(beyond: float) -> None:
    """A trial step may find the journal in the sleeve: finite numbers, those at the limit."""
    direction, rate = np.array([0.6, -0.8]), (2e-3, -1e-3)
    given = {"radius": 10e-3, "clearance": 0.5e-3, "length": 20e-3, "viscosity": 0.1}
    there, limit = (
        film(tuple(direction * part * given["clearance"]), rate, 50.0, **given)
        for part in (beyond, LIMIT)
    )
    for name in ("force_x", "force_y", "moment"):
        value = float(ca.evalf(ca.SX(getattr(there, name))))
        assert np.isfinite(value)
        assert value == pytest.approx(float(ca.evalf(ca.SX(getattr(limit, name)))), rel=1e-9)
    assert float(ca.evalf(there.margin)) < 0
