"""Tyre, TyreContact, TyreForces, TyreSpring, TyreRelaxation, TyreLimit"""

from mbcore import ROAD_CAR_TYRE, Body, Hinge, MagicFormula, Model, Tyre, Wheel, simulate

model = Model("wheel of a test rig", gravity=(0, 0, -9.81))
law = MagicFormula.from_tir(ROAD_CAR_TYRE, side="left")
centre, contact = model.point("centre", (0, 0, 0.3)), model.point("contact", (0, 0, 0))
fork, rotation = model.rotation("fork", fixed=True), model.rotation("rotation")
axle = model.add(Hinge("axle", fork, rotation, axis=(0, 1, 0)))
wheel = model.add(Wheel("wheel", centre, rotation, contact, radius=law.unloaded_radius, width=0.2))
for slip in wheel.slips.values():
    slip.release()
tyre = Tyre(wheel, law, transient="relaxation")
model.add(Body("rig", centre, rotation, mass=400.0, inertia=(0.5, 1.0, 0.5)))
axle.angle.dof("turn", "spin", rate_start=36.0)
centre.x.dof("x", "speed", rate_start=10.0)
centre.y.prescribe(0.05 * model.time**2)
centre.z.dof("z", "heave")
model.output("lateral_force", tyre.forces.lateral, unit="N")
result = simulate(model.equations(), 1.0)
figure = result.plot("lateral_force", "z")
