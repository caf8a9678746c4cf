"""A URDF file as a description: XML that nobody trusts, read with the line of each statement.

Numbers that are not finite numbers, names that are missing or twice there and unknown kinds are
errors; tags that are not used are remarks. `mbcore.robots.tree` says whether links and joints make
a tree. It is apart from `mbcore.robots.from_urdf`, since another format would be another reader.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import TypeVar

import numpy as np
from lxml import etree

from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.robots.description import (
    Description,
    Frame,
    Joint,
    Link,
    MassProperties,
    Mimic,
    Solid,
)
from mbcore.robots.untrusted_xml import read_xml

KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
USED = {
    "robot": ("link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "limit": (),
}
"""Tags that are read, by the tag that holds them."""
KNOWN = {
    "material": "colours are not used",
    "transmission": "gears and motors are not in it; add a Coupling or a law",
    "gazebo": "settings of one simulator",
    "sensor": "sensors are not used; add outputs",
    "calibration": "calibration is not used",
    "safety_controller": "limits of a controller are not used",
    "contact": "settings of one simulator",
    "verbose": "it does not describe the mechanics",
    "effort and velocity of limits": "known, not used; limit the inputs yourself",
}
"""Tags that are known and not used, with the reason or the remedy."""
ROUNDING = 1e-9
"""Relative error of moments of inertia that counts as rounding."""
Read = TypeVar("Read", Link, Joint)


def read_urdf(path: str | PathLike[str]) -> Description:
    """Read a URDF file.

    Raises
    ------
    ModelError
        With file, line and remedy: the file is missing, larger than 20 MB, not XML, declares
        entities or a document type, is a macro that has not been expanded, lacks a name or a
        number, or holds an inertia that no body can have.
    """
    if not isinstance(path, str | PathLike):
        raise ModelError(f"from_urdf: path = {path!r}; give that of a URDF file")
    file = Path(path)
    root = read_xml(file)
    reader = _Reader(file)
    if root.tag != "robot":
        raise reader.error(root, f"a URDF file begins with <robot>, not <{root.tag}>")
    reader.note_unused(root)
    links = reader.named(root, "link", reader.link)
    joints = reader.named(root, "joint", reader.joint)
    if not links:
        raise reader.error(root, "no link; a robot needs at least one")
    return Description(
        root.get("name") or file.stem,
        file,
        links,
        joints,
        (*reader.remarks, *reader.counted()),
        tuple(reader.notes),
    )


class _Reader:
    """Reads the tags of one file, and notes unused ones."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.remarks: list[str] = []
        self.notes: list[str] = []
        self._unused: Counter[str] = Counter()
        self._first: dict[str, int] = {}

    def error(self, tag: etree._Element, text: str) -> ModelError:
        return ModelError(f"{self._file.name}, line {tag.sourceline}: {text}")

    def note_unused(self, tag: etree._Element) -> None:
        """Note the tags within one that are not read; a macro is an error."""
        for child in tag:
            name = str(child.tag)
            if child.prefix == "xacro" or "xacro" in name:
                raise self.error(
                    child, f"a macro; expand the file first: xacro {self._file.name} > robot.urdf"
                )
            if name in USED[str(tag.tag)]:
                continue
            key = name if name in KNOWN else f"{name} in {tag.tag}"
            self._unused[key] += 1
            self._first.setdefault(key, child.sourceline)

    def counted(self) -> list[str]:
        """Return a remark for each kind of tag that was not used."""
        found = []
        for key, count in self._unused.items():
            reason = KNOWN.get(key, "not a tag of URDF, not used")
            times = f"{count} times, first in line" if count > 1 else "line"
            tag, _, inside = key.partition(" in ")
            where = f" in <{inside}>" if inside else ""
            found.append(f"{self._file.name}: <{tag}>{where}, {times} {self._first[key]}: {reason}")
        return found

    def named(
        self, root: etree._Element, tag: str, read: Callable[[etree._Element], Read]
    ) -> dict[str, Read]:
        found: dict[str, Read] = {}
        for element in root.iterfind(tag):
            record = read(element)
            if record.name in found:
                raise self.error(
                    element,
                    f"{tag} {record.name!r} is there twice, first in line "
                    f"{found[record.name].line}; rename one",
                )
            found[record.name] = record
        return found

    def text(self, tag: etree._Element, key: str, what: str) -> str:
        given = (tag.get(key) or "").strip()
        if not given:
            raise self.error(tag, f'{what}: <{tag.tag}> has no {key}; write {key}="..."')
        self._refuse_macro(tag, key, given, what)
        return given

    def _refuse_macro(self, tag: etree._Element, key: str, given: str, what: str) -> None:
        if "$(" in given or "${" in given:
            raise self.error(
                tag,
                f"{what}: {key}={given!r} is a macro that has not been expanded; run xacro, or "
                "write the value",
            )

    def numbers(
        self, tag: etree._Element, key: str, what: str, count: int, default: Iterable[float] | None
    ) -> np.ndarray:
        given = tag.get(key)
        if given is None:
            if default is None:
                raise self.error(tag, f'{what}: <{tag.tag}> has no {key}; write {key}="..."')
            return np.array(list(default), float)
        self._refuse_macro(tag, key, given, what)
        words = given.split()
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = []
        if len(values) != count or not all(map(math.isfinite, values)):
            asked = (
                "a finite number" if count == 1 else f"{count} finite numbers with blanks between"
            )
            raise self.error(tag, f"{what}: {key}={given!r} is not {asked}; correct it")
        return np.array(values)

    def number(
        self, tag: etree._Element, key: str, what: str, default: float | None = None
    ) -> float:
        return float(self.numbers(tag, key, what, 1, None if default is None else (default,))[0])

    def size(self, tag: etree._Element, key: str, what: str) -> float:
        value = self.number(tag, key, what)
        if not value > 0:
            raise self.error(
                tag, f"{what}: {key}={tag.get(key)!r} must be greater than 0; correct it"
            )
        return value

    def frame(self, parent: etree._Element, what: str) -> Frame:
        tag = parent.find("origin")
        if tag is None:
            return Frame()
        place = self.numbers(tag, "xyz", what, 3, (0, 0, 0))
        return Frame(place, turned(self.numbers(tag, "rpy", what, 3, (0, 0, 0))))

    def link(self, tag: etree._Element) -> Link:
        name = self.text(tag, "name", "link")
        self.note_unused(tag)
        return Link(
            name,
            tag.sourceline,
            self._properties(tag, f"link {name}"),
            tuple(self._solids(tag, "collision", f"link {name}")),
            tuple(self._solids(tag, "visual", f"link {name}")),
        )

    def _properties(self, link: etree._Element, what: str) -> MassProperties | None:
        tag = link.find("inertial")
        if tag is None:
            return None
        self.note_unused(tag)
        weight, moments = tag.find("mass"), tag.find("inertia")
        mass = 0.0 if weight is None else self.number(weight, "value", what)
        if mass < 0:
            raise self.error(weight, f"{what}: its mass is {mass} kg; give one of 0 or more")
        if weight is None:
            self.notes.append(
                f"{self._file.name}, line {tag.sourceline}: {what}: its <inertial> has no <mass>, "
                "which is taken as 0; give one"
            )
        tensor = np.zeros((3, 3))
        if moments is not None:
            for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
                key = f"i{'xyz'[i]}{'xyz'[j]}"
                value = self.number(moments, key, what, None if i == j else 0.0)
                tensor[i, j] = tensor[j, i] = value
            self._note_impossible(moments, what, tensor)
        own = MassProperties(mass, np.zeros(3), tensor)
        return own.seen_from(self.frame(tag, what))

    def _note_impossible(self, tag: etree._Element, what: str, tensor: np.ndarray) -> None:
        """Note moments that no mass has; `mbcore.robots.tree` judges whole rigid bodies."""
        small, middle, large = np.linalg.eigvalsh(tensor)
        if small < -ROUNDING * large or large > (small + middle) * (1 + ROUNDING):
            moments = ", ".join(f"{moment:.4g}" for moment in (small, middle, large))
            self.notes.append(
                f"{self._file.name}, line {tag.sourceline}: {what}: no mass has the principal "
                f"moments {moments} kg.m2; used unchanged; correct them"
            )

    def _solids(self, link: etree._Element, kind: str, what: str) -> Iterable[Solid]:
        for tag in link.iterfind(kind):
            shape = next(iter(tag.iterfind("geometry/*")), None)
            if shape is None:
                self.remarks.append(
                    f"{self._file.name}, line {tag.sourceline}: {what}: <{kind}> without geometry"
                )
            elif shape.tag in ("cylinder", "capsule"):
                sizes = [self.size(shape, key, what) for key in ("radius", "length")]
                yield Solid("cylinder", tuple(sizes), self.frame(tag, what), tag.sourceline)
            elif shape.tag == "sphere":
                radius = (self.size(shape, "radius", what),)
                yield Solid("sphere", radius, self.frame(tag, what), tag.sourceline)
            elif shape.tag == "box":
                sides = tuple(self.numbers(shape, "size", what, 3, None).tolist())
                yield Solid("box", sides, self.frame(tag, what), tag.sourceline)
            elif shape.tag == "mesh":
                file = self.text(shape, "filename", what)
                scale = self._scale(shape, what)
                yield Solid("mesh", scale, self.frame(tag, what), shape.sourceline, file)
            else:
                key = f"{shape.tag} in {kind}"
                self._unused[key] += 1
                self._first.setdefault(key, shape.sourceline)

    def _scale(self, mesh: etree._Element, what: str) -> tuple[float, ...]:
        """Return three scales; wrong ones are a remark, since pictures alone need them."""
        given = mesh.get("scale", "1 1 1")
        try:
            found = np.array(given.split(), float)
        except ValueError:
            found = np.zeros(0)
        if len(found) == 3 and np.isfinite(found).all():
            return tuple(found.tolist())
        self.remarks.append(
            f"{self._file.name}, line {mesh.sourceline}: {what}: scale={given!r} is not 3 finite "
            "numbers; taken as 1"
        )
        return (1.0, 1.0, 1.0)

    def joint(self, tag: etree._Element) -> Joint:
        name = self.text(tag, "name", "joint")
        what = f"joint {name}"
        self.note_unused(tag)
        kind = self.text(tag, "type", what)
        if kind not in KINDS:
            raise self.error(tag, f"{what}: {unknown('type', kind, KINDS)}")
        ends = []
        for end in ("parent", "child"):
            found = tag.find(end)
            if found is None:
                raise self.error(tag, f'{what}: no {end}; write <{end} link="..."/>')
            ends.append(self.text(found, "link", what))
        lower, upper = self._limits(tag, what, kind)
        dynamics = tag.find("dynamics")
        damping, friction = (
            (0.0, 0.0)
            if dynamics is None
            else (self.number(dynamics, key, what, 0.0) for key in ("damping", "friction"))
        )
        for key, value in (("damping", damping), ("friction", friction)):
            if value < 0:
                raise self.error(dynamics, f"{what}: its {key} is {value}; give 0 or more")
        return Joint(
            name, kind, ends[0], ends[1], tag.sourceline, self.frame(tag, what),
            self._axis(tag, what, kind), lower, upper, damping, friction,
            self._mimic(tag, what, kind),
        )  # fmt: skip

    def _axis(self, joint: etree._Element, what: str, kind: str) -> np.ndarray:
        tag = joint.find("axis")
        if tag is None or kind in ("fixed", "floating"):
            return np.array([1.0, 0.0, 0.0])
        axis = self.numbers(tag, "xyz", what, 3, (1, 0, 0))
        length = float(np.linalg.norm(axis))
        if length == 0:
            raise self.error(tag, f"{what}: its axis is zero; give a direction, as in 0 0 1")
        if abs(length - 1) > 1e-3:
            self.remarks.append(
                f"{self._file.name}, line {tag.sourceline}: {what}: its axis has the length "
                f"{length:.6g}; only its direction is used"
            )
        return axis / length

    def _limits(self, joint: etree._Element, what: str, kind: str) -> tuple[float, float]:
        tag = joint.find("limit")
        if tag is None:
            return -math.inf, math.inf
        unlike = [key for key in ("effort", "velocity") if tag.get(key) is not None]
        if unlike:
            self._unused["effort and velocity of limits"] += 1
            self._first.setdefault("effort and velocity of limits", tag.sourceline)
        if kind not in ("revolute", "prismatic"):
            return -math.inf, math.inf
        lower, upper = (self.number(tag, key, what, 0.0) for key in ("lower", "upper"))
        if lower > upper:
            self.notes.append(
                f"{self._file.name}, line {tag.sourceline}: {what}: its lower limit {lower:g} is "
                f"above the upper one {upper:g}; treated as no limits; correct them"
            )
            return -math.inf, math.inf
        if lower == upper == 0:  # what files say that mean none, and Pinocchio ignores, too
            self.remarks.append(
                f"{self._file.name}, line {tag.sourceline}: {what}: both limits are 0; treated as "
                "none"
            )
            return -math.inf, math.inf
        return lower, upper

    def _mimic(self, joint: etree._Element, what: str, kind: str) -> Mimic | None:
        tag = joint.find("mimic")
        if tag is None:
            return None
        if kind == "fixed":
            self.remarks.append(
                f"{self._file.name}, line {tag.sourceline}: {what} is fixed, so it mimics nothing"
            )
            return None
        return Mimic(
            self.text(tag, "joint", what),
            self.number(tag, "multiplier", what, 1.0),
            self.number(tag, "offset", what, 0.0),
            tag.sourceline,
        )


def turned(rpy: Iterable[float]) -> np.ndarray:
    """Return the axes, as columns, after turns about the fixed x, y and z axes in this order."""
    (a, b, c), (i, j, k) = np.cos(list(rpy)), np.sin(list(rpy))
    turn = np.array(
        [
            [b * c, i * j * c - a * k, a * j * c + i * k],
            [b * k, i * j * k + a * c, a * j * k - i * c],
            [-j, i * b, a * b],
        ]
    )
    turn[np.abs(turn) < 1e-15] = 0.0  # quarter turns keep their zeros
    return turn
