"""The platforms FMUs are built for: their names in both FMI versions and their libraries."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from mbcore.model.errors import ModelError


class PlatformError(ModelError):
    """A platform is unknown or nothing can be built for it here."""


@dataclass(frozen=True)
class Platform:
    """A platform by its FMI 3.0 name.

    ``folders`` are those of FMI 2.0 (tools differ on ARM); ``target`` is what ziglang calls it,
    None where cross compilation is not offered.
    """

    name: str
    folders: tuple[str, ...]
    suffix: str
    target: str | None = None


PLATFORMS = {
    p.name: p
    for p in (
        Platform("x86_64-linux", ("linux64",), ".so", "x86_64-linux-gnu.2.17"),
        Platform("aarch64-linux", ("linux-aarch64", "aarch64-linux"), ".so"),
        Platform("x86_64-windows", ("win64",), ".dll", "x86_64-windows-gnu"),
        Platform("x86_64-darwin", ("darwin64",), ".dylib"),
        Platform("aarch64-darwin", ("darwin-aarch64", "aarch64-darwin"), ".dylib"),
    )
}


def this_platform() -> Platform:
    """Return the platform of the running Python.

    Raises
    ------
    PlatformError
        It is none of the known ones.
    """
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    system = {"win32": "windows", "cygwin": "windows"}.get(sys.platform, sys.platform)
    name = f"{machine}-{system}"
    if name not in PLATFORMS:
        raise PlatformError(f"this machine is a {name}; FMUs exist for {', '.join(PLATFORMS)}")
    return PLATFORMS[name]


def platforms_named(names: Sequence[str] | None) -> tuple[Platform, ...]:
    """Return the platforms of these names, this machine's where there are none.

    Raises
    ------
    PlatformError
        A name is unknown, or it cannot be built for on this machine; all such are named.
    """
    here = this_platform()
    if not names:
        return (here,)
    listed = names.split(",") if isinstance(names, str) else names
    wanted = tuple(dict.fromkeys(n for name in listed for n in _expand(name)))
    unknown = [name for name in wanted if name not in PLATFORMS]
    if unknown:
        raise PlatformError(
            f"unknown platform {', '.join(map(repr, unknown))}; known are {', '.join(PLATFORMS)} "
            "and all"
        )
    refused = [name for name in wanted if PLATFORMS[name].target is None and name != here.name]
    if refused:
        offered = [p.name for p in PLATFORMS.values() if p.target or p == here]
        raise PlatformError(
            f"cannot build for {', '.join(refused)} on {here.name} yet; here it can be "
            f"{', '.join(offered)}"
        )
    return tuple(PLATFORMS[name] for name in wanted)


def _expand(name: str) -> tuple[str, ...]:
    return tuple(PLATFORMS) if name == "all" else (name,)
