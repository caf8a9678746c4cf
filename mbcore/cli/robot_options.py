"""Robots' files as FMUs, and the options that say what of them rolls."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mbcore.cli.robot_page import robot_page
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.component import Component, as_component, identifier
from mbcore.model import checks
from mbcore.model.near_names import unknown
from mbcore.robots.carrying import CONTACTS
from mbcore.robots.description import Description
from mbcore.robots.from_urdf import from_urdf
from mbcore.robots.joint_laws import JointLaws
from mbcore.robots.mjcf.from_mjcf import from_mjcf
from mbcore.robots.mjcf.mjcf_file import read_mjcf
from mbcore.robots.mjcf.refusals import REMEDIES
from mbcore.robots.rolling import Caster, Mecanum, Rolling
from mbcore.robots.urdf_file import read_urdf

SUFFIX, MJCF = ".urdf", ".xml"
KNOWN = {
    SUFFIX: ("rolling", "support", "speeds", "odometry", "meshes", "floating"),
    MJCF: ("speeds", "ignore"),
}
"""Options that `robot_component` takes for each kind of file."""


def is_robot(file: Path) -> bool:
    """Return whether a path is that of a robot's file."""
    return file.suffix.lower() in KNOWN


def add_robot_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    parser.add_argument(
        "--rolling",
        action="append",
        default=[],
        metavar="LINK[=RADIUS]",
        help="a link of a robot's file (.urdf) that is a wheel, with its radius in m or "
        "a unit, by default that of its collision cylinder; once for each",
    )
    parser.add_argument(
        "--caster",
        action="append",
        default=[],
        metavar="LINK[=RADIUS[,TRAIL]]",
        help="a link of a robot's file that is a caster's wheel; with a trail in m where the file "
        "holds it fixed",
    )
    parser.add_argument(
        "--mecanum",
        action="append",
        default=[],
        metavar="LINK=RADIUS,DEGREES",
        help="a link of a robot's file that is a mecanum wheel, with the angle of the roller that "
        "touches, positive to the left: front_left=0.1,-45",
    )
    parser.add_argument(
        "--support",
        metavar="planar|compliant|A,B,C",
        help="which wheels carry a robot: three at most by default; all, by their stiffness; or "
        "three that are named",
    )
    parser.add_argument(
        "--speed",
        action="append",
        default=[],
        metavar="JOINT",
        help="a joint that a servo moves at a speed that is an input; once for each",
    )
    parser.add_argument(
        "--odometry",
        action="store_true",
        help="outputs of the pose that a controller computes from the wheels' angles",
    )
    parser.add_argument(
        "--meshes",
        action="append",
        default=[],
        metavar="FOLDER",
        help="a folder that meshes of a robot's file may be read from, for pictures",
    )
    parser.add_argument(
        "--floating",
        action="store_true",
        help="a robot whose root is free in space, not fixed to the ground",
    )
    _add_ignore_option(parser)


def _add_ignore_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="PART",
        choices=sorted(REMEDIES),
        help="a part of an MJCF file (.xml) that is left out in place of being refused: "
        f"{', '.join(sorted(REMEDIES))}; once for each",
    )


@refusing_calls()
def robot_options(options: argparse.Namespace) -> dict[str, object]:
    """Return what `from_urdf` gets of the options.

    Raises
    ------
    WrongCallError
        A value is not a number, or a link comes twice.
    """
    rolling: dict[str, Rolling | Caster | Mecanum] = {}
    for word, most, given in (
        *(("rolling", 1, text) for text in options.rolling),
        *(("caster", 2, text) for text in options.caster),
        *(("mecanum", 2, text) for text in options.mecanum),
    ):
        name, _, numbers = (part.strip() for part in given.partition("="))
        if not name:
            raise WrongCallError(
                f"--{word} {given!r}: give LINK or LINK=RADIUS, as in left_wheel=0.1"
            )
        if name in rolling:
            raise WrongCallError(f"--{word}: link {name} is given twice; leave one out")
        radius, second = _values(word, name, numbers, most)
        if word == "mecanum":
            rolling[name] = Mecanum(radius, f"{second or 0.0!r} deg")
        else:
            rolling[name] = Rolling(radius) if word == "rolling" else Caster(radius, second)
    found: dict[str, object] = {"rolling": rolling} if rolling else {}
    if options.support is not None:
        found["support"] = _support(options.support)
    for word, value in (
        ("speeds", tuple(options.speed)),
        ("odometry", options.odometry),
        ("meshes", tuple(options.meshes)),
        ("floating", options.floating),
        ("ignore", tuple(options.ignore)),
    ):
        if value:
            found[word] = value
    if "support" in found and not rolling:
        raise WrongCallError("--support is for robots on wheels; give --rolling too")
    return found


def _support(given: str) -> str | list[str]:
    names = [name.strip() for name in given.split(",")]
    if names in (["planar"], ["compliant"]):
        return names[0]
    if len(names) != CONTACTS or len(set(names)) != CONTACTS:
        raise WrongCallError(
            f"--support {given}: give planar, compliant, or the three links that carry, as in "
            "left_wheel,right_wheel,caster"
        )
    return names


