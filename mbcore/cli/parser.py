"""The parser of the command's options: near misses are proposed, and nothing is given in vain."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from mbcore.cli.wrong_call import WrongCallError
from mbcore.model.near_names import near
from mbcore.model.wording import listed

WRONG_CALL = 2
"""Exit status, as argparse has it."""


OTHERS = {
    "--end": ("--until",),
    "--output": ("--out", "--show"),
    "--outputs": ("--out", "--show"),
    "--set": ("--fix",),
    "--stop": ("--until",),
    "--stop-time": ("--until",),
}
"""Options of other tools, and ours."""


class Parser(argparse.ArgumentParser):
    """A parser that proposes the option that was probably meant, and takes each option once."""

    def add_argument(self, *names: Any, **how: Any) -> argparse.Action:
        """Add an argument; options that take one value are refused when they come again."""
        if str(names[0]).startswith("-") and "action" not in how:
            how["action"] = _Once
        return super().add_argument(*names, **how)

    def error(self, message: str) -> NoReturn:
        """Print the fault, with near misses, and leave."""
        unknown = message.partition("unrecognized arguments: ")[2].split()
        for word, before in zip(unknown, ["", *unknown], strict=False):
            option, equals, _ = word.partition("=")
            if before.startswith("-") and not word.startswith("-"):
                continue  # the value of an unknown option
            if equals and not word.startswith("-"):
                message += "; each NAME=VALUE needs its option again, as in --set a=1 --set b=2"
                continue
            known = self._option_string_actions
            meant = [m for m in OTHERS.get(option, ()) if m in known] or near(option, [*known], 1)
            message += f"; did you mean {self._completed(word, meant[0])}?" if meant else ""
        message = self._choice(message)
        option = message.removeprefix("argument ").removesuffix(": expected one argument")
        action = self._option_string_actions.get(option)
        if action is not None:
            value = action.metavar or "|".join(map(str, action.choices or ["VALUE"]))
            message = f"{option} needs a value, {value}: {action.help}"
        end = " See" if message.endswith("?") else "; see"
        self.exit(WRONG_CALL, f"error: {message}{end} '{self.prog} --help'\n")

    def _choice(self, message: str) -> str:
        """Return a message, that of a value which is none of an option's choices in our words."""
        found = re.match(r"argument (\S+): invalid choice: '?(.*?)'? \(choose from", message)
        action = self._option_string_actions.get(found.group(1)) if found else None
        if found is None or action is None:
            return message
        choices = [str(choice) for choice in action.choices or ()]
        meant = near(found.group(2), choices, 1)
        hint = f"; did you mean {meant[0]!r}?" if meant else ""
        return f"{found.group(1)} = {found.group(2)!r}: give one of {', '.join(choices)}{hint}"

    def _completed(self, word: str, option: str) -> str:
        """Return an option, with its value where a word has both, as ``--fmi2`` has."""
        value = word.removeprefix(option)
        choices = self._option_string_actions[option].choices or ()
        return f"{option} {value}" if value != word and value in choices else option


class _Once(argparse.Action):
    """Takes one value, and refuses another one instead of forgetting the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        before = namespace.__dict__.setdefault("_given", {})
        if self.dest in before:
            both = f"{str(before[self.dest])!r} and {str(values)!r}"
            raise argparse.ArgumentError(self, f"given twice, {both}; leave one out")
        before[self.dest] = values
        setattr(namespace, self.dest, values)


def refuse_idle(options: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Refuse options that have no effect in this call.

    Parameters
    ----------
    options : Namespace
        Where what is not given is None, false or empty.
    names : iterable of str
        Of the options, or of positional arguments.
    why : str
        Why they have none, and what to do.

    Raises
    ------
    WrongCallError
        Naming those that are given.
    """
    idle = [
        f"--{name}" if name.islower() else name
        for name in names
        if getattr(options, name.lower().replace("-", "_"))
    ]
    if idle:
        raise WrongCallError(f"{listed(idle)}: no effect {why}")
