"""Hinge"""

from mbcore import Body, Hinge, Model, simulate

model = Model("flap", gravity=(0, 0, -9.81))
place = model.point("place", (0, 0, 0), fixed=True)
p, q = model.rotation("p", fixed=True), model.rotation("q")
hinge = model.add(Hinge("hinge", p, q, axis=(0, 1, 0)))
flap = model.add(Body("flap", place, q, mass=1.0, inertia=(0.01, 0.03, 0.03), offset=(0.25, 0, 0)))
end = flap.point("end", (0.5, 0, 0))
hinge.angle.dof("angle", "rate").spring(10.0, 0.2)
print(simulate(model.equations(), 2.0)["angle"][-1])
