"""Friction, PinFriction, FrictionLaw, DryFriction"""

from mbcore import Body, Friction, Model, PlanarHinge, simulate

model = Model("pendulum with friction", gravity=(0, -9.81))
pin = model.point("pin", (0, 0), fixed=True)
wall, turn = model.angle("wall", fixed=True), model.angle("turn")
arm = model.add(Body("arm", pin, turn, mass=1.0, inertia=0.02, offset=(0.4, 0)))
end = arm.point("end", (0.8, 0))
hinge = model.add(PlanarHinge("hinge", wall, turn))
hinge.angle.dof("angle", "rate")
rubbing = model.add(Friction("rubbing", hinge, radius=0.04, coefficient=0.3))
model.output("torque", rubbing.torque, unit="N.m")
result = simulate(model.equations(), 8.0)
figure = result.plot("angle", "torque")
