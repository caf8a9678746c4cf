"""Compilers for the requested platforms, with the compiled objects of the runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mbcore.codegen.c_model import GeneratedModel
from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import TABLES, WHOLE
from mbcore.fmi.packing.compiler import (
    LONGEST,
    Compiler,
    CompilerError,
    CompilerTimeoutError,
    compile_faces,
    compile_part,
    find_compiler,
    find_cross_compiler,
    in_threads,
    link,
)
from mbcore.fmi.packing.platforms import Platform, platforms_named
from mbcore.fmi.packing.sources import compiled, parts_of
from mbcore.host.workspace import workspace
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods
from mbcore.model import checks
from mbcore.model.errors import warn_user


@dataclass(frozen=True)
class Toolchain:
    """A compiler and the objects it has made for all models, with the methods of that time.

    Attributes
    ----------
    shared : tuple of Path
        Objects of FMI's functions and, if it ``has_runtime``, of the runtime; else that is compiled
        together with the tables of each model, which makes shorter steps.
    """

    compiler: Compiler
    shared: tuple[Path, ...]
    has_runtime: bool = False
    methods: tuple[Method, ...] = field(default_factory=methods)


@contextmanager
def toolchains(
    platforms: Sequence[str] | None = None,
    compiler_timeout: float = LONGEST,
    report: Callable[[str], None] = warn_user,
) -> Iterator[tuple[Toolchain, ...]]:
    """Prepare compilers for platforms, to be used for any number of models.

    Parameters
    ----------
    platforms : sequence of str, optional
        FMI 3.0's names, or ``all``; this machine where absent. Where they are given, ziglang is
        preferred, because its Linux libraries run with older systems too.
    compiler_timeout : float
        Seconds after which a compiler that has not ended is taken to hang.
    report : callable
        Called with a message for each platform that nothing here builds for, where there are
        others; warns by default.

    Raises
    ------
    PlatformError
        A platform is unknown.
    CompilerError
        There is no compiler for any of them, or all fail.
    """
    checks.real("export", "compiler_timeout", compiler_timeout, above=0, unit="s")
    wanted = platforms_named(platforms)
    find = find_cross_compiler if platforms else lambda _, timeout: find_compiler(timeout)
    with workspace() as folder:
        made, missing = [], {}
        for platform in wanted:
            own = Path(folder) / platform.name
            own.mkdir()
            try:
                compiler = find(platform, compiler_timeout)
                made.append(Toolchain(compiler, compile_faces(compiler, own)))
            except CompilerError as error:
                missing[platform] = error
        _report_missing("FMI's functions", missing, made, report)
        yield tuple(made)


def compile_libraries(
    name: str,
    model: GeneratedModel,
    tools: Sequence[Toolchain],
) -> dict[Platform, bytes]:
    """Compile a generated model with each of the tools, side by side; return the libraries.

    It warns of each platform whose compiler fails, where others do not.

    Parameters
    ----------
    name : str
        Name of the libraries.
    model : GeneratedModel
        The generated model.
    tools : sequence of Toolchain
        From `toolchains`.

    Raises
    ------
    CompilerError
        All compilers fail, or methods of integration have been added since they were prepared.
    """
    if any(tool.methods != methods() for tool in tools):
        raise CompilerError(
            f"{name}: methods of integration were added or removed after the toolchains were made; "
            "make them anew"
        )
    with workspace() as written:
        folders = {tool: Path(written) / tool.compiler.platform.name for tool in tools}
        parts = [(tool, file) for tool in tools for file in _parts(model, tool, folders[tool])]
        objects = in_threads(lambda part: _attempt(compile_part, part[0].compiler, part[1]), parts)
        results: dict[Platform, bytes | CompilerError] = {}
        for tool, folder in folders.items():
            own = [made for (of, _), made in zip(parts, objects, strict=True) if of is tool]
            results[tool.compiler.platform] = _linked(name, tool, own, folder)
    made = {p: result for p, result in results.items() if isinstance(result, bytes)}
    missing = {p: result for p, result in results.items() if not isinstance(result, bytes)}
    _report_missing(name, missing, made, warn_user)
    return made


def _parts(model: GeneratedModel, tool: Toolchain, folder: Path) -> list[Path]:
    """Write the C files that are compiled for one model into a new folder; return them."""
    folder.mkdir()
    write_headers(folder)
    files = parts_of(model)
    if tool.has_runtime:
        files[WHOLE] = f'#include "{TABLES}"\n'
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [folder / file for file in compiled(files)]


def _linked(
    name: str, tool: Toolchain, objects: Sequence[Path | CompilerError], folder: Path
) -> bytes | CompilerError:
    failed = next((made for made in objects if isinstance(made, CompilerError)), None)
    if failed is not None:
        return failed
    library = folder / f"{name}{tool.compiler.platform.suffix}"
    linked = _attempt(link, tool.compiler, [*tool.shared, *objects], library)
    return linked if isinstance(linked, CompilerError) else linked.read_bytes()


def _attempt(work: Callable[..., Path], *arguments: object) -> Path | CompilerError:
    try:
        return work(*arguments)
    except CompilerError as error:
        return error


def _report_missing(
    what: str, missing: dict[Platform, CompilerError], made: object, report: Callable[[str], None]
) -> None:
    """Report missing platforms, or raise where nothing was made."""
    told = {
        platform: error.allowing_more() if isinstance(error, CompilerTimeoutError) else error
        for platform, error in missing.items()
    }
    if told and not made:
        raise type(next(iter(told.values())))("; ".join(map(str, told.values())))
    for platform, error in told.items():
        report(f"{what} was not built for {platform.name}: {error}")
