"""Models, nodes, loads, and what is shown outside: names, units, ranges, expressions."""

from __future__ import annotations

import math

import casadi as ca

from mbcore import Body, ExpressionError, Model, PlanarHinge, RigidLink, Truss, Units

from .case import INF, NAN, doubtful, wrong


def plane(call):
    return lambda m: call(m.plane)


def spatial_body(m):
    """A body in space in a model with planar gravity."""
    m.plane.add(Body("b", m.plane.point("r", (0, 0, 0)), mass=1))
    return m.plane


def fixed_by_parameter(m):
    """A model with a fixed rotation whose Euler parameters hold a parameter."""
    m.space.rotation("T", (m.space.parameter("c", 2.0), 0, 0, 0), fixed=True)
    return m.space


TABLE = {
    "gravity as number": wrong(
        lambda m: Model("m", gravity=9.81), "model m: gravity = 9.81", "2 or 3", "(0, -9.81)"
    ),
    "gravity as negative number": wrong(lambda m: Model("m", gravity=-9.81), "-9.81", "sequence"),
    "gravity of one": wrong(lambda m: Model("m", gravity=(-9.81,)), "model m: gravity", "got 1"),
    "gravity as text": wrong(lambda m: Model("m", gravity="down"), "model m: gravity = 'down'"),
    "NaN gravity": wrong(
        lambda m: Model("m", gravity=(0, NAN)), "gravity[1] = nan", "not a number"
    ),
    "model without name": wrong(lambda m: Model(""), "model needs a name", "''"),
    "number as model's name": wrong(lambda m: Model(5), "model needs a name", "5"),
    "gravity in the plane, body in space": wrong(
        lambda m: spatial_body(m).equations(roles="auto"),
        "element b",
        "3 dimensions",
        "gravity has 2",
    ),
    "point of four": wrong(
        plane(lambda model: model.point("r", (1, 2, 3, 4))), "point r: start", "2 or 3", "got 4"
    ),
    "point of one": wrong(plane(lambda model: model.point("r", (1,))), "point r: start", "got 1"),
    "point at a number": wrong(
        plane(lambda model: model.point("r", 0)), "point r: start = 0", "2 or 3"
    ),
    "point at NaN": wrong(
        plane(lambda model: model.point("r", (NAN, 0))), "point r: start[0] = nan"
    ),
    "point at infinity": wrong(
        plane(lambda model: model.point("r", (0, INF))), "point r: start[1] = inf", "finite"
    ),
    "point at a text": wrong(plane(lambda model: model.point("r", ("a", 0))), "start[0] = 'a'"),
    "point at a point": wrong(
        lambda m: m.plane.point("r", m.p), "point r: start is <point p>", "p.position"
    ),
    "point without name": wrong(plane(lambda model: model.point((0, 0))), "name", "(0, 0)"),
    "point's name twice": wrong(plane(lambda model: model.point("p")), "'p' exists already"),
    "angle in degrees": doubtful(
        plane(lambda model: model.angle("c", 45)), "angle c: start = 45 rad", "math.radians(45)"
    ),
    "NaN angle": wrong(plane(lambda model: model.angle("c", NAN)), "angle c: start = nan rad"),
    "angle as text": wrong(plane(lambda model: model.angle("c", "45")), "angle c: start = '45'"),
    "angle of two": wrong(
        plane(lambda model: model.angle("c", (0, 1))), "angle c: start = (0, 1) has 2"
    ),
    "rotation of three": wrong(
        lambda m: m.space.rotation("T", (0, 0, 1)), "rotation T", "4", "got 3"
    ),
    "rotation of nothing": wrong(
        lambda m: m.space.rotation("T", (0, 0, 0, 0)),
        "rotation T",
        "do not make an orientation",
        "about",
    ),
    "fixed rotation of length two": wrong(
        lambda m: m.space.rotation("T", (2, 0, 0, 0), fixed=True),
        "rotation T",
        "length 2",
        "divide",
    ),
    "fixed rotation of length two by a parameter": wrong(
        lambda m: fixed_by_parameter(m).equations(), "rotation T", "length 2", "parameters at"
    ),
    "element of another model": wrong(
        lambda m: m.space.add(Truss("t", m.p, m.q)), "element t", "not a node of this model, space"
    ),
    "node as element": wrong(
        lambda m: m.plane.add(m.p), "plane: <point p> is not an element", "Truss"
    ),
    "element's name twice": wrong(
        lambda m: [m.plane.add(Body("b", m.p, mass=1)) for _ in range(2)], "'b' exists already"
    ),
    "force of three in the plane": wrong(
        lambda m: m.plane.force(m.p, (1, 0, 0)), "force on p: force", "2 components", "got 3"
    ),
    "force as number": wrong(lambda m: m.plane.force(m.p, 5.0), "force on p: force = 5.0", "2"),
    "force with a text": wrong(
        lambda m: m.plane.force(m.p, ("1", 0)), "force on p: force[0] = '1'"
    ),
    "NaN force": wrong(lambda m: m.plane.force(m.p, (NAN, 0)), "force on p: force[0] = nan"),
    "force with a handle": wrong(
        lambda m: m.plane.force(m.p, (m.q.x, 0)), "force on p: force[0]", "q.x", "q.x.value"
    ),
    "force on an angle": wrong(
        lambda m: m.plane.force(m.a, (1, 0)), "plane, force: point is <angle a>", "give a point"
    ),
    "force on a name": wrong(lambda m: m.plane.force("p", (1, 0)), "point is 'p'", "give a point"),
    "force in another model": wrong(
        lambda m: m.space.force(m.p, (1, 0)), "force on p", "not a node of this model, space"
    ),
    "moment of two": wrong(
        lambda m: m.space.moment(m.R, (0, 1)), "moment on R: moment", "3 components", "got 2"
    ),
    "moment of three in the plane": wrong(
        lambda m: m.plane.moment(m.a, (0, 0, 1)),
        "moment on a: moment = (0, 0, 1) has 3 components",
        "one",
    ),
    "moment as number in space": wrong(lambda m: m.space.moment(m.R, 1.0), "moment on R", "3"),
    "moment on a point": wrong(
        lambda m: m.plane.moment(m.p, 1.0), "plane, moment: node is <point p>", "angle"
    ),
    "load of two": wrong(
        lambda m: m.plane.load(1.0, m.p.velocity),
        "load of model plane: velocity = ",
        "has 2",
        "one",
    ),
    "math.sin of a symbol": wrong(
        lambda m: math.sin(m.a.value), "a.angle", "math", "casadi.sin", error=ExpressionError
    ),
    "max of a symbol": wrong(
        lambda m: max(m.p.x.value, 0), "p.x:value", "max", "casadi.fmax", error=ExpressionError
    ),
    "min of a symbol": wrong(
        lambda m: min(m.p.x.value, 0), "p.x:value", "casadi.fmin", error=ExpressionError
    ),
    "if of a symbol": wrong(
        lambda m: 1 if m.p.x.value > 0 else 2, "p.x:value", "if_else", error=ExpressionError
    ),
    "and of symbols": wrong(
        lambda m: m.p.x.value > 0 and m.p.y.value > 0, "logic_and", error=ExpressionError
    ),
    "int of a symbol": wrong(lambda m: int(m.p.x.value), "p.x:value", error=ExpressionError),
    "output of a vector with a text": wrong(
        lambda m: m.plane.output("place", [m.p.x.value, "y"]), "output place[2]: expression = 'y'"
    ),
    "output of a cube": wrong(
        lambda m: m.plane.output("place", [[[1.0]]]), "output place has 3 dimensions", "one or two"
    ),
    "output of a handle": wrong(
        lambda m: m.plane.output("x", m.p.x), "output x: expression is", "p.x", "write p.x.value"
    ),
    "output of a point": wrong(
        lambda m: m.plane.output("x", m.p), "output x", "write p.position", "p.x.value"
    ),
    "input without a name": wrong(
        plane(lambda model: model.input("")), "an input needs a name without spaces around it, got"
    ),
    "parameter without a name": wrong(
        plane(lambda model: model.parameter(" k", 1)), "a parameter needs a name without spaces"
    ),
    "input that cannot be printed": wrong(
        plane(lambda model: model.input("a\x07b")),
        "the name 'a\\x07b' of an input has a character that cannot be printed",
    ),
    "output of NaN": wrong(
        lambda m: m.plane.output("x", NAN * m.p.x.value), "output x", "not a number", "casadi.sin"
    ),
    "output of a text": wrong(lambda m: m.plane.output("x", "p.x"), "output x", "'p.x'", "give"),
    "output of another CasADi type": wrong(
        lambda m: m.plane.output("x", ca.MX.sym("x")), "output x", "casadi.SX"
    ),
    "output in millimetres": wrong(
        lambda m: m.plane.output("x", m.p.x.value, unit="mm"),
        "output x: its unit is 'mm', 0.001 m",
        "give the value in m and unit='m', or unit=Units('m', 'mm'), which is shown in 'mm'",
    ),
    "output in degrees": wrong(
        lambda m: m.plane.output("a", m.a.value, unit="deg"), "output a", "'deg'", "unit='rad'"
    ),
    "output in km/h": wrong(
        lambda m: m.plane.output("v", 1.0, unit="km/h"), "output v", "unit='m/s'", "km/h"
    ),
    "output in kN": wrong(lambda m: m.plane.output("f", 1.0, unit="kN"), "output f", "unit='N'"),
    "unit as number": wrong(
        lambda m: m.plane.output("f", 1.0, unit=1), "output f: unit = 1", "'m'"
    ),
    "display unit of something else": wrong(
        lambda m: m.plane.output("f", 1.0, unit=Units("N", "mm")), "output f", "'mm'", "'N'"
    ),
    "unknown visibility": wrong(
        lambda m: m.plane.output("f", 1.0, visibility="hidden"), "output f: visibility", '"local"'
    ),
    "unknown kind": wrong(
        lambda m: m.plane.output("f", 1.0, kind="float"), "output f: kind = 'float'", '"real"'
    ),
    "output's name twice": wrong(
        lambda m: [m.plane.output("f", 1.0) for _ in range(2)], "output 'f' exists already"
    ),
    "number as output's name": wrong(lambda m: m.plane.output(1, 1.0), "output needs a name", "1"),
    "parameter in millimetres": wrong(
        plane(lambda model: model.parameter("l", 300, unit="mm")), "parameter l", "unit='m'"
    ),
    "parameter as text": wrong(
        plane(lambda model: model.parameter("l", "1")), "parameter l", "'1'"
    ),
    "NaN parameter": wrong(plane(lambda model: model.parameter("l", NAN)), "parameter l = nan"),
    "parameter by an expression": wrong(
        plane(lambda model: model.parameter("l", 2 * model.parameter("k", 1))), "parameter l", "2"
    ),
    "parameter below its range": wrong(
        plane(lambda model: model.parameter("l", -1, positive=True)), "parameter l = -1", "> 0"
    ),
    "minimum above maximum": wrong(
        plane(lambda model: model.parameter("l", 1, minimum=2, maximum=1)),
        "parameter l",
        "minimum 2",
    ),
    "NaN minimum": wrong(
        plane(lambda model: model.parameter("l", 1, minimum=NAN)), "parameter l: minimum = nan"
    ),
    "enumeration of nothing": wrong(
        plane(lambda model: model.enumeration("law", [])), "parameter law: items = []", "give names"
    ),
    "enumeration of a text": wrong(
        plane(lambda model: model.enumeration("law", "dry")), "parameter law: items = 'dry'", "give"
    ),
    "enumeration beyond its items": wrong(
        plane(lambda model: model.enumeration("law", ["a", "b"], value=3)),
        "parameter law",
        "1 to 2",
    ),
    "input starts outside of its range": wrong(
        plane(lambda model: model.input("u", 5, maximum=1)),
        "input u: it starts at 5",
        "to 1",
        "give",
    ),
    "NaN input": wrong(plane(lambda model: model.input("u", NAN)), "input u: start = nan"),
    "input as text": wrong(plane(lambda model: model.input("u", "1")), "input u: start = '1'"),
    "input in degrees": wrong(
        plane(lambda model: model.input("u", unit="deg")),
        "input u",
        "unit='rad'",
        "Units('rad', 'deg')",
    ),
    "input whose rate is no input": wrong(
        plane(lambda model: model.input("u", rate=model.time)), "input u: its rate", "added before"
    ),
    "input of a parameter's name": wrong(
        plane(lambda model: (model.parameter("u", 1), model.input("u"))), "'u' exists already"
    ),
    "state of two shapes": wrong(
        lambda m: m.plane.state("z", m.p.velocity, start=[1.0, 2.0, 3.0]),
        "state z: start has the shape (3,), but the array (2,)",
    ),
    "NaN state": wrong(plane(lambda model: model.state("z", 1, start=NAN)), "state z: start = nan"),
    "state of an unknown name": wrong(
        plane(lambda model: model.derivative("z", 1)), "no auxiliary state 'z'"
    ),
    "state without size": wrong(
        plane(lambda model: (model.state("z", 1, nominal=0), model.equations())), "state 'z'", "0"
    ),
    "discrete variable as text": wrong(
        plane(lambda model: model.discrete("n", "one")), "discrete variable n: start = 'one'"
    ),
    "event of two": wrong(
        lambda m: m.plane.event("e", m.p.position), "event e: indicator = ", "has 2", "one"
    ),
    "event of negative band": wrong(
        lambda m: m.plane.event("e", m.p.x.value, band=-1), "event e: band = -1", "negative"
    ),
    "event assigns what is not there": wrong(
        lambda m: m.plane.event("e", m.p.x.value, rising={"n": 1}), "event e", "'n'"
    ),
    "requirement of two": wrong(
        lambda m: m.plane.require("r", m.p.position, "stay"), "requirement r: condition = ", "has 2"
    ),
    "requirement of a requirement's name": wrong(
        lambda m: [m.plane.require("r", m.p.x.value, text) for text in ("stay", "go")],
        "requirement 'r' exists already",
        "differ",
    ),
    "warning of a requirement's name": wrong(
        lambda m: (
            m.plane.require("r", m.p.x.value, "stay"),
            m.plane.warn("r", m.p.y.value, "go"),
        ),
        "requirement 'r' exists already",
        "rename one of them",
    ),
    "requirement of a filter's": wrong(
        plane(
            lambda model: (
                model.require("u.time_constant", model.parameter("T", 1.0), "longer"),
                model.input("u"),
                model.filtered("u", model.parameters["T"].symbol),
            )
        ),
        "requirement 'u.time_constant' exists already",
    ),
    "event that is defined already": wrong(
        lambda m: [m.plane.event("e", c.value) for c in (m.p.x, m.p.y)],
        "event 'e' is defined already",
        "another name",
    ),
    "event declared after its definition": wrong(
        lambda m: (m.plane.event("e", m.p.x.value), m.plane.event("e")),
        "event 'e' is defined already",
        "keep the symbol",
    ),
    "event without an indicator": wrong(
        plane(lambda model: (model.event("e"), model.equations(roles="auto"))),
        "event 'e' is declared",
        "indicator",
    ),
    "event that assigns without an indicator": wrong(
        plane(lambda model: (model.discrete("n"), model.event("e", rising={"n": 1}))),
        "event e: without an indicator",
    ),
    "hinge of its angle's name": wrong(
        lambda m: (
            m.plane.add(PlanarHinge("a", m.b, m.a)).angle.dof("turned"),
            m.a.angle.dof("a"),
            m.plane.equations(),
        ),
        "two quantities with a role are called a.angle",
        "rename one of them",
    ),
    "link of a point's name": wrong(
        lambda m: (
            m.plane.add(RigidLink("p", m.p, m.a, m.q)),
            m.p.x.dof("px"),
            m.plane.equations(roles="auto"),
        ),
        "called p.x",
        "rename one of them",
    ),
    "choice of nothing": wrong(
        plane(lambda model: model.select(model.parameter("k", 1))), "select", "nothing to choose"
    ),
}
