"""The option ``--parameters``: start values by name from a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from mbcore.cli.settings import given_values
from mbcore.cli.wrong_call import refusing_calls
from mbcore.model.parameter_files.read import merged, read_parameters
from mbcore.model.variables import Value


def add_parameters_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a parser."""
    parser.add_argument(
        "--parameters",
        metavar="FILE",
        help="values of parameters, inputs and states at the start: a parameter set of SSP (.ssv), "
        "or a table of names and values (.csv, .json, .toml)",
    )


@refusing_calls()
def file_values(options: argparse.Namespace) -> Mapping[str, Value]:
    """Return the values of the file, nothing where there is none.

    Raises
    ------
    WrongCallError
        There is no such file, or a value in it is wrong.
    """
    return {} if options.parameters is None else read_parameters(options.parameters)


@refusing_calls()
def chosen_values(options: argparse.Namespace, known: Iterable[str]) -> Mapping[str, Value]:
    """Return the values of ``--parameters`` and ``--set``; where both give one, that of the latter.

    Parameters
    ----------
    options : Namespace
        Of the command line.
    known : iterable of str
        Names of the variables, of arrays those of their elements.

    Raises
    ------
    WrongCallError
        A value is wrong.
    """
    return merged(file_values(options), given_values("--set", options.set), known)
