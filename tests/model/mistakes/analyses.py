"""What analyses are asked for, contacts are made of, and equations cannot be made of."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore import (
    Bearing,
    Body,
    ConfigurationError,
    Hinge,
    PlanarHinge,
    SimulationError,
    equilibrium,
    linearize,
    simulate,
    steady_motion,
)
from mbcore.contact.clearance import clearance
from mbcore.contact.hertz import KelvinVoigt, LankaraniNikravesh
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.model.element import Element
from mbcore.model.statements import Strain

from .case import NAN, wrong


def mass(m, **names):
    """Let p carry a mass of 1 kg that moves along x; return the handle of its place."""
    m.p.y.fix()
    m.plane.add(Body("mass", m.p, mass=1.0))
    m.q.fix()
    m.a.fix()
    m.b.fix()
    return m.p.x.dof("x", "v", **names)


def made(m, act=None):
    """Make equations of that mass after something has been done to it."""
    x = mass(m)
    if act is not None:
        act(x)
    return m.plane.equations()


def run(m, until=0.1, act=None, **options):
    return simulate(made(m, act), until, progress=False, **options)


class Clock(Element):
    """A strain that depends on time by itself."""

    def __init__(self, name, point, time):
        super().__init__(name)
        self.point, self.time = point, time

    def strains(self):
        return {"beat": Strain(self.point.position[1] - self.time)}


def spin(m):
    """The angle of a body that turns about a fixed axle."""
    m.plane.add(Body("disk", None, m.a, inertia=1.0))
    hinge = m.plane.add(PlanarHinge("h", m.plane.angle("frame", fixed=True), m.a))
    m.p.fix()
    m.q.fix()
    m.b.fix()
    return hinge.angle


def law_of_a_stress(m):
    angle = spin(m)
    angle.dof("turn")
    angle.law(0.1 * angle.stress)
    return m.plane.equations()


def clock(m):
    mass(m)
    m.plane.add(Clock("clock", m.q, m.plane.time))
    return m.plane.equations()


def euler_reaction(m):
    rotation = m.space.rotation("fixed", fixed=True)
    turned = m.space.rotation("turned")
    m.space.add(Hinge("h", rotation, turned)).angle.dof("turn")
    m.space.add(Body("disk", None, turned, inertia=(1, 1, 1)))
    for node in (m.P, m.Q, m.K, m.R, m.S):
        node.fix()
    m.space.output("reaction", rotation.quantities[1].reaction)
    return m.space.equations().functions["output"]


def nonlinear_acceleration(m):
    """A massless servo that follows a rate, and a drag with the square of the servo's rate."""
    x = mass(m)
    frame, turned = m.plane.angle("frame", fixed=True), m.plane.angle("turned")
    hinge = m.plane.add(PlanarHinge("h", frame, turned))
    hinge.angle.prescribe(x.rate, servo=True)
    m.plane.load(-(hinge.angle.rate**2), x.rate)
    return m.plane.equations()


def foreign_symbol(m):
    mass(m)
    m.plane.output("shown", ca.SX.sym("stranger"))
    return m.plane.equations().functions["output"]


def bearing(m, law=None, **options):
    joint = m.plane.add(Bearing("joint", m.p, m.a, m.q, m.b))
    joint.x.release()
    joint.y.release()
    law = KelvinVoigt(1e6, 1.0) if law is None else law
    return clearance(m.plane, joint, options.pop("gap", 1e-3), law, **options)


def rigid_bearing(m):
    joint = m.plane.add(Bearing("joint", m.p, m.a, m.q, m.b))
    return clearance(m.plane, joint, 1e-3, KelvinVoigt(1e6, 1.0))


def foreign_bearing(m):
    joint = Bearing("joint", m.p, m.a, m.q, m.b)
    return clearance(m.plane, joint, 1e-3, KelvinVoigt(1e6, 1.0))


def bounce(m, restitution):
    x = mass(m)
    unilateral_contact(m.plane, "wall", 1 - x.value, Impact(restitution))
    return simulate(m.plane.equations(), 0.1, progress=False)


def endless(m):
    x = mass(m)
    mode = m.plane.event("switch")
    m.plane.event("switch", 0.5 - mode + 0 * x.value)
    return simulate(m.plane.equations(), 0.1, progress=False)


