"""Belt"""

from mbcore import Belt, Body, Model, simulate

model = Model("belt drive")
p, q = model.point("p", (0, 0), fixed=True), model.point("q", (0.6, 0), fixed=True)
p_angle, q_angle = model.angle("p_angle"), model.angle("q_angle")
for name, sign in (("upper", 1), ("lower", -1)):
    model.add(
        Belt(
            name, p, p_angle, q, q_angle, radius_p=0.1 * sign, radius_q=0.2 * sign,
            axial_stiffness=5e4, damping=1e-3, wound_p=1.0, wound_q=1.0,
        )
    )  # fmt: skip
model.add(Body("motor", p, p_angle, inertia=0.01))
model.add(Body("load", q, q_angle, inertia=0.1))
p_angle.angle.dof("motor", "speed", rate_start=10.0)
q_angle.angle.dof("load", "load_speed", rate_start=5.0)
print(simulate(model.equations(), 0.5)["load_speed"][-1])
