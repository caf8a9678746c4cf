"""The command ``mbcore``: its subcommands, errors and exit statuses."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from mbcore.cli import commands
from mbcore.cli.definitions import constant
from mbcore.cli.parser import WRONG_CALL, Parser
from mbcore.cli.wrong_call import WrongCallError
from mbcore.model.near_names import near
from mbcore.version import VERSION


class Command(NamedTuple):
    """A subcommand: its module, imported when it is called, and its purpose."""

    module: str
    help: str

    def imported(self) -> Any:
        """Return the module, with ``add_arguments(parser)`` and ``run(options)``."""
        return importlib.import_module(f"{commands.__name__}.{self.module}")


def _commands() -> dict[str, Command]:
    """Return the modules of `mbcore.cli.commands` with a HELP, without importing any."""
    found = {}
    for folder in map(Path, commands.__path__):
        for file in folder.glob("[!_]*.py"):
            if words := constant(file, "HELP"):
                found[file.stem] = Command(file.stem, words)
    return dict(sorted(found.items()))


COMMANDS = _commands()
INTERRUPTED = 130
"""Exit status, as shells have it."""
AGAIN = 0.5
"""Time after which an interrupt that was swallowed is raised again, s."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status.

    0 after success; 1 where a run, a build or a check has failed; 2 where the command is used
    wrongly: an unknown name or option, a wrong value, a file that is missing or holds something
    wrong; 130 where it was interrupted.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    first = next((word for word in given if not word.startswith("-")), None)
    parser, subparsers = _parser(first)
    if first is not None and first not in COMMANDS:
        meant = near(first, list(COMMANDS), 1)
        hint = f"did you mean {meant[0]!r}? There" if meant else "there"
        parser.error(f"no command {first!r}; {hint} are {', '.join(COMMANDS)}")
    options, unknown = parser.parse_known_args(given)
    if options.command is None:
        if unknown:
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        parser.print_help()
        return 0
    if unknown:
        subparsers[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        command = COMMANDS[options.command].imported()
        alone = getattr(command, "ONE_PROCESS", False) and not str(options.name).endswith(".fmu")
        with _warnings_as_lines(), insisting() if alone else contextlib.nullcontext():
            return int(command.run(options))
    except BrokenPipeError:  # the reader has closed the pipe, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + getattr(signal, "SIGPIPE", 13)
    except FileNotFoundError as error:
        print(f"error: there is no file {error.filename}", file=sys.stderr)
        return WRONG_CALL if str(error.filename) in given else 1
    except (ValueError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_CALL if isinstance(error, WrongCallError) else 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser(called: str | None) -> tuple[Parser, dict[str, Parser]]:
    """Return a parser of all commands, with the options of the one that is called."""
    parser = Parser(
        prog="mbcore",
        description="Flexible multibody systems that roll, rattle and vibrate, and their FMUs.",
        epilog="'mbcore COMMAND --help' says more. Values are given with their unit: "
        '--set "chassis.speed=50 km/h". Exit status: 0 after success, 1 where a run, a build or a '
        "check has failed, 2 where the command is used wrongly.",
    )
    parser.add_argument("--version", action="version", version=f"mbcore {VERSION}")
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    made: dict[str, Parser] = {}
    for name, command in COMMANDS.items():
        words = f"{command.help[0].upper()}{command.help[1:]}."
        made[name] = subcommands.add_parser(name, help=command.help, description=words)
        if name == called:
            command.imported().add_arguments(made[name])
    return parser, made


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print warnings as lines on standard error, without their place in the code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(f"warning: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def insisting() -> Iterator[None]:
    """Raise KeyboardInterrupt again and again after Ctrl-C, until it has left the block.

    CasADi's wrappers may swallow one.
    For blocks without cleanup, which a second interrupt would disturb. Without timers (on Windows),
    outside of the main thread, and where another handler is installed, nothing is changed.
    """
    here = threading.current_thread() is threading.main_thread()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not here or not usual or not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(*_: int | FrameType | None) -> NoReturn:
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
