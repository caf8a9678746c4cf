"""fixed"""

from mbcore import Body, Model, fixed, revolute, simulate
from mbcore.drawing import box

model = Model("bracket", gravity=(0, 0, -9.81))
bodies = []
for name, x, z in (("p", 0.3, 0.0), ("q", 0.6, -0.2)):
    place, turn = model.point(f"{name}_place", (x, 0, z)), model.rotation(name)
    bodies.append(model.add(Body(name, place, turn, mass=1.0, inertia=(0.01, 0.03, 0.03))))
    model.show(box(place, turn, (0.5, 0.12, 0.06)))
p, q = bodies
hinge = revolute("hinge", model, p, at=(0, 0, 0), axis=(0, 1, 0))
weld = fixed("weld", p, q, at=(0.6, 0, 0))
hinge.angle.dof("angle", "rate")
print(simulate(model.equations(), 1.0)["angle"][-1])
