"""The C headers that are generated from Python for the runtime.

``python -m mbcore.codegen.headers FOLDER`` writes them, for inspection and for checks of the
runtime's sources.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

from mbcore.codegen import method_headers
from mbcore.codegen.runtime import runtime_files
from mbcore.equations import tolerances
from mbcore.equations.functions import COUNTS, EXTRA, FUNCTIONS, POINT, Signature


def write_headers(folder: Path) -> Path:
    """Write the headers into a folder, for a compiler to find; return the folder."""
    for name, text in headers().items():
        (folder / name).write_text(text)
    return folder


def headers() -> dict[str, str]:
    """Return the headers by their names."""
    return {
        "mb_tolerances.h": tolerances_header(),
        "mb_functions.h": functions_header(),
        **methods_headers(),
        "mb_version.h": version_header(),
    }


def version_header() -> str:
    """Return ``mb_version.h``: a digest of the runtime, to refuse states of another version."""
    digest = hashlib.sha256(functions_header().encode() + tolerances_header().encode())
    digest.update("".join(methods_headers().values()).encode())
    for source in runtime_files():
        digest.update(source.read_bytes().replace(b"\r\n", b"\n"))
    version = f'#define MB_VERSION "{digest.hexdigest()[:24]}"'
    return _header("mb_version.h", "mbcore/runtime/", [version])


def methods_headers() -> dict[str, str]:
    """Return ``mb_methods.h`` and ``mb_tableaus.h``: the methods of integration as they are now."""
    lines = {
        "mb_methods.h": method_headers.numbers(),
        "mb_tableaus.h": method_headers.tableaus(),
    }
    return {name: _header(name, "mbcore/integrators/", text) for name, text in lines.items()}


def functions_header() -> str:
    """Return ``mb_functions.h``: lists of `mbcore.equations.functions` that take a macro.

    ``MB_EACH_FUNCTION(USE)`` is ``USE(name)`` for each function of the runtime, and so are the
    lists of counts and of extra arguments, ``USE(name, size)``.
    """
    functions = [
        (f"USE({name})", f"{_returned(row)}: {row.meaning}")
        for name, row in FUNCTIONS.items()
        if row.in_c
    ]
    extra = [(f"USE({name}, {_in_model(size)})", "") for name, size in EXTRA.items()]
    extra.append(("USE(cached, model->nk)", "values of `common` at a point"))
    counts = [(f"USE({name})", meaning) for name, meaning in COUNTS.items()]
    most = 1 + max(len(row.extra) for row in FUNCTIONS.values() if row.in_c)
    lines = [
        f"#define MB_ARGUMENTS {len(POINT)}",
        f"#define MB_MOST_EXTRAS {most}",
        "",
        *_each("COUNT", counts),
        "",
        *_each("EXTRA", extra),
        "",
        *_each("FUNCTION", functions),
    ]
    return _header("mb_functions.h", "mbcore/equations/functions.py", lines)


def _returned(row: Signature) -> str:
    results = ", ".join(f"{name}[{size}]" for name, size in row.results.items())
    return f"{' and '.join(row.extra)} -> {results}".strip()


def _in_model(size: str) -> str:
    """Return a size as an expression in C, with a model at hand."""
    return re.sub(r"[a-z]+", lambda count: f"model->{count[0]}", size)


def _each(what: str, uses: list[tuple[str, str]]) -> list[str]:
    """Return a macro that uses another one for each item, with comments."""
    lines = [f"#define MB_EACH_{what}(USE)"]
    lines += [f"    {use}" + (f" /* {comment} */" if comment else "") for use, comment in uses]
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def tolerances_header() -> str:
    """Return ``mb_tolerances.h``: a macro for each constant of `mbcore.equations.tolerances`."""
    lines = [
        f"#define MB_{name} {value!r}" for name, value in vars(tolerances).items() if name.isupper()
    ]
    return _header("mb_tolerances.h", "mbcore/equations/tolerances.py", lines)


def _header(name: str, source: str, lines: list[str]) -> str:
    guard = name.upper().replace(".", "_")
    return "\n".join(
        [
            f"/* Generated from {source}, which says what they mean. */",
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
