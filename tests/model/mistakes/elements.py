"""Joints, wheels, beams, belts and gears."""

from __future__ import annotations

from mbcore import (
    Bearing,
    Belt,
    GearPair,
    Hinge,
    PlanarBeam,
    PlanarHinge,
    PlanarWheel,
    RigidLink,
    SpatialBeam,
    Wheel,
)
from mbcore.elements import Slide

from .case import INF, NAN, wrong


def hinge(**arguments):
    return lambda m: Hinge("h", m.R, m.S, **arguments)


def wheel(**arguments):
    return lambda m: Wheel("w", m.P, m.R, m.K, **{"radius": 1.0, **arguments})


def upright(**arguments):
    return lambda m: PlanarWheel("w", m.p, m.a, m.b, **{"radius": 1.0, **arguments})


def beam(**arguments):
    return lambda m: PlanarBeam("rod", m.p, m.a, m.q, m.b, **arguments)


def spatial(**arguments):
    return lambda m: SpatialBeam("rod", m.P, m.R, m.Q, m.S, **arguments)


def belt(**arguments):
    radii = {"radius_p": 0.1, "radius_q": 0.1}
    return lambda m: Belt("b", m.p, m.a, m.q, m.b, **{**radii, **arguments})


def late_wheel(m, height):
    """Make the equations of a wheel whose start depends on a parameter."""
    start = m.space.parameter("height", height)
    centre = m.space.point("C", (0, 0, start))
    m.space.add(Wheel("w", centre, m.R, m.K, radius=1))
    return m.space.equations(roles="auto")


