"""RollingFriction"""

from mbcore import Body, Friction, Model, Wheel, simulate

model = Model("coin that is thrown along the road", gravity=(0, 0, -9.81))
centre = model.point("centre", (0, 0, 0.5))
contact = model.point("contact", (0, 0, 0))
rotation = model.rotation("rotation")
wheel = model.add(Wheel("wheel", centre, rotation, contact, radius=0.5))
model.add(Body("disk", centre, rotation, mass=1.0, inertia=(0.0625, 0.125, 0.0625)))
rotation.free("turn", angular_velocity=(0.0, 2.0, 0.0))
contact.x.dof("x", "x_rate", rate_start=3.0)
contact.y.dof("y", "y_rate")
rubbing = model.add(Friction("road", wheel, coefficient=0.3, patch=0.01))
model.output("rolls", rubbing.sticks)
result = simulate(model.equations(), 1.0)
figure = result.plot("x_rate", "turn.omega_y")
