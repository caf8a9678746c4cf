"""LinearTyre"""

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from mbcore import LinearTyre, TyreContact

law = LinearTyre(cornering_stiffness=60e3)
angle, load = ca.SX.sym("angle"), ca.SX.sym("load")
contact = TyreContact(angle, ca.SX(0), ca.SX(0), load, ca.SX(1))
force = ca.Function("force", [angle, load], [law.forces(contact).lateral])
figure = Figure(figsize=(6.4, 3.6), layout="constrained")
axes = figure.add_subplot(xlabel="slip angle α (°)", ylabel="lateral force (kN)")
angles = np.radians(np.linspace(-15, 15, 121))
for value in (2e3, 4e3, 6e3):
    forces = np.array(force(angles[None, :], value)).ravel()
    axes.plot(np.degrees(angles), forces / 1e3, label=f"load {value / 1e3:g} kN")
axes.legend()
