"""Deformation.kinematic"""

from mbcore import Body, Model, PlanarHinge, PlanarKnifeEdge, RigidLink, simulate

model = Model("wheel of a trolley, pushed sideways")
fork, wheel = model.point("fork", (0, 0)), model.point("wheel", (-0.2866, -0.0887))
trolley, turned = model.angle("trolley", fixed=True), model.angle("turned", 0.3)
fork.x.prescribe(1.0 * model.time)
fork.y.dof("y", "speed", rate_start=0.2)
swivel = model.add(PlanarHinge("swivel", trolley, turned))
model.add(RigidLink("trail", fork, turned, wheel))
model.add(PlanarKnifeEdge("edge", wheel, turned)).longitudinal.release()
model.add(Body("load", fork, mass=5.0))
swivel.angle.kinematic("swivel angle")
print(simulate(model.equations(), 1.0)["swivel angle"][-1])