TABLE = {
    "hinge of angles": wrong(lambda m: Hinge("h", m.a, m.b), "hinge h: a and b", "PlanarHinge"),
    "hinge axis of two": wrong(hinge(axis=(0, 1)), "hinge h: axis = (0, 1)", "3", "got 2"),
    "hinge axis of four": wrong(hinge(axis=(0, 1, 0, 0)), "hinge h: axis", "3", "got 4"),
    "hinge axis as letter": wrong(hinge(axis="z"), "hinge h: axis = 'z'", "(0, 0, 1)"),
    "hinge axis as number": wrong(hinge(axis=1.0), "hinge h: axis = 1.0", "3 components"),
    "hinge axis NaN": wrong(hinge(axis=(0, NAN, 1)), "hinge h: axis[1] = nan", "not a number"),
    "hinge axis infinite": wrong(hinge(axis=(0, INF, 1)), "hinge h: axis[1] = inf", "finite"),
    "hinge axis zero": wrong(hinge(axis=(0, 0, 0)), "hinge h: the axis", "no direction", "give"),
    "hinge axis as expression": wrong(
        lambda m: Hinge("h", m.R, m.S, axis=(0, 0, m.space.parameter("c", 1.0))),
        "h: axis",
        "numbers",
    ),
    "left-handed frame": wrong(
        hinge(frame=[[1, 0, 0], [0, 1, 0], [0, 0, -1]]), "hinge h: its frame", "right-handed"
    ),
    "frame of two columns": wrong(hinge(frame=[[1, 0], [0, 1]]), "hinge h: its frame", "three"),
    "frame as text": wrong(hinge(frame="xyz"), "hinge h: frame = 'xyz'", "give"),
    "rest of three": wrong(hinge(rest=(1, 0, 0)), "hinge h: its rest", "four", "give"),
    "rest as text": wrong(hinge(rest="none"), "hinge h: rest = 'none'", "give"),
    "angle in a spatial hinge": wrong(
        lambda m: Hinge("h", m.a, m.S), "hinge h: p is <angle a>", "give a rotation"
    ),
    "point in a hinge": wrong(
        lambda m: Hinge("h", m.R, m.P), "hinge h: q is <point P>", "give a rotation"
    ),
    "hinge of one rotation": wrong(lambda m: Hinge("h", m.R, m.R), "hinge h", "both R", "two"),
    "rotation in a planar hinge": wrong(
        lambda m: PlanarHinge("h", m.a, m.R), "hinge h: q is <rotation R>", "give an angle"
    ),
    "planar hinge of one angle": wrong(lambda m: PlanarHinge("h", m.a, m.a), "h", "both a", "two"),
    "planar hinge, NaN at rest": wrong(
        lambda m: PlanarHinge("h", m.a, m.b, rest=NAN), "hinge h: rest = nan rad", "not a number"
    ),
    "wheel without radius": wrong(wheel(radius=0), "wheel w: radius = 0 m", "greater than 0"),
    "wheel of negative radius": wrong(
        wheel(radius=-1), "wheel w: radius = -1 m", "greater", "give"
    ),
    "wheel of infinite radius": wrong(wheel(radius=INF), "wheel w: radius = inf m", "finite"),
    "wheel radius as text": wrong(wheel(radius="1"), "wheel w: radius = '1'", "give a number"),
    "wheel radius missing": wrong(wheel(radius=None), "wheel w: radius = None", "give a number"),
    "wheel axle of two": wrong(wheel(axle=(0, 1)), "wheel w: axle = (0, 1)", "3", "got 2"),
    "wheel axle zero": wrong(wheel(axle=(0, 0, 0)), "wheel w: the axle", "no direction"),
    "wheel lies flat": wrong(wheel(axle=(0, 0, 1)), "wheel w", "lies flat", "start it upright"),
    "wheel in the plane": wrong(
        lambda m: Wheel("w", m.p, m.R, m.K, radius=1),
        "wheel w",
        "spatial",
        "p (given as centre) has 2",
    ),
    "wheel on an angle": wrong(
        lambda m: Wheel("w", m.P, m.a, m.K, radius=1), "wheel w: rotation is <angle a>", "rotation"
    ),
    "wheel below ground": wrong(
        lambda m: Wheel("w", m.space.point("C", (0, 0, -1)), m.R, m.K, radius=1),
        "wheel w: its centre C starts below the surface",
        "-1",
        "start it on the side",
    ),
    "wheel below ground by a parameter": wrong(
        lambda m: late_wheel(m, -1.0), "wheel w: its centre C starts below", "parameters at their"
    ),
    "wheel in its contact point": wrong(
        lambda m: Wheel("w", m.K, m.R, m.K, radius=1), "wheel w: K and K", "one place", "radius"
    ),
    "surface as number": wrong(wheel(surface=0.0), "wheel w: surface is 0.0", "function"),
    "surface without place": wrong(wheel(surface=lambda c: 0), "wheel w", "does not depend"),
    "surface of three": wrong(wheel(surface=lambda c: c), "wheel w: surface(place) = [", "has 3"),
    "planar wheel, radius zero": wrong(upright(radius=0), "wheel w: radius = 0 m", "greater"),
    "planar wheel, radius negative": wrong(upright(radius=-2), "wheel w: radius = -2 m", "greater"),
    "planar wheel, direction NaN": wrong(upright(direction=NAN), "wheel w: direction = nan rad"),
    "planar wheel in space": wrong(
        lambda m: PlanarWheel("w", m.P, m.a, m.b, radius=1), "wheel w", "P must be planar", "two"
    ),
    "planar wheel, nodes swapped": wrong(
        lambda m: PlanarWheel("w", m.a, m.p, m.b, radius=1), "wheel w: centre is <angle a>", "point"
    ),
    "bearing in space": wrong(
        lambda m: Bearing("j", m.p, m.a, m.P, m.b),
        "bearing j",
        "planar",
        "P (given as journal) has 3",
    ),
    "bearing, nodes swapped": wrong(
        lambda m: Bearing("j", m.p, m.q, m.a, m.b), "bearing j: journal is <angle a>", "point"
    ),
    "bearing, direction as text": wrong(
        lambda m: Bearing("j", m.p, m.a, m.q, m.b, direction="x"), "bearing j: direction = 'x'"
    ),
    "link, nodes swapped": wrong(
        lambda m: RigidLink("l", m.p, m.q, m.a), "rigid link l: orientation is <point q>", "give"
    ),
    "link of two spaces": wrong(
        lambda m: RigidLink("l", m.p, m.a, m.P), "rigid link l", "P is spatial", "give"
    ),
    "link, offset as number": wrong(
        lambda m: RigidLink("l", m.p, m.a, m.q, offset=1.0), "rigid link l: its offset is 1.0", "2"
    ),
    "slide without direction": wrong(
        lambda m: Slide("s", m.p, m.a, m.q, axis=(0, 0)),
        "slide s: its axis is (0, 0)",
        "not all of them zero",
    ),
    "slide, axis as text": wrong(lambda m: Slide("s", m.p, m.a, m.q, axis="x"), "slide s", "axis"),
    "beam, negative stiffness": wrong(
        beam(bending_stiffness=-1), "beam rod: bending_stiffness = -1 N.m2", "not be negative"
    ),
    "beam, NaN stiffness": wrong(beam(axial_stiffness=NAN), "beam rod: axial_stiffness = nan N"),
    "beam, negative damping": wrong(beam(damping=-1), "beam rod: damping = -1 s", "negative"),
    "beam, negative mass": wrong(
        beam(mass_per_length=-1), "beam rod: mass_per_length = -1 kg/m", "not be negative"
    ),
    "beam, infinite inertia": wrong(
        beam(rotary_inertia=INF), "rotary_inertia = inf kg.m", "finite"
    ),
    "beam, no length": wrong(beam(rest_length=0), "beam rod: rest_length = 0 m", "greater than 0"),
    "beam, a length of minus zero": wrong(
        beam(rest_length=-0.0), "beam rod: rest_length = 0 m must be greater than 0"
    ),
    "beam, text as length": wrong(beam(rest_length="1"), "beam rod: rest_length = '1'", "give"),
    "beam, kind of elongation": wrong(beam(elongation="line"), "beam rod", '"arc"', "'line'"),
    "beam, nodes swapped": wrong(
        lambda m: PlanarBeam("rod", m.p, m.q, m.a, m.b), "beam rod: q is <angle a>", "give a point"
    ),
    "beam in space": wrong(
        lambda m: PlanarBeam("rod", m.P, m.a, m.Q, m.b),
        "beam rod: P and Q must both be planar, but P (given as p) has 3 coordinates; give it two",
    ),
    "spatial beam in the plane": wrong(
        lambda m: SpatialBeam("rod", m.p, m.R, m.q, m.S), "p and q must both be spatial", "three"
    ),
    "spatial beam with angles": wrong(
        lambda m: SpatialBeam("rod", m.P, m.a, m.Q, m.b), "rod: p_rotation is <angle a>", "rotation"
    ),
    "spatial beam, y axis of two": wrong(spatial(y_axis=(0, 1)), "beam rod: y_axis", "3", "got 2"),
    "spatial beam, y axis along": wrong(spatial(y_axis=(1, 0, 0)), "rod: its y_axis", "across"),
    "spatial beam, negative torsion": wrong(
        spatial(torsional_stiffness=-3), "torsional_stiffness = -3 N.m2", "not be negative"
    ),
    "spatial beam, negative shear": wrong(spatial(shear_factor_z=-1), "shear_factor_z = -1"),
    "spatial beam, no polar inertia": wrong(spatial(mass_per_length=1), "needs its polar_inertia"),
    "belt, NaN radius": wrong(belt(radius_p=NAN), "belt b: radius_p = nan m", "not a number"),
    "belt, text as radius": wrong(belt(radius_q="r"), "belt b: radius_q = 'r'", "give"),
    "belt, negative stiffness": wrong(
        belt(axial_stiffness=-1), "axial_stiffness = -1 N", "negative"
    ),
    "belt, negative wound length": wrong(belt(wound_p=-1), "belt b: wound_p = -1 m", "negative"),
    "belt, a centre in space": wrong(
        lambda m: Belt(
            "b", m.p, m.a, m.plane.point("hub", (1, 0, 0)), m.b, radius_p=0.1, radius_q=0.1
        ),
        "belt b: p and hub must both be planar, but hub (given as q) has 3 "
        "coordinates; give it two",
    ),
    "belt, pulley inside": wrong(belt(radius_p=3.0), "belt b", "inside the other", "apart"),
    "belt, point as arm": wrong(
        lambda m: Belt("b", m.p, m.a, m.q, m.b, radius_p=0.1, radius_q=0.1, arm=m.p),
        "belt b: arm is <point p>",
        "give an angle",
    ),
    "gears without ratio": wrong(
        lambda m: GearPair("g", m.p, m.a, m.q, m.b, ratio=0), "gear pair g", "ratio is 0", "teeth"
    ),
    "gears, ratio as text": wrong(
        lambda m: GearPair("g", m.p, m.a, m.q, m.b, ratio="2:1"), "g: ratio = '2:1'", "give"
    ),
    "gears, angle in degrees": wrong(
        lambda m: GearPair("g", m.p, m.a, m.q, m.b, ratio=2, pressure_angle=20),
        "gear pair g: the pressure angle is 20 rad",
        "0.35 rad",
    ),
}
