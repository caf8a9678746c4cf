"""PlanarKnifeEdge"""

from mbcore import Body, Model, PlanarKnifeEdge, simulate

model = Model("sleigh of Chaplygin")
point = model.point("point", (0, 0))
heading = model.angle("heading", 0.2)
blade = model.add(PlanarKnifeEdge("blade", point, heading))
sleigh = model.add(Body("sleigh", point, heading, mass=1.0, inertia=0.1, offset=(-0.3, 0)))
tail = sleigh.point("tail", (-0.6, 0))
blade.longitudinal.dof("speed", start=1.0)
heading.angle.dof("heading", "turning", start=0.2, rate_start=0.5)
point.x.kinematic("x")
point.y.kinematic("y")
print(simulate(model.equations(), 2.0)["speed"][-1])
