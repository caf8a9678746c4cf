"""regularize, regularize_pair, Regularization, Regularized"""

from mbcore import Body, Model, PlanarKnifeEdge, simulate
from mbcore.contact import Regularization, regularize

model = Model("sleigh on ice")
point = model.point("point", (0, 0))
heading = model.angle("heading")
blade = model.add(PlanarKnifeEdge("blade", point, heading))
sleigh = model.add(Body("sleigh", point, heading, mass=1.0, inertia=0.1, offset=(0.3, 0)))
tail = sleigh.point("tail", (-0.6, 0))
ice = Regularization(stiffness=1.0, damping=1.0, compliance=1e-4)
grip = regularize(model, blade.lateral, ice, limit=1.0)
point.x.dof("x", "x_rate", rate_start=1.0)
point.y.dof("y", "y_rate")
heading.angle.dof("heading", "turning", rate_start=3.0)
model.output("force", grip.force, unit="N")
model.output("sliding", grip.sliding)
result = simulate(model.equations(), 2.0)
figure = result.plot("force", "sliding")
