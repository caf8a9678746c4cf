"""The error of wrong options, which has an exit status of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from mbcore.model.errors import ModelError


class WrongCallError(ModelError):
    """An option has a wrong value; the message names both."""


@contextlib.contextmanager
def refusing_calls() -> Iterator[None]:
    """Let errors of what is done inside be those of a wrong call; also a decorator.

    Raises
    ------
    WrongCallError
        In the words of the `ModelError` inside.
    """
    try:
        yield
    except WrongCallError:
        raise
    except ModelError as error:
        raise WrongCallError(str(error)) from error
