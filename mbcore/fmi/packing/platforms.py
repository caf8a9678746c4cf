"""The platforms FMUs are built for, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.codegen.platforms import PLATFORMS, Platform, PlatformError, this_platform
from mbcore.model import checks
from mbcore.model.near_names import near


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
            f"unknown platform {', '.join(map(repr, unknown))}; {_meant(unknown)} known are "
            f"{', '.join(PLATFORMS)} and all"
        )
    return tuple(PLATFORMS[name] for name in wanted)


def _meant(unknown: Sequence[str]) -> str:
    """Return the platforms that were probably meant: similar names, those here of a system."""
    close = [n for name in unknown for n in near(name, [*PLATFORMS, "all"], 1)]
    parts = [n for name in unknown for n in PLATFORMS if name.casefold() in n.split("-")]
    meant = list(dict.fromkeys([*close, *parts]))
    return f"did you mean {' or '.join(map(repr, meant))}? All" if meant else "all"


def _expand(name: str) -> tuple[str, ...]:
    return tuple(PLATFORMS) if name == "all" else (name,)
