"""Results of `mbcore.elements.joints.joints`: a joint with its elements and coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbcore.elements.joints.hinge import Hinge, PlanarHinge, hinged
from mbcore.elements.joints.slide import Slide
from mbcore.model.near_names import Suggesting
from mbcore.model.nodes.connection import Connection, Side
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.quantities import Deformation


@dataclass(frozen=True)
class Revolute(Suggesting):
    """Parts of `revolute`: the joint's point, its hinge, and the hinge's angle, rad."""

    point: Point
    hinge: Hinge | PlanarHinge

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.hinge.name

    @property
    def angle(self) -> Deformation:
        """Angle by which q has turned relative to p about the axis since the start, rad."""
        return self.hinge.deformations["angle"]

    def connection(self) -> Connection:
        """Return both bodies, which share the joint's point."""
        return replace(hinged(self.hinge), point=self.point)


@dataclass(frozen=True)
class Prismatic(Suggesting):
    """Parts of `prismatic`: the slide and its rigid hinge."""

    slide: Slide
    hinge: Hinge | PlanarHinge

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.slide.name

    @property
    def displacement(self) -> Deformation:
        """Displacement of q relative to p along the axis since the start, m."""
        return self.slide.deformations["displacement"]

    def connection(self) -> Connection:
        """Return both bodies; the force acts at the point of q."""
        return _guided(self.slide, self.hinge)


@dataclass(frozen=True)
class Planar(Suggesting):
    """Parts of `planar`: the rigid slide along the normal, and the hinge about it."""

    slide: Slide
    hinge: Hinge

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.slide.name

    @property
    def displacements(self) -> tuple[Deformation, Deformation]:
        """Displacements of q relative to p in the plane since the start, m."""
        return self.slide.deformations["sideways_y"], self.slide.deformations["sideways_z"]

    @property
    def angle(self) -> Deformation:
        """Angle by which q has turned relative to p about the normal since the start, rad."""
        return self.hinge.deformations["angle"]

    def connection(self) -> Connection:
        """Return both bodies; the force acts at the point of q."""
        return _guided(self.slide, self.hinge)


@dataclass(frozen=True)
class Universal(Suggesting):
    """Parts of `universal`: the joint's point, the massless cross, and its two hinges."""

    point: Point
    cross: Rotation
    hinges: tuple[Hinge, Hinge]

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.cross.name.removesuffix(".cross")

    @property
    def angles(self) -> tuple[Deformation, Deformation]:
        """Angles of the cross relative to p and of q relative to the cross, rad."""
        return self.hinges[0].deformations["angle"], self.hinges[1].deformations["angle"]

    def connection(self) -> Connection:
        """Return both bodies, which share the joint's point; each has a hinge with the cross."""
        return replace(hinged(*self.hinges), point=self.point)


@dataclass(frozen=True)
class Spherical(Suggesting):
    """The point that both bodies share by `spherical`, and their orientations."""

    point: Point
    p: Angle | Rotation
    q: Angle | Rotation
    name: str = ""

    def connection(self) -> Connection:
        """Return both bodies, which share the joint's point; friction alone turns them."""
        title = f"spherical joint at {self.point.name}"
        return Connection(title, Side((self.p,), (self,)), Side((self.q,), (self,)), self.point)


@dataclass(frozen=True)
class Fixed(Suggesting):
    """Parts of `fixed`: the point that both bodies share, and the rigid hinge."""

    point: Point
    hinge: Hinge | PlanarHinge

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.hinge.name

    def connection(self) -> Connection:
        """Return both bodies, which share the joint's point."""
        return replace(hinged(self.hinge), point=self.point)


def _guided(slide: Slide, hinge: Hinge | PlanarHinge) -> Connection:
    """Return both bodies of a slide with a hinge, which carries the moment."""
    sides = (slide.p, slide.orientation), (slide.q, hinge.q)
    p, q = (Side(nodes, (slide, hinge), slide.q) for nodes in sides)
    return Connection(slide.title, p, q)
