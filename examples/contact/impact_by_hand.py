"""An impact in the slider-crank of [Schwab2002] 5.4 by hand.

The sleeve gets the impulse p n, the rod -p n at its journal end, while its other end follows the
crank, whose motion is prescribed. Moment of momentum about that end, with l for the length and m
for the mass of the rod, which is that of the slider too, φ for the rod's angle and
t = (-sin φ, cos φ) across it, gives

    Δφ̇ = -3 p (t·n)/(m l),    Δv_S = p n_x/m,    1/m_e = (3 (t·n)² + n_x²)/m.

The crank gives the impulse P = m l Δφ̇ t/2 + p n and the impulsive work P·v_pin. A force F n in the
place of the impulse adds the torque r_pin × P to what the given motion needs, and accelerates the
slider by F n_x/m.
"""

from __future__ import annotations

import numpy as np

from mbcore.examples.contact.rattling import CRANK, MASS, ROD, SPEED


class Mechanism:
    """Crank, rod and slider by hand, from the states alone; the sleeve stays on the line.

    Takes the crank's angle, rad, and the journal's place in the sleeve, m, with its rates, m/s:
    shape (5, points).
    """

    def __init__(self, states: np.ndarray) -> None:
        angle, x, y, x_rate, y_rate = states
        sine = (y - CRANK * np.sin(angle)) / ROD
        cosine = np.sqrt(1 - sine**2)
        self.normal = np.array([x, y]) / np.hypot(x, y)
        self.across = np.array([-sine, cosine])
        self.pin = CRANK * np.array([np.cos(angle), np.sin(angle)])
        self.pin_velocity = SPEED * np.array([-self.pin[1], self.pin[0]])
        self.rod_rate = (y_rate - self.pin_velocity[1]) / (ROD * cosine)
        self.slider_velocity = self.pin_velocity[0] - ROD * sine * self.rod_rate - x_rate
        self.speed = (x * x_rate + y * y_rate) / np.hypot(x, y)
        self.lever = (self.across * self.normal).sum(axis=0)
        self.effective_mass = MASS / (3 * self.lever**2 + self.normal[0] ** 2)

    def energy(self) -> np.ndarray:
        """Return the kinetic energy of rod and slider, J."""
        middle = self.pin_velocity + ROD / 2 * self.rod_rate * self.across
        rod = (middle**2).sum(axis=0) + (ROD * self.rod_rate) ** 2 / 12
        return MASS / 2 * (rod + self.slider_velocity**2)

    def at_pin(self, impulse: np.ndarray) -> np.ndarray:
        """Return what the crank gives the rod for an impulse (or a force) in the joint."""
        return impulse * (self.normal - 1.5 * self.lever * self.across)

    def work(self, impulse: np.ndarray) -> np.ndarray:
        """Return the impulsive work of the crank, J."""
        return (self.at_pin(impulse) * self.pin_velocity).sum(axis=0)

    def torque(self, force: np.ndarray) -> np.ndarray:
        """Return the torque on the crank that a force in the joint adds, N.m."""
        given = self.at_pin(force)
        return self.pin[0] * given[1] - self.pin[1] * given[0]

    def acceleration(self, force: np.ndarray) -> np.ndarray:
        """Return the slider's acceleration by a force in the joint, m/s²."""
        return force * self.normal[0] / MASS
