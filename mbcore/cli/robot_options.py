"""Robots' files as FMUs, and the options that say what of them rolls."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.component import Component, identifier
from mbcore.robots.from_urdf import from_urdf
from mbcore.robots.joint_laws import JointLaws
from mbcore.robots.rolling import Caster, Mecanum, Rolling

SUFFIX = ".urdf"
KNOWN = ("rolling", "support", "speeds", "odometry", "meshes", "floating")
"""What `robot_component` takes."""


def is_robot(file: Path) -> bool:
    """Return whether a path is that of a robot's file."""
    return file.suffix.lower() == SUFFIX


def add_robot_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    parser.add_argument(
        "--rolling",
        action="append",
        default=[],
        metavar="LINK[=RADIUS]",
        help="a link of a robot's file (.urdf) that is a wheel, with its radius in m, by default "
        "that of its collision cylinder; once for each",
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
        radius, second = _values(word, given, numbers, most)
        if word == "mecanum":
            rolling[name] = Mecanum(radius, f"{second or 0.0!r} deg")
        else:
            rolling[name] = Rolling(radius) if word == "rolling" else Caster(radius, second)
    found: dict[str, object] = {"rolling": rolling} if rolling else {}
    if options.support is not None:
        names = [name.strip() for name in options.support.split(",")]
        found["support"] = names[0] if len(names) == 1 else names
    for word, value in (
        ("speeds", tuple(options.speed)),
        ("odometry", options.odometry),
        ("meshes", tuple(options.meshes)),
        ("floating", options.floating),
    ):
        if value:
            found[word] = value
    if "support" in found and not rolling:
        raise WrongCallError("--support is for robots on wheels; give --rolling too")
    return found


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


def _values(word: str, given: str, numbers: str, most: int) -> tuple[float | None, float | None]:
    """Return the radius and a second number, None where they are not given."""
    texts = [text.strip() for text in numbers.split(",")] if numbers else []
    try:
        values: list[float | None] = [float(text) if text else None for text in texts]
    except ValueError:
        values = [None] * (most + 1)
    if len(values) > most:
        form = {"rolling": "RADIUS in m", "caster": "RADIUS,TRAIL in m"}.get(word, "RADIUS,DEGREES")
        raise WrongCallError(f"--{word} {given!r}: give LINK={form}, as in wheel=0.1")
    radius, second = (*values, None, None)[:2]
    return radius, second


def refuse_without_robot(files: Mapping[str, Path], given: Mapping[str, object]) -> None:
    """Refuse the options where no robot's file is named.

    Raises
    ------
    WrongCallError
        Naming the remedy.
    """
    if given and not (files and all(map(is_robot, files.values()))):
        raise WrongCallError(
            "--rolling, --caster, --mecanum, --support, --speed, --odometry, --meshes and "
            "--floating are for robots' files; write robot.urdf --rolling left_wheel=0.1"
        )


def robot_component(file: Path, options: Mapping[str, Any]) -> Component:
    """Return the component of a robot's file.

    Its inputs are the joints' torques, or speeds of those with a servo; its outputs are all states,
    the twist of a base on wheels, the forces of the ground on these, and their odometry.

    Raises
    ------
    ModelError
        As `from_urdf`.
    WrongCallError
        An option is not one of robots.
    """
    strange = [name for name in options if name not in KNOWN]
    if strange:
        raise WrongCallError(f"{file}: a robot's file has no --{strange[0]}; leave it out")
    given = {name: options[name] for name in ("rolling", "support", "floating") if name in options}
    laws = JointLaws(speeds=options.get("speeds", ()))
    robot = from_urdf(file, **given, joints=laws)
    if options.get("odometry"):
        robot.add_odometry()
    if options.get("meshes"):
        robot.show_meshes(options["meshes"])
    description = f"Robot {robot.name}, from {file.name}"
    return Component(identifier(file.stem), description, robot.equations())
