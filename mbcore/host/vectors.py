"""Vectors that this machine's processor offers, and how C asks for their instructions."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mbcore.model.errors import ModelError

VARIABLE = "MBCORE_LANES"
"""Environment variable with the number of lanes, in place of what the processor offers."""


@dataclass(frozen=True)
class Vectors:
    """Vectors that a processor offers.

    Attributes
    ----------
    lanes : int
        Doubles in a vector.
    target : str
        Compilers' name of the instructions; empty where all processors of a kind have them.
    """

    lanes: int
    target: str = ""


_OFFERED = {8: Vectors(8, "avx512f"), 4: Vectors(4, "avx2"), 2: Vectors(2), 1: Vectors(1)}
"""By number of lanes. Two need no instructions that not all processors have."""


def vectors() -> Vectors:
    """Return the vectors in which batches are evaluated on this machine.

    Raises
    ------
    ModelError
        The environment variable ``MBCORE_LANES`` asks for lanes that there are none of.
    """
    asked = os.environ.get(VARIABLE, "").strip()
    if not asked:
        return widest()
    known = {str(lanes): of for lanes, of in _OFFERED.items() if lanes <= widest().lanes}
    if asked not in known:
        raise ModelError(
            f"the environment variable {VARIABLE} is {asked!r}; on this machine it may be "
            f"{', '.join(sorted(known))}"
        )
    return known[asked]


@cache
def widest() -> Vectors:
    """Return what this processor offers, as far as the system says it."""
    flags: set[str] = set()
    if platform.machine().lower() in ("x86_64", "amd64"):
        try:
            for line in Path("/proc/cpuinfo").read_text().splitlines():
                if line.startswith("flags"):
                    flags = set(line.partition(":")[2].split())
                    break
        except OSError:
            pass
    return next(of for of in _OFFERED.values() if not of.target or of.target in flags)


def instructions(target: str) -> tuple[str, str]:
    """Return what lets a compiler use more instructions than its flags do, and what ends it."""
    if not target:
        return "", ""
    attribute = f'__attribute__((target("{target}")))'
    begin = [
        "#ifdef __clang__",
        f"#pragma clang attribute push({attribute}, apply_to = function)",
        "#else",
        "#pragma GCC push_options",
        f'#pragma GCC target("{target}")',
        "#endif",
    ]
    end = [
        "#ifdef __clang__",
        "#pragma clang attribute pop",
        "#else",
        "#pragma GCC pop_options",
        "#endif",
    ]
    return "\n".join(begin), "\n".join(end)
