"""Small vibrations about a gross motion, and periodic motions of any size: [Schwab2002] chapter 4.

Nominal motion, periodic solutions, transients, stability and continuation.
"""

from mbcore.vibration.nominal import NominalMotion, nominal_motion
from mbcore.vibration.signal import FourierSignal
from mbcore.vibration.solution import PeriodicSolution

__all__ = ["FourierSignal", "NominalMotion", "PeriodicSolution", "nominal_motion"]
