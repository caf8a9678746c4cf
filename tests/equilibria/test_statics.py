"""Equilibria: what they are, without mass too, and what is refused and how."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import brentq, minimize_scalar

from mbcore import Bearing, Body, Model, ModelWarning, SpatialBeam, Truss, equilibrium, linearize
from mbcore.equations.equations import Equations
from mbcore.equilibria.arnoldi import extreme_eigenvalues
from mbcore.equilibria.holding_forces import HoldingForces
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle
from mbcore.linear.factors import SparseFactors
from mbcore.linear.linearizer import linearizer_of
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from tests.conftest import equations_of

STIFFNESS, RISE = 1000.0, 0.1


def two_bars() -> Equations:
    """Two massless springs from (-1, 0) and (1, 0) to (0, 0.1), loaded downwards there."""
    model = Model("two_bars")
    ends = [model.point("left", (-1, 0), fixed=True), model.point("right", (1, 0), fixed=True)]
    top = model.point("top", (0, RISE))
    for end in ends:
        bar = model.add(Truss(f"{end.name} bar", end, top))
        bar.elongation.release().spring(STIFFNESS)
        model.output(f"{end.name} force", bar.elongation.stress)
        model.output(f"{end.name} support", end.y.reaction)
    top.x.dof("x")
    top.y.dof("y")
    model.force(top, (0, -model.input("load", 0.0)))
    return model.equations()


def two_bars_load(y: float) -> float:
    length, rest = np.hypot(1, y), np.hypot(1, RISE)
    return float(2 * STIFFNESS * (rest - length) * y / length)


@pytest.fixture(scope="module")
def bars() -> Equations:
    return two_bars()


@pytest.mark.heavy
def test_massless_bars_up_to_the_limit_point(bars: Equations) -> None:
    limit = minimize_scalar(lambda y: -two_bars_load(y), bounds=(0, RISE), method="bounded")
    for part in (0.5, 0.99):
        found = equilibrium(bars, inputs={"load": -part * limit.fun})
        y = brentq(lambda y, part=part: two_bars_load(y) + part * limit.fun, limit.x, RISE)
        assert found.states["y"] == pytest.approx(y, rel=1e-7)
        assert found.states["x"] == pytest.approx(0, abs=1e-12)
        force = STIFFNESS * (np.hypot(1, y) - np.hypot(1, RISE))
        assert found.outputs["left force"] == pytest.approx(force, rel=1e-9)
        assert found.outputs["right support"] == pytest.approx(-part * limit.fun / 2, rel=1e-9)
        assert abs(found.residual) < 1e-9
    with pytest.raises(SimulationError, match=r"motion there is that of y, .*a limit point"):
        equilibrium(bars, inputs={"load": -1.02 * limit.fun})


def test_bars_that_have_snapped_through(bars: Equations) -> None:
    found = equilibrium(bars, start={"y": -0.2}, inputs={"load": 5.0})
    y = brentq(lambda y: two_bars_load(y) - 5.0, -0.5, -RISE)
    assert found.states["y"] == pytest.approx(y, rel=1e-9)


def test_unstable_equilibria_are_taken_on_demand_only(bars: Equations) -> None:
    with pytest.raises(SimulationError, match="is unstable, y would run away"):
        equilibrium(bars, start={"y": 0.0})
    assert equilibrium(bars, start={"y": 0.0}, unstable=True).states["y"] == 0.0


def test_stiffness_of_massless_bars(bars: Equations) -> None:
    held = linearize(bars, motion="held")
    slope = np.array([1.0, RISE]) / np.hypot(1, RISE)
    assert held.K_d == pytest.approx(2 * STIFFNESS * np.diag(slope**2), abs=1e-9)
    assert np.all(np.isnan(held.state_matrix[:2])) and np.all(np.isfinite(held.state_matrix[2:]))
    assert np.all(np.isfinite(held.output_matrix))
    evaluation = Evaluation(bars)
    evaluation.start(at_rest=True)
    with pytest.raises(ConfigurationError, match="no mass moves with x_rate, y_rate; give it mass"):
        linearizer_of(bars).at_point(evaluation, "actual")


@pytest.mark.heavy
def test_going_on_from_an_equilibrium(bars: Equations) -> None:
    first = equilibrium(bars, inputs={"load": 0.1})
    assert first.inputs == {"load": 0.1}
    again = equilibrium(bars, start=first, inputs={"load": 0.3})
    in_steps = equilibrium(bars, inputs={"load": 0.3}, steps=7)
    assert again.states["y"] == pytest.approx(in_steps.states["y"], rel=1e-12)
    assert two_bars_load(again.states["y"]) == pytest.approx(0.3, rel=1e-10)


def hanging(stiffness: float, start: float = -1.0) -> Model:
    model = Model("hanging", gravity=(0, -9.81))
    mass = model.point("mass", (0, start))
    mass.x.fix()
    mass.y.dof("y").spring(stiffness)
    model.add(Body("mass", mass, mass=2.0))
    return model


def test_start_rates_are_left_aside() -> None:
    found = equilibrium(hanging(10.0).equations(), start={"y_rate": 3.0})
    assert found.states == {"y_rate": 0.0, "y": pytest.approx(-1.962, rel=1e-12)}


def test_far_equilibrium_of_a_soft_spring() -> None:
    assert equilibrium(hanging(1e-3).equations()).states["y"] == pytest.approx(-19620.0, rel=1e-12)


def test_what_nothing_resists_is_named() -> None:
    model = Model("falling", gravity=(0, -9.81))
    mass, other = model.point("mass", (0, 1)), model.point("other", (1, 0))
    mass.x.fix()
    other.y.fix()
    mass.y.dof("height")
    other.x.dof("way").spring(1e6)
    model.add(Body("mass", mass, mass=1e-9))
    message = r"nothing resists a motion of height, .* -9.81e-09 on height; give it a spring"
    with pytest.raises(SimulationError, match=f"no equilibrium found from this start; {message}"):
        equilibrium(model.equations())


@pytest.mark.heavy
def test_a_force_that_fades_away_is_no_equilibrium() -> None:
    model = Model("repelled")
    point = model.point("point", (1, 0))
    point.y.fix()
    point.x.dof("x")
    model.load(1 / point.x.value**2, point.x.rate)
    with pytest.raises(SimulationError, match="no equilibrium found from this start"):
        equilibrium(model.equations())


def floating() -> Equations:
    model = Model("floating")
    p, q = model.point("p", (0, 0)), model.point("q", (2, 0))
    for name, point in (("p", p), ("q", q)):
        point.y.fix()
        point.x.dof(name)
    model.add(Truss("spring", p, q, rest_length=1.0)).elongation.release().spring(10.0)
    pull, push = model.input("pull", 0.0), model.input("push", 0.0)
    model.force(p, (-pull, 0))
    model.force(q, (pull + push, 0))
    return model.equations()


def test_neutral_coordinates_are_named_and_stay() -> None:
    found = equilibrium(floating(), start={"p": 0.3, "q": 1.5}, inputs={"pull": 5.0})
    assert found.states["q"] - found.states["p"] == pytest.approx(1.5, rel=1e-12)
    assert found.states["q"] + found.states["p"] == pytest.approx(1.8, rel=1e-12)
    assert found.neutral == ("p", "q")
    with pytest.raises(
        SimulationError, match=r"nothing resists a motion of [pq], [pq], .* 5e-07 on"
    ):
        equilibrium(floating(), inputs={"push": 1e-6})


@pytest.mark.heavy
def test_upright_bicycle_falls_and_rolls_freely() -> None:
    equations = equations_of(bicycle.model)
    with pytest.raises(SimulationError, match=r"is unstable, bicycle\.(lean|steer)"):
        equilibrium(equations)
    found = equilibrium(equations, unstable=True)
    assert found.neutral == ("bicycle.distance",)
    assert found.states["bicycle.lean"] == pytest.approx(0, abs=1e-12)
    wheels = found.outputs["rear.normal_force"] + found.outputs["front.normal_force"]
    assert wheels == pytest.approx((85 + 4 + 2 + 3) * 9.81, rel=1e-9)


def test_string_without_tension_at_the_start() -> None:
    """Straight and unstressed it resists no load across; F = 2 EA (l/l_0 - 1) y/l."""
    model = Model("string")
    ends = [model.point(f"end {i}", (x, 0), fixed=True) for i, x in enumerate((-1, 1))]
    middle = model.point("middle", (0, 0))
    for end in ends:
        bar = model.add(Truss(f"from {end.name}", end, middle))
        bar.elongation.release().spring(100.0)
    middle.x.dof("x")
    middle.y.dof("y")
    model.force(middle, (0, model.input("load", 0.0)))
    y = equilibrium(model.equations(), inputs={"load": 3.0}).states["y"]
    length = np.hypot(1, y)
    assert 200 * (length - 1) * y / length == pytest.approx(3.0, rel=1e-10)


@pytest.mark.heavy
def test_chain_of_rigid_links() -> None:
    """Links hang at the slope of the force in their middle, weight times place over thrust."""
    n, span, weight = 6, 0.7, 2.0
    model = Model("chain", gravity=(0, -weight))
    at = np.linspace(-1, 1, n + 1)
    depth = np.sqrt(1 - span**2) / 2
    points = [model.point(f"p{i}", (span * a / 2, -depth * (1 - abs(a)))) for i, a in enumerate(at)]
    points[0].fix()
    points[-1].fix()
    for i in range(n):
        model.add(Truss(f"link {i}", points[i], points[i + 1], mass=1 / n))
    model.output("sag", -points[n // 2].y.value)
    model.output("thrust", points[-1].x.reaction)
    found = equilibrium(model.equations(roles="auto")).outputs
    place = weight * (np.arange(n) + 0.5 - n / 2) / n

    def slopes(thrust: float) -> np.ndarray:
        return np.arctan(place / thrust)

    thrust = brentq(lambda h: np.cos(slopes(h)).mean() - span, 1e-3, 1e3, xtol=1e-14)
    assert found["thrust"] == pytest.approx(thrust, rel=1e-9)
    sag = -np.sin(slopes(thrust))[: n // 2].sum() / n
    assert found["sag"] == pytest.approx(sag, rel=1e-9)


def test_coming_to_rest_on_a_floor() -> None:
    """The floor is a spring that acts below zero, by an event; the mass starts above it."""
    model = Model("floor", gravity=(0, -9.81))
    mass = model.point("mass", (0, 0.1))
    mass.x.fix()
    mass.y.dof("y")
    model.add(Body("mass", mass, mass=3.0))
    touching = model.event("touching", -mass.y.value)
    model.load(-touching * 1e5 * mass.y.value, mass.y.rate)
    assert equilibrium(model.equations()).states["y"] == pytest.approx(-3 * 9.81e-5, rel=1e-9)


def test_equilibrium_on_a_turning_arm() -> None:
    """k (r - r_0) = m ω² r at a prescribed speed ω: inputs' rates move what is held."""
    model = Model("arm")
    hub, place = model.point("hub", fixed=True), model.point("mass", (1, 0))
    turn = model.angle("turn")
    speed = model.input("speed", 0.0, rate=model.input("acceleration", 0.0))
    turn.angle.prescribe(model.input("angle", 0.0, rate=speed))
    slide = model.add(Bearing("slide", hub, turn, place, turn))
    slide.x.dof("r", start=1.0).spring(50.0, rest=1.0)
    slide.y.rigid()
    model.add(Body("mass", place, mass=2.0))
    model.output("torque", turn.angle.stress)
    found = equilibrium(model.equations(), inputs={"speed": 3.0, "angle": 0.7})
    assert found.states["r"] == pytest.approx(50 / (50 - 18), rel=1e-12)
    assert found.outputs["torque"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, "steps = 0: give a whole number, at least 1"),
        ({"start": {"z": 1.0}}, "no state 'z'; there is x_rate, y_rate, x, y"),
        ({"start": {"y_rate": np.inf}}, "start value y_rate = nan is not a finite number"),
        ({"inputs": {"laod": 1.0}}, "no input 'laod'; did you mean 'load'"),
        ({"inputs": {"load": np.nan}}, "load = nan"),
        ({"parameters": {"mass": 1.0}}, "no parameter 'mass'"),
    ],
)
def test_mistaken_arguments(bars: Equations, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        equilibrium(bars, **arguments)  # type: ignore[arg-type]


def test_a_model_is_no_equations() -> None:
    with pytest.raises(ModelError, match=r"give model\.equations\(\)"):
        equilibrium(Model("nothing"))  # type: ignore[arg-type]


def test_unknown_symbols_in_outputs_are_named() -> None:
    model = hanging(1.0)
    model.output("of elsewhere", Model("other").point("far").x.value)
    with pytest.raises(ModelError, match=r"unknown symbols far\.x:value"):
        equilibrium(model.equations())


# What the search stands on


def test_sparse_tangent_is_the_reduced_stiffness(bars: Equations) -> None:
    evaluation = Evaluation(bars, None, {"load": 2.0})
    evaluation.start({"x": 0.02, "y": 0.05}, at_rest=True)
    about = linearizer_of(bars).at_point(evaluation, "held")
    held = HoldingForces(bars)
    assert held.at(evaluation) == pytest.approx(-about.f_d, rel=1e-12)
    tangent = held.tangent()
    _, _, holding = tangent.vary(np.eye(2), np.zeros((1, 2)))
    assert holding == pytest.approx(about.K_d, rel=1e-12)
    force = np.array([3.0, -2.0])
    assert about.K_d @ tangent.solve(force, np.zeros(1)).q == pytest.approx(force, rel=1e-10)


def test_sparse_factors_of_badly_scaled_equations() -> None:
    random = np.random.default_rng(2)
    size = 10.0 ** random.uniform(-8, 8, 6)
    A = size[:, None] * (random.standard_normal((6, 6)) + 4 * np.eye(6)) / size[::-1]
    factors = SparseFactors(sparse.csc_matrix(A))
    x = random.standard_normal((6, 2)) * size[::-1, None]
    assert factors.solve(A @ x) == pytest.approx(x, rel=1e-11)
    y = random.standard_normal(6) / size
    assert factors.solve_transposed(A.T @ y) == pytest.approx(y, rel=1e-11)
    with pytest.raises(ZeroDivisionError):
        SparseFactors(sparse.csc_matrix(np.array([[1.0, 2.0], [2.0, 4.0]])))


def test_extreme_eigenvalues() -> None:
    """Of a spectrum k⁻⁴ with one negative eigenvalue, as compliances have."""
    n = 200
    values = np.arange(1.0, n + 1) ** -4
    values[4] *= -1
    Q, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((n, n)))
    found, vectors = extreme_eigenvalues(lambda v: Q @ (values * (Q.T @ v)), n, 40)
    assert found.real.min() == pytest.approx(values[4], rel=1e-8)
    assert found.real.max() == pytest.approx(1.0, rel=1e-12)
    assert abs(vectors[:, found.real.argmin()] @ Q[:, 4]) == pytest.approx(1, rel=1e-6)
    small, _ = extreme_eigenvalues(lambda v: np.array([[2.0, 1.0], [0.0, 3.0]]) @ v, 2, 40)
    assert np.sort(small.real) == pytest.approx([2, 3], rel=1e-12)


