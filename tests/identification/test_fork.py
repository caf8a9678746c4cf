"""A measured oscillation: the fork of a bicycle that swings about its wheel's axle.

The file `browser_fork.csv` holds every 40th sample of ``BrowserForkCompoundFirst1.mat`` of
BicycleParameters, https://github.com/moorepants/BicycleParameters (commit e061bc9c): the voltage of
a rate gyro on the fork, 30 s. Copyright (c) 2011-2025, BicycleParameters Authors; its BSD licence
with two clauses allows copies with this notice, "as is" and without any warranty. The mass and the
distance of the mass centre from the axle are those of the same data set: mH, and from xH, zH, w
and rF.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares

from mbcore import Body, Friction, Model, PlanarHinge, Run, Sensor, fit
from mbcore.drivers.equations_driver import EquationsDriver

FILE = Path(__file__).with_name("browser_fork.csv")
MASS, HEIGHT, GRAVITY = 3.22, 0.47784, 9.81
"""kg, m, m/s²."""


def fork() -> Model:
    """Return a pendulum with viscous damping and dry friction at its axle."""
    model = Model("fork", gravity=(0, -GRAVITY))
    inertia = model.parameter("inertia", 0.2, unit="kg.m2")
    damping = model.parameter("damping", 0.01, unit="N.m.s/rad")
    friction = model.parameter("friction", 0.01, unit="N.m")
    axle, wall = model.point("axle", (0, 0), fixed=True), model.angle("wall", fixed=True)
    arm = model.angle("arm")
    model.add(Body("fork", axle, arm, mass=MASS, inertia=inertia, offset=(0, -HEIGHT)))
    hinge = model.add(PlanarHinge("hinge", wall, arm))
    hinge.angle.dof("angle", "rate")
    model.add(
        Friction("rub", hinge, coefficient=0.0, radius=0.01, viscous=damping, preload=friction)
    )
    return model


def oscillation(time: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return the period, s, and what is left, as BicycleParameters fits it: a decaying sine."""

    def errors(p: np.ndarray) -> np.ndarray:
        ratio, frequency, sine, cosine, offset = p
        turned = frequency * np.sqrt(1 - ratio**2) * time
        wave = sine * np.sin(turned) + cosine * np.cos(turned)
        return np.exp(-ratio * frequency * time) * wave + offset - values

    found = least_squares(errors, [0.01, 3.95, 0.1, -1.0, values.mean()])
    ratio, frequency = found.x[:2]
    return 2 * np.pi / frequency / np.sqrt(1 - ratio**2), float(np.std(found.fun))


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
def test_the_fork_of_a_bicycle_swings_with_dry_friction() -> None:
    """Half of what a decaying sine leaves is friction and amplitude; the period is the same.

    Periods of a pendulum grow by a²/16 with the amplitude a.
    """
    unknown = {"inertia": (0.05, 0.6, 0.24), "damping": (0, 0.1, 0.005), "friction": (0, 0.1, 2e-3)}
    run = Run(FILE, start={"angle": (-1, 1, 0.3), "rate": (-3, 3, 0.2)})
    gyro = Sensor(gain=(-5, 5, -1), offset=(-3, 3, 1.35))  # volts by rad/s, and volts
    driver = EquationsDriver(fork().equations(), backend="c")
    result = fit(driver, run, unknown, outputs={"gyro": "rate"}, sensors={"gyro": gyro})
    one = result.sensors["gyro"]
    period, left = oscillation(one.times[0], one.measured[0])
    assert period == pytest.approx(1.590, abs=1e-3)
    inertia = result.values["inertia"] + MASS * HEIGHT**2
    small = 2 * np.pi * np.sqrt(inertia / (MASS * GRAVITY * HEIGHT))
    amplitudes = np.ptp(one.measured[0].reshape(10, -1), axis=1) / 2  # V, every 3 s
    amplitudes *= period / (2 * np.pi * abs(result.values["gain of gyro"]))
    assert small * (1 + np.mean(amplitudes**2) / 16) == pytest.approx(period, rel=1e-3)
    assert one.deviation < 0.5 * left
    assert result.values["friction"] > 10 * result.deviations["friction"]
