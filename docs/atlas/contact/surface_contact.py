"""surface_contact, SurfaceContact"""

from mbcore import Ball, Body, FrictionLaw, Model, simulate
from mbcore.contact import LankaraniNikravesh
from mbcore.contact.surface_contact import surface_contact

model = Model("a ball that is thrown with a spin", gravity=(0, 0, -9.81))
centre, contact = model.point("centre", (0, 0, 0.1)), model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
ball = model.add(Ball("ball", centre, rotation, contact, radius=0.05))
model.add(Body("mass", centre, rotation, mass=0.4, inertia=(4e-4, 4e-4, 4e-4)))
rotation.free("turn", angular_velocity=(-40.0, 0.0, 20.0))
contact.x.dof("x", "x_rate", rate_start=0.5)
contact.y.dof("y", "y_rate")
ball.normal.dof("height", "height_rate", 0.05)
law = LankaraniNikravesh(stiffness=1e7, restitution=0.5)
touch = surface_contact(model, ball, law, friction=FrictionLaw(0.2, static=0.3))
model.output("sliding", touch.sliding_speed, unit="m/s")
result = simulate(model.equations(), 0.6)
figure = result.plot("height", "sliding")
