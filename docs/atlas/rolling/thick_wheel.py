"""ThickWheel"""

from mbcore import Body, Model, ThickWheel, simulate

model = Model("motorcycle wheel", gravity=(0, 0, -9.81))
centre, contact = model.point("centre", (0, 0, 0.3)), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
wheel = model.add(ThickWheel("wheel", centre, rotation, contact, radius=0.3, crown_radius=0.08))
model.add(Body("rim", centre, rotation, mass=10.0, inertia=(0.3, 0.5, 0.3)))
rotation.free("turn", angular_velocity=(0.2, 20.0, 0.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
print(simulate(model.equations(), 1.0)["x"][-1])
