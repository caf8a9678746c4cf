"""The subcommand ``build``, and the command of ``build_fmu.py``: FMUs of component definitions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mbcore.cli.building import Task, build_all
from mbcore.cli.compiler_option import add_compiler_option
from mbcore.cli.definitions import (
    SHIPPED,
    defined_name,
    definitions,
    is_package,
    list_definitions,
    located,
    unknown_names,
)
from mbcore.cli.fix_option import add_fix_option, fixed_values
from mbcore.cli.parameters_option import add_parameters_option, file_values
from mbcore.cli.parser import WRONG_CALL, Parser, refuse_idle
from mbcore.cli.robot_options import (
    add_robot_options,
    is_robot,
    refuse_without_robot,
    robot_options,
)
from mbcore.cli.tyre_option import add_tyre_options, tyre_options
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.export import fmi_versions
from mbcore.fmi.packing.compiler import LONGEST
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.fmi.packing.platforms import platforms_named
from mbcore.fmi.packing.toolchains import toolchains
from mbcore.model.errors import ModelError

OUT = "build"
WHEN_BUILT = (
    "NAMES", "fmi", "out", "platforms", "compiler-timeout", "tyre", "limits", "parameters",
    "fix", "arrays", "trailers", "unchecked", "python", "no-sources", "rolling", "caster",
    "mecanum", "support", "speed", "odometry", "meshes", "floating",
)  # fmt: skip
"""Options without effect where FMUs are listed."""
LISTED = "with --list, which builds nothing; leave --list out"
HELP = "build FMUs, validate them and run each once in Co-Simulation"


def main(argv: Sequence[str] | None = None, sources: Path | None = None) -> int:
    """Run the command; return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    sources : Path, optional
        Folder of the definitions, for each FMU a file, or a package's ``__init__.py``,
        with a function ``component()``; those of the library, ``mbcore.fmus``, by default.
    """
    folder = sources or SHIPPED
    options = _parser().parse_args(argv)
    try:
        found = definitions(folder)
        if options.list:
            refuse_idle(options, WHEN_BUILT, LISTED)
            return list_definitions(found)
        with ended_in_order():
            return _build(found, options)
    except (ModelError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_CALL if isinstance(error, WrongCallError) else 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def run(options: argparse.Namespace) -> int:
    """Build FMUs of the library's definitions and of files, by the options; return exit status."""
    found = definitions()
    if options.list:
        refuse_idle(options, WHEN_BUILT, LISTED)
        return list_definitions(found)
    with ended_in_order():
        return _build(found, options)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        description="Build FMUs, validate them and run each once in Co-Simulation.",
    )
    add_arguments(parser)
    return parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of building to a parser."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="FMUs to build, or files; all FMUs by default"
    )
    parser.add_argument("--list", action="store_true", help="names and descriptions, no building")
    parser.add_argument(
        "--fmi",
        action="append",
        choices=("2", "3", "2.0", "3.0"),
        help="an FMI version, once for each that is built; both by default",
    )
    parser.add_argument("--out", type=_folder, metavar="DIR", help=f"{OUT} by default")
    parser.add_argument(
        "--platforms",
        type=_names,
        metavar="A,B",
        help="x86_64-linux, aarch64-linux, x86_64-windows, x86_64-darwin, aarch64-darwin or all; "
        "this machine by default",
    )
    add_compiler_option(parser, LONGEST)
    add_tyre_options(parser)
    add_robot_options(parser)
    add_parameters_option(parser)
    add_fix_option(parser)
    parser.add_argument(
        "--arrays",
        action="store_true",
        help="inputs and outputs of the wheels of NAME, car or iltis, as arrays: wheel.load of "
        "four numbers instead of front_left.load and others",
    )
    parser.add_argument(
        "--trailers",
        type=_count,
        metavar="N",
        help="number of trailers of road_train; 2 by default",
    )
    parser.add_argument(
        "--unchecked",
        action="store_true",
        help="without the check of accelerations after steps, which takes up to 2%% of one",
    )
    parser.add_argument(
        "--no-sources",
        action="store_true",
        help="without the C in the FMU, which is then smaller and cannot be compiled elsewhere",
    )
    parser.add_argument(
        "--python",
        action="store_true",
        help="the pythonfmu flavour; native FMUs too if --fmi or --platforms is given",
    )


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a platform")
    return names


