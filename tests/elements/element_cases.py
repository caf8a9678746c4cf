"""One example of every element.

A new element is tested by adding a line to ``CASES``: ``test_elements.py`` holds it to rigid
motions, ``test_element_statements.py`` holds what it states to what follows by differentiation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation as Turn

from mbcore.elements import (
    Ball,
    Bearing,
    Belt,
    Body,
    ConvexBody,
    Element,
    GearPair,
    Hinge,
    KnifeEdge,
    PlanarBeam,
    PlanarHinge,
    PlanarKnifeEdge,
    PlanarWheel,
    RigidLink,
    Slide,
    SpatialBeam,
    ThickWheel,
    Truss,
    Wheel,
    ellipsoid,
)
from mbcore.elements.beams.beam_strains import Theory
from mbcore.elements.beams.section_spin import SectionSpin
from mbcore.elements.wheels.surface import horizontal_plane
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Angle, Point, Rotation

TILT = rotations.about((1, 2, -1), 0.7)


@dataclass(frozen=True)
class Case:
    """An element, the motions that may not matter to it, and its inertia at the start.

    ``motions`` is ``"space"``, ``"plane"``, ``"flat"`` (in space, within the plane z = 0) or
    ``"sphere"`` (about the origin). Angles in ``still`` are not angles in the plane of motion.
    ``inertia`` is about the centre of mass, one number or (3, 3).
    """

    build: Callable[[], Element]
    motions: str
    mass: float = 0.0
    centre: Sequence[float] = ()
    inertia: float | np.ndarray = 0.0
    still: tuple[str, ...] = field(default=())


class Latch(PlanarHinge):
    """A hinge that becomes stiff for good where it opens beyond 1 rad: it owns an event."""

    def make_quantities(self) -> None:
        super().make_quantities()
        assert self.model is not None
        caught = self.model.events.add(f"{self.name}.catches", self.angle.value - 1)
        self.angle.law(caught * self.angle.value)


def point(name: str, *start: float) -> Point:
    return Point(name, start)


def rod(mass: float, direction: Sequence[float], length: float, polar: float = 0.0) -> np.ndarray:
    """Inertia of a thin rod about its centre."""
    e = np.asarray(direction) / np.linalg.norm(direction)
    return mass * length**2 / 12 * (np.eye(3) - np.outer(e, e)) + polar * np.outer(e, e)


def planar_truss() -> Element:
    return Truss("truss", point("p", 0.2, 0.1), point("q", 1.2, 2.1), mass=3.0)


def spatial_truss() -> Element:
    return Truss("truss", point("p", 0, 0, 1), point("q", 1, 2, 3), mass=3.0)


def planar_body() -> Element:
    return Body("body", point("p", 1, 2), Angle("a", 0.0), mass=2.0, inertia=0.3, offset=(0.4, 0.5))


def spatial_body(moments: Sequence[float] = (0.3, 0.4, 0.5)) -> Element:
    place, turn = point("p", 1, 2, 3), Rotation("e", TILT)
    return Body("body", place, turn, mass=2, inertia=moments, offset=(0, 0, 0.6))


TENSOR = np.array([[0.5, 0.1, -0.05], [0.1, 0.4, 0.02], [-0.05, 0.02, 0.3]])


def oblique_body() -> Element:
    place, turn = point("p", 1, 2, 3), Rotation("e", TILT)
    offset = (0.2, -0.3, 0.6)
    return Body("body", place, turn, mass=2, inertia=ca.SX(ca.DM(TENSOR)), offset=offset)


def particle() -> Element:
    return Body("body", point("p", 1, 2, 3), mass=2.0)


def bearing() -> Element:
    sleeve, journal = point("sleeve", 0.1, 0.2), point("journal", 0.15, 0.3)
    return Bearing("bearing", sleeve, Angle("a", 0.4), journal, Angle("b"), direction=0.3)


def belt() -> Element:
    """Two turns on a drum p, and a free line to q."""
    p, q = point("p", 0, 0), point("q", 16.0, 12.0)
    return Belt(
        "belt",
        p,
        Angle("a", 0.4),
        q,
        Angle("b"),
        radius_p=12.0,
        radius_q=0.0,
        mass_per_length=2.0,
        wound_p=48 * np.pi,
    )


def elastic_belt() -> Element:
    """Crossed, two turns on p and one on q."""
    return Belt(
        "belt",
        point("p", 0, 0),
        Angle("a", 0.4),
        point("q", 16.0, 12.0),
        Angle("b"),
        radius_p=-5.0,
        radius_q=7.0,
        axial_stiffness=100.0,
        mass_per_length=2.0,
        wound_p=20 * np.pi,
        wound_q=14 * np.pi,
    )


def composite(
    parts: Sequence[tuple[float, Sequence[float], float]],
) -> tuple[float, np.ndarray, float]:
    """Mass, centre and inertia of parts given by mass, centre and radius of gyration squared."""
    masses, centres = np.array([m for m, _, _ in parts]), np.array([c for _, c, _ in parts])
    centre = masses @ centres / masses.sum()
    own = sum(m * k2 for m, _, k2 in parts)
    return masses.sum(), centre, float(own + masses @ ((centres - centre) ** 2).sum(axis=1))


def gear_pair() -> Element:
    p, q = point("p", 0.1, 0.2), point("q", 4.1, -2.8)
    arm, angle = Angle("arm", -0.4), np.pi / 4
    return GearPair("gear", p, Angle("a"), q, Angle("b"), ratio=1.5, pressure_angle=angle, arm=arm)


def planar_beam(theory: Theory = "besseling") -> Element:
    return PlanarBeam(
        "beam",
        point("p", 0.2, 0.1),
        Angle("a", 0.4),
        point("q", 1.2, 2.1),
        Angle("b", -0.9),
        mass_per_length=3.0,
        rotary_inertia=0.2,
        shear_factor=0.7,
        theory=theory,
    )


def flexible_planar_beam() -> Element:
    ends = (point("p", 0.2, 0.1), Angle("a", 0.4), point("q", 1.2, 2.1), Angle("b", -0.9))
    return PlanarBeam("beam", *ends, bending_stiffness=7.0, mass_per_length=3.0)


def planar_beam_of_one_section(theory: Theory = "besseling") -> Element:
    angle = Angle("a", 0.4)
    ends = (point("p", 0.2, 0.1), angle, point("q", 1.2, 2.1), angle)
    return PlanarBeam("beam", *ends, mass_per_length=3.0, rotary_inertia=0.2, theory=theory)


def spatial_beam(theory: Theory = "besseling", spin: SectionSpin = "linear") -> Element:
    return SpatialBeam(
        "beam",
        point("p", 0, 0, 1),
        Rotation("a", TILT),
        point("q", 2, 0, 1),
        Rotation("b"),
        mass_per_length=3.0,
        polar_inertia=0.5,
        rotary_inertia_y=0.2,
        rotary_inertia_z=0.3,
        shear_factor_y=0.7,
        theory=theory,
        spin=spin,
    )


def flexible_spatial_beam() -> Element:
    ends = (point("p", 0, 0, 1), Rotation("a", TILT), point("q", 2, 0, 1), Rotation("b"))
    return SpatialBeam(
        "beam", *ends, bending_stiffness_y=7.0, mass_per_length=3.0, polar_inertia=0.5
    )


def spatial_beam_of_one_section() -> Element:
    rotation = Rotation("a", TILT)
    ends = (point("p", 0, 0, 1), rotation, point("q", 2, 0, 1), rotation)
    return SpatialBeam("beam", *ends, mass_per_length=3.0, polar_inertia=0.5)


def planar_link() -> Element:
    return RigidLink("link", point("p", 0.2, 0.1), Angle("a", 0.4), point("q", 1.2, 2.1))


def spatial_link() -> Element:
    place, end = point("p", 0, 0, 1), point("q", 1, 2, 3)
    return RigidLink("link", place, Rotation("e", TILT), end, offset=(0.3, -0.2, 0.9))


def planar_slide() -> Element:
    place, end = point("p", 0.2, 0.1), point("q", 1.2, 2.1)
    return Slide("slide", place, Angle("a", 0.4), end, axis=(1, 2))


def spatial_slide() -> Element:
    place, end, axis = point("p", 0, 0, 1), point("q", 1, 2, 3), (1, 2, -2)
    return Slide("slide", place, Rotation("e", TILT), end, axis=axis, offset=(0.3, -0.2, 0.9))


def planar_wheel() -> Element:
    centre, heading, spin = point("centre", 0.1, 0.2), Angle("heading", 0.3), Angle("spin")
    return PlanarWheel("wheel", centre, heading, spin, radius=0.5, direction=0.2)


def wheel() -> Element:
    centre, contact = point("centre", 0.1, 0.2, 0.45), point("contact", 0.1, 0.4, 0.01)
    return Wheel("wheel", centre, Rotation("e", TILT), contact, radius=0.5)


FRAME = (point("origin", 0.3, -0.2, 0.1), Rotation("frame", rotations.about((0.3, -1, 2), 0.4)))
"""What a surface moves with."""


def bowl(c: ca.SX) -> ca.SX:
    """Inside a paraboloid."""
    return c[2] - (c[0] ** 2 + 2 * c[1] ** 2) / 20


def ball() -> Element:
    centre, contact = point("centre", 0.1, 0.2, 0.6), point("contact", 0.1, 0.4, 0.1)
    turn = Rotation("e", TILT)
    return Ball("ball", centre, turn, contact, radius=0.5, surface=bowl, frame=FRAME)


def thick_wheel(moving: bool) -> Element:
    centre, contact = point("centre", 0.1, 0.2, 0.45), point("contact", 0.1, 0.4, 0.01)
    return ThickWheel(
        "wheel",
        centre,
        Rotation("e", TILT),
        contact,
        radius=0.5,
        crown_radius=0.2,
        surface=bowl if moving else horizontal_plane,
        frame=FRAME if moving else None,
    )


def convex_body() -> Element:
    centre, contact = point("centre", 0.1, 0.2, 0.45), point("contact", 0.1, 0.4, 0.01)
    shape = ellipsoid((0.3, 0.5, 0.4))
    return ConvexBody("egg", centre, Rotation("e", TILT), contact, support=shape, frame=FRAME)


def knife_edge(moving: bool) -> Element:
    tip, turn = point("tip", 0.1, 0.2, 0.05), Rotation("e", TILT)
    surface, frame = (bowl, FRAME) if moving else (horizontal_plane, None)
    return KnifeEdge("blade", tip, turn, blade=(2, 1, 0), surface=surface, frame=frame)


def planar_knife_edge() -> Element:
    tip, heading = point("tip", 0.1, 0.2), Angle("heading", 0.3)
    return PlanarKnifeEdge("blade", tip, heading, direction=0.2)


def wheel_on_sphere() -> Element:
    centre, contact = point("centre", 0.1, 0.2, 2.4), point("contact", 0.1, 0.4, 2.0)

    def sphere(c: ca.SX) -> ca.SX:
        return ca.dot(c, c) - 4

    return Wheel("wheel", centre, Rotation("e", TILT), contact, radius=0.5, surface=sphere)


TURN = Turn.from_quat(TILT, scalar_first=True).as_matrix()
ROOT5 = 5**0.5
# Rings on the pulleys, and a rod of 16 m from a to b: the centre distance is 20 m, the radii
# differ by 12 m.
DRUM_WITH_LINE = composite([(96 * np.pi, (0, 0), 12**2), (32, (8, 12), 16**2 / 12)])
CROSSED_BELT = composite(
    [
        (40 * np.pi, (0, 0), 5**2),
        (28 * np.pi, (16, 12), 7**2),
        (32, ((4.8 + 9.28) / 2, (-1.4 + 13.96) / 2), 16**2 / 12),
    ]
)

CASES = {
    "planar truss": Case(planar_truss, "plane", 3.0, (0.7, 1.1), 3.0 * 5 / 12),
    "spatial truss": Case(spatial_truss, "space", 3.0, (0.5, 1, 2), rod(3.0, (1, 2, 2), 3)),
    "planar body": Case(planar_body, "plane", 2.0, (1.4, 2.5), 0.3),
    "spatial body": Case(
        spatial_body,
        "space",
        2.0,
        np.array([1, 2, 3]) + 0.6 * TURN[:, 2],
        TURN @ np.diag([0.3, 0.4, 0.5]) @ TURN.T,
    ),
    "body with an axis of symmetry": Case(
        lambda: spatial_body((0.3, 0.5, 0.3)),
        "space",
        2.0,
        np.array([1, 2, 3]) + 0.6 * TURN[:, 2],
        TURN @ np.diag([0.3, 0.5, 0.3]) @ TURN.T,
    ),
    "body with one moment about all axes": Case(
        lambda: spatial_body((0.4, 0.4, 0.4)),
        "space",
        2.0,
        np.array([1, 2, 3]) + 0.6 * TURN[:, 2],
        0.4 * np.eye(3),
    ),
    "oblique body": Case(
        oblique_body,
        "space",
        2.0,
        np.array([1, 2, 3]) + TURN @ [0.2, -0.3, 0.6],
        TURN @ TENSOR @ TURN.T,
    ),
    "particle": Case(particle, "space", 2.0, (1, 2, 3), np.zeros((3, 3))),
    "bearing": Case(bearing, "plane"),
    "belt": Case(belt, "plane", *DRUM_WITH_LINE),
    "elastic belt": Case(elastic_belt, "plane", *CROSSED_BELT),
    "gear pair": Case(gear_pair, "plane"),
    "planar hinge": Case(lambda: PlanarHinge("hinge", Angle("p", 0.3), Angle("q", 0.4)), "plane"),
    "hinge": Case(
        lambda: Hinge("hinge", Rotation("p"), Rotation("q", TILT), axis=(1, 1, 0)), "space"
    ),
    "planar beam": Case(
        planar_beam, "plane", 3 * ROOT5, (0.7, 1.1), 3 * ROOT5 * 5 / 12 + 0.2 * ROOT5
    ),
    "flexible planar beam": Case(
        flexible_planar_beam, "plane", 3 * ROOT5, (0.7, 1.1), 3 * ROOT5 * 5 / 12
    ),
    "planar beam of one section": Case(
        planar_beam_of_one_section,
        "plane",
        3 * ROOT5,
        (0.7, 1.1),
        3 * ROOT5 * 5 / 12 + 0.2 * ROOT5,
    ),
    "planar beam of one section after Reissner": Case(
        lambda: planar_beam_of_one_section("reissner"), "plane"
    ),
    "spatial beam": Case(
        spatial_beam,
        "space",
        6.0,
        (1, 0, 1),
        rod(6.0, (1, 0, 0), 2, polar=1.0) + np.diag([0, 0.4, 0.6]),
    ),
    "flexible spatial beam": Case(
        flexible_spatial_beam, "space", 6.0, (1, 0, 1), rod(6.0, (1, 0, 0), 2, polar=1.0)
    ),
    "spatial beam of one section": Case(
        spatial_beam_of_one_section, "space", 6.0, (1, 0, 1), rod(6.0, (1, 0, 0), 2, polar=1.0)
    ),
    "planar beam after Reissner": Case(lambda: planar_beam("reissner"), "plane"),
    "spatial beam after Reissner": Case(lambda: spatial_beam("reissner"), "space"),
    "spatial beam of consistent spin": Case(
        lambda: spatial_beam(spin="consistent"),
        "space",
        6.0,
        (1, 0, 1),
        rod(6.0, (1, 0, 0), 2, polar=1.0) + np.diag([0, 0.4, 0.6]),
    ),
    "planar rigid link": Case(planar_link, "plane"),
    "spatial rigid link": Case(spatial_link, "space"),
    "planar hinge with a rest position": Case(
        lambda: PlanarHinge("hinge", Angle("p", 0.3), Angle("q", 0.4), rest=0.7), "plane"
    ),
    "hinge with a rest position": Case(
        lambda: Hinge("hinge", Rotation("p"), Rotation("q"), axis=(1, 1, 0), rest=TILT), "space"
    ),
    "hinge with a latch": Case(lambda: Latch("latch", Angle("p"), Angle("q", 0.4)), "plane"),
    "planar slide": Case(planar_slide, "plane"),
    "spatial slide": Case(spatial_slide, "space"),
    "planar wheel": Case(planar_wheel, "plane", still=("spin",)),
    "wheel": Case(wheel, "flat"),
    "thick wheel": Case(lambda: thick_wheel(False), "flat"),
    "thick wheel in a moving bowl": Case(lambda: thick_wheel(True), "space"),
    "ball in a moving bowl": Case(ball, "space"),
    "convex body on a moving plane": Case(convex_body, "space"),
    "planar knife edge": Case(planar_knife_edge, "plane"),
    "knife edge": Case(lambda: knife_edge(False), "flat"),
    "knife edge in a moving bowl": Case(lambda: knife_edge(True), "space"),
    "wheel on a sphere": Case(wheel_on_sphere, "sphere"),
}
MASSIVE = [name for name, case in CASES.items() if case.mass]
