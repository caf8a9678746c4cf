"""Ball"""

from mbcore import Ball, Body, Model, simulate


def bowl(place):
    """Return the height above a bowl."""
    return place[2] - 0.1 * (place[0] ** 2 + place[1] ** 2)


model = Model("ball in a bowl", gravity=(0, 0, -9.81))
centre, contact = model.point("centre", (0, 0, 0.2)), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
ball = model.add(Ball("ball", centre, rotation, contact, radius=0.2, surface=bowl))
model.add(Body("mass", centre, rotation, mass=1.0, inertia=(0.016, 0.016, 0.016)))
rotation.free("turn", angular_velocity=(2.0, 0.0, 1.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
print(simulate(model.equations(), 2.0)["x"][-1])
