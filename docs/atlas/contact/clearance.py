"""clearance, Clearance, SwitchedLaw, CompliantFriction, SwitchedFriction"""

from mbcore import Bearing, Body, Model, simulate
from mbcore.contact import HuntCrossley
from mbcore.contact.clearance import clearance

model = Model("journal in a wide bearing", gravity=(0, -9.81))
sleeve, journal = model.point("sleeve", (0, 0), fixed=True), model.point("journal", (0, 0))
sleeve_angle, journal_angle = model.angle("sleeve_angle", fixed=True), model.angle("journal_angle")
bearing = model.add(Bearing("bearing", sleeve, sleeve_angle, journal, journal_angle))
model.add(Body("rotor", journal, journal_angle, mass=1.0, inertia=1e-4))
bearing.x.dof("x", "x_rate")
bearing.y.dof("y", "y_rate")
bearing.rotation.dof("turn", "speed", rate_start=50.0)
law = HuntCrossley(stiffness=1e9, restitution=0.5)
contact = clearance(model, bearing, 0.01, law, friction=0.1, journal_radius=0.04)
model.output("force", contact.force, unit="N")
result = simulate(model.equations(), 0.5)
figure = result.plot("y", "force")
