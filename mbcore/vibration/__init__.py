"""Small vibrations about a gross motion, and periodic motions of any size: [Schwab2002] chapter 4.

Nominal motion, periodic solutions, transients, stability and continuation.
"""

from mbcore.vibration.applied_forces import AppliedForce
from mbcore.vibration.branch import Branch, BranchEvent
from mbcore.vibration.continuation import continuation
from mbcore.vibration.flow import Flow, Trajectory
from mbcore.vibration.gross_motion import nominal_motion
from mbcore.vibration.nominal import NominalMotion
from mbcore.vibration.periodic import periodic_solution
from mbcore.vibration.periodic_equations import PeriodicEquations
from mbcore.vibration.piecewise import PiecewiseSignal
from mbcore.vibration.shooting import Shooting
from mbcore.vibration.shooting_point import ShootingPoint
from mbcore.vibration.signal import FourierSignal
from mbcore.vibration.solution import PeriodicSolution
from mbcore.vibration.speed_range import NominalRange, nominal_range
from mbcore.vibration.stability import StabilityBoundary, crossing_kind, stability_boundary

__all__ = [
    "AppliedForce",
    "Branch",
    "BranchEvent",
    "Flow",
    "FourierSignal",
    "NominalMotion",
    "NominalRange",
    "PeriodicEquations",
    "PeriodicSolution",
    "PiecewiseSignal",
    "Shooting",
    "ShootingPoint",
    "StabilityBoundary",
    "Trajectory",
    "continuation",
    "crossing_kind",
    "nominal_motion",
    "nominal_range",
    "periodic_solution",
    "stability_boundary",
]
