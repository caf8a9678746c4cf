"""Compilers for the requested platforms, with the compiled objects of the runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mbcore.fmi.packing.compiler import (
    LONGEST,
    Compiler,
    CompilerError,
    compile_library,
    compile_runtime,
    find_compiler,
    find_cross_compiler,
    in_threads,
)
from mbcore.fmi.packing.platforms import Platform, platforms_named
from mbcore.host.workspace import workspace
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods
from mbcore.model import checks
from mbcore.model.errors import warn_user


@dataclass(frozen=True)
class Toolchain:
    """A compiler and the runtime's objects it has made, with the methods of that time."""

    compiler: Compiler
    runtime: tuple[Path, ...]
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
                made.append(Toolchain(compiler, compile_runtime(compiler, own)))
            except CompilerError as error:
                missing[platform] = error
        _report_missing("the runtime", missing, made, report)
        yield tuple(made)


def compile_libraries(
    name: str, source: str, tools: Sequence[Toolchain], report: Callable[[str], None] = warn_user
) -> dict[Platform, bytes]:
    """Compile a generated model with each of the tools, side by side; return the libraries.

    Parameters
    ----------
    name : str
        Name of the libraries.
    source : str
        The generated model.
    tools : sequence of Toolchain
        From `toolchains`.
    report : callable
        Called with a message for each platform whose compiler fails, where others do not; warns
        by default.

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

    def compile_for(tool: Toolchain) -> bytes | CompilerError:
        with workspace() as folder:
            try:
                library = compile_library(tool.compiler, source, name, tool.runtime, Path(folder))
            except CompilerError as error:
                return error
            return library.read_bytes()

    results = {
        tool.compiler.platform: result
        for tool, result in zip(tools, in_threads(compile_for, tools), strict=True)
    }
    made = {p: result for p, result in results.items() if isinstance(result, bytes)}
    missing = {p: result for p, result in results.items() if not isinstance(result, bytes)}
    _report_missing(name, missing, made, report)
    return made


def _report_missing(
    what: str, missing: dict[Platform, CompilerError], made: object, report: Callable[[str], None]
) -> None:
    """Report missing platforms, or raise where nothing was made."""
    if missing and not made:
        raise CompilerError("; ".join(map(str, missing.values())))
    for platform, error in missing.items():
        report(f"{what} was not built for {platform.name}: {error}")
