"""Small vibrations about a gross motion, and periodic motions of any size: [Schwab2002] chapter 4.

Nominal motion, periodic solutions, transients, stability and continuation.
"""

from mbcore.continuation.branch import Branch, BranchEvent
from mbcore.continuation.branch_data import BranchColumns
from mbcore.continuation.continuation import continuation
from mbcore.continuation.curve_tracer import Steps
from mbcore.continuation.equilibria import Equilibria
from mbcore.continuation.periodic_orbits import Periodic
from mbcore.continuation.relative_equilibria import SteadyMotions
from mbcore.drivers.small_vibrations import SmallVibrations, small_vibrations
from mbcore.periodic.flow import Flow, Trajectory
from mbcore.periodic.lyapunov import LyapunovExponents, lyapunov_exponents
from mbcore.periodic.periodic import PeriodicOptions, periodic_solution
from mbcore.periodic.shooting import Shooting, ShootingOptions
from mbcore.periodic.shooting_point import ShootingPoint
from mbcore.periodic.variational import StepOptions
from mbcore.results.fourier_signal import FourierSignal
from mbcore.results.periodic_solution import PeriodicSolution
from mbcore.results.piecewise_signal import PiecewiseSignal
from mbcore.small_vibrations.applied_forces import AppliedForce
from mbcore.small_vibrations.floquet import exponents_along
from mbcore.small_vibrations.gross_motion import nominal_motion
from mbcore.small_vibrations.nominal_motion import NominalMotion
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.speed_range import NominalRange, nominal_range
from mbcore.small_vibrations.stability import StabilityBoundary, crossing_kind, stability_boundary

__all__ = [
    "AppliedForce",
    "Branch",
    "BranchColumns",
    "BranchEvent",
    "Equilibria",
    "Flow",
    "FourierSignal",
    "LyapunovExponents",
    "NominalMotion",
    "NominalRange",
    "Periodic",
    "PeriodicEquations",
    "PeriodicOptions",
    "PeriodicSolution",
    "PiecewiseSignal",
    "Shooting",
    "ShootingOptions",
    "ShootingPoint",
    "SmallVibrations",
    "StabilityBoundary",
    "SteadyMotions",
    "StepOptions",
    "Steps",
    "Trajectory",
    "continuation",
    "crossing_kind",
    "exponents_along",
    "lyapunov_exponents",
    "nominal_motion",
    "nominal_range",
    "periodic_solution",
    "small_vibrations",
    "stability_boundary",
]
