"""Tables where users put them: friction over speed, bearings, wires and roads."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from mbcore import (
    Body,
    Coupling,
    Equations,
    Friction,
    Hinge,
    Model,
    ModelError,
    Table,
    Table2D,
    Wheel,
    linearize,
    prismatic,
    simulate,
)
from mbcore.elements.wheels.surface import Surface
from mbcore.evaluation.evaluation import Evaluation

G = 9.81
HIGH, LONG = 0.05, 2.0
"""Height and length, m, of a road z = HIGH cos(x / LONG)."""


def waves(x: np.ndarray) -> np.ndarray:
    """Return the height of the road, m."""
    return HIGH * np.cos(x / LONG)


def test_a_force_over_speed_stops_a_block_when_it_should() -> None:
    """F = 2 + 3 v up to 1 m/s, m = 1.5 kg: v = (5 exp(-2 t) - 2) / 3, so that t = ln(2.5) / 2."""
    model = Model("block")
    place = model.point("place")
    model.add(Body("body", place, mass=1.5))
    place.y.fix()
    place.x.dof("x", "v", rate_start=1.0)
    law = Table([-1, -1e-9, 1e-9, 1], [-5, -2, 2, 5], units=("m/s", "N"), beyond="linear")
    place.x.law(law(place.x.rate))
    run = simulate(model.equations(), until=0.4, backend="python", rtol=1e-10, atol=1e-12)
    assert run["v"][-1] == pytest.approx((5 * np.exp(-0.8) - 2) / 3, abs=1e-9)


def test_a_coefficient_over_speed_is_taken_by_dry_friction() -> None:
    """Stribeck's curve: 0.2 at 0.1 m/s and 0.1 at 0.5 m/s, so 0.15 between them, less its g."""
    model = Model("slider", gravity=(0, -G))
    block = model.add(Body("block", model.point("place"), model.angle("turned"), mass=2, inertia=1))
    slide = prismatic("slide", model, block, axis=(1, 0))
    curve = Table([0, 0.1, 0.5], [0.3, 0.2, 0.1], beyond="hold", name="stribeck")
    speed = slide.displacement.dof("x", "v", rate_start=0.3).rate
    model.add(Friction("friction", slide, coefficient=curve(ca.fabs(speed)), static=0.3))
    point = Evaluation(model.equations())
    point.start({"v": 0.3})
    assert point.derivative()[0] == pytest.approx(-0.15 * G)


def test_a_bearing_that_stiffens_pushes_towards_its_centre() -> None:
    """At 3 and 4 mm from it, so 5 mm: 800 N, of which 3/5 are along x."""
    model = Model("bearing")
    shaft = model.point("shaft", (3e-3, 4e-3))
    model.add(Body("body", shaft, mass=2.0))
    force = Table([0, 4, 6, 9], [0, 0.4, 1.2, 4], units=("mm", "kN"), name="bearing")
    away = ca.sqrt(shaft.x.value**2 + shaft.y.value**2)
    for component in (shaft.x, shaft.y):
        component.dof()
        component.law(force(away) * component.value / away)
    point = Evaluation(model.equations())
    point.start()
    assert point.derivative()[:2] == pytest.approx([-240, -320])


def test_a_bead_on_a_wire_by_a_table_keeps_its_energy() -> None:
    """Position and velocity problem contain the table, inertia terms its second derivative."""
    x = np.linspace(-4, 4, 401)
    wire = Table(x, waves(x), interpolation="smooth", name="wire")
    model = Model("bead", gravity=(0, -G))
    bead = model.point("bead", (0, HIGH))
    model.add(Body("body", bead, mass=2.0))
    model.add(Coupling("wire", bead.y.value - wire(bead.x.value)))
    bead.x.dof("x", "v", rate_start=0.5)
    run = simulate(model.equations(), until=2.0, backend="python", rtol=1e-9, atol=1e-11)
    x = run["x"]
    slope = -HIGH / LONG * np.sin(x / LONG)
    energy = (1 + slope**2) * run["v"] ** 2 / 2 + G * waves(x)
    assert x[-1] > 1
    assert energy == pytest.approx(energy[0], abs=1e-7)


