"""Corners of COLLADA files, for `mbcore.robots.meshes`: the other formats need no XML.

Entities and document types are refused and nothing outside the file is opened.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from lxml import etree

from mbcore.robots.untrusted_xml import parse, refused_word

DEEPEST = 50
"""Nodes within nodes."""
MOST_NODES, MOST_CORNERS = 20_000, 5_000_000
"""That one file may show, since instances of instances multiply."""


def corners_of(data: bytes) -> np.ndarray:
    """Return the corners of all meshes of the scene, (n, 3), m.

    The file's unit and the transformations of its nodes are applied, its direction that is up is
    not, as in RViz. Meshes of a file without a scene are taken as they are.

    Raises
    ------
    ValueError
        If the file is no COLLADA, or damaged, or has a document type.
    """
    word = refused_word(data)
    if word is not None:
        raise ValueError(f"it has {word}")
    try:
        root = parse(data)
    except etree.XMLSyntaxError as error:
        if "Resource limit" in str(error):
            raise ValueError("a list in it has more than 10 MB; take a coarser mesh") from None
        raise ValueError(str(error)) from None
    if root.getroottree().docinfo.doctype:  # in an encoding in which it is not seen above
        raise ValueError("it has <!DOCTYPE")
    if _name(root) != "COLLADA":
        raise ValueError(f"it begins with <{_name(root)}> in place of <COLLADA>")
    found = _File(root)
    unit = float(next((e.get("meter", "1") for e in found.every("unit")), "1"))
    places = list(found.scene())
    return unit * np.concatenate(places) if places else np.zeros((0, 3))


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


class _File:
    """The elements of a file by their names and by their ids."""

    def __init__(self, root: etree._Element) -> None:
        self.elements: dict[str, list[etree._Element]] = {}
        self.by_id: dict[str, etree._Element] = {}
        for element in root.iter():
            self.elements.setdefault(_name(element), []).append(element)
            if element.get("id"):
                self.by_id[element.get("id")] = element
        self.nodes = self.corners = 0
        self.meshes: dict[str, np.ndarray] = {}

    def every(self, name: str) -> list[etree._Element]:
        return self.elements.get(name, [])

    def referred(self, element: etree._Element, key: str) -> etree._Element:
        """Return what an attribute names within this file."""
        said = element.get(key, "")
        if not said.startswith("#") or said[1:] not in self.by_id:
            raise ValueError(f"line {element.sourceline}: {key}={said!r} is not in the file")
        return self.by_id[said[1:]]

    def scene(self) -> Iterator[np.ndarray]:
        """Yield the corners of each mesh where the scene places it, in the file's unit."""
        shown = [self.referred(e, "url") for e in self.every("instance_visual_scene")]
        if not shown:
            yield from (self.mesh(geometry) for geometry in self.every("geometry"))
        for scene in shown:
            for node in scene:
                if _name(node) == "node":
                    yield from self.node(node, np.eye(4), 0)

    def node(self, node: etree._Element, outer: np.ndarray, depth: int) -> Iterator[np.ndarray]:
        """Yield the corners of a node's meshes and of those of the nodes in it."""
        if depth > DEEPEST:
            raise ValueError(f"line {node.sourceline}: nodes are {DEEPEST} deep, or in themselves")
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise ValueError(f"it shows more than {MOST_NODES} nodes")
        place = outer
        for child in node:
            kind = _name(child)
            if kind in _STEPS:
                place = place @ _STEPS[kind](_numbers(child))
            elif kind == "instance_geometry":
                corners = self.mesh(self.referred(child, "url"))
                self.corners += len(corners)
                if self.corners > MOST_CORNERS:
                    raise ValueError(f"it shows more than {MOST_CORNERS} corners")
                yield corners @ place[:3, :3].T + place[:3, 3]
            elif kind == "node":
                yield from self.node(child, place, depth + 1)
            elif kind == "instance_node":
                yield from self.node(self.referred(child, "url"), place, depth + 1)

    def mesh(self, geometry: etree._Element) -> np.ndarray:
        """Return the positions of a geometry's vertices."""
        key = geometry.get("id") or str(geometry.sourceline)
        if key not in self.meshes:
            arrays = [
                self.positions(self.referred(given, "source"))
                for vertices in geometry.iter("{*}vertices")
                for given in vertices.iter("{*}input")
                if given.get("semantic") == "POSITION"
            ]
            self.meshes[key] = np.concatenate(arrays) if arrays else np.zeros((0, 3))
        return self.meshes[key]

    def positions(self, source: etree._Element) -> np.ndarray:
        """Return the rows of a source of positions."""
        values = np.concatenate(
            [_numbers(e) for e in source.iter("{*}float_array")] or [np.zeros(0)]
        )
        stride = next((int(e.get("stride", "1")) for e in source.iter("{*}accessor")), 3)
        if stride < 3 or values.size % stride:
            raise ValueError(
                f"line {source.sourceline}: {values.size} numbers do not fill rows of {stride}"
            )
        return values.reshape(-1, stride)[:, :3]


def _numbers(element: etree._Element) -> np.ndarray:
    return np.array((element.text or "").split(), float)


def _matrix(values: np.ndarray) -> np.ndarray:
    return values.reshape(4, 4)


def _translated(values: np.ndarray) -> np.ndarray:
    found = np.eye(4)
    found[:3, 3] = values
    return found


def _scaled(values: np.ndarray) -> np.ndarray:
    return np.diag([*np.broadcast_to(values, 3), 1.0])


def _rotated(values: np.ndarray) -> np.ndarray:
    """Return the rotation about an axis by an angle in degrees, Rodrigues' formula."""
    x, y, z, degrees = values
    axis, angle = np.array([x, y, z]) / np.linalg.norm([x, y, z]), np.radians(degrees)
    cross = np.cross(axis, np.eye(3)).T
    found = np.eye(4)
    found[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return found


_STEPS = {"matrix": _matrix, "translate": _translated, "scale": _scaled, "rotate": _rotated}
