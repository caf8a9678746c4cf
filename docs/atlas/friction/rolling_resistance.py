"""RollingResistance"""

from mbcore import Ball, Body, Model, RollingResistance, simulate

model = Model("ball that comes to rest", gravity=(0, 0, -9.81))
centre, contact = model.point("centre", (0, 0, 0.2)), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
ball = model.add(Ball("ball", centre, rotation, contact, radius=0.2))
model.add(Body("mass", centre, rotation, mass=1.0, inertia=(0.016, 0.016, 0.016)))
rotation.free("turn", axes="space", angular_velocity=(0.0, 5.0, 0.0))
contact.x.kinematic("x")
contact.y.kinematic("y")
model.add(RollingResistance("grass", ball, arm=0.02))
result = simulate(model.equations(), 2.5)
figure = result.plot("x", "turn.omega_y")
