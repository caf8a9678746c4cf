"""Friction by forces that redundant supports share is refused; what is released makes them unique.

A planar four-bar in space has three states of self-stress: a force along its axes and two bending
moments. So its radial forces are unique, and those at the two ends of a pin are not.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from mbcore import Body, Friction, Model, RoleError, revolute
from mbcore.evaluation.evaluation import Evaluation

CORNERS = ((0.0, 0.0), (0.1, 0.3), (0.6, 0.4), (0.5, 0.0))


def four_bar(
    *, space: bool = True, size: float = 1.0, releases: tuple[str, ...] = (), **friction: float
) -> Model:
    """Three equal bars of 2 kg in a vertical plane, with friction in the pin of the crank."""
    model = Model("four-bar", gravity=(0, -9.81, 0) if space else (0, -9.81))
    corners = size * np.array([(*c, 0.0) if space else c for c in CORNERS])
    bodies: list[Body | Model] = [model]
    for name, p, q in zip(("crank", "rod", "rocker"), corners[:-1], corners[1:], strict=True):
        node = model.rotation(f"{name} turn") if space else model.angle(f"{name} turn")
        centre = model.point(f"{name} centre", tuple((p + q) / 2))
        inertia = tuple(0.02 * size**2 * np.ones(3)) if space else 0.02 * size**2
        bodies.append(model.add(Body(name, centre, node, mass=2.0, inertia=inertia)))
    joints = [
        revolute(name, one, other, at=tuple(at), axis=(0, 0, 1) if space else None)
        for name, one, other, at in zip("ABCD", bodies, [*bodies[1:], model], corners, strict=True)
    ]
    joints[0].angle.dof("angle", "rate", rate_start=2.0)
    pin = model.add(
        Friction(
            "rub",
            joints[0],
            radius=0.02 * size,
            coefficient=0.2,
            **{k: v * size for k, v in friction.items()},
        )
    )
    for name in releases:
        element, quantity = name.rsplit(".", 1)
        model.elements[element].deformations[quantity].release()
    model.output("load", pin.load)
    return model


def started(model: Model) -> tuple[float, float]:
    point = Evaluation(model.equations(roles="auto"))
    point.start()
    return float(point.derivative()[1]), float(point.output()[0])


@pytest.mark.heavy
def test_radial_forces_of_a_planar_four_bar_in_space_are_unique() -> None:
    """Out of its plane three constraints are too many; friction is that in the plane."""
    assert started(four_bar()) == pytest.approx(started(four_bar(space=False)), rel=1e-10)


@pytest.mark.heavy
@pytest.mark.parametrize("size", [1.0, 10.0])
def test_shared_bending_is_refused_and_what_is_released_helps(size: float) -> None:
    """Without bending in the other hinges and in the plane, both ends carry half the force."""
    with pytest.raises(RoleError, match=r"friction rub .*not unique.*hinge A.*release") as told:
        four_bar(size=size, span=0.05).equations(roles="auto")
    named = re.search(r"release\(\) of (.*), use joints", str(told.value))
    assert named is not None
    helped = four_bar(size=size, span=0.05, releases=tuple(named[1].split(", ")))
    assert started(helped) == pytest.approx(started(four_bar(size=size, space=False)), rel=1e-10)


def test_a_collar_on_a_shared_axial_force_is_refused() -> None:
    with pytest.raises(RoleError, match=r"friction rub .*not unique"):
        four_bar(collar=0.03).equations(roles="auto")
