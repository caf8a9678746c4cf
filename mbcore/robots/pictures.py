"""Shapes of a robot's links for pictures and pages: what the file shows, wheels, the ground.

It is apart from `mbcore.robots.from_urdf`, since nothing of it is mechanics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import casadi as ca
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from mbcore.elements.bodies.body import Body
from mbcore.elements.bodies.rigid_link import RigidLink
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, ball, box, cylinder, disc, surface
from mbcore.robots.description import Description, Frame, Link, Solid
from mbcore.robots.meshes import UnreadMeshError, corners
from mbcore.robots.robot import Robot, RobotLink
from mbcore.robots.rolling import WheelPlace

CORNER = math.atan(math.sqrt(2.0))
"""Angle between the pole of a cube and its corners, rad."""
HALF = (0.1, 0.5, CORNER, math.pi / 2)
HEIGHTS = (*HALF, *(math.pi - height for height in HALF[-2::-1]))
AROUND = 16
"""Angles from the pole, rad, and number of directions around, at which a hull is drawn."""
FLAT = 1e-6
"""Thickness, in parts of the size, below which points are taken for a sheet."""
THIN = 0.4
"""Width of a wheel whose width nobody says, in radii."""


def links(
    robot: Robot, description: Description, wheels: Sequence[WheelPlace], folders: Sequence[Path]
) -> tuple[list[Shape], list[str]]:
    """Return shapes of all links and wheels, and what was not drawn, with the lines of the file.

    Bodies whose links have shapes are drawn without bars, and none with the ellipsoid of its
    inertia.
    """
    unread: list[str] = []
    found: list[Shape] = []
    shown: set[str] = set()
    for name, said in description.links.items():
        shapes = list(_of_link(robot.links[name], said, description, folders, unread))
        found += shapes
        if shapes:
            shown.add(robot.links[name].orientation.name)
    for wheel in wheels:
        link = robot.links[wheel.joint.child]
        if link.orientation.name not in shown:
            found.append(_wheel(link, wheel))
            shown.add(link.orientation.name)
    for element in robot.elements.values():
        # Files give small links any inertia, so that an ellipsoid would hide the rest.
        ellipsoid = isinstance(element, Body) and bool(shown)
        if ellipsoid or (isinstance(element, RigidLink) and element.orientation.name in shown):
            element.visible = False
    if wheels:
        corners_of = [[(a, b, 0) for b in (-1, 1)] for a in (-1, 1)]
        found.append(surface(corners_of, ground=True, name="ground"))
    return found, unread


def _of_link(
    at: RobotLink,
    link: Link,
    description: Description,
    folders: Sequence[Path],
    unread: list[str],
) -> Iterable[Shape]:
    """Yield the visual shapes of a link, or its collision shapes where none can be drawn."""
    remarks: list[str] = []
    for kind, solids in (("visual", link.visuals), ("collision", link.collisions)):
        found = False
        for solid in solids:
            try:
                yield _shape(at, solid, description.path, folders)
                found = True
            except UnreadMeshError as error:
                remarks.append(
                    f"{description.path.name}: <mesh> in <{kind}>, line {solid.line}: link "
                    f"{link.name}: {solid.file} is not drawn: {error}"
                )
        if found:
            break
    unread += remarks


def _shape(at: RobotLink, solid: Solid, robot: Path, folders: Sequence[Path]) -> Shape:
    frame = at.frame @ solid.frame
    turn = at.orientation.matrix @ ca.DM(frame.turn)
    centre = at.base.position + at.orientation.turned(ca.DM(frame.place))
    if solid.kind == "box":
        return box(centre, turn, solid.sizes, name=at.name)
    if solid.kind == "sphere":
        return ball(centre, turn, solid.sizes[0], name=at.name)
    if solid.kind == "cylinder":
        colour = COLOURS["body"]
        return cylinder(centre, turn, *solid.sizes, colour=colour, name=at.name)
    return _hull(centre, turn, corners(solid.file, robot, folders) * solid.sizes, at.name)


def _hull(centre: ca.SX, turn: ca.SX, points: np.ndarray, name: str) -> Shape:
    """Return the convex hull of points as a closed surface, a box where they are a sheet."""
    low, high = points.min(0), points.max(0)
    try:
        rows = hull_grid(points)
    except QhullError:
        middle = centre + turn @ ca.DM((low + high) / 2)
        return box(middle, turn, (high - low).tolist(), name=name)
    places = [[centre + turn @ ca.DM(place) for place in row] for row in rows]
    return surface(places, closed=True, colour=COLOURS["body"], name=name)


def hull_grid(points: np.ndarray) -> np.ndarray:
    """Return places on the convex hull of points in directions from its middle, (rows, n, 3).

    Raises
    ------
    QhullError
        If the points are in a plane.
    """
    size = np.ptp(points, axis=0).max()
    if np.linalg.svd(points - points.mean(0), compute_uv=False)[2] < FLAT * size:
        raise QhullError("flat")
    hull = ConvexHull(points)
    middle = points[hull.vertices].mean(0)
    distances = -(hull.equations[:, :3] @ middle + hull.equations[:, 3])
    turns = np.linspace(0, 2 * math.pi, AROUND + 1)
    rows = []
    for height in HEIGHTS:
        aside = math.sin(height)
        directions = np.column_stack(
            [aside * np.cos(turns), aside * np.sin(turns), np.full_like(turns, math.cos(height))]
        ) * np.ptp(points, axis=0)
        towards = hull.equations[:, :3] @ directions.T
        with np.errstate(divide="ignore"):
            reach = np.where(towards > 0, distances[:, None] / towards, np.inf).min(0)
        rows.append(middle + reach[:, None] * directions)
    return np.array(rows)


def _wheel(link: RobotLink, wheel: WheelPlace) -> Shape:
    frame = link.frame @ Frame(wheel.centre)
    centre = link.base.position + link.orientation.turned(ca.DM(frame.place))
    axle = (frame.turn @ wheel.joint.axis).tolist()
    width = wheel.width or THIN * wheel.radius
    return disc(centre, link.orientation, wheel.radius, width, axle=axle, name=wheel.link)
