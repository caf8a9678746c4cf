"""The platforms FMUs are built for, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.codegen.platforms import PLATFORMS, Platform, PlatformError, this_platform


def platforms_named(names: Sequence[str] | None) -> tuple[Platform, ...]:
    """Return the platforms of these names, this machine's where there are none.

    Raises
    ------
    PlatformError
        A name is unknown; all such are named.
    """
    if not names:
        return (this_platform(),)
    listed = names.split(",") if isinstance(names, str) else names
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