def disk(surface: Any) -> Equations:
    """Return a disk of 1 m and 1 kg that rolls upright along x from the top of a road."""
    model = Model("disk", gravity=(0, 0, -G))
    yawed, leaned, body = (model.rotation(name) for name in ("yawed", "leaned", "body"))
    centre, contact = model.point("centre", (0, 0, 1 + HIGH)), model.point("contact", (0, 0, HIGH))
    model.add(Hinge("yaw", model.ground, yawed, axis=(0, 0, 1))).angle.dof("yaw", "yaw.rate")
    model.add(Hinge("lean", yawed, leaned, axis=(1, 0, 0))).angle.dof("lean", "lean.rate")
    pitch = model.add(Hinge("pitch", leaned, body, axis=(0, 1, 0))).angle
    pitch.dof("pitch", "pitch.rate", rate_start=0.7)
    model.add(Wheel("wheel", centre, body, contact, radius=1.0, surface=surface))
    model.add(Body("disk", centre, body, mass=1.0, inertia=(1 / 4, 1 / 2, 1 / 4)))
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    return model.equations()


def test_a_road_of_straight_lines_is_refused() -> None:
    """Rolling needs a normal that does not jump; a quadratic spline has four numbers, too."""
    x = np.linspace(-3, 8, 12)
    lines = Table(x, waves(x), name="road")
    with pytest.raises(ModelError, match=r"wheel: its surface has corners at .* 'road'.*smooth"):
        disk(lambda place: place[2] - lines(place[0]))
    across = Table2D(x, [-2, 2], np.tile(waves(x)[:, None], 2), name="map")
    contact = Model("ball").point("contact", (0, 0, 0))
    for road in (lambda c: c[2] - lines(c[0]), lambda c: c[2] - across(c[0], c[1])):
        with pytest.raises(ModelError, match=r"ball: its surface has corners .*'(road|map)'"):
            Surface("ball", contact, road)
    quadratic = Table.of(make_interp_spline(x, waves(x), k=2), name="parabolas")
    Surface("ball", contact, lambda c: c[2] - quadratic(c[0]))


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["along x", "along x and y"])
def test_a_disk_rolls_on_a_road_by_a_table(kind: str) -> None:
    """From its energy 3/4 ω² + g z, with the centre's height z over the contact's tangent."""
    x, y = np.linspace(-3, 8, 551), np.linspace(-2, 2, 21)
    if kind == "along x":
        road = Table(x, waves(x), interpolation="smooth", units=("m", "m"), name="road")
        equations = disk(lambda place: place[2] - road(place[0]))
    else:
        heights = waves(x)[:, None] * np.cos(y)
        map_ = Table2D(x, y, heights, interpolation="smooth", name="road")
        equations = disk(lambda place: place[2] - map_(place[0], place[1]))
    run = simulate(equations, until=4.0, rtol=1e-9, atol=1e-11)
    x = run["x"]
    slope = -HIGH / LONG * np.sin(x / LONG)
    height = waves(x) + 1 / np.sqrt(1 + slope**2)
    assert x[-1] > 2
    energy = 3 / 4 * run["pitch.rate"] ** 2 + G * height
    assert energy == pytest.approx(energy[0], abs=2e-6)


def test_a_stiffness_by_a_table_is_that_of_small_vibrations() -> None:
    """A slope of 8 N/m at rest: eigenvalues ±2i for 2 kg."""
    model = Model("oscillator")
    mass = model.point("mass")
    model.add(Body("body", mass, mass=2.0))
    mass.y.fix()
    mass.x.dof("x", "v").spring(Table([-1, 0, 1], [-3, 0, 8], name="spring"))
    values = linearize(model.equations(), {"x": 0.0, "v": 0.0}).eigenvalues()
    assert sorted(values, key=lambda value: value.imag) == pytest.approx([-2j, 2j])
