"""PlanarBeam"""

from mbcore import Body, Model, PlanarBeam, equilibrium

model = Model("cantilever", gravity=(0, -9.81))
p, q = model.point("p", (0, 0), fixed=True), model.point("q", (1, 0))
p_angle, q_angle = model.angle("p_angle", fixed=True), model.angle("q_angle")
beam = model.add(
    PlanarBeam(
        "beam", p, p_angle, q, q_angle, axial_stiffness=2e6, bending_stiffness=90.0, damping=1e-3
    )
)
model.add(Body("tip", q, q_angle, mass=2.0, inertia=0.01))
for name, deformation in beam.deformations.items():
    deformation.dof(name)
print(equilibrium(model.equations()))
