"""Deformation.release"""

from mbcore import Body, Model, Truss, simulate

model = Model("mass between two springs", gravity=(0, -9.81))
p, q = model.point("p", (-0.6, 0.4), fixed=True), model.point("q", (0.6, 0.4), fixed=True)
mass = model.point("mass", (0, 0))
for name, end in (("left", p), ("right", q)):
    spring = model.add(Truss(name, end, mass))
    spring.elongation.release().spring(200.0, 1.0)
model.add(Body("body", mass, mass=1.0))
mass.x.dof("x", "x_rate", start=0.1)
mass.y.dof("y", "y_rate")
print(simulate(model.equations(), 2.0)["x"][-1])
