"""FaceFriction"""

from mbcore import Body, Friction, Model, fixed, planar, simulate
from mbcore.drawing import box

model = Model("block on a table", gravity=(0, 0, -9.81))
bodies = []
for name, z, size in (("p", 0.0, 1.0), ("q", 0.12, 0.3)):
    place, turn = model.point(f"{name}_place", (0, 0, z)), model.rotation(name)
    bodies.append(model.add(Body(name, place, turn, mass=1.0, inertia=(0.01, 0.01, 0.02))))
    model.show(box(place, turn, (size, 0.6 * size, 0.1)))
p, q = bodies
fixed("wall", model, p, at=(0, 0, 0))
joint = planar("table", p, q, normal=(0, 0, 1))
for name, displacement in zip("xy", joint.displacements, strict=True):
    displacement.dof(name, f"{name}_rate", rate_start=0.3)
joint.angle.dof("angle", "angle_rate", rate_start=5.0)
model.add(Friction("rubbing", joint, coefficient=0.1, patch=0.1))
print(simulate(model.equations(), 1.0)["angle"][-1])
