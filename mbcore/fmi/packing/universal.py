"""One library for both processors of a Mac, and where tools of FMI 2.0 look for libraries.

FMI 2.0 had names for the processors of its time only, ``linux64`` and ``darwin64``. Tools look
there on newer ones too, so the library for these has to be there where that is possible: on macOS
one file can hold both; on Linux it cannot.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from mbcore.codegen.platforms import PLATFORMS, Platform

_UNIVERSAL, _MACH_O = 0xCAFEBABE, 0xFEEDFACF
_ALIGNMENT = 14
"""Power of two at which each part begins: a page of Apple's processors is 16 KiB."""


def libraries2(name: str, libraries: Mapping[Platform, bytes]) -> dict[str, bytes]:
    """Return the binaries of an FMI 2.0 archive by their paths.

    Libraries for both processors of a Mac become one in ``darwin64``. A library for aarch64 alone
    is in the old folder, too: ``linux64`` or ``darwin64``, never in the place of one for x86_64.
    """
    files = {platform.library("2.0", name): library for platform, library in libraries.items()}
    for system in ("linux", "darwin"):
        old, new = PLATFORMS[f"x86_64-{system}"], PLATFORMS[f"aarch64-{system}"]
        if new in libraries and old not in libraries:
            files[old.library("2.0", name)] = libraries[new]
        elif new in libraries and system == "darwin":
            both = universal(libraries[old], libraries[new])
            files[old.library("2.0", name)] = both
    return files


def universal(*parts: bytes) -> bytes:
    """Return Mach-O libraries for several processors as one file, each part unchanged in it.

    Raises
    ------
    ValueError
        A part is not a library for a Mac with 64 bits.
    """
    # fat_header and one fat_arch for each part, in big-endian order: <mach-o/fat.h>
    header, place, size = struct.pack(">2I", _UNIVERSAL, len(parts)), 0, 8 + 20 * len(parts)
    body = bytearray(size)
    for part in parts:
        magic, processor, kind = struct.unpack_from("<3I", part)
        if magic != _MACH_O:
            raise ValueError(f"a library that begins with {magic:#x} is none for a Mac")
        place = -(-len(body) >> _ALIGNMENT) << _ALIGNMENT
        header += struct.pack(">5I", processor, kind, place, len(part), _ALIGNMENT)
        body += bytes(place - len(body)) + part
    body[:size] = header
    return bytes(body)
