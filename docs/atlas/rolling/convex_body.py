"""ConvexBody, ellipsoid"""

from mbcore import Body, ConvexBody, Model, ellipsoid, simulate

model = Model("egg", gravity=(0, 0, -9.81))
centre, contact = model.point("centre", (0, 0, 0.2)), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
egg = model.add(ConvexBody("egg", centre, rotation, contact, support=ellipsoid((0.35, 0.25, 0.2))))
model.add(Body("mass", centre, rotation, mass=1.0, inertia=(0.02, 0.03, 0.04)))
rotation.free("turn", angular_velocity=(0.5, 0.5, 2.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
print(simulate(model.equations(), 2.0)["x"][-1])