TABLE = {
    "law of a stress": wrong(
        law_of_a_stress, "h.angle: its law depends on the stress of h.angle", "write that law"
    ),
    "element of time": wrong(clock, "clock.beat depends on time", "by itself", "prescribe"),
    "reaction of an Euler parameter": wrong(
        euler_reaction, "fixed.e1", "is not a moment", "model.reaction(fixed).moment"
    ),
    "acceleration that enters nonlinearly": wrong(
        nonlinear_acceleration, "h.angle", "nonlinearly", "auxiliary states"
    ),
    "no end time": wrong(lambda m: run(m, 0.0), "until = 0.0", "positive"),
    "end time of NaN": wrong(lambda m: run(m, NAN), "until = nan", "positive"),
    "tolerance zero": wrong(lambda m: run(m, rtol=0.0), "rtol = 0.0", "positive"),
    "negative absolute tolerance": wrong(lambda m: run(m, atol=-1.0), "atol = -1.0", "positive"),
    "unknown method": wrong(lambda m: run(m, method="euler"), "'euler'", "DOP853"),
    "equal steps of no size": wrong(
        lambda m: run(m, method="classical"), "classical makes equal steps", "max_step = inf"
    ),
    "samples that fall": wrong(lambda m: run(m, samples=[0.1, 0.05]), "samples must rise", "0.1"),
    "samples after the end": wrong(lambda m: run(m, samples=[0.0, 0.2]), "samples must rise"),
    "no samples": wrong(lambda m: run(m, samples=0), "samples = 0", "at least 2"),
    "unknown input": wrong(lambda m: run(m, inputs={"u": np.sin}), "no input 'u'"),
    "unknown start": wrong(lambda m: run(m, start={"y": 1.0}), "no state 'y'", "x"),
    "start of NaN": wrong(lambda m: run(m, start={"x": NAN}), "start value x = nan", "finite"),
    "input that becomes NaN": wrong(
        lambda m: run(
            m,
            act=lambda x: m.plane.load(m.plane.input("push"), x.rate),
            inputs={"push": lambda t: NAN if t > 0.05 else 0.0},
        ),
        "input push is nan at t",
        "let its function give finite numbers",
        error=SimulationError,
    ),
    "derivative without value in equal steps": wrong(
        lambda m: run(
            m,
            act=lambda x: m.plane.load(ca.sqrt(0.05 - m.plane.time), x.rate),
            method="classical",
            max_step=0.01,
        ),
        "the derivative is not finite",
        error=SimulationError,
    ),
    "force without value at rest": wrong(
        lambda m: equilibrium(
            made(m, lambda x: m.plane.load(ca.sqrt(x.value - 1), x.rate)), progress=False
        ),
        "rate v is nan",
        "start elsewhere",
        error=ConfigurationError,
    ),
    "no load steps": wrong(
        lambda m: equilibrium(made(m), steps=0, progress=False), "steps = 0", "at least 1"
    ),
    "symbol of nobody": wrong(foreign_symbol, "stranger", "use symbols of this model"),
    "state of another length": wrong(
        lambda m: linearize(made(m), np.zeros(3)), "2 values", "shape (3,)"
    ),
    "motion of linearization": wrong(
        lambda m: linearize(made(m), motion="still"), "'actual' or 'held'", "'still'"
    ),
    "condition of NaN": wrong(
        lambda m: steady_motion(made(m), {"v": NAN}), "condition v = nan", "finite"
    ),
    "rigid bearing with clearance": wrong(rigid_bearing, "joint.x is rigid", "release() or dof()"),
    "bearing that was not added": wrong(
        foreign_bearing, "bearing joint is not an element", "plane"
    ),
    "clearance of nothing": wrong(lambda m: bearing(m, gap=0.0), "radius gap = 0.0", "greater"),
    "negative friction in a bearing": wrong(
        lambda m: bearing(m, friction=-0.1, journal_radius=0.1),
        "friction of joint: coefficient = -0.1",
        "at least 0",
    ),
    "friction without journal": wrong(
        lambda m: bearing(m, friction=0.1), "friction needs journal_radius"
    ),
    "exponent below one": wrong(
        lambda m: LankaraniNikravesh(1e9, 0.5, 0.5), "exponent of the contact = 0.5", "at least 1"
    ),
    "gap of two components": wrong(
        lambda m: unilateral_contact(m.plane, "wall", m.p.position, Impact(0.5)),
        "contact wall: its gap has 2 components",
        "give a distance",
    ),
    "parameter as restitution above one": wrong(
        lambda m: bounce(m, m.plane.parameter("e", 1.2)),
        "wall.restitution = 1.2",
        "must be from 0 to 1",
        error=SimulationError,
    ),
    "event that never rests": wrong(
        endless, "event switch keeps changing its mode", error=SimulationError
    ),
}
