"""prismatic"""

from mbcore import Body, Model, fixed, prismatic, simulate
from mbcore.drawing import box

model = Model("drawer", gravity=(0, 0, -9.81))
bodies = []
for name, x in (("p", 0.0), ("q", 0.6)):
    place, turn = model.point(f"{name}_place", (x, 0, 0)), model.rotation(name)
    bodies.append(model.add(Body(name, place, turn, mass=1.0, inertia=(0.01, 0.03, 0.03))))
    model.show(box(place, turn, (0.5, 0.12, 0.06)))
p, q = bodies
fixed("wall", model, p, at=(0, 0, 0))
drawer = prismatic("drawer", p, q, axis=(1, 0, -0.3))
drawer.displacement.dof("displacement", "speed").spring(300.0, 5.0)
print(simulate(model.equations(), 1.0)["displacement"][-1])
