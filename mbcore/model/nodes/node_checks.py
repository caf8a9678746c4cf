"""Checks of the nodes that users give to elements and loads: their kind, and one space for all."""

from __future__ import annotations

from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Angle, Node, Point, Rotation

ASKED: dict[type[Node], str] = {
    Point: "a point",
    Angle: "an angle (an orientation in the plane)",
    Rotation: "a rotation (an orientation in space)",
}


def node(owner: str, argument: str, value: object, *kinds: type[Node]) -> None:
    """Refuse anything but a node of one of these kinds.

    Raises
    ------
    ModelError
        Naming the owner, the argument and its value.
    """
    if not isinstance(value, kinds):
        asked = " or ".join(ASKED.get(kind, f"a {kind.__name__}") for kind in kinds)
        raise ModelError(f"{owner}: {argument} is {value!r}; give {asked} of the model")


def points(owner: str, planar: bool | None = None, **given: object) -> None:
    """Refuse arguments that are not points of one space.

    Parameters
    ----------
    planar : bool, optional
        Whether they must be planar or spatial; by default all must be of the same space.
    given : Point
        Points by the names of the arguments.

    Raises
    ------
    ModelError
        Naming the owner and the points.
    """
    for argument, value in given.items():
        node(owner, argument, value, Point)
    found = [value for value in given.values() if isinstance(value, Point)]
    if planar is None:
        if len({point.planar for point in found}) > 1:
            names = " and ".join(point.name for point in found)
            raise ModelError(
                f"{owner}: {names} must both be planar or spatial; "
                "give each two start coordinates, or each three"
            )
        return
    for argument, value in given.items():
        if isinstance(value, Point) and value.planar != planar:
            space, count = ("planar", "two") if planar else ("spatial", "three")
            listed = " and ".join(point.name for point in found)
            at = f" (given as {argument})" if argument != value.name else ""
            raise ModelError(
                f"{owner}: {listed} must{' both' if len(found) == 2 else ''} be {space}, but "
                f"{value.name}{at} has {2 if value.planar else 3} coordinates; give it {count}"
            )


def angles(owner: str, **given: object) -> None:
    """Refuse arguments that are not orientations in the plane."""
    for argument, value in given.items():
        node(owner, argument, value, Angle)


def rotations(owner: str, **given: object) -> None:
    """Refuse arguments that are not orientations in space."""
    for argument, value in given.items():
        node(owner, argument, value, Rotation)


def one_space(owner: str, point: Point | None, orientation: Angle | Rotation | None) -> None:
    """Refuse a point and an orientation of different spaces."""
    if point is None or orientation is None:
        return
    if point.planar != isinstance(orientation, Angle):
        raise ModelError(
            f"{owner}: point and orientation are not of the same space: {point.name} has "
            f"{2 if point.planar else 3} coordinates and {orientation.name} is "
            f"{ASKED[type(orientation)]}; give a point of two coordinates and an angle, or a "
            "point of three and a rotation"
        )
