"""Body"""

from mbcore import Body, Model, simulate

model = Model("thrown plate", gravity=(0, 0, -9.81))
place = model.point("place", (0, 0, 0))
turn = model.rotation("turn")
plate = model.add(
    Body("plate", place, turn, mass=2.0, inertia=(0.02, 0.05, 0.07), offset=(0.1, 0, 0))
)
corner = plate.point("corner", (0.4, 0.2, 0))
for coordinate, rate in zip((place.x, place.y, place.z), "uvw", strict=True):
    coordinate.dof(coordinate.name, rate)
turn.free("turn", angular_velocity=(0.1, 5.0, 0.0))
result = simulate(model.equations(), 0.5)
print(result.final("turn.omega_y"))