def spatial_rod(n: int, relative: bool) -> Model:
    """A clamped rod with an oblique moment at its end; its freedoms are strains or coordinates."""
    model = Model("rod")
    point, turned = model.point("p0", (0, 0, 0), fixed=True), model.rotation("r0", fixed=True)
    for i in range(n):
        end, end_turned = model.point(f"p{i + 1}", ((i + 1) / n, 0, 0)), model.rotation(f"r{i + 1}")
        stiffness = {"bending_stiffness_y": 1, "bending_stiffness_z": 1, "axial_stiffness": 1e3}
        beam = SpatialBeam(
            f"b{i}", point, turned, end, end_turned, torsional_stiffness=0.7, **stiffness
        )
        strains = [strain for strain in model.add(beam).deformations.values() if strain.laws]
        nodal = [end.x, end.y, end.z, end_turned.e1, end_turned.e2, end_turned.e3]
        for freedom in strains if relative else nodal:
            freedom.dof()
        point, turned = end, end_turned
    model.moment(turned, (model.input("x", 1.0), 0, model.input("z", 2.0)))
    model.output("end", point.position[0])
    return model


@pytest.mark.heavy
def test_strains_and_coordinates_as_freedoms_bend_a_rod_in_space_alike() -> None:
    # as strains, the rod turns far from where the conditions of its nodes were chosen
    with pytest.warns(ModelWarning, match="twisted by more than 20 degrees"):
        relative = equilibrium(spatial_rod(4, relative=True).equations())
    with pytest.warns(ModelWarning, match="twisted by more than 20 degrees"):
        nodal = equilibrium(spatial_rod(4, relative=False).equations())
    assert relative.outputs["end"] == pytest.approx(nodal.outputs["end"], abs=1e-8)


def test_rates_are_zero_whatever_they_start_with() -> None:
    """A damped spring: were the rate left at 2 or 3 m/s, the damper would push it away."""
    model = Model("damped")
    place = model.point("place")
    place.y.fix()
    model.add(Body("mass", place, mass=1.0))
    place.x.dof("x", "v", rate_start=2.0).spring(100.0, 10.0, rest=0.25)
    equations = model.equations()
    for start in ({}, {"v": 3.0}):
        found = equilibrium(equations, start=start, progress=False)
        assert found.states["v"] == 0.0
        assert found.states["x"] == pytest.approx(0.25, abs=1e-12)
