"""The recursive Newton-Euler equations of a URDF file, in inertial axes, read by themselves.

An independent judge: it knows no merging, and takes links as they stand. Joints that mimic others
are driven by the free ones: with v = G w the forces are Gᵀ τ.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation as Turn

GRAVITY = np.array([0.0, 0.0, -9.81])


def numbers(tag: ElementTree.Element | None, key: str, default: str = "0 0 0") -> np.ndarray:
    return np.array((default if tag is None else tag.get(key, default)).split(), float)


def frame(tag: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    origin = tag.find("origin")
    return numbers(origin, "xyz"), Turn.from_euler("xyz", numbers(origin, "rpy")).as_matrix()


class NewtonEuler:
    """Forces of all free joints of a robot that is fixed to the ground."""

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        self.links = {link.get("name"): link for link in root.iter("link")}
        joints = [joint for joint in root.iter("joint") if joint.find("parent") is not None]
        self.joints = {joint.get("name"): joint for joint in joints}
        self.free = [
            name
            for name, joint in self.joints.items()
            if joint.get("type") != "fixed" and joint.find("mimic") is None
        ]

    def _ratio(self, name: str) -> tuple[str, float, float]:
        mimic = self.joints[name].find("mimic")
        if mimic is None:
            return name, 1.0, 0.0
        factor, offset = (
            float(mimic.get(key, value)) for key, value in (("multiplier", 1), ("offset", 0))
        )
        return mimic.get("joint", ""), factor, offset

    def forces(
        self, q: Mapping[str, float], v: Mapping[str, float], a: Mapping[str, float]
    ) -> np.ndarray:
        """Return the force that each free joint needs for accelerations, gravity included."""
        found = dict.fromkeys(self.free, 0.0)
        children = {joint.find("child").get("link") for joint in self.joints.values()}
        base = next(name for name in self.links if name not in children)
        still = np.zeros(3)
        self._wrench(base, (still, np.eye(3), still, still, -GRAVITY), (q, v, a), found)
        return np.array([found[name] for name in self.free])

    def _wrench(self, link, motion, given, found) -> tuple[np.ndarray, np.ndarray]:
        """Return force and moment about the origin that a link and all beyond it need."""
        place, turn, omega, alpha, acceleration = motion
        force, moment = np.zeros(3), np.zeros(3)
        inertial = self.links[link].find("inertial")
        if inertial is not None:
            centre, own = frame(inertial)
            arm = turn @ centre
            entries = inertial.find("inertia")
            tensor = np.array(
                [[float(entries.get(f"i{min(i, j)}{max(i, j)}", 0)) for i in "xyz"] for j in "xyz"]
            )
            axes = turn @ own
            tensor = axes @ tensor @ axes.T
            mass = float(inertial.find("mass").get("value"))
            there = acceleration + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
            force = mass * there
            moment = tensor @ alpha + np.cross(omega, tensor @ omega)
            moment = moment + np.cross(place + arm, force)
        for name, joint in self.joints.items():
            if joint.find("parent").get("link") == link:
                more, turning = self._beyond(name, motion, given, found)
                force, moment = force + more, moment + turning
        return force, moment

    def _beyond(self, name, motion, given, found) -> tuple[np.ndarray, np.ndarray]:
        place, turn, omega, alpha, acceleration = motion
        joint = self.joints[name]
        at, own = frame(joint)
        arm = turn @ at
        acceleration = acceleration + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        place, turn = place + arm, turn @ own
        axis = numbers(joint.find("axis"), "xyz", "1 0 0")
        e = turn @ (axis / np.linalg.norm(axis))
        kind = joint.get("type")
        if kind == "fixed":
            child = joint.find("child").get("link")
            return self._wrench(child, (place, turn, omega, alpha, acceleration), given, found)
        leader, factor, offset = self._ratio(name)
        value, rate, second = (factor * part[leader] for part in given)
        value += offset
        if kind == "prismatic":
            acceleration = (
                acceleration
                + np.cross(alpha, value * e)
                + np.cross(omega, np.cross(omega, value * e))
                + 2 * np.cross(omega, rate * e)
                + second * e
            )
            place = place + value * e
        else:
            alpha = alpha + second * e + np.cross(omega, rate * e)
            omega = omega + rate * e
            turn = Turn.from_rotvec(value * e).as_matrix() @ turn
        child = joint.find("child").get("link")
        force, moment = self._wrench(child, (place, turn, omega, alpha, acceleration), given, found)
        along = e @ force if kind == "prismatic" else e @ (moment - np.cross(place, force))
        found[leader] += factor * along
        return force, moment

    def equations(self, q: Mapping[str, float], v: Mapping[str, float]) -> tuple:
        """Return mass matrix and bias."""
        none = dict.fromkeys(self.free, 0.0)
        bias = self.forces(q, v, none)
        columns = [self.forces(q, v, none | {name: 1.0}) - bias for name in self.free]
        return np.array(columns).T, bias
