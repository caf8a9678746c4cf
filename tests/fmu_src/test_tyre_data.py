"""Tyres of any law for a vehicle: radii, sides and roads, from closed forms."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    ROAD_CAR_TYRE,
    BrushTyre,
    CalspanTyre,
    LinearTyre,
    MagicFormula,
    ModelError,
    TyreContact,
    TyreForces,
    TyreLaw,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import car, iltis
from mbcore.fmus.car.documentation import DOCUMENTATION as CAR_PAGE
from mbcore.fmus.iltis.data import CORNERS
from mbcore.fmus.iltis.documentation import FILE as ILTIS_TYRES
from mbcore.fmus.tyre_data import TyreData, tyre_data
from mbcore.fmus.tyre_words import with_words_of

STIFFNESS = 2e5
LINEAR = LinearTyre(6e4, 0.0, 8e4, 0.03, 0.3, 0.5)
BRUSH = BrushTyre(1.0, 6e4, 0.0, 8e4, 0.03, 0.3, 0.5)


def tyre(law: TyreLaw) -> TyreData:
    return TyreData(type(law).__name__, law, 0.316, 0.2, STIFFNESS, 50.0)


def acting(law: TyreLaw, ratio: float, angle: float, load: float = 4000.0) -> list[float]:
    """Return F_x, F_y and M_z."""
    at = TyreContact(ca.SX(angle), ca.SX(ratio), ca.SX(0), ca.SX(load), ca.SX(1))
    given: TyreForces = law.forces(at)
    return [float(ca.evalf(f)) for f in (given.longitudinal, given.lateral, given.aligning_moment)]


def test_a_law_without_spring_stands_on_the_given_one() -> None:
    loaded, rolling = tyre(LINEAR).rolling(3000.0, 20.0)
    assert loaded == rolling == pytest.approx(0.316 - 3000.0 / STIFFNESS, rel=1e-12)
    with pytest.raises(ModelError, match="LinearTyre: the tyre is pressed to its rim"):
        tyre(LINEAR).rolling(30e3, 20.0)
    with pytest.raises(ModelError, match="has no radial spring of its own; give radial_stiffness"):
        replace(tyre(BRUSH), radial_stiffness=None).rolling(3000.0, 20.0)


@pytest.mark.parametrize("wrong", ["BOTTOM_OFFST = 0.5", "Q_RE0 = 2"])
def test_a_tyre_that_carries_the_car_too_high_is_refused(tmp_path: Path, wrong: str) -> None:
    key, text = wrong.split()[0], Path(ROAD_CAR_TYRE).read_text()
    file = tmp_path / "high.tir"
    file.write_text(re.sub(rf"(?m)^{key} = \S+", wrong, text))
    with pytest.raises(ModelError, match=r"high.tir: at 20 m/s the tyre carries more .* 0.379 m"):
        tyre_data(file).rolling(3000.0, 20.0)


@pytest.mark.parametrize("page", [CAR_PAGE, ILTIS_TYRES], ids=["car", "iltis"])
def test_pages_name_the_law_that_the_tyres_have(page: str) -> None:
    brush = with_words_of(page, tyre(BRUSH))
    assert "those of the law <tt>BrushTyre</tt>" in brush
    assert not any(word in brush for word in ("Magic", "THE_", "IF_FILE", "END_FILE", "ranges"))
    for limits, words in (
        ("hold", "are held at their ends"),
        ("free", "are taken as they are"),
        ("refuse", "leaves the file's ranges is refused"),
    ):
        measured = with_words_of(page, tyre_data(limits=limits))  # type: ignore[arg-type]
        assert "file <tt>road_car.tir</tt>, by the Magic Formula 6.2" in measured
        assert words in measured and "THE_" not in measured and "_FILE" not in measured


def test_roads_scale_the_friction_of_a_law() -> None:
    """A brush slides at μ F on any road, keeps its stiffness, and has no force without friction."""
    icy = tyre(BRUSH).law(1, ca.SX(0.3))
    assert acting(icy, 0, 1.0) == pytest.approx([0, -0.3 * 4000, 0], abs=1e-9)
    assert acting(icy, 0, 1e-9)[1] == pytest.approx(-6e-5, rel=1e-6)
    bare = tyre(BRUSH).law(1, ca.SX(0))
    for ratio, angle in ((0.0, 0.0), (0.1, 0.0), (0.0, -0.1), (1e-12, 1e-12)):
        assert acting(bare, ratio, angle) == pytest.approx([0, 0, 0], abs=1e-8)
    assert np.isnan(acting(BRUSH, 0, 0.1, load=np.nan)[1])
    assert acting(tyre(LINEAR).law(-1, ca.SX(0.3)), 0, 0.1) == acting(LINEAR, 0, 0.1)
    with pytest.raises(
        ModelError, match=r"CalspanTyre does not define .* on_road\(friction\) method"
    ):
        tyre(CalspanTyre()).law(1, ca.SX(1))
    measured = MagicFormula.from_tir(ROAD_CAR_TYRE, side="left")
    for law in (LINEAR, BRUSH, measured):
        with pytest.raises(ModelError, match=r"on_road: friction = -1 must not be negative"):
            law.on_road(-1)
        with pytest.raises(ModelError, match=r"on_road: friction = nan is not a number"):
            law.on_road(np.nan)


def test_sides_and_margins_are_those_of_the_law() -> None:
    left = MagicFormula.from_tir(ROAD_CAR_TYRE, side="left")
    right = MagicFormula.from_tir(ROAD_CAR_TYRE, side="right")
    found = acting(TyreData("file", left, 0.316, 0.2).law(-1, ca.SX(1)), 0.05, 0.02)
    assert found == pytest.approx(acting(right, 0.05, 0.02), rel=1e-14)
    at = TyreContact(ca.SX(0.5), ca.SX(0), ca.SX(0), ca.SX(9000.0), ca.SX(1))
    margin = left.margin(at)
    assert margin is not None
    assert float(ca.evalf(margin)) == pytest.approx((9500 - 9000) / 9500)  # FZMAX is the nearest
    assert BRUSH.margin(at) is None
    assert replace(left, ranges={}).margin(at) is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"radius": -0.3}, r"tyre LinearTyre: radius = -0.3 m must be greater than 0"),
        ({"rim": 0.4}, r"rim = 0.4 m must be .*less than 0.316"),
        ({"radial_stiffness": 0.0}, r"radial_stiffness = 0 N/m must be greater than 0"),
        ({"radial_damping": -1.0}, r"radial_damping = -1 N.s/m must not be negative"),
        ({"left": "my.tir"}, r"left is 'my.tir'; give a law"),
    ],
)
def test_wrong_numbers_are_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        replace(tyre(LINEAR), **changed)  # type: ignore[arg-type]


def test_a_given_law_has_its_own_limits() -> None:
    given = tyre(BRUSH)
    assert tyre_data(given) is given
    with pytest.raises(ModelError, match="limits='refuse' is for a property file"):
        tyre_data(given, "refuse")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (LINEAR, r"tyre is a LinearTyre; give the path of a property file \(.tir\), or TyreData"),
        (42, r"tyre is 42; give the path"),
        (b"my.tir", r"tyre is b'my.tir'; give the path"),
        ("", r"tyre property file '.' cannot be read"),
    ],
)
def test_what_is_no_tyre_is_named(given: Any, message: str) -> None:
    for define in (tyre_data, car.model, iltis.model):
        with pytest.raises(ModelError, match=message):
            define(given)


@pytest.mark.heavy
@pytest.mark.parametrize("law", [LINEAR, BRUSH], ids=["linear", "brush"])
def test_the_iltis_stands_on_any_law(law: TyreLaw) -> None:
    """Its springs of k carry the weight of the vehicle, 1513.4 kg.

    An ILTIS on other tyres has equations of its own, which take five seconds to make.
    """
    model = iltis.model(TyreData("law", law, 0.364, 0.2, 4.6e5))
    point = Evaluation(model.equations())
    point.start()
    outputs = [output.name for output in point.equations.outputs]
    found = dict(zip(outputs, (float(y) for y in point.output()), strict=True))
    loads = [found[f"{wheel}.load"] for wheel in CORNERS]
    assert sum(loads) == pytest.approx((1260 + 4 * (6 + 57.35)) * 9.81, rel=1e-3)


@pytest.mark.heavy
@pytest.mark.parametrize("law", [LINEAR, BRUSH], ids=["linear", "brush"])
def test_the_car_stands_on_any_law(law: TyreLaw) -> None:
    """Steered by δ, a tyre of the linear law has the side force C δ and the moment -t C δ."""
    point = Evaluation(car.model(tyre(law)).equations(), parameters={"tyres.transient": 2})
    point.start({"steering.angle": 0.01})
    outputs = [output.name for output in point.equations.outputs]
    found = dict(zip(outputs, (float(y) for y in point.output()), strict=True))
    assert found["rear_left.force_y"] == pytest.approx(0, abs=1e-6)
    load, angle = found["front_left.load"], found["front_left.slip_angle"]
    assert angle == pytest.approx(-0.01, rel=0.01)  # Ackermann's is that of the inner wheel
    share = 6e4 * abs(angle) / load if law is BRUSH else 0.0
    expected = -6e4 * angle * (1 - share / 3 + share**2 / 27)
    # the wheels, turned without their spin, have some longitudinal slip, of second order
    assert found["front_left.force_y"] == pytest.approx(expected, rel=1e-5)
    moment = -0.03 * -6e4 * angle * (1 - share / 3) ** 3
    assert found["front_left.moment_z"] == pytest.approx(moment, rel=1e-5)
    assert found["front_left.in_range"] == 1
    assert np.isfinite(point.derivative()).all()
