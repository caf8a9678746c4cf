"""SpatialBeam"""

from mbcore import Body, Model, SpatialBeam, equilibrium

model = Model("cantilever", gravity=(0, 0, -9.81))
p = model.point("p", (0, 0, 0), fixed=True)
q = model.point("q", (1, 0, 0))
p_rotation = model.rotation("p_rotation", fixed=True)
q_rotation = model.rotation("q_rotation")
stiff = {"axial_stiffness": 2e6, "torsional_stiffness": 70.0}
bending = {"bending_stiffness_y": 90.0, "bending_stiffness_z": 90.0}
beam = model.add(SpatialBeam("beam", p, p_rotation, q, q_rotation, **stiff, **bending))
tip = model.add(Body("tip", q, q_rotation, mass=2.0, inertia=(0.01, 0.01, 0.01)))
for name, deformation in beam.deformations.items():
    deformation.dof(name)
sag = equilibrium(model.equations())
print(sag)
