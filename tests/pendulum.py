"""A pendulum with everything an exporter has to handle: the model of several tests."""

from mbcore import Body, Item, Model, PlanarBeam, PlanarHinge, Units


def pendulum(name: str = "pendulum") -> Model:
    """Return a mass on a rigid rod; an event counts its passages to the right of the pivot."""
    model = Model(name, gravity=(0, -9.81))
    mass = model.parameter("bob.mass", 2.0, unit="kg", positive=True, description="mass")
    length = model.parameter("rod.length", 0.5, unit=Units("m", "mm"), positive=True, tunable=False)
    damping = model.parameter("pivot.damping", 0.0, unit="N.m.s/rad", minimum=0.0)
    law = model.enumeration(
        "pivot.law", ["viscous", Item("dry", "friction", available=False)], description="of damping"
    )
    torque = model.input("pivot.torque", unit="N.m", minimum=-100.0, description='"outside" & <in>')
    passages = model.discrete("gate.passages", kind="integer")
    model.discrete("gate.time", -1.0, unit="s")
    model.require("rod.length", 10.0 - length, "must be below 10 m", shown=length, initial=True)

    pivot, ground = model.point("pivot", (0, 0)), model.angle("frame", fixed=True)
    pivot.x.fix()
    pivot.y.fix()
    arm, tip, bob = model.angle("arm"), model.angle("tip"), model.point("bob", (0, -length))
    hinge = model.add(PlanarHinge("hinge", ground, arm))
    model.add(PlanarBeam("rod", bob, tip, pivot, arm, rest_length=length))
    model.add(Body("bob", bob, tip, mass=mass))
    turned = hinge.angle.dof("pendulum.angle", "pendulum.rate", 0.1)
    turned.spring(0.0, damping).law(model.select(law, -torque, -torque))
    right = bob.position[0]
    model.event(
        "gate", right, band=1e-9, rising={"gate.passages": passages + 1, "gate.time": model.time}
    )
    model.output("bob.x", right, unit="m")
    model.output("bob.y", bob.position[1], unit="m")
    model.output("bob.right", right > 0, kind="boolean")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model
