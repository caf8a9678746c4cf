"""Terms of M, C and K against index formulas, closed forms and the identity of an eigenvalue."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Hinge, Linearization, Linearizer, Mode, Model, RigidLink, linearize
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.vibration import drive_shaft_model, rotor
from mbcore.fmus import bicycle
from mbcore.model.errors import ModelError
from tests.conftest import equations_of
from tests.linear.index_formulas import index_formulas
from tests.linear.test_linearize import CASES

LABELS = {"c1": "l", "x1": "l"}
"""Names of the index formulas that the text does not have."""


def at_random(name: str, motion: str) -> tuple[Linearizer, Evaluation, Linearization]:
    case = CASES[name]
    equations = equations_of(case.model)
    point = Evaluation(equations, case.parameters, case.inputs)
    random = np.random.default_rng(7)
    spread = {
        s.name: case.about.get(s.name, s.start) + case.spread * s.nominal * random.uniform(-1, 1)
        for s in equations.states
    }
    point.start(spread)
    linearizer = Linearizer(equations)
    return linearizer, point, linearizer.at_point(point, motion)


def error_of_sums(about: Linearization) -> float:
    """Return the error of the sums of M, C and K relative to the largest term of each."""
    found = about.contributions()
    whole = {"M": about.M, "C": about.C, "K": np.hstack([about.K_d, about.K_k])}
    errors = [0.0]
    for letter, matrix in whole.items():
        terms = list(getattr(found, letter).values())
        size = max(np.abs(term).max(initial=0.0) for term in terms)
        errors.append(np.abs(sum(terms) - matrix).max(initial=0.0) / (size or 1.0))
    return max(errors)


def assert_terms_of_the_text(
    about: Linearization, point: Evaluation, motion: str, damped: bool = False
) -> None:
    """Compare each term with its index formula.

    Where degrees of freedom are ``damped``, the text has parts of them in K^d1 and K^d2, which
    cancel since their rates are states; then the sum of both is compared.
    """
    texts, found = index_formulas(about.equations, point, motion), about.contributions()
    for letter, formulas, ours in (("C", texts.C, found.C), ("K", texts.K, found.K)):
        size = max(np.abs(term).max() for term in formulas.values())
        named = {f"{letter}^{LABELS.get(label, label)}": term for label, term in formulas.items()}
        mine = dict(ours)
        if damped and letter == "K":
            for terms in (named, mine):
                terms["K^d"] = terms.pop("K^d1") + terms.pop("K^d2")
        for name, term in named.items():
            assert np.abs(mine.get(name, np.zeros_like(term)) - term).max() <= 1e-14 * size, name


@pytest.mark.parametrize("motion", ["actual", "held"])
@pytest.mark.parametrize("name", ["swivel wheel", "rolling disk", "vehicle, lag", "driven sleigh"])
def test_terms_are_those_of_the_index_formulas(name: str, motion: str) -> None:
    # [Schwab2002] (A.114), (A.115), (A.116)
    _, point, about = at_random(name, motion)
    assert error_of_sums(about) <= 1e-14
    assert_terms_of_the_text(about, point, motion)


def test_sums_hold_where_motions_are_prescribed_by_rates() -> None:
    about = at_random("vehicle, speed law", "actual")[2]
    assert error_of_sums(about) <= 1e-14
    assert abs(about.contributions().M["M^p"]).max() > 100.0  # 1461 kg and 1722 kg in (40)


def test_sums_of_the_bicycle() -> None:
    riding = {"bicycle.speed": 5.0, "bicycle.lean_rate": 0.0}
    about = linearize(equations_of(bicycle.model), riding, backend="python")
    assert error_of_sums(about) <= 1e-14
    # Meijaard et al. (2007): C = v C_1 and K = g K_0 + v² K_2; weight gives K_0 alone
    slow = linearize(equations_of(bicycle.model), {**riding, "bicycle.speed": 2.5}, unsteady=True)
    fast, half = about.contributions(), slow.contributions()
    for name in ("C^g", "C^h"):
        assert fast.C[name] == pytest.approx(2 * half.C[name], rel=1e-9, abs=1e-9)
    for name in ("K^h1", "K^h2", "K^g2", "K^g3"):
        assert fast.K[name] == pytest.approx(4 * half.K[name], rel=1e-9, abs=1e-9)


@pytest.mark.heavy
def test_terms_of_the_bicycle_are_those_of_the_index_formulas() -> None:
    riding = {"bicycle.speed": 5.0, "bicycle.lean_rate": 0.3}
    riding |= {"bicycle.lean": 0.1, "bicycle.steer": 0.05}
    equations = equations_of(bicycle.model)
    about = linearize(equations, riding, backend="python", unsteady=True)
    point = Evaluation(equations)
    point.start(riding)
    assert_terms_of_the_text(about, point, "actual")


@pytest.mark.heavy
def test_sums_and_terms_of_the_drive_shaft() -> None:
    """[Schwab2002] 4.4.4: torque gives geometric stiffness, which is not symmetric there."""
    turning = {"input.speed": 500.0}
    equations = equations_of(drive_shaft_model.mechanism)
    about = linearize(equations, parameters=turning, time=1e-3, motion="held", backend="python")
    assert error_of_sums(about) <= 1e-14
    point = Evaluation(equations, turning)
    point.t[0] = 1e-3
    point.start(at_rest=True)
    assert_terms_of_the_text(about, point, "held", damped=True)


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:.*no FMU can have variables")
def test_speed_of_the_rotor_is_linear_in_C_and_quadratic_in_K() -> None:
    """[Schwab2002] 4.4.3 says so of the contributions."""
    equations = rotor.mechanism().equations()
    found = []
    for speed in (rotor.SPEED, 2 * rotor.SPEED):
        about = linearize(
            equations, parameters={"rotor.speed": speed}, motion="held", backend="python"
        )
        assert error_of_sums(about) <= 1e-14
        found.append(about.contributions())
    point = Evaluation(equations, {"rotor.speed": speed})
    point.start(at_rest=True)
    assert_terms_of_the_text(about, point, "held")
    slow, fast = found
    for matrix, factor in (("M", 1), ("C", 2), ("K", 4)):
        for name, term in getattr(slow, matrix).items():
            constant = name in ("K^s", "K^l")  # of the shaft, of the bearings
            expected = term if constant else factor * term
            size = np.abs(getattr(fast, matrix)[name]).max() + 1e-9 * np.abs(slow.K["K^s"]).max()
            assert np.abs(getattr(fast, matrix)[name] - expected).max() <= 1e-10 * size, name


SPEED, MASS, STIFFNESS, DAMPING = 3.0, 2.0, (50.0, 80.0), (1.5, 0.7)


def turning_mass(stiffness: tuple[float, float] = STIFFNESS) -> Linearization:
    """A mass on springs and dampers along axes that turn steadily; two degrees of freedom."""
    model = Model("turning mass")
    axes = model.rotation("axes")
    drive = model.add(Hinge("drive", model.ground, axes, axis=(0, 0, 1)))
    drive.angle.prescribe(SPEED * model.time)
    origin, centre = model.point("origin", (0, 0, 0), fixed=True), model.point("centre", (0, 0, 0))
    along = model.add(RigidLink("along", origin, axes, centre))
    for strain, k, c in zip((along.x, along.y), stiffness, DAMPING, strict=True):
        strain.dof(strain.name.replace(" ", "_"))
        strain.spring(k, c)
    model.add(Body("mass", centre, mass=MASS))
    return linearize(model.equations(), backend="python")


def test_coriolis_and_centrifugal_terms() -> None:
    """M = m I, C^g = 2 m Ω J, K^s = diag(k), and all other terms of K give -m Ω² I."""
    found = turning_mass().contributions()
    assert found.M["M^r"] == pytest.approx(MASS * np.eye(2), abs=1e-13)
    assert found.C["C^d"] == pytest.approx(np.diag(DAMPING), abs=1e-13)
    turned = 2 * MASS * SPEED * np.array([[0.0, -1.0], [1.0, 0.0]])
    assert found.C["C^g"] == pytest.approx(turned, abs=1e-12)
    assert found.C["C^h"] == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    assert found.K["K^s"] == pytest.approx(np.diag(STIFFNESS), abs=1e-12)
    others = sum(term for name, term in found.K.items() if name != "K^s")
    assert others == pytest.approx(-MASS * SPEED**2 * np.eye(2), abs=1e-12)


def test_table_has_all_terms_and_their_sum() -> None:
    pytest.importorskip("pandas", reason="the package pandas is not installed")
    about = turning_mass()
    found = about.contributions()
    table = found.to_pandas("K")
    assert table.loc["K^s"].to_numpy() == pytest.approx(np.diag(STIFFNESS), abs=1e-12)
    assert table.loc["sum"].to_numpy() == pytest.approx(np.hstack([about.K_d, about.K_k]))
    assert list(table.columns) == ["along.x", "along.y"]
    entries = found.to_pandas()
    of_C = entries[entries.matrix == "C"].groupby(["row", "column"]).value.sum()
    assert of_C["along.y_rate", "along.x_rate"] == pytest.approx(about.C[1, 0])
    assert "K^s" in repr(found) and "K^p" not in repr(found)


def test_part_of_a_spring_and_a_damper_in_an_eigenvalue() -> None:
    """For m λ² + c λ + k = 0: dλ/d ln k = -k / (2 m λ + c), and so on."""
    model = Model("oscillator")
    x = model.point("x", (0, 0, 0))
    x.y.fix(0), x.z.fix(0)
    x.x.dof("x")
    x.x.spring(50.0, 1.5)
    model.add(Body("mass", x, mass=2.0))
    about = linearize(model.equations(), backend="python")
    mode = about.modes()[0]
    value = mode.eigenvalue
    parts = about.contributions().parts(mode)
    below = 2 * 2.0 * value + 1.5
    assert parts["K^s"] == pytest.approx(-50.0 / below, rel=1e-10)
    assert parts["C^d"] == pytest.approx(-1.5 * value / below, rel=1e-10)
    assert parts["M^r"] == pytest.approx(-2.0 * value**2 / below, rel=1e-10)


@pytest.mark.parametrize("name", ["swivel wheel", "vehicle, lag"])
def test_parts_add_up_to_zero(name: str) -> None:
    """All terms times 1 + δ leave the motion as it is: wᵀ(λ²M + λC + K) v = 0."""
    about = at_random(name, "actual")[2]
    found = about.contributions()
    modes = [mode for mode in about.modes() if abs(mode.eigenvalue) > 1e-3]
    assert modes
    for mode in modes:
        parts = found.parts(mode)
        assert abs(sum(parts.values())) <= 1e-9 * max(abs(part) for part in parts.values())


def test_the_destabilizing_term_is_told_by_a_change_of_it() -> None:
    h = 1e-5
    about = turning_mass()
    mode = about.modes()[0]
    near = [turning_mass(tuple(k * (1 + s * h) for k in STIFFNESS)).modes() for s in (1, -1)]
    values = [
        min((m.eigenvalue for m in ms), key=lambda z: abs(z - mode.eigenvalue)) for ms in near
    ]
    change = (values[0] - values[1]) / (2 * h)
    assert about.contributions().parts(mode)["K^s"] == pytest.approx(change, rel=1e-7)


def test_pictures_say_what_they_show() -> None:
    pytest.importorskip("matplotlib", reason="the package matplotlib is not installed")
    about = turning_mass()
    found = about.contributions()
    axes = found.draw("C").axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()][-1] == "sum"
    assert len(axes.get_xticklabels()) == 4
    bars = found.draw_parts(about.modes()[0]).axes[0]
    lengths = {
        t.get_text(): p.get_width()
        for t, p in zip(bars.get_yticklabels(), bars.patches, strict=True)
    }
    parts = found.parts(about.modes()[0])
    assert lengths["$C^{d}$"] == pytest.approx(parts["C^d"].real)


def test_impossible_questions_are_refused_by_name() -> None:
    about = turning_mass()
    found = about.contributions()
    with pytest.raises(ModelError, match=r"matrix .k."):
        found.to_pandas("k")
    with pytest.raises(ModelError, match="is not an eigenvalue"):
        found.parts(Mode(1.0 + 0j, {}))
    model = Model("two alike")
    for name in "ab":
        x = model.point(name, (0, 0, 0))
        x.y.fix(0), x.z.fix(0)
        x.x.dof(name)
        x.x.spring(50.0)
        model.add(Body(f"mass {name}", x, mass=2.0))
    alike = linearize(model.equations(), backend="python")
    with pytest.raises(ModelError, match="multiple"):
        alike.contributions().parts(alike.modes()[0])
