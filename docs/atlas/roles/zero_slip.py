"""Slip.zero"""

from mbcore import Body, Model, PlanarKnifeEdge, simulate

model = Model("skate")
point, heading = model.point("point", (0, 0)), model.angle("heading", 0.3)
blade = model.add(PlanarKnifeEdge("blade", point, heading))
skater = model.add(Body("skater", point, heading, mass=60.0, inertia=1.0))
back = skater.point("back", (-0.7, 0))
blade.lateral.zero()
blade.longitudinal.dof("speed", start=2.0)
heading.angle.dof("turned", "turning", start=0.3, rate_start=1.0)
point.x.kinematic("x")
point.y.kinematic("y")
model.output("force across", blade.lateral.force, unit="N")
print(simulate(model.equations(), 1.0)["force across"][-1])
