"""RollingCoupling"""

from mbcore import Body, Model, RollingCoupling, simulate
from mbcore.drawing import disc, line

model = Model("hoop on a slope", gravity=(4.9, -8.5))
centre = model.point("centre", (0, 0.2))
turn = model.angle("turn")
model.add(Body("hoop", centre, turn, mass=1.0, inertia=0.04))
model.show(disc(centre, turn, 0.2), line([(-0.4, 0), (0.8, 0)]))
centre.y.fix()
model.add(RollingCoupling("rolling", centre.x.rate + 0.2 * turn.angle.rate))
centre.x.dof("x", "speed")
turn.angle.kinematic("turn")
print(simulate(model.equations(), 1.0)["speed"][-1])
