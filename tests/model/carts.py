"""A cart with variables of every type: the model of tests in several rooms."""

from __future__ import annotations

import casadi as ca

from mbcore import Body, Model
from mbcore.fmi import Component, Experiment

FORCE = {"first": 1.0, "second": 2.0}
ROWS = """time,on,gear,times
0,true,second,1
0.5,false,second,1
1,TRUE,first,3
2,true,first,3
"""
"""2 N until 0.5 s, nothing until 1 s, then 3 N: v(2) = 4 m/s, x(2) = 3.25 m for 1 kg."""
SPEED, PLACE = 4.0, 3.25


def model() -> Model:
    """Return a mass of 1 kg that a motor pulls, if it is on, by the force of its gear."""
    made = Model("cart")
    on = made.input("on", True, description="whether the motor pulls")
    gear = made.input("gear", "first", items=("first", "second"))
    times = made.input("times", 1, kind="integer", maximum=5)
    strong = made.parameter("strong", False, description="whether it pulls three times as much")
    motors = made.parameter("motors", 1, kind="integer", minimum=1)
    side = made.enumeration("side", ("rear", "front", "none"), start="front")
    place = made.point("place", (0, 0))
    place.y.fix()
    force = made.select(gear, *FORCE.values()) * times * motors * made.select(side, -1.0, 1.0, 0.0)
    force = ca.if_else(on, ca.if_else(strong, 3.0, 1.0), 0.0) * force
    place.x.dof("x", "v").law(-force)
    made.add(Body("body", place, mass=1.0))
    made.output("force", force, unit="N")
    made.output("pulls", on, kind="boolean")
    made.output("count", times * motors, kind="integer")
    made.output("chosen", gear, items=("first", "second"))
    return made


def component() -> Component:
    """Return it with a short experiment."""
    return Component("cart", "a cart", model().equations(), Experiment(stop=2.0, step=0.01))
