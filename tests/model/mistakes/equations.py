"""Roles, names that clash, and equations that miss a change of their model."""

from __future__ import annotations

import casadi as ca

from mbcore import Body, Hinge, Model, PlanarHinge, RoleError, StateName, Truss, simulate
from mbcore.elements import Coupling, revolute

from .case import INF, NAN, doubtful, wrong


def swinging(m):
    """Let the planar model be a pendulum with q's height as degree of freedom; return q, model."""
    m.p.fix()
    m.a.fix()
    m.b.fix()
    m.plane.add(Truss("rod", m.p, m.q))
    m.plane.add(Body("bob", m.q, mass=1))
    m.q.y.dof("q", "q_rate")
    return m.q, m.plane


def clash(add):
    def make(m):
        _, model = swinging(m)
        add(model)
        return model.equations()

    return make


def stale(change):
    def make(m):
        q, model = swinging(m)
        equations = model.equations()
        change(m, q, model)
        return simulate(equations, 0.1)

    return make


def given(what, model, q):
    """What is not a constant, by its name."""
    return {
        "state": lambda: q.y.value,
        "rate": lambda: q.y.rate,
        "node": lambda: q.position[1],
        "time": lambda: model.time,
        "input": lambda: model.input("u", 0.0),
        "auxiliary state": lambda: model.state("z", 1.0),
        "discrete": lambda: model.discrete("k", 1.0),
    }[what]()


SHOWN = {"state": "q.y", "rate": "q.y", "node": "q", "auxiliary state": "z", "discrete": "k"}


EVERY = ("state", "rate", "node", "time", "input", "auxiliary state", "discrete")


def inconstant():
    """Constants that follow what is none, in each place that takes one."""
    places = {
        "fixed": (
            lambda model, x: model.point("r", (0, 0)).x.fix(x),
            "r.x is fixed at a value that depends on {}",
        ),
        "rigid": (
            lambda model, x: model.add(
                PlanarHinge("h", model.nodes["a"], model.angle("c"))
            ).angle.rigid(x),
            "h.angle is rigid at a value that depends on {}",
        ),
        "mass": (
            lambda model, x: model.add(Body("b", model.nodes["q"], mass=1 + x)),
            "body b: its mass depends on {}",
        ),
        "inertia": (
            lambda model, x: model.add(Body("b", None, model.nodes["a"], inertia=1 + x)),
            "body b: its inertia depends on {}",
        ),
        "offset": (
            lambda model, x: model.add(
                Body("b", model.nodes["q"], model.nodes["a"], mass=1, offset=(1 + x, 0))
            ),
            "body b: its offset depends on {}",
        ),
        "mass of a bar": (
            lambda model, x: model.add(
                Truss("bar", model.nodes["p"], model.nodes["q"], mass=1 + x)
            ).elongation.release(),
            "bar: its mass depends on {}",
        ),
    }
    for place, (add, says) in places.items():
        every = place in ("fixed", "mass")
        for what in EVERY if every else ("state", "auxiliary state"):
            shown = SHOWN.get(what, "u" if what == "input" else what)
            remedies = ("prescribe(", "Coupling") if place in ("fixed", "rigid") else ("parameter",)
            yield (
                f"{place} that follows a {what}",
                wrong(changing(add, what), says.format(shown), *remedies),
            )


def changing(add, what):
    def make(m):
        q, model = swinging(m)
        add(model, given(what, model, q))
        return model.equations()

    return make


def angle(m):
    """The angle of a hinge in space."""
    return m.space.add(Hinge("h", m.R, m.S, axis=(0, 0, 1))).angle


def spatial(m):
    """A body in space."""
    return m.space.add(Body("b", m.Q, m.S, mass=1, inertia=(1, 1, 1)))


def length(m):
    """The elongation of a bar, rigid by default."""
    return m.plane.add(Truss("rod", m.p, m.q)).elongation


