"""A robot's file in Pinocchio, with its equations in our velocities.

What hangs on floating joints moves by itself, so each such part is a robot of its own there, free
in space. Pinocchio leaves the axis of planar joints out: each is two slides and a hinge for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from mbcore.model.nodes.rotations import triad
from mbcore.robots.description import Description, Joint
from mbcore.robots.tree import make_tree
from mbcore.robots.urdf_file import read_urdf

FREE = ("velocity_x", "velocity_y", "velocity_z", "omega_x", "omega_y", "omega_z")
"""Ends of our rates of a part that is free in space, in Pinocchio's order."""
RATES = ("rate", "first_rate", "second_rate", *FREE)
"""Ends of the names of all our rates."""


class Part:
    """A part that hangs together, in Pinocchio; ``free`` begins its states where it is free."""

    def __init__(self, pin: Any, text: str, free: str, first: int) -> None:
        root = (pin.JointModelFreeFlyer(),) if free else ()
        self.model = pin.buildModelFromXML(text, *root)
        self.data = self.model.createData()
        self.free, self.first = free, first
        self.weight = 9.81 * sum(inertia.mass for inertia in self.model.inertias)


class Peer:
    """Pinocchio's model of a file, with its equations in our velocities.

    Joints that mimic others are free in it; with v = G w of our rates w and the constant G, the
    mass matrix is Gᵀ M G and the bias Gᵀ b. Its free parts have their velocity on their own axes,
    ours on those of space.
    """

    def __init__(self, pin: Any, file: Path, floating: bool) -> None:
        self._pin = pin
        self._description = read_urdf(file)
        self._parts: list[Part] = []
        root = next(iter(make_tree(self._description, {}).root.frames)) if floating else ""
        for text, free in parts_of(file.read_text(), self._description, root):
            self._parts.append(Part(pin, text, free, self.size))
        self.weight = sum(part.weight for part in self._parts)

    @property
    def size(self) -> int:
        """Number of Pinocchio's velocities."""
        return sum(part.model.nv for part in self._parts)

    def place(self, rate: str) -> int:
        """Return where one of our rates is among Pinocchio's velocities."""
        joint, _, end = rate.rpartition(".")
        for part in self._parts:
            if part.free == joint and end in FREE:
                return part.first + FREE.index(end)
            name = joint if end == "rate" else f"{joint}.{end.removesuffix('_rate')}"
            if part.model.existJointName(name):
                return part.first + int(part.model.joints[part.model.getJointId(name)].idx_v)
        raise KeyError(rate)

    def ratios(self, names: Sequence[str]) -> np.ndarray:
        """Return G for our rates of these names."""
        found = np.zeros((self.size, len(names)))
        for k, name in enumerate(names):
            found[self.place(name), k] = 1.0
        for name, joint in self._description.joints.items():
            factor, leader = 1.0, joint
            while leader.mimic is not None:
                factor *= leader.mimic.factor
                leader = self._description.joints[leader.mimic.joint]
            if leader is not joint:
                found[self.place(f"{name}.rate")] = (
                    factor * found[self.place(f"{leader.name}.rate")]
                )
        return found

    def equations(
        self, values: dict[str, float], rates: np.ndarray, ratios: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mass matrix and bias at a state, with the damping of the file."""
        v = ratios @ rates
        mass, bias = np.zeros((self.size, self.size)), np.zeros(self.size)
        for part in self._parts:
            own = slice(part.first, part.first + part.model.nv)
            mass[own, own], bias[own] = self._equations_of(part, values, v[own])
        for name, joint in self._description.joints.items():
            if joint.damping:
                place = self.place(f"{name}.rate")
                bias[place] += joint.damping * v[place]
        return ratios.T @ mass @ ratios, ratios.T @ bias

    def _equations_of(
        self, part: Part, values: dict[str, float], v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        pin, model, data = self._pin, part.model, part.data
        q = self._configuration(part, values)
        turn, turning = np.eye(model.nv), np.zeros(model.nv)
        if part.free:
            matrix = pin.Quaternion(q[3:7]).matrix()
            turn[:3, :3] = matrix.T
            # Pinocchio's velocity Rᵀ v of the base has the rate Rᵀ a - ω × Rᵀ v.
            turning[:3] = -np.cross(v[3:6], matrix.T @ v[:3])
            v = turn @ v
        mass = pin.crba(model, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(model, data, q, v) + mass @ turning
        return turn.T @ mass @ turn, turn.T @ bias

    def _configuration(self, part: Part, values: dict[str, float]) -> np.ndarray:
        model = part.model
        q = self._pin.neutral(model)
        for name, joint in zip(model.names, model.joints, strict=True):
            if name in ("universe", "root_joint"):
                continue
            value = self._value(name, values)
            two = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
            q[joint.idx_q : joint.idx_q + joint.nq] = two
        if part.free:
            e = np.array([values[f"{part.free}.e{i}"] for i in (1, 2, 3, 0)])
            q[:3] = [values[f"{part.free}.{label}"] for label in "xyz"]
            q[3:7] = e / np.linalg.norm(e)
        return q

    def _value(self, name: str, values: dict[str, float]) -> float:
        if name in values:  # a slide of a planar joint
            return values[name]
        mimic = self._description.joints[name].mimic
        if mimic is not None:
            return mimic.factor * self._value(mimic.joint, values) + mimic.offset
        return values[f"{name}.angle" if f"{name}.angle" in values else f"{name}.displacement"]


def parts_of(text: str, description: Description, root: str) -> list[tuple[str, str]]:
    """Return texts of parts that hang together, and what begins their states if they are free.

    Parameters
    ----------
    root : str
        The link that begins the states of a free base; empty where it is fixed.
    """
    whole = etree.fromstring(text.encode())
    links = {tag.get("name"): tag for tag in whole.iter("link")}
    joints = {tag.get("name"): tag for tag in whole.iter("joint") if tag.get("name")}
    above = {joint.child: joint for joint in description.joints.values()}
    parts: dict[str, Any] = {}
    free: dict[str, str] = {}
    turns: dict[str, np.ndarray] = {}
    for name in _outwards(description):
        joint = above.get(name)
        if joint is None or joint.kind == "floating":
            parts[name] = etree.Element("robot", name=whole.get("name"))
            free[name] = root if joint is None else joint.name
            turns[name] = np.eye(3)
        else:
            part = parts[name] = parts[joint.parent]
            turns[name] = turns[joint.parent] @ joint.frame.turn
            tag = joints[joint.name]
            part.extend(_planar(tag, joint, turns[name]) if joint.kind == "planar" else [tag])
        parts[name].append(deepcopy(links[name]))
    return [
        (etree.tostring(parts[name], encoding="unicode"), begin) for name, begin in free.items()
    ]


def _outwards(description: Description) -> list[str]:
    """Return all links, each after its parent."""
    children = {joint.child for joint in description.joints.values()}
    found = [name for name in description.links if name not in children]
    for name in found:
        found += [joint.child for joint in description.joints.values() if joint.parent == name]
    return found


def _planar(tag: Any, joint: Joint, turn: np.ndarray) -> list[Any]:
    """Return two slides on our directions in the plane and a hinge, and the links between."""
    directions = turn.T @ triad((turn @ joint.axis).tolist())
    between = [f"{joint.name}.between{i}" for i in (1, 2)]
    ends = [joint.parent, *between, joint.child]
    found = [etree.Element("link", name=name) for name in between]
    for i, (end, axis) in enumerate((("first", 1), ("second", 2), ("", 0))):
        name = f"{joint.name}.{end}" if end else joint.name
        new = etree.Element("joint", name=name, type="prismatic" if end else "continuous")
        etree.SubElement(new, "parent", link=ends[i])
        etree.SubElement(new, "child", link=ends[i + 1])
        along = " ".join(f"{value:.17g}" for value in directions[:, axis])
        etree.SubElement(new, "axis", xyz=along)
        etree.SubElement(new, "limit", lower="-9", upper="9", effort="1", velocity="1")
        origin = tag.find("origin")
        if i == 0 and origin is not None:
            new.append(deepcopy(origin))
        found.append(new)
    return found
