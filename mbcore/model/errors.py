"""Errors and warnings of the library; each message names the thing, the value and the remedy."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parent.parent)


class ModelError(ValueError):
    """The description of the model is wrong; raised while the model or its equations are made."""


class ExpressionError(ModelError, RuntimeError):
    """Python asked a symbolic expression for a number, or whether it is true."""


class RoleError(ModelError):
    """The roles of deformations and slips do not fit together."""


class ConfigurationError(RuntimeError):
    """No configuration belongs to the given state, or it is singular."""


class SimulationError(RuntimeError):
    """An analysis could not go on; the message says when and why."""


class FmuError(SimulationError):
    """A foreign FMU failed, crashed or hung; the message says when and what it says itself."""


class CompilerError(RuntimeError):
    """No compiler was found, or one failed; the message names it and quotes its output."""


class CompilerTimeoutError(CompilerError):
    """A compiler did not end in its time."""

    def allowing_more(self) -> CompilerTimeoutError:
        """Return the error with its remedy, for those who take a ``compiler_timeout``."""
        return CompilerTimeoutError(
            f"{self}; if it is only slow, give it more time: compiler_timeout= in Python, "
            "--compiler-timeout SECONDS of mbcore build, page and doctor"
        )


class ModelWarning(UserWarning):
    """The result may be less accurate than it seems, or mean something else."""


def warn_user(message: str) -> None:
    """Issue a ``ModelWarning`` that points to the first line outside of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ModelWarning, stacklevel=level)
