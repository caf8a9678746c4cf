"""Coupling"""

from mbcore import Body, Coupling, Model, simulate
from mbcore.drawing import box, disc

model = Model("rack and pinion")
axle = model.point("axle", (0, 0.1), fixed=True)
rack = model.point("rack", (0, -0.015))
turn = model.angle("turn")
rack.y.fix()
model.add(Body("pinion", axle, turn, inertia=0.01))
model.add(Body("rod", rack, mass=2.0))
model.show(disc(axle, turn, 0.1), box(rack, model.ground, (0.6, 0.03, 0)))
model.add(Coupling("teeth", rack.x.value - 0.1 * turn.angle.value))
turn.angle.dof("turn", "speed", rate_start=3.0)
rack.x.spring(50.0, 1.0)
print(simulate(model.equations(), 1.0)["turn"][-1])
