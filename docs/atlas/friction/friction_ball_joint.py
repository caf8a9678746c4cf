"""BallFriction"""

from mbcore import Body, Friction, Model, fixed, simulate, spherical
from mbcore.drawing import box

model = Model("desk lamp", gravity=(0, 0, -9.81))
bodies = []
for name, x in (("p", 0.0), ("q", 0.6)):
    place, turn = model.point(f"{name}_place", (x, 0, 0)), model.rotation(name)
    bodies.append(model.add(Body(name, place, turn, mass=1.0, inertia=(0.01, 0.03, 0.03))))
    model.show(box(place, turn, (0.5, 0.12, 0.06)))
p, q = bodies
fixed("wall", model, p, at=(0, 0, 0))
joint = spherical("joint", p, q, at=(0.3, 0, 0))
q.orientation.free("arm", angular_velocity=(1.0, 0.0, 2.0))
rubbing = model.add(Friction("rubbing", joint, radius=0.03, coefficient=0.2))
model.output("power", rubbing.power, unit="W")
print(simulate(model.equations(), 1.0)["power"][-1])
