"""MasslessNode"""

from mbcore import Body, MasslessNode, Model, Truss, simulate

model = Model("three springs", gravity=(0, -9.81))
left = model.point("left", (-1.0, 1.0), fixed=True)
right = model.point("right", (1.0, 1.2), fixed=True)
knot = model.point("knot", (0.1, 0.9))
bob = model.point("bob", (0.0, 0.3))
for end, stiffness in ((left, 100.0), (right, 150.0), (bob, 80.0)):
    spring = model.add(Truss(f"spring {end.name}", knot, end, rest_length=0.6))
    spring.elongation.release().spring(stiffness)
model.add(MasslessNode("meeting", knot))
model.add(Body("bob", bob, mass=1.0))
bob.x.dof("x")
bob.y.dof("y", start=0.3)
result = simulate(model.equations(), 1.0)
print(result["y"][-1])
