"""Deformation.dof"""

from mbcore import Body, Model, PlanarHinge, simulate

model = Model("pendulum", gravity=(0, -9.81))
place = model.point("place", (0, 0), fixed=True)
wall, turned = model.angle("wall", fixed=True), model.angle("turned", -0.9)
hinge = model.add(PlanarHinge("hinge", wall, turned))
arm = model.add(Body("arm", place, turned, mass=1.0, inertia=0.01, offset=(0.25, 0)))
end = arm.point("end", (0.5, 0))
hinge.angle.dof("angle", "rate", start=-0.9).spring(2.0, 0.05)
print(simulate(model.equations(), 2.0)["angle"][-1])
