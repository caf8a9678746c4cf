"""film, Film"""

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from mbcore.contact import film

x = ca.SX.sym("x")
sizes = {"radius": 0.02, "clearance": 1e-4, "length": 0.03, "viscosity": 0.02}
oil = film((x, 0), (0, 0), 100.0, **sizes)
force = ca.Function("force", [x], [-oil.force_x, -oil.force_y])
ratios = np.linspace(0, 0.95, 200)
figure = Figure(figsize=(6.4, 3.6), layout="constrained")
axes = figure.add_subplot(xlabel="eccentricity ratio", ylabel="force on the journal (N)")
for name, values in zip(("along", "across"), force(1e-4 * ratios[None, :]), strict=True):
    axes.plot(ratios, np.array(values).ravel(), label=f"{name} the eccentricity")
axes.legend()