TABLE = {
    "nothing": wrong(
        lambda m: Model("nothing").equations(), "nothing is empty", "no node, element or variable"
    ),
    **dict(inconstant()),
    "fixed after degree of freedom": wrong(
        lambda m: m.p.x.dof("x").fix(),
        "p.x is a degree of freedom already",
        "release()",
        error=RoleError,
    ),
    "point fixed after degree of freedom": wrong(
        lambda m: (m.p.x.dof("x"), m.p.fix()), "p.x is a degree of freedom already", error=RoleError
    ),
    "degree of freedom after fixed": wrong(
        lambda m: m.p.x.fix().dof("x"),
        "p.x is fixed",
        "degree of freedom",
        "release()",
        error=RoleError,
    ),
    "prescribed after fixed": wrong(
        lambda m: m.p.x.fix().prescribe(m.plane.time), "p.x is fixed", "prescribed", error=RoleError
    ),
    "rigid after degree of freedom": wrong(
        lambda m: angle(m).dof("q").rigid(), "h.angle is a degree of freedom", "rigid", "release()"
    ),
    "prescribed after degree of freedom": wrong(
        lambda m: angle(m).dof("q").prescribe(m.space.time), "h.angle is a degree", "prescribed"
    ),
    "kinematic after degree of freedom": wrong(
        lambda m: angle(m).dof("q").kinematic("k"), "h.angle is a degree", "kinematic", "release()"
    ),
    "degree of freedom twice": wrong(
        lambda m: angle(m).dof("q").dof("r"), "h.angle", "leave out the second call"
    ),
    "degree of freedom after rigid": wrong(
        lambda m: length(m).rigid(0.1).dof("q"), "rod.elongation is rigid already", "release()"
    ),
    "degree of freedom after prescribed": wrong(
        lambda m: angle(m).prescribe(m.space.time).dof("q"), "h.angle is prescribed", "release()"
    ),
    "rate's name as number": wrong(
        lambda m: angle(m).dof("q", 1.0), "h.angle: 1.0 is not a name", "start=0.1"
    ),
    "name as number": wrong(
        lambda m: angle(m).dof(0.3), "h.angle: 0.3 is not a name", "dof('angle'"
    ),
    "kinematic name as number": wrong(lambda m: angle(m).kinematic(2), "h.angle: 2 is not a name"),
    "empty space around a state's name": wrong(lambda m: angle(m).dof(" q"), "spaces", "' q'"),
    "start as text": wrong(lambda m: angle(m).dof("q", start="0"), "start of its value", "'0'"),
    "start as expression": wrong(
        lambda m: angle(m).dof("q", start=m.space.parameter("k", 1.0)), "start of its value", "k"
    ),
    "nominal as text": wrong(lambda m: angle(m).dof("q", nominal="1"), "nominal value", "'1'"),
    "unit of a state": wrong(
        lambda m: angle(m).dof(StateName("q", unit="deg")), "h.angle", "unit='rad'"
    ),
    "start of a hinge in degrees": doubtful(
        lambda m: angle(m).dof("q", start=45), "h.angle: start = 45 rad", "math.radians(45)"
    ),
    "start of a kinematic angle in degrees": doubtful(
        lambda m: angle(m).kinematic("q", 90), "h.angle: start = 90 rad", "math.radians(90)"
    ),
    "rigid angle in degrees": doubtful(
        lambda m: angle(m).rigid(30), "h.angle: value = 30 rad", "math.radians(30)"
    ),
    "angle fixed in degrees": doubtful(
        lambda m: m.a.angle.fix(90), "a.angle: value = 90 rad", "math.radians(90)"
    ),
    "fixed at NaN": wrong(lambda m: m.p.x.fix(NAN), "p.x: value = nan m", "not a number"),
    "fixed at a text": wrong(lambda m: m.p.x.fix("0"), "p.x: value = '0'", "give"),
    "rigid at infinity": wrong(lambda m: length(m).rigid(INF), "elongation: value = inf", "finite"),
    "prescribed by a formula in a text": wrong(
        lambda m: angle(m).prescribe("sin(t)"), "'sin(t)'", "casadi.sin(t)"
    ),
    "prescribed by a handle": wrong(
        lambda m: angle(m).prescribe(m.p.x), "h.angle: motion", "write p.x.value"
    ),
    "prescribed by a function": wrong(
        lambda m: angle(m).prescribe(lambda t: t), "h.angle: motion = <function", "expression"
    ),
    "prescribed by a vector": wrong(
        lambda m: angle(m).prescribe(m.p.position),
        "h.angle: motion = ",
        "has 2 components; give one number",
    ),
    "output of another model's angle": wrong(
        clash(lambda m: m.output("s", Model("other").angle("far").angle.value)),
        "output s: unknown symbols far.angle:value",
        "another model",
    ),
    "law of a symbol of one's own": wrong(
        clash(lambda m: m.nodes["q"].y.law(ca.SX.sym("k"))), "law on q.y: unknown symbols k"
    ),
    "force of a symbol of one's own": wrong(
        clash(lambda m: m.force(m.nodes["q"], (ca.SX.sym("k"), 0))), "load on", "symbols k"
    ),
    "stress of a fixed coordinate": wrong(
        clash(lambda m: m.output("s", m.nodes["p"].y.stress)), "output s", "p.y.reaction"
    ),
    "alternative to itself": wrong(
        lambda m: m.p.x.dof("x", or_else=[m.p.y, m.p.x]), "p.x: or_else names p.x itself", "others"
    ),
    "degree of freedom in degrees": wrong(
        lambda m: m.a.angle.dof(StateName("q", unit="deg")),
        "state of a.angle",
        "Units('rad', 'deg')",
    ),
    "degree of freedom shown in metres": wrong(
        lambda m: m.a.angle.dof(StateName("q", display_unit="m")),
        "a.angle",
        "'m' is of another quantity",
    ),
    "fixed and a degree of freedom": wrong(
        lambda m: m.p.x.fix().dof(), "p.x is fixed and cannot be a degree of freedom", "release()"
    ),
    "another coordinate by its name": wrong(
        lambda m: m.p.x.dof("x", or_else="y"), "p.x: or_else = 'y'", "bob.x"
    ),
    "coupling of a text": wrong(lambda m: Coupling("c", "a=b"), "coupling c: expression = 'a=b'"),
    "coupling of a handle": wrong(lambda m: Coupling("c", m.p.x), "coupling c", "write p.x.value"),
    "coupling of NaN": wrong(
        lambda m: Coupling("c", NAN * m.p.x.value), "coupling c: expression", "not a number"
    ),
    "speed of a handle": wrong(lambda m: m.plane.speed("v", m.p.x), "speed v", "write p.x.value"),
    "filter as text": wrong(
        lambda m: (m.plane.input("u"), m.plane.filtered("u", "1")), "input u: time_constant"
    ),
    "free rotation of a text": wrong(
        lambda m: m.R.free(angular_velocity="fast"), "rotation R", "three finite numbers"
    ),
    "joint about a letter": wrong(
        lambda m: revolute("j", m.space, spatial(m), at=(0, 0, 0), axis="z"), "revolute joint j"
    ),
    "joint without axis": wrong(
        lambda m: revolute("j", m.space, spatial(m), at=(0, 0, 0)), "revolute joint j", "axis"
    ),
    "joint of a point": wrong(
        lambda m: revolute("j", m.P, spatial(m), at=(0, 0, 0), axis=(0, 0, 1)), "joint j", "P"
    ),
    "law on what is rigid": wrong(lambda m: length(m).law(1.0), "rod.elongation", "release()"),
    "law of NaN": wrong(lambda m: angle(m).law(NAN), "law on h.angle", "nan", "not a number"),
    "law of a text": wrong(lambda m: angle(m).law("-k*x"), "law on h.angle", "'-k*x'", "give"),
    "law of a vector": wrong(lambda m: angle(m).law(m.p.position), "law on h.angle", "2", "one"),
    "spring of a text": wrong(
        lambda m: angle(m).spring("10"), "spring on h.angle: stiffness", "'10'"
    ),
    "spring without end": wrong(lambda m: angle(m).spring(INF), "stiffness = inf", "finite"),
    "NaN at a state's start": wrong(
        lambda m: (angle(m).dof("q", start=NAN), m.space.equations()),
        "start value q = nan",
        "start=",
    ),
    "size zero of a state": wrong(
        lambda m: (angle(m).dof("q", nominal=0), m.space.equations()),
        "state 'q'",
        "nominal value 0",
    ),
    "output with a state's name": wrong(
        clash(lambda model: model.output("q", model.time)), "output 'q'", "state", "rename"
    ),
    "output with a rate's name": wrong(
        clash(lambda model: model.output("q_rate", 2.0)), "output 'q_rate'", "state", "rename"
    ),
    "parameter with a state's name": wrong(
        clash(lambda model: model.parameter("q", 1.0)), "state 'q'", "parameter", "rename"
    ),
    "output with a mode's name": wrong(
        clash(lambda model: (model.event("e"), model.output("e.active", 1.0))),
        "'e.active'",
        "rename",
    ),
    "two states of one name": wrong(
        clash(lambda model: model.nodes["q"].x.kinematic("q")), "repeated: q", "roles"
    ),
    "force after the equations": wrong(
        stale(lambda m, q, model: model.force(q, (1, 0))),
        "changed after",
        "on q",
        "make them again",
    ),
    "law after the equations": wrong(
        stale(lambda m, q, model: q.y.law(1.0)), "changed after", "law on q.y", "model.equations()"
    ),
    "element after the equations": wrong(
        stale(lambda m, q, model: model.add(Body("late", q, mass=1))), "body late added"
    ),
    "output after the equations": wrong(
        stale(lambda m, q, model: model.output("late", q.x.value)), "output late added"
    ),
    "role after the equations": wrong(stale(lambda m, q, model: q.y.release()), "role of q.y"),
    "mass after the equations": wrong(
        stale(lambda m, q, model: setattr(model.elements["bob"], "mass", 2)), "body bob"
    ),
}
