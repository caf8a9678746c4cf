"""GuideFriction"""

from mbcore import Body, Friction, Model, fixed, prismatic, simulate
from mbcore.drawing import box

model = Model("drawer that is pulled at its edge")
bodies = []
for name, x in (("p", 0.0), ("q", 0.4)):
    place, turn = model.point(f"{name}_place", (x, 0, 0)), model.rotation(name)
    bodies.append(model.add(Body(name, place, turn, mass=1.0, inertia=(0.01, 0.03, 0.03))))
    model.show(box(place, turn, (0.5, 0.3, 0.06)))
p, q = bodies
fixed("wall", model, p, at=(0, 0, 0))
drawer = prismatic("drawer", p, q, axis=(1, 0, 0))
drawer.displacement.dof("displacement", "speed")
handle = q.point("handle", (0.25, 0.12, 0))
model.force(handle, (5.0, -10.0, 0.0))
model.add(Friction("rubbing", drawer, span=0.4, coefficient=0.1))
print(simulate(model.equations(), 1.0)["displacement"][-1])
