"""The finite elements: each states formulas of its nodes' coordinates, one family per file."""

from mbcore.elements.beams.beam import PlanarBeam
from mbcore.elements.beams.spatial_beam import SpatialBeam
from mbcore.elements.beams.truss import Truss
from mbcore.elements.bodies.body import Body
from mbcore.elements.bodies.massless_node import MasslessNode
from mbcore.elements.bodies.rigid_link import RigidLink
from mbcore.elements.friction.ball import BallFriction
from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.face import FaceFriction
from mbcore.elements.friction.friction import Friction
from mbcore.elements.friction.guide import GuideFriction
from mbcore.elements.friction.pin import PinFriction
from mbcore.elements.friction.rolling import RollingFriction
from mbcore.elements.friction.rolling_resistance import RollingResistance
from mbcore.elements.friction.transmission import TransmissionFriction
from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.joints.belt import Belt
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.gear import GearPair
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joints import fixed, planar, prismatic, revolute, spherical, universal
from mbcore.elements.joints.slide import Slide
from mbcore.elements.tyres.brush_tyre import BrushTyre
from mbcore.elements.tyres.calspan_tyre import CalspanTyre
from mbcore.elements.tyres.law import (
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreLimit,
    TyreRelaxation,
    TyreSpring,
)
from mbcore.elements.tyres.linear_tyre import LinearTyre
from mbcore.elements.tyres.magic_formula import ROAD_CAR_TYRE, MagicFormula
from mbcore.elements.tyres.tyre import Tyre
from mbcore.elements.wheels.ball import Ball
from mbcore.elements.wheels.convex_body import ConvexBody, ellipsoid
from mbcore.elements.wheels.flat_contact import FlatContact
from mbcore.elements.wheels.knife_edge import KnifeEdge, PlanarKnifeEdge
from mbcore.elements.wheels.rolling_coupling import RollingCoupling
from mbcore.elements.wheels.thick_wheel import ThickWheel
from mbcore.elements.wheels.wheel import PlanarWheel, Wheel
from mbcore.model.element import Element
from mbcore.model.speed import Speed
from mbcore.model.statements import SlipRate, Strain

__all__ = [
    "ROAD_CAR_TYRE",
    "Ball",
    "BallFriction",
    "Bearing",
    "Belt",
    "Body",
    "BrushTyre",
    "CalspanTyre",
    "ConvexBody",
    "Coupling",
    "DryFriction",
    "Element",
    "FaceFriction",
    "FlatContact",
    "Friction",
    "FrictionLaw",
    "GearPair",
    "GuideFriction",
    "Hinge",
    "KnifeEdge",
    "LinearTyre",
    "MagicFormula",
    "MasslessNode",
    "PinFriction",
    "PlanarBeam",
    "PlanarHinge",
    "PlanarKnifeEdge",
    "PlanarWheel",
    "RigidLink",
    "RollingCoupling",
    "RollingFriction",
    "RollingResistance",
    "Slide",
    "SlipRate",
    "SpatialBeam",
    "Speed",
    "Strain",
    "ThickWheel",
    "TransmissionFriction",
    "Truss",
    "Tyre",
    "TyreContact",
    "TyreForces",
    "TyreLaw",
    "TyreLimit",
    "TyreRelaxation",
    "TyreSpring",
    "Wheel",
    "ellipsoid",
    "fixed",
    "planar",
    "prismatic",
    "revolute",
    "spherical",
    "universal",
]
