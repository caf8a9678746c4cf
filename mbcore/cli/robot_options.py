"""Robots' files as FMUs, and the options that say what of them rolls."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.component import Component, identifier
from mbcore.robots.from_urdf import from_urdf
from mbcore.robots.rolling import Caster, Mecanum, Rolling

SUFFIX = ".urdf"


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
    return found | ({"floating": True} if options.floating else {})


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
            "--rolling, --caster, --mecanum and --floating are for robots' files; write mbcore "
            "build robot.urdf --rolling left_wheel=0.1"
        )


def robot_component(file: Path, options: Mapping[str, Any]) -> Component:
    """Return the component of a robot's file.

    Its inputs are the joints' torques; its outputs are all states, the twist of a base on wheels,
    and the forces of the ground on these.

    Raises
    ------
    ModelError
        As `from_urdf`.
    WrongCallError
        An option is not one of robots.
    """
    strange = [name for name in options if name not in ("rolling", "floating")]
    if strange:
        raise WrongCallError(f"{file}: a robot's file has no --{strange[0]}; leave it out")
    robot = from_urdf(file, **options)
    description = f"Robot {robot.name}, from {file.name}"
    return Component(identifier(file.stem), description, robot.equations())
