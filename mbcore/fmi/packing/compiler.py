"""C sources -> the libraries of FMUs, for this machine and, with ziglang, for others."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from mbcore.codegen.compiler import (
    LONGEST,
    Compiler,
    CompilerError,
    find_compiler,
    find_cross_compiler,
    in_threads,
)
from mbcore.codegen.headers import write_headers
from mbcore.codegen.libraries import compile_files, compile_model, link
from mbcore.codegen.runtime import ROOMS, runtime_files

__all__ = [
    "FACES",
    "LONGEST",
    "Compiler",
    "CompilerError",
    "compile_library",
    "compile_runtime",
    "find_compiler",
    "find_cross_compiler",
    "fmi_headers",
    "in_threads",
]

FACES = Path(__file__).parents[1] / "c"
"""Folder of the C sources that are FMI's functions."""


def compile_runtime(compiler: Compiler, folder: Path) -> tuple[Path, ...]:
    """Compile the runtime, the same for every model, and return its object files.

    The headers that it includes and that are generated are written into the folder, too.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    sources = [*runtime_files("*.c"), *sorted(FACES.glob("*.c"))]
    return compile_files(compiler, sources, _places(folder), folder)


def compile_library(
    compiler: Compiler, source: str, name: str, runtime: Sequence[Path], folder: Path
) -> Path:
    """Compile a generated model and link it with the runtime's objects; return the library.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    model = compile_model(compiler, source, name, _places(folder), folder)
    library = folder / f"{name}{compiler.platform.suffix}"
    return link(compiler, [*runtime, model], library)


def fmi_headers() -> Path:
    """Return the folder of FMI's headers, which come with FMPy.

    Raises
    ------
    CompilerError
        FMPy is missing.
    """
    specification = importlib.util.find_spec("fmpy")
    if specification is None or specification.origin is None:
        raise CompilerError("FMI's headers come with FMPy, which is missing: pip install fmpy")
    return Path(specification.origin).parent / "c-code"


def _places(generated: Path) -> tuple[Path, ...]:
    """Return where headers are: the runtime's, generated ones, FMI's."""
    return *ROOMS, write_headers(generated), fmi_headers()
