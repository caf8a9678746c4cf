"""TransmissionFriction: of gears"""

from mbcore import Body, Friction, GearPair, Model, simulate

model = Model("gears whose teeth rub")
p, q = model.point("p", (0, 0), fixed=True), model.point("q", (0.3, 0), fixed=True)
p_angle, q_angle = model.angle("p_angle"), model.angle("q_angle")
gears = model.add(GearPair("gears", p, p_angle, q, q_angle, ratio=2))
model.add(Body("pinion", p, p_angle, inertia=0.01))
model.add(Body("wheel", q, q_angle, inertia=0.05))
p_angle.angle.dof("turn", "speed", rate_start=10.0)
q_angle.angle.law(0.1 * q_angle.angle.rate)
model.add(Friction("teeth", gears, radius=0.01, coefficient=0.1))
print(simulate(model.equations(), 1.0)["speed"][-1])
