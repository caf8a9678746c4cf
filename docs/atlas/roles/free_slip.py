"""Slip.release"""

from mbcore import Body, Model, PlanarKnifeEdge, simulate

model = Model("keel that drifts")
point, heading = model.point("point", (0, 0)), model.angle("heading", 0.3)
keel = model.add(PlanarKnifeEdge("keel", point, heading))
boat = model.add(Body("boat", point, heading, mass=200.0, inertia=50.0))
stern = boat.point("stern", (-1.5, 0))
keel.longitudinal.release().law(20.0 * keel.longitudinal.velocity)
keel.lateral.release().law(900.0 * keel.lateral.velocity)
point.x.dof("x", "x_rate", rate_start=2.0)
point.y.dof("y", "y_rate")
heading.angle.dof("turned", "turning", start=0.3, rate_start=0.1)
model.output("drift", keel.lateral.velocity, unit="m/s")
print(simulate(model.equations(), 2.0)["drift"][-1])