def only_robot_options(options: argparse.Namespace, file: Path) -> dict[str, object]:
    """Return what a single file gets of the options.

    Raises
    ------
    WrongCallError
        They are wrong, or the file is that of no robot.
    """
    given = robot_options(options)
    refuse_without_robot({file.stem: file}, given)
    return given


def _values(word: str, link: str, numbers: str, most: int) -> tuple[float | None, float | None]:
    """Return the radius and a second number, None where they are not given."""
    texts = [text.strip() for text in numbers.split(",")] if numbers else []
    if len(texts) > most or not all(map(_begins_with_number, texts)):
        form = {"rolling": "RADIUS in m", "caster": "RADIUS,TRAIL in m"}.get(word, "RADIUS,DEGREES")
        raise WrongCallError(
            f"--{word} '{link}={numbers}': give LINK={form}, as in wheel=0.1 or wheel=100mm"
        )
    values: list[float | None] = []
    for text, what in zip(texts, ("radius", "trail"), strict=False):
        unit = "deg" if word == "mecanum" and values else "m"
        if not text:
            values.append(None)
            continue
        size = checks.real(
            f"--{word} {link}", what if unit == "m" else "rollers", _number(text), unit=unit
        )
        if unit == "m" and size <= 0:
            raise WrongCallError(f"--{word} {link}: {what} = {size:g} m; give a positive one")
        values.append(size)
    radius, second = (*values, None, None)[:2]
    return radius, second


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _begins_with_number(text: str) -> bool:
    return not text or re.match(r"[-+]?\.?\d", text) is not None


def refuse_without_robot(files: Mapping[str, Path], given: Mapping[str, object]) -> None:
    """Refuse the options where no robot's file is named.

    Raises
    ------
    WrongCallError
        Naming the remedy.
    """
    if given and not (files and all(map(is_robot, files.values()))):
        raise WrongCallError(
            "--rolling, --caster, --mecanum, --support, --speed, --odometry, --meshes, --floating "
            "and --ignore are for robots' files; write robot.urdf --rolling left_wheel=0.1"
        )


def robot_component(file: Path, options: Mapping[str, Any]) -> Component:
    """Return the component of a robot's file.

    Its inputs are the joints' torques, or speeds of those with a servo; its outputs are all states,
    the twist of a base on wheels, the forces of the ground on these, and their odometry.

    Raises
    ------
    ModelError
        As `from_urdf` or `from_mjcf`.
    WrongCallError
        An option is not one of robots.
    """
    kind = file.suffix.lower()
    for name in options:
        if name not in KNOWN[kind]:
            raise WrongCallError(f"{file}: {_LACKING[kind].format(name.removesuffix('s'))}")
    laws = JointLaws(speeds=options.get("speeds", ()))
    if kind == MJCF:
        ignored = options.get("ignore", ())
        described = read_mjcf(file, ignored)[0]
        _refuse_unknown(described, options)
        robot = from_mjcf(file, ignore=ignored, joints=laws)
    else:
        names = ("rolling", "support", "floating")
        described = read_urdf(file)
        _refuse_unknown(described, options)
        given = {name: options[name] for name in names if name in options}
        robot = from_urdf(file, **given, joints=laws)
    if options.get("odometry"):
        robot.add_odometry()
    if options.get("meshes"):
        robot.show_meshes(options["meshes"])
    description = f"Robot {robot.name}, from {file.name}"
    robot.name = identifier(file.stem)  # one name in runs, pages and FMUs
    equations = robot.equations()
    records: list[Any] = [*equations.states, *equations.outputs]
    page = robot_page(
        described,
        options.get("rolling", {}),
        {name: wheel.radius for name, wheel in robot.wheels.items()},
        [record.name for record in equations.inputs],
        [record.name for record in records],
    )
    return replace(as_component(equations), description=description, page=page)


_LACKING = {
    SUFFIX: "a robot's file has no --{}; leave it out",
    MJCF: "--{} is for URDF files; leave it out, or write the robot as URDF",
}


def _refuse_unknown(described: Description, options: Mapping[str, Any]) -> None:
    """Refuse links and joints that the file does not have, in the words of the options."""
    rolling = options.get("rolling", {})
    words = {Rolling: "rolling", Caster: "caster", Mecanum: "mecanum"}
    for link, said in rolling.items():
        if link not in described.links:
            raise WrongCallError(f"--{words[type(said)]}: {unknown('link', link, described.links)}")
    support = options.get("support", "planar")
    for link in () if isinstance(support, str) else support:
        if link not in rolling:
            raise WrongCallError(f"--support: {unknown('wheel', link, rolling)}")
    able = [
        name
        for name, joint in described.joints.items()
        if joint.kind in ("revolute", "continuous", "prismatic") and joint.mimic is None
    ]
    for joint in options.get("speeds", ()):
        if joint not in able:
            raise WrongCallError(f"--speed: {unknown('joint with one freedom', joint, able)}")
