"""The C headers that follow from Python: what the runtime includes and nobody writes by hand.

``python -m mbcore.codegen.headers FOLDER`` writes them, for looking at and for checks of the
runtime's sources.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mbcore.equations import tolerances


def write_headers(folder: Path) -> Path:
    """Write the headers into a folder, for a compiler to find; return the folder."""
    (folder / "mb_tolerances.h").write_text(tolerances_header())
    return folder


def tolerances_header() -> str:
    """Return ``mb_tolerances.h``: a macro for each constant of `mbcore.equations.tolerances`."""
    lines = [
        f"#define MB_{name} {value!r}" for name, value in vars(tolerances).items() if name.isupper()
    ]
    return _header("mb_tolerances.h", "tolerances", lines)


def _header(name: str, source: str, lines: list[str]) -> str:
    guard = name.upper().replace(".", "_")
    return "\n".join(
        [
            f"/* Generated from mbcore/equations/{source}.py, which says what they mean. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *lines,
            "",
            "#endif",
            "",
        ]
    )


if __name__ == "__main__":
    write_headers(Path(sys.argv[1]))
