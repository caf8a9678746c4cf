"""Functions that make the shapes of elements and users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.nodes.rotations import triad
from mbcore.model.shapes.shape import THICKNESS, Place, Shape, Turn, axes, position
from mbcore.model.variables import Number

Mark: TypeAlias = Literal["", "centre", "hinge", "support", "clamp", "slide_x", "slide_y"]

COLOURS = {
    "body": "#4f6d8f",
    "link": "#5b7ea4",
    "wheel": "#474c55",
    "beam": "#b07d3c",
    "bar": "#7c8694",
    "spring": "#3f8f6b",
    "joint": "#2f3640",
    "belt": "#8a5a44",
    "ground": "#b9bdb3",
    "contact": "#c8553d",
    "centre": "#1f2933",
    "force": "#c0392b",
    "moment": "#8e5aa8",
    "motion": "#2e7d5b",
}
"""Muted colours by the kind of part, so that pictures of different systems look alike."""

POINTS = {"dot": 3, "box": 15, "ball": 15, "disc": 14, "arrow": 6}
"""Number of numbers of each kind for which it is constant."""


@explains_arguments
def line(
    places: Sequence[Place],
    *,
    colour: str = COLOURS["bar"],
    closed: bool = False,
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return a thin line through places, at least two of them, m."""
    details = _details(closed=closed, trail=trail) | {"points": len(places)}
    return _shape("line", name, colour, details, _path("line", places))


