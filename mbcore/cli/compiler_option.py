"""The option ``--compiler-timeout``: how long a call of the compiler may take."""

from __future__ import annotations

import argparse
import math


def add_compiler_option(parser: argparse.ArgumentParser, usual: float) -> None:
    """Add the option to a parser, with the time that is the ``usual`` one in its help, s."""
    parser.add_argument(
        "--compiler-timeout",
        type=_seconds,
        metavar="SECONDS",
        help=f"after which a compiler is taken to hang; {usual} by default",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (seconds > 0 and math.isfinite(seconds)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return seconds
