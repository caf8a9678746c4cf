"""Speed"""

import casadi as ca

from mbcore import Body, Model, PlanarKnifeEdge, Speed, simulate

model = Model("sleigh")
nose = model.point("nose", (0, 0))
heading = model.angle("heading")
sleigh = model.add(Body("sleigh", nose, heading, mass=1.0, inertia=0.1, offset=(-0.3, 0)))
tail = sleigh.point("tail", (-0.6, 0))
model.add(PlanarKnifeEdge("blade", nose, heading))
ahead = ca.vertcat(ca.cos(heading.value), ca.sin(heading.value))
forward = model.add(Speed("forward", ca.dot(ahead, nose.velocity)))
forward.slip.dof("v", start=1.0)
heading.angle.dof("heading", "turning", rate_start=0.5)
nose.x.kinematic("x")
nose.y.kinematic("y")
print(simulate(model.equations(), 2.0)["v"][-1])
