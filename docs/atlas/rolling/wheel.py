"""Wheel"""

from mbcore import Body, Model, Wheel, simulate

model = Model("coin", gravity=(0, 0, -9.81))
centre = model.point("centre", (0, 0, 0.5))
contact = model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
wheel = model.add(Wheel("wheel", centre, rotation, contact, radius=0.5))
model.add(Body("disk", centre, rotation, mass=1.0, inertia=(0.0625, 0.125, 0.0625)))
rotation.free("turn", angular_velocity=(0.3, 6.0, 0.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
result = simulate(model.equations(), 2.0)
print(result["x"][-1], result["y"][-1])
