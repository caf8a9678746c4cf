"""Bearing"""

from mbcore import Bearing, Body, Model, simulate

model = Model("rotor on soft bearings", gravity=(0, -9.81))
sleeve = model.point("sleeve", (0, 0), fixed=True)
journal = model.point("journal", (0, 0))
sleeve_angle, journal_angle = model.angle("sleeve_angle", fixed=True), model.angle("journal_angle")
bearing = model.add(Bearing("bearing", sleeve, sleeve_angle, journal, journal_angle))
model.add(Body("rotor", journal, journal_angle, mass=2.0, inertia=0.01, offset=(0.002, 0)))
bearing.x.dof("x", "x_rate").spring(2e4, 20.0)
bearing.y.dof("y", "y_rate").spring(2e4, 20.0)
bearing.rotation.dof("rotation", "speed", rate_start=50.0)
print(simulate(model.equations(), 1.0)["y"][-1])
