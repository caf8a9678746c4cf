"""TransmissionFriction"""

import numpy as np

from mbcore import Body, Coupling, Friction, Hinge, Model, Slide, simulate
from mbcore.drawing import box, cylinder

model = Model("jack", gravity=(0, 0, -9.81))
origin, nut = model.point("origin", (0, 0, 0), fixed=True), model.point("nut", (0, 0, 0.3))
model.add(Body("load", nut, mass=2.0))
guide = model.add(Slide("guide", origin, model.ground, nut, axis=(0, 0, 1)))
turned = model.rotation("turned")
bearing = model.add(Hinge("bearing", model.ground, turned, axis=(0, 0, 1)))
model.add(Body("spindle", None, turned, inertia=(0.1, 0.1, 0.1)))
model.show(box(nut, None, (0.2, 0.2, 0.08)), cylinder((0, 0, 0.2), turned, 0.02, 0.55))
lead = 0.03  # m in a turn
relation = guide.displacement.value - lead / (2 * np.pi) * bearing.angle.value
thread = model.add(Coupling("thread", relation))
bearing.angle.dof("angle", "rate", rate_start=5.0)
model.load(0.05, bearing.angle.rate)
model.add(Friction("friction", thread, radius=0.02, coefficient=0.15))
print(simulate(model.equations(), 1.0)["rate"][-1])
