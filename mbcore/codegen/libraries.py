"""C sources -> objects -> shared libraries, with the flags of all generated code."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from mbcore.codegen.compiler import FLAGS, Compiler, in_threads

IN_PIECES = "-fno-inline"
"""For generated functions: their pieces are called once each, and inlined into one long function
they would take more than linear time of LLVM, three times as much for a road vehicle."""
UNROLLED = {"gcc": ("-fpeel-loops",)}
"""For the runtime: loops over a model's few states or coordinates, whose number is a constant,
become straight lines in GCC; LLVM does that by itself."""
SHORT_LOOPS = ("-fno-unroll-loops", "-fno-tree-vectorize")
"""For FMI's functions, whose loops copy a few values: LLVM would make their code a third longer."""
COMPACT = {"gcc": (*SHORT_LOOPS, "-fno-inline-functions"), "clang": (*SHORT_LOOPS, "-Os")}
"""The same for the runtime of long models, of whose steps it is a tenth: what is not marked as
inline is called. GCC's option would keep clang from inlining what is marked, too."""
LONG_MODEL = 400_000
"""Bytes of C from which on a model is one of these."""
LARGE = 2_000_000
"""Bytes of generated code above which -O2 takes long without a measurable gain over -O1."""
_DATA = tuple(b'"-0123456789')
"""How lines of numbers begin, and of texts of bytes; no statement does."""


def compile_files(
    compiler: Compiler,
    sources: Sequence[Path],
    places: Sequence[Path],
    folder: Path,
    *options: str,
    less: str = "",
) -> tuple[Path, ...]:
    """Compile C files, several at a time, and return their objects in a folder.

    Parameters
    ----------
    compiler : Compiler
        Compiler.
    sources : sequence of Path
        The files; no two of the same name.
    places : sequence of Path
        Folders of the headers that they include.
    folder : Path
        Where the objects go.
    *options : str
        Further ones of the compiler.
    less : str
        Stem of the file that is optimized less.

    Raises
    ------
    CompilerError
        The compiler fails.
    """

    def compile_one(source: Path) -> Path:
        target, level = folder / f"{source.stem}.o", "-O1" if source.stem == less else "-O2"
        return _compile(compiler, source, level, places, target, *options)

    return in_threads(compile_one, sources)


def compile_model(
    compiler: Compiler,
    source: str,
    name: str,
    places: Sequence[Path],
    folder: Path,
    large: int = LARGE,
) -> Path:
    """Compile a generated model and return its object.

    Parameters
    ----------
    compiler : Compiler
        Compiler.
    source, name : str
        The C, and what its file is called.
    places : sequence of Path
        Folders of the headers that it includes.
    folder : Path
        Where its file and the object go.
    large : int
        Bytes of code above which it is optimized less.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    file = folder / f"{name}.c"
    file.write_text(source)
    return compile_generated(compiler, file, places, large=large)


def compile_generated(
    compiler: Compiler, file: Path, places: Sequence[Path], *options: str, large: int = LARGE
) -> Path:
    """Compile a generated C file and return its object beside it; large ones are optimized less.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    optimization = "-O2" if code_size(file) < large else "-O1"
    target = file.with_suffix(".model.o")
    return _compile(compiler, file, optimization, places, target, *options)


def code_size(file: Path) -> int:
    """Return the bytes of a C file without the data of tables, which is not optimized."""
    with file.open("rb") as lines:
        return sum(len(line) for line in lines if line[0] not in _DATA)


def _compile(
    compiler: Compiler,
    source: Path,
    optimization: str,
    places: Sequence[Path],
    target: Path,
    *options: str,
) -> Path:
    included = [f"-I{place}" for place in places]
    flags = (*FLAGS, optimization, *compiler.position_flags, *options)
    compiler.run(*flags, *included, "-c", source, "-o", target)
    return target


def link(compiler: Compiler, objects: Sequence[Path], library: Path) -> Path:
    """Link objects into a shared library and return it.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    special = {
        # An ELF library with missing symbols would fail only when it is loaded.
        ".so": ("-Wl,-z,defs",),
        # Without it, macOS identifies the library by the path where it was made.
        ".dylib": (f"-Wl,-install_name,@rpath/{library.name}",),
    }.get(compiler.platform.suffix, ())
    compiler.run("-shared", "-s", *special, *objects, "-o", library, "-lm")
    if compiler.platform.suffix == ".dll":
        library.write_bytes(_without_time(library.read_bytes()))
    return library


def _without_time(library: bytes) -> bytes:
    """Return a library of Windows without the time when it was linked, for equal bytes."""
    [header] = struct.unpack_from("<I", library, 0x3C)
    if library[header : header + 4] != b"PE\0\0":
        return library
    return library[: header + 8] + bytes(4) + library[header + 12 :]
