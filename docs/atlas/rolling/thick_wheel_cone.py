"""ThickWheel: with a conical tread"""

from math import cos, sin

from mbcore import Body, Model, ThickWheel, simulate

model = Model("conical wheel", gravity=(0, 0, -9.81))
radius, crown, cone = 0.3, 0.1, 0.35
upright = (0, crown * sin(cone), radius + crown * (1 - cos(cone)))  # above the contact
centre, contact = model.point("centre", upright), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
wheel = model.add(
    ThickWheel("wheel", centre, rotation, contact, radius=radius, crown_radius=crown, cone=cone)
)
model.add(Body("rim", centre, rotation, mass=10.0, inertia=(0.3, 0.5, 0.3)))
rotation.free("turn", angular_velocity=(0.0, 20.0, 0.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
result = simulate(model.equations(), 1.0)
print(result["x"][-1], result["y"][-1])  # it turns to the side on which it is thinner
