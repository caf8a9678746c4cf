"""Pictures of the shipped FMUs' models, and what hides elements and says what is up."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Model, ModelError, Truss
from mbcore.drawing import dot
from mbcore.drawing.ends import ends_of
from mbcore.drawing.layout import Parts
from mbcore.drawing.scene import Picture
from tests.shipped import SHIPPED, each


def start(name: str) -> Picture:
    return SHIPPED[name].picture


@pytest.mark.parametrize("name", each())
def test_every_model_has_a_picture_of_reasonable_size(name: str) -> None:
    picture = start(name)
    parts = Parts(picture.description, picture.numbers)
    assert np.isfinite(parts.reach()).all()
    kinds = {shape["kind"] for shape, _ in parts.all}
    assert kinds & {"disc", "tube", "box"}
    assert 0.02 < picture.description["size"] < 20


@pytest.mark.parametrize(
    "name", ["bicycle", "car", pytest.param("iltis", marks=pytest.mark.heavy), "vehicle"]
)
def test_wheels_stand_on_the_ground(name: str) -> None:
    picture = start(name)
    parts = Parts(picture.description, picture.numbers)
    (ground,) = parts.grounds()
    wheels = [
        n for shape, n in parts.of("disc") if "wheel" in shape["name"] or name in ("bicycle", "car")
    ]
    assert len(wheels) >= 2
    for n in wheels:
        lowest = ends_of("disc", {}, n)[:, 2].min()
        assert lowest == pytest.approx(ground[0, 2], abs=0.02)  # drawn without load


def test_the_flexible_caster_is_drawn_with_its_wheel_below() -> None:
    assert start("caster_flexible").description["up"] == [0, 0, -1]


def test_what_is_not_visible_is_left_out_and_equations_stay() -> None:
    model = Model("bars")
    p, q, r = (model.point(name, (x, 0)) for name, x in (("p", 0), ("q", 1), ("r", 2)))
    p.fix()
    hidden = model.add(Truss("hidden", p, q))
    model.add(Truss("seen", q, r))
    for coordinate in (q.y, r.y):
        coordinate.dof(coordinate.name, f"{coordinate.name}'")
    equations = model.equations()
    hidden.visible = False
    names = [shape["name"] for shape in equations.scene().description["shapes"]]
    assert "seen" in names and "hidden" not in names
    equations.refuse_stale()


def test_an_impossible_direction_of_up_is_refused() -> None:
    model = Model("lost")
    model.show(dot((0, 0, 1)))
    model.upwards = (0, 0, 0)
    with pytest.raises(ModelError, match="upwards"):
        _ = model.scene().description
