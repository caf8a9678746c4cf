"""TyreLaw"""

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from mbcore import TyreContact, TyreForces, TyreLaw


class ArcTangent(TyreLaw):
    """A lateral force that saturates at the friction."""

    def forces(self, contact):
        """Return the forces of the ground on the wheel."""
        lateral = -contact.load * ca.atan(12 * contact.slip_angle) * 2 / np.pi
        return TyreForces(ca.SX(0), lateral, -0.03 * lateral)


angle = ca.SX.sym("angle")
contact = TyreContact(angle, ca.SX(0), ca.SX(0), ca.SX(4e3), ca.SX(1))
forces = ArcTangent().forces(contact)
both = ca.Function("forces", [angle], [forces.lateral, forces.aligning_moment])
figure = Figure(figsize=(6.4, 3.6), layout="constrained")
axes = figure.add_subplot(xlabel="slip angle α (°)")
angles = np.radians(np.linspace(-15, 15, 121))
for name, values in zip(("force (N)", "moment (N·m)"), both(angles[None, :]), strict=True):
    axes.plot(np.degrees(angles), np.array(values).ravel(), label=name)
axes.legend()