def _count(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 1 or more")
    return int(text)


def _folder(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("give the name of a folder")
    return Path(text)


def _build(found: dict[str, Path], options: argparse.Namespace) -> int:
    """Build the components; return the exit status."""
    if options.tyre is not None:
        _refuse_tyre(options)
    of_robot = robot_options(options)
    given = tyre_options(options) | _own_options(options) | of_robot
    unknown = [
        name
        for name in options.names
        if name not in found
        and not name.endswith(".py")
        and not is_robot(Path(name))
        and not is_package(Path(name))
    ]
    if unknown:
        raise WrongCallError(unknown_names(unknown, found))
    chosen: dict[str, Path] = {}
    for name in options.names or found:
        file = located(name, found)
        other = chosen.setdefault(defined_name(file), file)
        if other != file:
            raise WrongCallError(f"{other} and {file} have one name; build them one by one")
    refuse_without_robot(chosen, of_robot)
    if options.parameters is not None and len(chosen) != 1:
        raise WrongCallError(
            "--parameters is for one FMU that is named; write mbcore build vehicle --parameters "
            f"{options.parameters}"
        )
    parameters, fix = file_values(options), fixed_values(options)
    if fix and len(chosen) != 1:
        raise WrongCallError(
            f"--fix is for one FMU that is named; write mbcore build iltis --fix {options.fix[0]}"
        )
    with refusing_calls():
        platforms = platforms_named(options.platforms)
    native = bool(not options.python or options.fmi or options.platforms)
    _refuse_with_python(options, chosen)
    versions = fmi_versions(options.fmi or ("2.0", "3.0")) if native else ()
    tasks = [
        Task(
            name,
            file,
            options.out or Path(OUT),
            versions,
            options.python,
            platforms,
            given,
            not options.unchecked,
            parameters,
            fix,
            False if options.no_sources else None,
        )
        for name, file in chosen.items()
    ]
    if not native:
        refuse_idle(options, ("compiler-timeout",), "with --python alone, which compiles nothing")
        return build_all(tasks, ())
    print(f"preparing compilers for {', '.join(p.name for p in platforms)}", file=sys.stderr)
    with toolchains(options.platforms, options.compiler_timeout or LONGEST, _report_error) as tools:
        return build_all(tasks, tools)


def _own_options(options: argparse.Namespace) -> dict[str, object]:
    """Return what the components of single FMUs get."""
    given: dict[str, object] = {"arrays": True} if options.arrays else {}
    if options.trailers is not None:
        given["trailers"] = options.trailers
    for option, example in (("arrays", "car --arrays"), ("trailers", "road_train --trailers 3")):
        if option in given and not options.names:
            raise WrongCallError(
                f"--{option} is for FMUs that are named; write mbcore build {example}"
            )
    return given


def _refuse_with_python(options: argparse.Namespace, chosen: dict[str, Path]) -> None:
    """Refuse options and files that the Python flavour would not have."""
    if options.python and any(map(is_robot, chosen.values())):
        raise WrongCallError(
            "--python packs a definition in Python, which a robot's file is not; leave it out, or "
            "write a file whose model() returns from_urdf(...)"
        )
    given = {
        "unchecked": options.unchecked,
        "fix": options.fix,
        "arrays": options.arrays,
        "trailers": options.trailers is not None,
        "no-sources": options.no_sources,
    }
    for what in (name for name, of in given.items() if of and options.python):
        raise WrongCallError(
            "--python packs the definition without its options, so it cannot be used with "
            f"--{what}; leave one of them out"
        )


def _refuse_tyre(options: argparse.Namespace) -> None:
    """Refuse options that exclude a property file, before anything is built."""
    if not options.names:
        raise WrongCallError(
            "--tyre is for FMUs that are named; write mbcore build car --tyre FILE"
        )
    if options.python:
        raise WrongCallError(
            "--python packs the definition without its options, so it cannot be used with "
            "--tyre; leave one of them out"
        )


def _report_error(line: str) -> None:
    print(f"error: {line}", file=sys.stderr, flush=True)