@explains_arguments
def tube(
    places: Sequence[Place],
    radius: Number = THICKNESS,
    *,
    colour: str = COLOURS["link"],
    closed: bool = False,
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return a round bar along places, at least two of them, with a radius, m.

    Without a radius its thickness is a part of the scene's size.
    """
    details = _details(closed=closed, trail=trail) | {"points": len(places)}
    numbers = (*_path("tube", places), _size("tube", "radius", radius))
    return _shape("tube", name, colour, details, numbers)


@explains_arguments
def disc(
    centre: Place,
    turn: Turn,
    radius: Number,
    width: Number = 0.0,
    *,
    axle: Sequence[float] = (0, 0, 1),
    colour: str = COLOURS["wheel"],
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return a round disc with spokes, whose axle is a direction in the frame of ``turn``.

    Parameters
    ----------
    radius, width : number or expression
        m; the width, along the axle, may be zero.
    """
    numbers = _round("disc", centre, turn, (radius, width), axle)
    return _shape("disc", name, colour, _details(trail=trail), numbers)


@explains_arguments
def cylinder(
    centre: Place,
    turn: Turn,
    radius: Number,
    width: Number = 0.0,
    *,
    axle: Sequence[float] = (0, 0, 1),
    colour: str = COLOURS["wheel"],
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return a full disc, with quarters of two tones by which its turning is seen.

    Parameters
    ----------
    centre, turn, radius, width, axle
        As for `disc`.
    """
    numbers = _round("cylinder", centre, turn, (radius, width), axle)
    return _shape("disc", name, colour, _details(trail=trail, solid=True), numbers)


@explains_arguments
def box(
    centre: Place,
    turn: Turn,
    sizes: Sequence[Number],
    *,
    colour: str = COLOURS["body"],
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return a box about a centre with its three full sizes along the axes of ``turn``, m."""
    return _shape(
        "box",
        name,
        colour,
        _details(trail=trail),
        _frame(centre, axes(turn)) + _three("box", sizes),
    )


@explains_arguments
def ball(
    centre: Place,
    turn: Turn,
    semi_axes: Number | Sequence[Number],
    *,
    colour: str = COLOURS["body"],
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return an ellipsoid with three semi-axes along the axes of ``turn``, or a sphere, m."""
    single = not isinstance(semi_axes, list | tuple | np.ndarray)
    sizes = [semi_axes] * 3 if single else semi_axes
    return _shape(
        "ball",
        name,
        colour,
        _details(trail=trail),
        _frame(centre, axes(turn)) + _three("ball", sizes),
    )


@explains_arguments
def dot(
    place: Place,
    *,
    colour: str = COLOURS["joint"],
    mark: Mark = "",
    trail: bool = False,
    name: str = "",
) -> Shape:
    """Return a point of constant size on the screen, or a mark: a centre of mass, a hinge.

    ``"support"`` marks a hinge on the ground, ``"clamp"`` a part fixed to it, ``"slide_x"`` and
    ``"slide_y"`` a part that slides along it.
    """
    checks.choice("dot", "mark", mark, get_args(Mark))
    details: dict[str, object] = _details(trail=trail) | ({"mark": mark} if mark else {})
    return _shape("dot", name, colour, details, [position(place)])


@explains_arguments
def surface(
    rows: Sequence[Sequence[Place]],
    *,
    colour: str = COLOURS["ground"],
    ground: bool = False,
    closed: bool = False,
    name: str = "",
) -> Shape:
    """Return a surface through a grid of places, rows of equal length.

    Parameters
    ----------
    ground : bool
        Whether it is a part of an infinite plane, which may be drawn up to the picture's edge.
    closed : bool
        Whether it is the whole surface of a body.
    """
    columns = len(rows[0]) if len(rows) else 0
    if len(rows) < 2 or columns < 2 or any(len(row) != columns for row in rows):
        raise ModelError(
            f"surface: rows of {[len(row) for row in rows]} places; give two rows or more, each of "
            "the same number of places, two or more"
        )
    details: dict[str, object] = {"rows": len(rows), "columns": columns} | _details(
        ground=ground, closed=closed
    )
    places = [position(place) for row in rows for place in row]
    return _shape("surface", name, colour, details, places)


@explains_arguments
def arrow(
    origin: Place,
    vector: Place,
    *,
    of: Literal["force", "moment", "motion"] = "force",
    colour: str = "",
    name: str = "",
) -> Shape:
    """Return an arrow from a place; its vector is a force, N, a moment, N.m, or a velocity, m/s.

    Viewers choose one scale for all arrows of a kind. Vectors may contain constraint forces.
    """
    checks.choice("arrow", "of", of, ("force", "moment", "motion"))
    numbers = [position(origin), position(vector)]
    return _shape("arrow", name, colour or COLOURS[of], {"of": of}, numbers)


def _shape(
    kind: str, name: str, colour: str, details: Mapping[str, object], numbers: Sequence[ca.SX]
) -> Shape:
    full = _full_colour(f"{kind} {name}", colour)
    return Shape(kind, ca.densify(ca.vertcat(*numbers)), full, name, details)


def _full_colour(owner: str, colour: object) -> str:
    """Return a colour as ``"#rrggbb"``, also one that is given as ``"#rgb"``."""
    digits = colour[1:] if isinstance(colour, str) and colour[:1] == "#" else ""
    if len(digits) not in (3, 6) or not set(digits) <= set("0123456789abcdefABCDEF"):
        raise ModelError(
            f'{owner}: colour = {colour!r}; give "#rrggbb" or "#rgb", as in "#4f6d8f" or "#9bb"'
        )
    return f"#{digits}" if len(digits) == 6 else "#" + "".join(2 * digit for digit in digits)


def _details(**flags: bool) -> dict[str, object]:
    return {name: True for name, value in flags.items() if value}


def _path(kind: str, places: Sequence[Place]) -> list[ca.SX]:
    if len(places) < 2:
        raise ModelError(f"{kind}: {len(places)} places; give two or more")
    return [position(place) for place in places]


def _frame(centre: Place, matrix: ca.SX) -> list[ca.SX]:
    return [position(centre), ca.vec(matrix)]


def _size(kind: str, what: str, value: object) -> ca.SX:
    return ca.SX(checks.number(kind, what, value, least=0, unit="m"))


def _round(
    kind: str, centre: Place, turn: Turn, sizes: tuple[Number, Number], axle: Sequence[float]
) -> list[ca.SX]:
    """Return centre, frame, radius and width of a disc."""
    across = checks.direction(kind, "axle", axle, "(0, 1, 0)")
    frame = axes(turn) @ ca.DM(np.roll(triad(across.tolist()), -1, axis=1))
    radius, width = sizes
    return [*_frame(centre, frame), _size(kind, "radius", radius), _size(kind, "width", width)]


def _three(kind: str, sizes: Sequence[Number]) -> list[ca.SX]:
    if not isinstance(sizes, list | tuple | np.ndarray) or len(sizes) != 3:
        raise ModelError(f"{kind}: sizes = {sizes!r}; give three, m, as in (2.0, 1.0, 0.5)")
    return [_size(kind, "size", size) for size in sizes]
