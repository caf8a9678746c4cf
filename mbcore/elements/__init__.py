"""The finite elements: each states formulas of its nodes' coordinates, one family per file."""

from mbcore.elements.ball import Ball
from mbcore.elements.beam import PlanarBeam
from mbcore.elements.bearing import Bearing
from mbcore.elements.belt import Belt
from mbcore.elements.body import Body
from mbcore.elements.convex_body import ConvexBody, ellipsoid
from mbcore.elements.coupling import Coupling
from mbcore.elements.gear import GearPair
from mbcore.elements.hinge import Hinge, PlanarHinge
from mbcore.elements.joints import fixed, prismatic, revolute, spherical, universal
from mbcore.elements.knife_edge import KnifeEdge, PlanarKnifeEdge
from mbcore.elements.rigid_link import RigidLink
from mbcore.elements.rolling_coupling import RollingCoupling
from mbcore.elements.slide import Slide
from mbcore.elements.spatial_beam import SpatialBeam
from mbcore.elements.thick_wheel import ThickWheel
from mbcore.elements.truss import Truss
from mbcore.elements.tyre import (
    BrushTyre,
    CalspanTyre,
    LinearTyre,
    Tyre,
    TyreContact,
    TyreForces,
    TyreLaw,
)
from mbcore.elements.wheel import PlanarWheel, Wheel
from mbcore.model.element import Element, SlipRate, Strain
from mbcore.model.speed import Speed

__all__ = [
    "Ball",
    "Bearing",
    "Belt",
    "Body",
    "BrushTyre",
    "CalspanTyre",
    "ConvexBody",
    "Coupling",
    "Element",
    "GearPair",
    "Hinge",
    "KnifeEdge",
    "LinearTyre",
    "PlanarBeam",
    "PlanarHinge",
    "PlanarKnifeEdge",
    "PlanarWheel",
    "RigidLink",
    "RollingCoupling",
    "Slide",
    "SlipRate",
    "SpatialBeam",
    "Speed",
    "Strain",
    "ThickWheel",
    "Truss",
    "Tyre",
    "TyreContact",
    "TyreForces",
    "TyreLaw",
    "Wheel",
    "ellipsoid",
    "fixed",
    "prismatic",
    "revolute",
    "spherical",
    "universal",
]
