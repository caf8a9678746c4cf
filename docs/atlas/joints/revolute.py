"""revolute"""

from mbcore import Body, Model, fixed, revolute, simulate
from mbcore.drawing import box

model = Model("door", gravity=(0, 0, -9.81))
bodies = []
for name, x in (("p", 0.0), ("q", 0.6)):
    place, turn = model.point(f"{name}_place", (x, 0, 0)), model.rotation(name)
    bodies.append(model.add(Body(name, place, turn, mass=1.0, inertia=(0.01, 0.03, 0.03))))
    model.show(box(place, turn, (0.5, 0.12, 0.06)))
p, q = bodies
fixed("wall", model, p, at=(0, 0, 0))
door = revolute("door", p, q, at=(0.3, 0, 0), axis=(0, 1, 0))
door.angle.dof("angle", "rate").spring(8.0, 0.1)
print(simulate(model.equations(), 1.0)["angle"][-1])
