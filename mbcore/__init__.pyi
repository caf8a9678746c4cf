# The public names and where they are; `mbcore/__init__.py` imports each when it is first used.

from .drivers.choice import driver
from .drivers.driver import Response
from .elements import (
    ROAD_CAR_TYRE,
    Ball,
    BallFriction,
    Bearing,
    Belt,
    Body,
    BrushTyre,
    CalspanTyre,
    ConvexBody,
    Coupling,
    DryFriction,
    Element,
    FaceFriction,
    FlatContact,
    Friction,
    FrictionLaw,
    GearPair,
    GuideFriction,
    Hinge,
    KnifeEdge,
    LinearTyre,
    MagicFormula,
    MasslessNode,
    PinFriction,
    PlanarBeam,
    PlanarHinge,
    PlanarKnifeEdge,
    PlanarWheel,
    RigidLink,
    RollingCoupling,
    RollingFriction,
    RollingResistance,
    Slide,
    SlipRate,
    SpatialBeam,
    Speed,
    Strain,
    ThickWheel,
    TransmissionFriction,
    Truss,
    Tyre,
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreLimit,
    TyreRelaxation,
    TyreSpring,
    Wheel,
    ellipsoid,
    fixed,
    planar,
    prismatic,
    revolute,
    spherical,
    universal,
)
from .equations.equations import Equations
from .equations.superposition import superpose
from .equilibria.statics import assemble, equilibrium
from .equilibria.steady_motion import SteadyMotion, steady_motion
from .evaluation.input_file import read_inputs
from .evaluation.input_table import InputTable
from .identification.fit import fit
from .identification.fit_result import Fit
from .identification.options import FitOptions, Sensor
from .identification.runs import Run
from .identification.unknowns import Unknown
from .linear.linearization import Linearization
from .linear.linearize import linearize
from .linear.linearizer import Linearizer
from .linear.root_locus import RootLocus, root_locus
from .model.errors import (
    ConfigurationError,
    ExpressionError,
    FmuError,
    ModelError,
    ModelWarning,
    RoleError,
    SimulationError,
)
from .model.model import Model
from .model.parameter_files.read import read_parameters
from .model.quantities.states import StateName
from .model.tables.table import Table
from .model.tables.table2d import Table2D
from .model.units.units import Units
from .model.variables import Item
from .native.compiled import compile_equations, evaluate_by
from .native.cuda import cuda_source
from .optimization.optimize import optimize
from .optimization.optimum import Optimum
from .optimization.options import OptimizeOptions
from .optimization.trial import Trial
from .optimization.varied import Varied
from .results.mode import Mode
from .results.result import Result
from .robots.from_urdf import from_urdf
from .robots.ground import Ground
from .robots.joint_laws import JointLaws, Stop
from .robots.mjcf.from_mjcf import from_mjcf
from .robots.robot import Robot, RobotJoint, RobotLink, RollingWheel
from .robots.rolling import Caster, Mecanum, Rolling
from .simulation.simulate import simulate
from .sweeps.linearizations import linearizations
from .sweeps.simulate_many import simulate_many
from .sweeps.simulations import simulations
from .sweeps.steady_motions import steady_motions
from .sweeps.sweep import Samples, Workers, sweep

__version__: str

__all__ = [
    "ROAD_CAR_TYRE",
    "Ball",
    "BallFriction",
    "Bearing",
    "Belt",
    "Body",
    "BrushTyre",
    "CalspanTyre",
    "Caster",
    "ConfigurationError",
    "ConvexBody",
    "Coupling",
    "DryFriction",
    "Element",
    "Equations",
    "ExpressionError",
    "FaceFriction",
    "Fit",
    "FitOptions",
    "FlatContact",
    "FmuError",
    "Friction",
    "FrictionLaw",
    "GearPair",
    "Ground",
    "GuideFriction",
    "Hinge",
    "InputTable",
    "Item",
    "JointLaws",
    "KnifeEdge",
    "LinearTyre",
    "Linearization",
    "Linearizer",
    "MagicFormula",
    "MasslessNode",
    "Mecanum",
    "Mode",
    "Model",
    "ModelError",
    "ModelWarning",
    "OptimizeOptions",
    "Optimum",
    "PinFriction",
    "PlanarBeam",
    "PlanarHinge",
    "PlanarKnifeEdge",
    "PlanarWheel",
    "Response",
    "Result",
    "RigidLink",
    "Robot",
    "RobotJoint",
    "RobotLink",
    "RoleError",
    "Rolling",
    "RollingCoupling",
    "RollingFriction",
    "RollingResistance",
    "RollingWheel",
    "RootLocus",
    "Run",
    "Samples",
    "Sensor",
    "SimulationError",
    "Slide",
    "SlipRate",
    "SpatialBeam",
    "Speed",
    "StateName",
    "SteadyMotion",
    "Stop",
    "Strain",
    "Table",
    "Table2D",
    "ThickWheel",
    "TransmissionFriction",
    "Trial",
    "Truss",
    "Tyre",
    "TyreContact",
    "TyreForces",
    "TyreLaw",
    "TyreLimit",
    "TyreRelaxation",
    "TyreSpring",
    "Units",
    "Unknown",
    "Varied",
    "Wheel",
    "Workers",
    "__version__",
    "assemble",
    "compile_equations",
    "cuda_source",
    "driver",
    "ellipsoid",
    "equilibrium",
    "evaluate_by",
    "fit",
    "fixed",
    "from_mjcf",
    "from_urdf",
    "linearizations",
    "linearize",
    "optimize",
    "planar",
    "prismatic",
    "read_inputs",
    "read_parameters",
    "revolute",
    "root_locus",
    "simulate",
    "simulate_many",
    "simulations",
    "spherical",
    "steady_motion",
    "steady_motions",
    "superpose",
    "sweep",
    "universal",
]
