"""What headers of ELF, PE and Mach-O files say, as far as FMUs are concerned."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_ELF = {62: "x86_64", 183: "aarch64"}
_PE = {0x8664: "x86_64", 0xAA64: "aarch64"}
_MACH = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
_LOADED, _OWN_NAME, _SIGNATURE = 0xC, 0xD, 0x1D


@dataclass(frozen=True)
class Binary:
    """A shared library: platform as FMI 3.0 calls it, what it needs, what else is told."""

    platform: str
    needed: frozenset[str]
    glibc: int = 0
    signed: bool = False
    own_name: str = ""


def read(library: bytes) -> Binary:
    if library[:4] == b"\x7fELF":
        [machine] = struct.unpack_from("<H", library, 18)
        needed = frozenset(re.findall(rb"lib\w+\.so\.\d+|ld-linux[\w.-]+", library))
        versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)]
        return Binary(
            f"{_ELF[machine]}-linux", frozenset(n.decode() for n in needed), max(versions)
        )
    if library[:2] == b"MZ":
        [header] = struct.unpack_from("<I", library, 0x3C)
        [machine] = struct.unpack_from("<H", library, header + 4)
        names = re.findall(rb"[\w-]+\.dll(?=\0)", library, re.IGNORECASE)
        return Binary(f"{_PE[machine]}-windows", frozenset(n.decode().lower() for n in names))
    magic, machine = struct.unpack_from("<II", library)
    assert magic == 0xFEEDFACF
    commands = list(_commands(library))
    return Binary(
        f"{_MACH[machine]}-darwin",
        frozenset(_name(body) for kind, body in commands if kind == _LOADED),
        signed=any(kind == _SIGNATURE for kind, _ in commands),
        own_name=next(_name(body) for kind, body in commands if kind == _OWN_NAME),
    )


def parts(library: bytes) -> list[bytes]:
    """Return what a universal library of macOS holds."""
    magic, count = struct.unpack_from(">2I", library)
    assert magic == 0xCAFEBABE
    found = [struct.unpack_from(">5I", library, 8 + 20 * i) for i in range(count)]
    return [library[place : place + size] for _, _, place, size, _ in found]


def _commands(library: bytes) -> Iterator[tuple[int, bytes]]:
    [count] = struct.unpack_from("<I", library, 16)
    place = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", library, place)
        yield kind, library[place : place + size]
        place += size


def _name(command: bytes) -> str:
    [start] = struct.unpack_from("<I", command, 8)
    return command[start:].split(b"\0")[0].decode()
