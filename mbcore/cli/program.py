"""Where the command ``mbcore`` begins: its subcommands, its errors and its exit statuses."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import NoReturn

from mbcore.cli import build, linearize, listing, new, page, run
from mbcore.cli.interrupts import insisting
from mbcore.fmi.interruption import ended_in_order
from mbcore.model.shown import near
from mbcore.version import VERSION

COMMANDS = {
    "new": new,
    "build": build,
    "run": run,
    "linearize": linearize,
    "page": page,
    "list": listing,
}
"""Modules with HELP, ``add_arguments(parser)`` and ``run(options)``, which returns the status."""
IN_ONE_PROCESS = ("run", "linearize", "list")
"""Commands that leave nothing behind where they are interrupted."""
WRONG_CALL, INTERRUPTED = 2, 130
"""Exit statuses, as argparse and shells have them."""


class _Parser(argparse.ArgumentParser):
    """A parser that says which option was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, with near misses, and leave."""
        for word in message.partition("unrecognized arguments: ")[2].split():
            meant = near(word.partition("=")[0], [*self._option_string_actions], 1)
            message += f"; did you mean {meant[0]}?" if meant else ""
        self.exit(WRONG_CALL, f"error: {message}; see '{self.prog} --help'\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status.

    0 if all that was asked for was done, 1 if it could not be, 2 if the call is wrong, 130 if it
    was interrupted.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    parser, subparsers = _parser()
    first = next((word for word in given if not word.startswith("-")), None)
    if first is not None and first not in COMMANDS:
        meant = near(first, list(COMMANDS), 1)
        hint = f"; did you mean {meant[0]!r}?" if meant else ""
        parser.error(f"no command {first!r}{hint}; there is {', '.join(COMMANDS)}")
    options, unknown = parser.parse_known_args(given)
    if options.command is None:
        parser.print_help()
        return 0
    if unknown:
        subparsers[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        alone = options.command in IN_ONE_PROCESS and not str(options.name).endswith(".fmu")
        with _warnings_as_lines(), insisting() if alone else ended_in_order():
            return int(COMMANDS[options.command].run(options))
    except BrokenPipeError:  # who reads has seen enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + getattr(signal, "SIGPIPE", 13)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> tuple[_Parser, dict[str, _Parser]]:
    parser = _Parser(
        prog="mbcore",
        description="Flexible multibody systems that roll, rattle and vibrate, and their FMUs.",
        epilog="'mbcore COMMAND --help' says more. Values are given with their unit: "
        '--set "chassis.speed=50 km/h".',
    )
    parser.add_argument("--version", action="version", version=f"mbcore {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    made: dict[str, _Parser] = {}
    for name, module in COMMANDS.items():
        made[name] = commands.add_parser(
            name, help=module.HELP, description=f"{module.HELP[0].upper()}{module.HELP[1:]}."
        )
        module.add_arguments(made[name])
    return parser, made


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Let warnings be lines on standard error, without the place in the code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(f"warning: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
