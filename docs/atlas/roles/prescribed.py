"""Deformation.prescribe"""

import casadi as ca

from mbcore import Body, Model, PlanarHinge, simulate

model = Model("wiper")
place = model.point("place", (0, 0), fixed=True)
car, turned = model.angle("car", fixed=True), model.angle("turned", 0.4)
motor = model.add(PlanarHinge("motor", car, turned))
wiper = model.add(Body("wiper", place, turned, mass=0.4, inertia=0.02, offset=(0.25, 0)))
end = wiper.point("end", (0.5, 0))
motor.angle.prescribe(1.2 + 0.8 * ca.sin(3 * model.time))
model.output("torque", motor.angle.stress, unit="N.m")
print(simulate(model.equations(), 2.0)["torque"][-1])
