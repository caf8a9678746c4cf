"""Slide"""

from mbcore import Body, Model, Slide, simulate

model = Model("bead on a rod", gravity=(0, -9.81))
p = model.point("p", (0, 0), fixed=True)
q = model.point("q", (0.6, 0.2))
orientation = model.angle("orientation", 0.2)
slide = model.add(Slide("slide", p, orientation, q, axis=(1, 0)))
rod = model.add(Body("rod", p, orientation, inertia=0.5))
end = rod.point("end", (0.9, 0))
model.add(Body("bead", q, mass=0.5))
orientation.angle.dof("angle", "turning")
slide.displacement.dof("displacement", "speed").spring(40.0, 0.3)
print(simulate(model.equations(), 1.0)["displacement"][-1])
