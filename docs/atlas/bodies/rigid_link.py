"""RigidLink"""

from mbcore import Body, Model, RigidLink, simulate

model = Model("pendulum", gravity=(0, -9.81))
pivot = model.point("p", (0, 0), fixed=True)
end = model.point("q", (0.5, -0.4))
turn = model.angle("orientation")
model.add(RigidLink("link", pivot, turn, end))
model.add(Body("bob", end, mass=1.0))
turn.angle.dof("angle", "rate")
result = simulate(model.equations(), 2.0)
print(result["angle"][-1])
