"""The ramp-to-step steer of the ILTIS: rack at 4 mm/s for half a second, then held.

The reference's yaw rate is the rate of the last of three angles: pitch, roll, then yaw. With c the
cabin's upward axis in the inertial frame and ω its angular velocity, the roll of this order has
sin φ = -c_y, and

    r = (c·ω + sin φ ω_y) / cos² φ,

which differs from the component c·ω by products of small angles and rates. The reference's
acceleration is the horizontal one in the inertial frame. Where the rack stops, its speed jumps, and
with it the acceleration by 1e-3 m/s2 at 30 m/s; the reference's value is the one behind the jump.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from mbcore import Equations, ModelWarning, Result, simulate

RACK_SPEED, RAMP = 0.004, 0.5
"""m/s, and s."""
DURATION, STEP = 5.0, 0.01
"""s."""


@dataclass(frozen=True)
class Steer:
    """A ramp-to-step steer."""

    motion: Result
    yaw_rate: np.ndarray
    """As the reference has it, rad/s."""
    acceleration: np.ndarray
    """Horizontal, m/s2."""

    @property
    def time(self) -> np.ndarray:
        """Sampled, s."""
        return self.motion.time

    def at(self, times: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return yaw rates and accelerations at times."""
        rows = [round(t / STEP) for t in times]
        return self.yaw_rate[rows], self.acceleration[rows]

    def extremes(self) -> dict[str, float]:
        """Return peaks, with their times, and the speed at the end."""
        motion = self.motion
        end = float(np.hypot(motion.final("cabin.speed"), motion.final("cabin.side_speed")))
        (turned, least), (pulled, most) = _peak(-self.yaw_rate), _peak(self.acceleration)
        return {
            "peak yaw rate (rad/s)": -least,
            "time of peak yaw rate (s)": turned,
            "peak acceleration (m/s2)": most,
            "time of peak acceleration (s)": pulled,
            "speed after 5 s (m/s)": end,
        }


def _peak(values: np.ndarray) -> tuple[float, float]:
    """Return time and size of the largest value, by a parabola through the top."""
    i = int(np.clip(np.argmax(values), 1, values.size - 2))
    before, top, after = (float(v) for v in values[i - 1 : i + 2])
    bend, slope = before - 2 * top + after, (after - before) / 2
    return STEP * (i - slope / bend), top - slope**2 / (2 * bend)


def steer(equations: Equations, speed: float, tyres: int = 1, wheels: int = 2) -> Steer:
    """Steer at a speed, m/s, with these choices of tyres and wheels, from the equilibrium."""
    samples = np.linspace(0, DURATION, round(DURATION / STEP) + 1)
    samples[round(RAMP / STEP)] = np.nextafter(RAMP, DURATION)  # behind the jump
    with warnings.catch_warnings():
        # The rack moves from the first moment on, and axles that do not slip follow at once.
        warnings.filterwarnings("ignore", "iltis: the start is changed by", ModelWarning)
        motion = simulate(
            equations,
            DURATION,
            start={"cabin.speed": speed},
            parameters={"steering": 2, "tyres": tyres, "wheels": wheels},
            inputs={
                "rack.displacement": lambda t: RACK_SPEED * min(t, RAMP),
                "rack.rate": lambda t: RACK_SPEED * (t < RAMP),
            },
            breaks=[RAMP],
            samples=samples,
            rtol=1e-6,
            atol=1e-6,
        )
    return Steer(motion, *_as_the_reference(motion))


def _as_the_reference(motion: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return yaw rate and horizontal acceleration."""
    angles = np.column_stack([motion[f"cabin.{name}"] for name in ("yaw", "pitch", "roll")])
    frame = Rotation.from_euler("ZYX", angles)
    turning = np.column_stack([motion[f"cabin.{name}_rate"] for name in ("roll", "pitch", "yaw")])
    up, turning = frame.apply([0, 0, 1]), frame.apply(turning)
    lean = -up[:, 1]
    rate = ((up * turning).sum(axis=1) + lean * turning[:, 1]) / (1 - lean**2)
    accelerations = np.column_stack([motion[f"cabin.acceleration_{axis}"] for axis in "xyz"])
    across = frame.apply(accelerations)[:, :2]
    return rate, np.hypot(*across.T)
