"""unilateral_contact, Impact, CoulombFriction, ImpactContact"""

from mbcore import Body, Model, simulate
from mbcore.contact import Impact, unilateral_contact
from mbcore.drawing import ball as sphere
from mbcore.drawing import line

model = Model("bouncing ball", gravity=(0, -9.81))
ball = model.point("ball", (0, 0.5))
turn = model.angle("turn")
model.add(Body("mass", ball, turn, mass=0.3, inertia=3e-4))
model.show(sphere(ball, turn, 0.05), line([(-0.2, 0), (1.2, 0)]))
ball.x.dof("x", "x_rate", rate_start=1.0)
ball.y.dof("height", "height_rate", start=0.5)
turn.angle.dof("turn", "spin")
gap, sliding = ball.y.value - 0.05, ball.x.rate + 0.05 * turn.angle.rate
floor = unilateral_contact(
    model, "floor", gap, Impact(restitution=0.7), sliding=sliding, friction=0.3
)
model.output("lost", floor.energy_loss, unit="J")
result = simulate(model.equations(), 2.0)
figure = result.plot("height", "spin", "lost")
