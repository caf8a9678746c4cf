"""PlanarHinge"""

from mbcore import Body, Model, PlanarHinge, simulate

model = Model("two arms")
origin = model.point("origin", (0, 0), fixed=True)
p, q = model.angle("p"), model.angle("q", 0.6)
first = model.add(Body("first", origin, p, inertia=0.1))
elbow = first.point("elbow", (1, 0))
second = model.add(Body("second", elbow, q, mass=1.0, inertia=0.1, offset=(0.5, 0)))
hand = second.point("hand", (1, 0))
hinge = model.add(PlanarHinge("hinge", p, q))
p.angle.dof("shoulder", "shoulder_rate")
hinge.angle.dof("bend", "bend_rate", start=0.6).spring(20.0, 0.5)
print(simulate(model.equations(), 1.0)["bend"][-1])
