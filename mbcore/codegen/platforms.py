"""The platforms that C is compiled for: their names in FMI, and suffixes of libraries."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from mbcore.model.errors import ModelError


class PlatformError(ModelError):
    """A platform is unknown, or there is nothing for it here."""


@dataclass(frozen=True)
class Platform:
    """A platform by its FMI 3.0 name.

    ``folder`` is the one of FMI 2.0, which takes FMI 3.0's names but for those that it had before;
    ``target`` is what ziglang calls the platform.
    """

    name: str
    folder: str
    suffix: str
    target: str

    def library(self, fmi: str, name: str) -> str:
        """Return where the library of an FMU is in its archive."""
        return f"binaries/{self.folder if fmi == '2.0' else self.name}/{name}{self.suffix}"


PLATFORMS = {
    p.name: p
    for p in (
        Platform("x86_64-linux", "linux64", ".so", "x86_64-linux-gnu.2.17"),
        Platform("aarch64-linux", "aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
        Platform("x86_64-windows", "win64", ".dll", "x86_64-windows-gnu"),
        Platform("x86_64-darwin", "darwin64", ".dylib", "x86_64-macos.11.0"),
        Platform("aarch64-darwin", "aarch64-darwin", ".dylib", "aarch64-macos.11.0"),
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
