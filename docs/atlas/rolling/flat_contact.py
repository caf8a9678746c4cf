"""FlatContact"""

from mbcore import Body, FlatContact, Model, Wheel, simulate

model = Model("coin that falls over", gravity=(0, 0, -9.81))
centre, contact = model.point("centre", (0, 0, 0.012)), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
wheel = model.add(Wheel("wheel", centre, rotation, contact, radius=0.012))
face = model.add(FlatContact("face", wheel, tilt=0.02))
model.add(Body("coin", centre, rotation, mass=5e-3, inertia=(1.8e-7, 3.6e-7, 1.8e-7)))
rotation.free("turn", angular_velocity=(2.0, 1.0, 0.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
model.output("height", centre.position[2], unit="m")
figure = simulate(model.equations(), 0.5).plot("height")
