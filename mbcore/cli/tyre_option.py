"""The options ``--tyre`` and ``--limits``: another tyre property file for a vehicle's tyres."""

from __future__ import annotations

import argparse
from pathlib import Path

from mbcore.cli.wrong_call import WrongCallError


def add_tyre_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    parser.add_argument(
        "--tyre",
        type=_file,
        metavar="FILE.tir",
        help="tyre property file for all tyres of NAME, car or iltis for example",
    )
    parser.add_argument(
        "--limits",
        choices=("hold", "free", "refuse"),
        help="treatment of slips, camber and loads outside the ranges of that file: held at the "
        "ends (by default), used unchanged, or refused by name",
    )


def tyre_options(options: argparse.Namespace) -> dict[str, object]:
    """Return what a definition's ``component`` gets of the options.

    Raises
    ------
    WrongCallError
        There is no such file, or limits are given without one.
    """
    if options.tyre is None:
        if options.limits is not None:
            raise WrongCallError(
                "--limits is for the ranges of a tyre property file; write --tyre FILE.tir too"
            )
        return {}
    if options.tyre.is_dir():
        raise WrongCallError(f"{options.tyre} is a folder; give a tyre property file (.tir) of it")
    if not options.tyre.is_file():
        raise WrongCallError(f"there is no file {options.tyre}; give a tyre property file (.tir)")
    given = {"tyre": options.tyre, "limits": options.limits}
    return {name: value for name, value in given.items() if value is not None}


def refuse_for_fmu(options: argparse.Namespace) -> None:
    """Refuse the options for an FMU, whose tyres are those it was built with."""
    if options.tyre is not None or options.limits is not None:
        raise WrongCallError(
            f"{options.name} has the tyres that it was built with; run car with --tyre, or build "
            "another FMU: mbcore build car --tyre FILE.tir"
        )


def _file(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("give the name of a tyre property file (.tir)")
    return Path(text)
