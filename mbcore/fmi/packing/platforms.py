"""The platforms FMUs are built for, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.codegen.platforms import PLATFORMS, Platform, PlatformError, this_platform
from mbcore.model import checks


def platforms_named(names: Sequence[str] | None) -> tuple[Platform, ...]:
    """Return the platforms of these names, this machine's where there are none.

    Raises
    ------
    PlatformError
        A name is unknown; all such are named.
    """
    if names is None or (isinstance(names, str | list | tuple) and not names):
        return (this_platform(),)
    listed = checks.names(
        "export", "platforms", names.split(",") if isinstance(names, str) else names, "all"
    )
    wanted = tuple(dict.fromkeys(n for name in listed for n in _expand(name)))
    unknown = [name for name in wanted if name not in PLATFORMS]
    if unknown:
        raise PlatformError(
            f"unknown platform {', '.join(map(repr, unknown))}; known are {', '.join(PLATFORMS)} "
            "and all"
        )
    return tuple(PLATFORMS[name] for name in wanted)


def _expand(name: str) -> tuple[str, ...]:
    return tuple(PLATFORMS) if name == "all" else (name,)
