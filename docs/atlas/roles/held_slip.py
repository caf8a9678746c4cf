"""Slip.hold"""

from mbcore import Body, Model, PlanarKnifeEdge, simulate

model = Model("sledge with a blade that is let down")
point, heading = model.point("point", (0, 0)), model.angle("heading", 0.3)
blade = model.add(PlanarKnifeEdge("blade", point, heading))
sledge = model.add(Body("sledge", point, heading, mass=50.0, inertia=5.0))
back = sledge.point("back", (-0.7, 0))
down = model.event("let_down", model.time - 1.0)
blade.longitudinal.release()
blade.lateral.release().hold(down)
point.x.dof("x", "x_rate", rate_start=2.0)
point.y.dof("y", "y_rate")
heading.angle.dof("turned", "turning", start=0.3)
model.output("slip", blade.lateral.velocity, unit="m/s")
print(simulate(model.equations(), 2.0)["slip"][[0, -1]])
