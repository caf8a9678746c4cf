"""plane_contact, PlaneContact"""

from mbcore import Bearing, Body, FrictionLaw, Model, simulate
from mbcore.contact import LankaraniNikravesh
from mbcore.contact.plane_contact import plane_contact

model = Model("a ball that is thrown with a spin", gravity=(0, -9.81))
floor, centre = model.point("floor", fixed=True), model.point("centre")
level, turn = model.angle("level", fixed=True), model.angle("turn")
foot = model.add(Bearing("foot", floor, level, centre, turn))
model.add(Body("ball", centre, turn, mass=0.4, inertia=0.4 * 0.4 * 0.05**2))
foot.x.dof("x", "x_rate", rate_start=0.5)
foot.y.dof("y", "y_rate", 0.1)
foot.rotation.dof("angle", "spin", rate_start=60.0)
law = LankaraniNikravesh(stiffness=1e7, restitution=0.5)
contact = plane_contact(model, foot, 0.05, law, friction=FrictionLaw(0.2, static=0.3))
model.output("sliding", contact.sliding_speed, unit="m/s")
result = simulate(model.equations(), 0.6)
figure = result.plot("y", "sliding")
