"""Truss"""

from mbcore import Body, Model, Truss, simulate

model = Model("spring pendulum", gravity=(0, -9.81))
p = model.point("p", (0, 0), fixed=True)
q = model.point("q", (0.8, -0.6))
bar = model.add(Truss("bar", p, q))
bar.elongation.release().spring(1000.0, 5.0)
model.add(Body("bob", q, mass=1.0))
q.x.dof("x")
q.y.dof("y")
result = simulate(model.equations(), 1.0)
print(result["x"][-1], result["y"][-1])
