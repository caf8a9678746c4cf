"""mbcore: flexible multibody systems that roll, rattle and vibrate.

The finite-element multibody method of Schwab and Meijaard in minimal coordinates, for holonomic
and non-holonomic systems, and its models as self-contained FMUs.
"""

from mbcore.analysis.linearization import Linearization
from mbcore.analysis.linearize import Linearizer, linearize
from mbcore.analysis.mode import Mode
from mbcore.analysis.result import Result
from mbcore.analysis.root_locus import RootLocus, root_locus
from mbcore.analysis.simulate import simulate
from mbcore.analysis.statics import assemble, equilibrium
from mbcore.analysis.steady import SteadyMotion, steady_motion
from mbcore.elements import (
    Ball,
    Bearing,
    Belt,
    Body,
    BrushTyre,
    CalspanTyre,
    ConvexBody,
    Coupling,
    Element,
    GearPair,
    Hinge,
    KnifeEdge,
    LinearTyre,
    PlanarBeam,
    PlanarHinge,
    PlanarKnifeEdge,
    PlanarWheel,
    RigidLink,
    RollingCoupling,
    Slide,
    SlipRate,
    SpatialBeam,
    Speed,
    Strain,
    ThickWheel,
    Truss,
    Tyre,
    TyreContact,
    TyreForces,
    TyreLaw,
    Wheel,
    ellipsoid,
    fixed,
    prismatic,
    revolute,
    spherical,
    universal,
)
from mbcore.equations.equations import Equations
from mbcore.equations.model import Model
from mbcore.equations.superposition import superpose
from mbcore.model.errors import (
    ConfigurationError,
    ExpressionError,
    ModelError,
    ModelWarning,
    RoleError,
    SimulationError,
)
from mbcore.model.variables import Item
from mbcore.sweeps.sweep import sweep
from mbcore.sweeps.tasks import linearizations, simulations, steady_motions
from mbcore.version import VERSION

__version__ = VERSION

__all__ = [
    "Ball",
    "Bearing",
    "Belt",
    "Body",
    "BrushTyre",
    "CalspanTyre",
    "ConfigurationError",
    "ConvexBody",
    "Coupling",
    "Element",
    "Equations",
    "ExpressionError",
    "GearPair",
    "Hinge",
    "Item",
    "KnifeEdge",
    "LinearTyre",
    "Linearization",
    "Linearizer",
    "Mode",
    "Model",
    "ModelError",
    "ModelWarning",
    "PlanarBeam",
    "PlanarHinge",
    "PlanarKnifeEdge",
    "PlanarWheel",
    "Result",
    "RigidLink",
    "RoleError",
    "RollingCoupling",
    "RootLocus",
    "SimulationError",
    "Slide",
    "SlipRate",
    "SpatialBeam",
    "Speed",
    "SteadyMotion",
    "Strain",
    "ThickWheel",
    "Truss",
    "Tyre",
    "TyreContact",
    "TyreForces",
    "TyreLaw",
    "Wheel",
    "__version__",
    "assemble",
    "ellipsoid",
    "equilibrium",
    "fixed",
    "linearizations",
    "linearize",
    "prismatic",
    "revolute",
    "root_locus",
    "simulate",
    "simulations",
    "spherical",
    "steady_motion",
    "steady_motions",
    "superpose",
    "sweep",
    "universal",
]
