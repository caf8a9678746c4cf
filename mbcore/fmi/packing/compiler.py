"""C sources -> the libraries of FMUs, for this machine and, with ziglang, for others."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from mbcore.codegen.compiler import (
    LONGEST,
    Compiler,
    CompilerError,
    CompilerTimeoutError,
    find_compiler,
    find_cross_compiler,
    in_threads,
)
from mbcore.codegen.headers import write_headers
from mbcore.codegen.libraries import (
    COMPACT,
    IN_PIECES,
    LONG_MODEL,
    SHORT_LOOPS,
    UNROLLED,
    code_size,
    compile_files,
    compile_generated,
    link,
)
from mbcore.codegen.runtime import ROOMS, WHOLE, runtime_files

__all__ = [
    "FACES",
    "LONGEST",
    "Compiler",
    "CompilerError",
    "CompilerTimeoutError",
    "compile_faces",
    "compile_part",
    "compile_runtime",
    "find_compiler",
    "find_cross_compiler",
    "fmi_headers",
    "in_threads",
    "link",
]

FACES = Path(__file__).parents[1] / "c"
"""Folder of the C sources that are FMI's functions."""


def compile_faces(compiler: Compiler, folder: Path) -> tuple[Path, ...]:
    """Compile FMI's functions, the same for every model, and return their object files.

    The headers that they include and that are generated are written into the folder, too.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    faces = sorted(FACES.glob("*.c"))
    return compile_files(compiler, faces, _places(write_headers(folder)), folder, *SHORT_LOOPS)


def compile_runtime(compiler: Compiler, folder: Path) -> tuple[Path, ...]:
    """Compile FMI's functions and the runtime, for libraries of any models that share it.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    faces = compile_faces(compiler, folder)
    return (*compile_files(compiler, runtime_files("*.c"), _places(folder), folder), *faces)


def compile_part(compiler: Compiler, file: Path) -> Path:
    """Compile one C file of a model, beside which generated headers lie; return its object.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    # only the runtime has functions that are to be inlined, and loops over a model's few values
    options = _of_runtime(compiler, file.parent) if file.name == WHOLE else (IN_PIECES,)
    return compile_generated(compiler, file, _places(file.parent), *options)


def _of_runtime(compiler: Compiler, folder: Path) -> tuple[str, ...]:
    """Return options for the runtime beside the C of a model."""
    size = sum(code_size(file) for file in folder.glob("*.c") if file.name != WHOLE)
    return (UNROLLED if size < LONG_MODEL else COMPACT).get(compiler.family, ())


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
    return *ROOMS, generated, fmi_headers()
