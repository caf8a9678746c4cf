"""Contents of a robot's file, as records with their lines; no mechanics yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Frame:
    """A frame relative to another one: its origin, m, and its axes as columns, (3, 3)."""

    place: np.ndarray = field(default_factory=lambda: np.zeros(3))
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, other: Frame) -> Frame:
        """Return a frame that is given relative to this one, relative to what this one is."""
        return Frame(self.place + self.turn @ other.place, self.turn @ other.turn)


@dataclass(frozen=True)
class MassProperties:
    """Mass, kg, its centre, m, and the inertia about it, kg.m2 (3, 3), on one frame's axes."""

    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def is_none(self) -> bool:
        """Whether there is neither mass nor inertia."""
        return self.mass == 0 and not self.inertia.any()

    def seen_from(self, frame: Frame) -> MassProperties:
        """Return the same body on the axes of what its frame is relative to."""
        turned = frame.turn @ self.inertia @ frame.turn.T
        return MassProperties(
            self.mass, frame.place + frame.turn @ self.centre, (turned + turned.T) / 2
        )

    def __add__(self, other: MassProperties) -> MassProperties:
        """Return both bodies as one; they are on the same axes."""
        mass = self.mass + other.mass
        if mass == 0:
            return MassProperties(0.0, self.centre, self.inertia + other.inertia)
        centre = (self.mass * self.centre + other.mass * other.centre) / mass
        inertia = self.about(centre) + other.about(centre)
        return MassProperties(mass, centre, inertia)

    def about(self, place: np.ndarray) -> np.ndarray:
        """Return the inertia about a place, kg.m2."""
        arm = self.centre - place
        return self.inertia + self.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


@dataclass(frozen=True)
class Solid:
    """A shape of a link: ``box``, ``cylinder``, ``sphere`` or ``mesh``; its sizes; its frame.

    Sizes are three sides; radius and length along the frame's z axis; a radius, m; three scales of
    the mesh of a ``file``.
    """

    kind: str
    sizes: tuple[float, ...]
    frame: Frame
    line: int
    file: str = ""


@dataclass(frozen=True)
class Link:
    """A rigid body of the file; ``properties`` on its own axes, None where it says nothing."""

    name: str
    line: int
    properties: MassProperties | None = None
    collisions: tuple[Solid, ...] = ()
    visuals: tuple[Solid, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """A coordinate that follows another joint's: ``factor`` times that one and ``offset``."""

    joint: str
    factor: float
    offset: float
    line: int


@dataclass(frozen=True)
class Joint:
    """How a link hangs on another one.

    Attributes
    ----------
    kind : str
        ``fixed``, ``revolute``, ``continuous``, ``prismatic``, ``planar`` or ``floating``.
    frame : Frame
        Of the child relative to the parent where the joint's coordinate is zero.
    axis : array (3,)
        Unit vector on the child's axes.
    lower, upper : float
        Limits of the coordinate, rad or m; infinite where there are none.
    damping, friction : float
        N.m.s/rad and N.m, or N.s/m and N.
    stiffness, rest : float
        Of a spring, N.m/rad or N/m, and the coordinate at which it is free, rad or m.
    armature : float
        Inertia that moves with the coordinate alone, as of a motor behind gears, kg.m2 or kg.
    reference : float
        Coordinate at the start, rad or m.
    """

    name: str
    kind: str
    parent: str
    child: str
    line: int
    frame: Frame
    axis: np.ndarray
    lower: float = -np.inf
    upper: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    reference: float = 0.0


@dataclass(frozen=True)
class Description:
    """A file's robot: links and joints by name, in the file's order, and its unused parts.

    Each entry of ``unused`` and of ``notes``, what is doubtful, names file and line.
    """

    name: str
    path: Path
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def where(self, line: int) -> str:
        """Return file and line, as messages begin."""
        return f"{self.path.name}, line {line}"
