"""Available memory, and refusal of requests that take more."""

from __future__ import annotations

import os
import sys

try:
    import resource
except ImportError:  # Windows has no limits of processes
    resource = None  # type: ignore[assignment]

from mbcore.model.errors import ModelError

UNKNOWN_MEMORY = 8 * 2**30
"""Memory assumed for a machine that does not report it, bytes."""
UNKNOWN_RESIDENT = 2**28
"""The same for this process, bytes."""


def refuse_beyond_memory(what: str, size: int, remedy: str) -> None:
    """Refuse what takes more bytes than half of this machine's memory.

    Raises
    ------
    ModelError
        With the size.
    """
    most = memory() // 2
    if size > most:
        raise ModelError(
            f"{what} take {size / 2**30:.3g} GiB, more than half of the memory "
            f"({most / 2**30:.3g} GiB); {remedy}"
        )


def resident_memory() -> int:
    """Return how much memory this process has taken at most, bytes."""
    if resource is None:
        return UNKNOWN_RESIDENT
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def memory() -> int:
    """Return how much memory this process may take, bytes."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        found = UNKNOWN_MEMORY
    if resource is None:
        return found
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min([found, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])
