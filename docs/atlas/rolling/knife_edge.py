"""KnifeEdge"""

from mbcore import Body, Hinge, KnifeEdge, Model, simulate

model = Model("skate on a slope", gravity=(1.0, 0, -9.76))
tip = model.point("tip", (0, 0, 0))
level, rotation = model.rotation("level", fixed=True), model.rotation("rotation")
blade = model.add(KnifeEdge("blade", tip, rotation))
yaw = model.add(Hinge("yaw", level, rotation, axis=(0, 0, 1)))
skate = model.add(Body("skate", tip, rotation, mass=2.0, inertia=(0.1, 0.1, 0.1)))
top = skate.point("top", (0.0, 0, 0.4))
blade.longitudinal.dof("speed", start=1.0)
yaw.angle.dof("heading", "turning", rate_start=1.0)
tip.x.kinematic("x")
tip.y.kinematic("y")
print(simulate(model.equations(), 2.0)["speed"][-1])
