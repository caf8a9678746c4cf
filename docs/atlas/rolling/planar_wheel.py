"""PlanarWheel"""

from mbcore import Body, Model, PlanarWheel, simulate

model = Model("wheelbarrow from above")
centre = model.point("centre", (0, 0))
heading, spin = model.angle("heading", 0.3), model.angle("spin")
wheel = model.add(PlanarWheel("wheel", centre, heading, spin, radius=0.2))
barrow = model.add(Body("barrow", centre, heading, mass=20.0, inertia=2.0, offset=(-0.4, 0)))
hands = barrow.point("hands", (-0.8, 0))
spin.angle.dof("spin", "spin_rate", rate_start=5.0)
heading.angle.dof("heading", "turning", start=0.3, rate_start=0.2)
centre.x.kinematic("x")
centre.y.kinematic("y")
print(simulate(model.equations(), 2.0)["x"][-1])
