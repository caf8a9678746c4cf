"""Masses, inertia, bars and links."""

from __future__ import annotations

from mbcore import Body, Truss

from .case import INF, NAN, doubtful, wrong

SPHERE = (1.0, 1.0, 1.0)


def inertia(tensor):
    return lambda m: Body("b", m.P, m.R, mass=1, inertia=tensor)


def late(m, **arguments):
    """Make the equations of a body whose numbers come from a parameter."""
    m.plane.add(Body("b", m.p, m.a, **arguments))
    return m.plane.equations(roles="auto")


TABLE = {
    "NaN mass": wrong(lambda m: Body("b", m.p, mass=NAN), "body b: mass = nan kg", "number"),
    "negative mass": wrong(
        lambda m: Body("b", m.p, mass=-2), "body b: mass = -2 kg", "not be negative", "give"
    ),
    "infinite mass": wrong(
        lambda m: Body("b", m.p, mass=INF), "body b: mass = inf kg", "finite", "give"
    ),
    "text as mass": wrong(lambda m: Body("b", m.p, mass="1"), "body b: mass = '1'", "a number"),
    "true as mass": wrong(lambda m: Body("b", m.p, mass=True), "body b: mass = True", "a number"),
    "mass as list": wrong(lambda m: Body("b", m.p, mass=[1, 2]), "body b: mass", "2 components"),
    "handle as mass": wrong(lambda m: Body("b", m.p, mass=m.q.x), "mass", "q.x", "q.x.value"),
    "negative parameter as mass": wrong(
        lambda m: late(m, mass=-m.plane.parameter("load", 3.0)),
        "body b: mass = -3 kg",
        "not be negative",
        "parameters at their start",
    ),
    "infinite parameter as inertia": wrong(
        lambda m: late(m, mass=1, inertia=1 / m.plane.parameter("zero", 0.0)),
        "body b: inertia = inf kg.m2",
        "finite",
    ),
    "no node": wrong(lambda m: Body("b", None, mass=1), "body b", "give a point"),
    "no name": wrong(lambda m: Body("", m.p, mass=1), "body needs a name", "''"),
    "number as name": wrong(lambda m: Body(7, m.p, mass=1), "body needs a name", "7"),
    "nodes swapped": wrong(lambda m: Body("b", m.a, m.p), "body b: point is <angle a>", "point"),
    "angle for rotation": wrong(
        lambda m: Body("b", m.P, m.a), "body b", "same space", "P has 3", "a is an angle"
    ),
    "rotation for angle": wrong(lambda m: Body("b", m.p, m.R), "body b", "same space", "give"),
    "text as point": wrong(lambda m: Body("b", "p"), "body b: point is 'p'", "give a point"),
    "NaN inertia in the plane": wrong(
        lambda m: Body("b", m.p, m.a, inertia=NAN), "body b: inertia = nan", "number"
    ),
    "negative inertia in the plane": wrong(
        lambda m: Body("b", m.p, m.a, inertia=-1), "body b: inertia = -1 kg.m2", "not be negative"
    ),
    "three moments in the plane": wrong(
        lambda m: Body("b", m.p, m.a, inertia=SPHERE), "body b", "one number"
    ),
    "one moment in space": wrong(inertia(1.0), "body b: inertia", "three principal", "(1, 1)"),
    "two moments": wrong(inertia((1, 2)), "body b: inertia", "three principal", "(2, 1)"),
    "six moments": wrong(inertia((1, 1, 1, 0, 0, 0)), "body b: inertia", "3 x 3", "(6, 1)"),
    "matrix of two rows": wrong(inertia([[1, 0, 0], [0, 1, 0]]), "inertia", "3 x 3", "(2, 3)"),
    "ragged matrix": wrong(inertia([[1, 0, 0], [0, 1], [1]]), "body b: inertia", "give"),
    "text among moments": wrong(inertia((1, "2", 3)), "body b: inertia", "'2'", "give"),
    "NaN among moments": wrong(inertia((1, NAN, 1)), "body b: inertia", "not a number"),
    "infinite moment": wrong(inertia((1, INF, 1)), "body b: inertia", "finite"),
    "negative moment": wrong(inertia((1, -1, 1)), "body b: inertia", "-1", "not be negative"),
    "indefinite matrix": wrong(
        inertia([[1, 2, 0], [2, 1, 0], [0, 0, 1]]), "body b", "moment -1", "check the signs"
    ),
    "unsymmetric matrix": wrong(
        inertia([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "body b", "not symmetric", "give"
    ),
    "triangle inequality": doubtful(
        inertia((1, 1, 3)), "body b", "moment 3 is larger", "other two together, 2", "check"
    ),
    "offset without orientation": wrong(
        lambda m: Body("b", m.p, mass=1, offset=(1, 0)), "body b", "orientation"
    ),
    "offset of three in the plane": wrong(
        lambda m: Body("b", m.p, m.a, mass=1, offset=(1, 0, 0)), "body b: its offset", "give 2"
    ),
    "negative mass of a truss": wrong(
        lambda m: Truss("t", m.p, m.q, mass=-2), "truss t: mass = -2 kg", "not be negative"
    ),
    "no length": wrong(
        lambda m: Truss("t", m.p, m.q, rest_length=0), "truss t: rest_length = 0 m", "greater"
    ),
    "one end in space": wrong(lambda m: Truss("t", m.p, m.P), "truss t", "p and P", "both"),
    "one point twice": wrong(lambda m: Truss("t", m.p, m.p), "truss t", "one place", "start"),
    "angle as end": wrong(lambda m: Truss("t", m.p, m.a), "truss t: q is <angle a>", "point"),
}
