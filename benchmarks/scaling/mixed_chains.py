"""Chains and trees of rigid links of five kinds, mixed by chance and added in any order.

A link is a beam; two beams, welded at an angle; a rigid link with a body; a side arm with trusses
to the far end; or a beam whose bending at the far end is released, where the section is the next
link's frame. `Links` says what rigid bodies these are, so that others can be given the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation as Turn

from benchmarks.scaling.chains import GRAVITY, POLAR_INERTIA, SEED, Links
from mbcore import Body, Hinge, Model, PlanarBeam, PlanarHinge, RigidLink, SpatialBeam, Truss
from mbcore.model.element import Element
from mbcore.model.nodes.nodes import Angle, Point, Rotation

DENSITY = 1.3
"""Of beams and trusses, kg/m."""
FREE_END = {True: ("bending_q",), False: ("torsion", "bending_y_q", "bending_z_q")}
"""Deformations of a beam, in the plane or in space, that leave its far section free."""
Frame = Angle | Rotation


@dataclass(frozen=True)
class Layout:
    """How many links there are, and how they hang together.

    Attributes
    ----------
    size : int
        Number of links.
    flat : bool
        Whether they move in the plane.
    seed : int
        Of kinds, lengths and the order in which parts are added.
    angles : sequence of float, optional
        Of the hinges at the start, rad; zero by default.
    parents : sequence of int, optional
        Link at whose end each one hangs, -1 for the ground; by default the one before.
    pinned : bool
        Whether the last link's end is fixed where it starts.
    following : frozenset of int
        Hinges whose angles are not degrees of freedom.
    """

    size: int
    flat: bool
    seed: int = SEED
    angles: Sequence[float] | None = None
    parents: Sequence[int] | None = None
    pinned: bool = False
    following: frozenset[int] = frozenset()

    @property
    def above(self) -> list[int]:
        """Parents of all links."""
        return list(range(-1, self.size - 1) if self.parents is None else self.parents)

    @property
    def start(self) -> np.ndarray:
        """Angles of all hinges, rad."""
        return np.zeros(self.size) if self.angles is None else np.asarray(self.angles, float)

    @property
    def axes(self) -> str:
        """Direction of each hinge on body axes."""
        return "z" * self.size if self.flat else ("xyz" * (self.size // 3 + 1))[: self.size]


class Solid:
    """Mass of a link on its own axes: mass, kg, its moment about the hinge, and inertia there."""

    def __init__(self) -> None:
        self.mass, self.moment, self.inertia = 0.0, np.zeros(3), np.zeros((3, 3))

    def add(self, mass: float, centre: np.ndarray, inertia: np.ndarray) -> None:
        """Add a body with its inertia about its own centre, kg.m2."""
        self.mass += mass
        self.moment = self.moment + mass * centre
        self.inertia = self.inertia + inertia + mass * about(centre)

    def add_rod(self, start: np.ndarray, end: np.ndarray, polar: float = 0.0) -> None:
        """Add a rod of `DENSITY`, with a polar inertia, kg.m."""
        arm = end - start
        length = float(np.linalg.norm(arm))
        inertia = DENSITY * length / 12 * about(arm) + polar / length * np.outer(arm, arm)
        self.add(DENSITY * length, (start + end) / 2, inertia)


def about(arm: np.ndarray) -> np.ndarray:
    """Return the inertia of a unit mass at the end of an arm, shape (3, 3)."""
    return arm @ arm * np.eye(3) - np.outer(arm, arm)


@dataclass
class Draft:
    """A link in the making: where its hinge is and how it is turned at the start.

    ``offset`` is its end on its own axes, m; the next hinges are at ``end`` and hold ``last``.
    """

    name: str
    joint: Point
    frame: Frame
    place: np.ndarray
    turn: Turn
    offset: np.ndarray
    end: Point
    last: Frame
    solid: Solid = field(default_factory=Solid)


class Mixed:
    """A chain or a tree: its ``model``, and the ``links`` that it consists of."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._flat = layout, layout.flat
        self._random = np.random.default_rng(layout.seed)
        gravity = np.array([0, -GRAVITY, 0] if self._flat else [0, 0, -GRAVITY])
        kind = "planar" if self._flat else "spatial"
        self.model = Model(f"mixed_{kind}_{layout.size}", gravity=self._shown(gravity))
        self._parts: list[tuple[Element, Sequence[str]]] = []
        self._hinges: list[Hinge | PlanarHinge] = []
        self._kinds: list[int] = []
        turns = self._turns()
        self._frames = [self._frame(f"frame {i}", turn) for i, turn in enumerate(turns)]
        drafts: list[Draft] = []
        ground = self._ground()
        for i, turn in enumerate(turns):
            parent = layout.above[i]
            drafts.append(self._link(i, drafts[parent] if parent >= 0 else ground, turn))
        if layout.pinned:
            drafts[-1].end.fix()
        self._add_parts()
        self.links = self._bodies(drafts, gravity)

    def _shown(self, vector: np.ndarray) -> list[float]:
        """Components in the model's space."""
        return [float(c) for c in vector[: 2 if self._flat else 3]]

    def _turns(self) -> list[Turn]:
        """Start orientations of all links."""
        found: list[Turn] = []
        layout = self._layout
        for parent, axis, angle in zip(layout.above, layout.axes, layout.start, strict=True):
            own = Turn.from_rotvec(angle * np.eye(3)["xyz".index(axis)])
            found.append(found[parent] * own if parent >= 0 else own)
        return found

    def _frame(self, name: str, turn: Turn) -> Frame:
        if self._flat:
            return self.model.angle(name, float(turn.as_rotvec()[2]))
        return self.model.rotation(name, np.roll(turn.as_quat(), 1).tolist())

    def _ground(self) -> Draft:
        origin = self.model.point("origin", self._shown(np.zeros(3)), fixed=True)
        wall = self.model.angle("wall", fixed=True) if self._flat else self.model.ground
        still = np.zeros(3)
        return Draft("ground", origin, wall, still, Turn.identity(), still, origin, wall)

    def _link(self, i: int, parent: Draft, turn: Turn) -> Draft:
        """Add a link at the end of another one."""
        frame, place = self._frames[i], parent.place + parent.turn.apply(parent.offset)
        offset = self._random.uniform(0.3, 0.7, 3) * ([1, 1, 0] if self._flat else [1, 1, 1])
        end = self.model.point(f"end {i}", self._shown(place + turn.apply(offset)))
        draft = Draft(f"link {i}", parent.end, frame, place, turn, offset, end, frame)
        if isinstance(frame, Angle) and isinstance(parent.last, Angle):
            self._add_hinge(PlanarHinge(f"hinge {i}", parent.last, frame))
        elif isinstance(frame, Rotation) and isinstance(parent.last, Rotation):
            axis = np.eye(3)["xyz".index(self._layout.axes[i])]
            self._add_hinge(Hinge(f"hinge {i}", parent.last, frame, axis=axis.tolist()))
        children = [k for k, above in enumerate(self._layout.above) if above == i]
        kinds = [self._make_beam, self._make_welded, self._make_body, self._make_girder]
        chosen = self._next_kind()
        if chosen == len(kinds) and children:
            self._make_sharing(draft, self._frames[children[0]])
        else:
            kinds[chosen % len(kinds)](draft)
        return draft

    def _next_kind(self) -> int:
        """Number of a kind: all five in an order by chance, then all again in another one."""
        if not self._kinds:
            self._kinds = self._random.permutation(5).tolist()
        return self._kinds.pop()

    def _add_hinge(self, hinge: Hinge | PlanarHinge) -> None:
        self._hinges.append(hinge)
        self._add(hinge)

    def _add(self, part: Element, released: Sequence[str] = ()) -> None:
        self._parts.append((part, released))

    def _add_link(self, draft: Draft, name: str, q: Point, offset: np.ndarray) -> None:
        """Let a point move with a link's frame."""
        ends = (draft.joint, draft.frame, q)
        self._add(RigidLink(f"{draft.name} {name}", *ends, offset=self._shown(offset)))

    def _add_body(self, draft: Draft) -> None:
        """Add a body with its centre aside."""
        mass, centre = float(self._random.uniform(0.8, 1.2)), draft.offset / 2
        centre[1] += 0.1
        moments = self._random.uniform(0.1, 0.15, 3)
        inertia = float(moments[2]) if self._flat else moments.tolist()
        given = {"mass": mass, "inertia": inertia, "offset": self._shown(centre)}
        self._add(Body(f"{draft.name} body", draft.joint, draft.frame, **given))
        draft.solid.add(mass, centre, np.diag(moments))

    def _add_beam(
        self, name: str, ends: tuple[Point, Frame, Point, Frame], density: float, free: bool
    ) -> None:
        """Add a rigid beam, ``free`` with a far section that nothing of it holds."""
        p, before, q, after = ends
        beam: PlanarBeam | SpatialBeam
        given = {"mass_per_length": density}
        if isinstance(before, Angle) and isinstance(after, Angle):
            beam = PlanarBeam(name, p, before, q, after, elongation="chord", **given)
        else:
            assert isinstance(before, Rotation)
            assert isinstance(after, Rotation)
            given["polar_inertia"] = POLAR_INERTIA if density else 0.0
            beam = SpatialBeam(name, p, before, q, after, elongation="chord", **given)
        self._add(beam, FREE_END[self._flat] if free else ())

    def _make_beam(self, draft: Draft) -> None:
        """Make it a beam whose ends turn alike."""
        ends = (draft.joint, draft.frame, draft.end, draft.frame)
        self._add_beam(draft.name, ends, DENSITY, free=True)
        draft.solid.add_rod(np.zeros(3), draft.offset, POLAR_INERTIA)

    def _make_welded(self, draft: Draft) -> None:
        """Make it two beams at an angle; the first one's far section holds the second one."""
        corner = draft.offset * [1, 0, 0]
        middle = self._point(draft, "corner", corner)
        draft.last = self._frame(f"{draft.name} section", draft.turn)
        first = (draft.joint, draft.frame, middle, draft.last)
        self._add_beam(f"{draft.name} first", first, DENSITY, free=False)
        second = (middle, draft.last, draft.end, draft.last)
        self._add_beam(f"{draft.name} second", second, DENSITY, free=True)
        draft.solid.add_rod(np.zeros(3), corner, POLAR_INERTIA)
        draft.solid.add_rod(corner, draft.offset, POLAR_INERTIA)

    def _make_body(self, draft: Draft) -> None:
        """Make it a rigid link with a body."""
        self._add_link(draft, "arm", draft.end, draft.offset)
        self._add_body(draft)

    def _make_girder(self, draft: Draft) -> None:
        """Make it trusses from the hinge and from points at its side to the end."""
        sides = [np.array([0.3, -0.2, 0.0]), np.array([-0.1, 0.3, 0.3])]
        feet = [(draft.joint, np.zeros(3))]
        for k, side in enumerate(sides[: 1 if self._flat else 2]):
            feet.append((self._point(draft, f"side {k}", side), side))
            self._add_link(draft, f"arm {k}", feet[-1][0], side)
        for k, (foot, place) in enumerate(feet):
            mass = DENSITY * float(np.linalg.norm(draft.offset - place))
            self._add(Truss(f"{draft.name} bar {k}", foot, draft.end, mass=mass))
            draft.solid.add_rod(place, draft.offset)

    def _make_sharing(self, draft: Draft, section: Frame) -> None:
        """Make it a massless beam with a body, whose far section is another link's frame."""
        ends = (draft.joint, draft.frame, draft.end, section)
        self._add_beam(draft.name, ends, 0.0, free=True)
        self._add_body(draft)

    def _point(self, draft: Draft, name: str, offset: np.ndarray) -> Point:
        place = self._shown(draft.place + draft.turn.apply(offset))
        return self.model.point(f"{draft.name} {name}", place)

    def _add_parts(self) -> None:
        """Add elements by chance; hinges in the order of links, which is that of the states."""
        hinges = iter(self._hinges)
        for k in self._random.permutation(len(self._parts)):
            part, released = self._parts[k]
            added = self.model.add(next(hinges) if part in self._hinges else part)
            for name in released:
                added.deformations[name].release()
        for i, hinge in enumerate(self._hinges):
            if i not in self._layout.following:
                start = float(self._layout.start[i])
                hinge.angle.dof(f"joint{i}.angle", f"joint{i}.rate", start)

    def _bodies(self, drafts: Sequence[Draft], gravity: np.ndarray) -> Links:
        solids = [draft.solid for draft in drafts]
        mass = np.array([solid.mass for solid in solids])
        centre = np.array([solid.moment / solid.mass for solid in solids])
        inertia = [s.inertia - s.mass * about(c) for s, c in zip(solids, centre, strict=True)]
        offset = np.array([draft.offset for draft in drafts])
        return Links(self._layout.axes, mass, centre, np.array(inertia), offset, gravity)
