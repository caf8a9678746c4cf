"""Values with their units in the constructors of all parts of a model, in vectors too."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    DryFriction,
    Friction,
    Model,
    ModelError,
    PlanarHinge,
    Slide,
    revolute,
    simulate,
)
from mbcore.contact import CoulombFriction, Flores, Impact, KelvinVoigt, Regularization
from mbcore.contact.hertz import stiffness
from mbcore.contact.journal_bearing import film
from mbcore.elements import (
    BrushTyre,
    CalspanTyre,
    LinearTyre,
    RigidLink,
)
from mbcore.elements.bodies.rigid_link import checked_offset


def model() -> Model:
    return Model("m", gravity=(0, "-9810 mm/s2"))


def hinged(kind: str, **friction: Any) -> DryFriction:
    made = model()
    p, q = made.point("p", (0, 0), fixed=True), made.point("q", (1, 0))
    bed, turned = made.angle("bed", fixed=True), made.angle("turned")
    slide = made.add(Slide("slide", p, bed, q, axis=(1, 0)))
    joint = slide if kind == "slide" else made.add(PlanarHinge("hinge", bed, turned))
    at = {} if kind == "slide" else {"at": p}
    return made.add(Friction("rubbing", joint, **at, **friction))


def test_friction() -> None:
    pin = hinged(
        "pin",
        radius="12 mm",
        coefficient="30 %",
        static="0.4 1",
        viscous="5 N.mm.s/rad",
        preload="2 N.cm",
    )
    found = [float(x) for x in (pin.radius, pin.coefficient, pin.static, pin.viscous, pin.preload)]
    assert found == pytest.approx([0.012, 0.3, 0.4, 5e-3, 0.02], rel=1e-15)
    slide = hinged("slide", coefficient=0.1, viscous="2 kN.s/m", preload="3 kN")
    assert [float(slide.viscous), float(slide.preload)] == [2000.0, 3000.0]


def test_vectors() -> None:
    made = model()
    assert made.gravity is not None
    assert [float(x) for x in ca.vertsplit(made.gravity)] == pytest.approx([0, -9.81], rel=1e-15)
    p, a = made.point("p", ("40 cm", 0)), made.angle("a", "90 deg")
    body = made.add(Body("b", p, a, mass="2000 g", inertia="1 kg.dm2", offset=("40 cm", 0)))
    assert np.array(ca.DM(body.offset)).ravel() == pytest.approx([0.4, 0], rel=1e-15)
    tip = body.point("tip", ("1 mm", "2 mm"))
    assert np.array(ca.DM(tip.start)).ravel() == pytest.approx([0.398, 0.001], rel=1e-13)
    turned = made.angle("turned")
    link = RigidLink("l", p, turned, made.point("end", (1.4, 0)), offset=("1 m", 0))
    assert np.array(ca.DM(link.offset)).ravel() == pytest.approx([1, 0])


def test_bodies_and_joints_in_space() -> None:
    made = Model("space")
    centre, turned = made.point("p", (0, 0, "1 m")), made.rotation("r")
    moments = ("1 kg.m2", "200 kg.dm2", 2)
    body = made.add(Body("b", centre, turned, mass="1 t", inertia=moments))
    assert np.diag(np.array(ca.DM(body.inertia))) == pytest.approx([1, 2, 2], rel=1e-15)
    joint = revolute("j", made, body, at=("0 m", 0, "1 m"), axis=(0, 0, 1))
    joint.angle.dof("angle", "rate", rate_start="30 rpm")
    assert simulate(made.equations(), "1 s").final("angle") == pytest.approx(pi, rel=1e-9)


def test_loads_and_laws() -> None:
    made = model()
    q = made.point("q", (0, 0))
    made.add(Body("b", q, mass="1 kg"))
    q.x.dof("x")
    q.y.prescribe("2 cm")
    made.force(q, ("2 N", "1 N"))
    q.x.law("0.5 N")
    assert float(q.y.target) == 0.02
    assert simulate(made.equations(), "2 s").final("x") == pytest.approx(3.0, rel=1e-9)


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (KelvinVoigt("1 kN/mm", "2 N.s/mm"), {"stiffness": 1e6, "damping": 2e3}),
        (CoulombFriction("30 %", "1 cm/s"), {"coefficient": 0.3, "speed": 0.01}),
        (Impact("50 %", "1 us"), {"restitution": 0.5, "settling_time": 1e-6}),
        (Flores(1e9, "80 %"), {"restitution": 0.8}),
        (Regularization("1 kN/m", "2 N.s/m", 1e-3), {"stiffness": 1e3, "damping": 2.0}),
        (LinearTyre("8 kN/deg", trail="3 cm"), {"cornering_stiffness": 1.44e6 / pi, "trail": 0.03}),
        (
            BrushTyre("80 %", "80 kN/rad", lateral_relaxation="30 cm"),
            {"friction": 0.8, "cornering_stiffness": 8e4, "lateral_relaxation": 0.3},
        ),
        (
            CalspanTyre(A0="2 kN", Omega="90 %", B1="-1 1/MN"),
            {"A0": 2e3, "Omega": 0.9, "B1": -1e-6},
        ),
    ],
    ids=lambda given: type(given).__name__,
)
def test_records(made: object, values: dict[str, float]) -> None:
    for name, value in values.items():
        assert getattr(made, name) == pytest.approx(value, rel=1e-14)


def test_functions() -> None:
    given = stiffness("1 cm", "20 mm", "200 GPa", "30 %")
    assert given == pytest.approx(stiffness(0.01, 0.02, 2e11, 0.3), rel=1e-14)
    sizes = {"radius": "2 cm", "clearance": "40 um", "length": "2 cm", "viscosity": "7 mPa.s"}
    plain = dict(zip(sizes, (0.02, 4e-5, 0.02, 7e-3), strict=True))
    here, there = (
        film(x, (0, 0), pace, **size)  # type: ignore[arg-type]
        for x, pace, size in ((("10 um", 0), "90 rpm", sizes), ((1e-5, 0), 3 * pi, plain))
    )
    assert float(here.moment) == pytest.approx(float(there.moment), rel=1e-14)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Model("x", gravity=("1 m", 0)), "gravity\\[0\\] is an acceleration"),
        (lambda: Model("x", gravity=("-9.81", 0)), "or a text with its unit, as in '1 m/s2'"),
        (lambda: KelvinVoigt("1 kN"), "stiffness is a stiffness .N/m.; '1 kN' is a force"),
        (lambda: hinged("pin", radius=1, coefficient="3 N"), "coefficient is a number"),
        (lambda: hinged("slide", coefficient=0, viscous="1 N.m.s/rad"), "viscous is a damping"),
        (lambda: checked_offset("x", ("1 kg", 0), model().angle("a")), "offset.0. is a length"),
    ],
)
def test_other_quantities_are_refused(make: Callable[[], object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        make()
