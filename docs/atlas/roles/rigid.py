"""Deformation.rigid"""

from mbcore import Body, Model, Truss, simulate

model = Model("swing on a rod that keeps its length", gravity=(0, -9.81))
p = model.point("p", (0, 0), fixed=True)
q = model.point("q", (0.8, -0.6))
rod = model.add(Truss("rod", p, q))
rod.elongation.rigid()
model.add(Body("bob", q, mass=1.0))
q.x.dof("x", or_else=q.y)
model.output("pull", rod.elongation.stress, unit="N")
print(simulate(model.equations(), 1.0)["pull"][-1])
