"""C sources -> shared libraries, for this machine and, with ziglang, for others."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mbcore.codegen.headers import write_headers
from mbcore.fmi.platforms import Platform, this_platform

RUNTIME = Path(__file__).parent.parent / "runtime"
"""Folder of the C sources that know no FMI."""
FACES = Path(__file__).parent / "c"
"""Folder of the C sources that are FMI's functions."""

_FLAGS = ("-std=c99", "-fvisibility=hidden", "-ffp-contract=off")
_LARGE = 2_000_000
"""Bytes of generated source above which -O2 takes long and gives nothing measurable over -O1."""
_PROBE = (
    '#include <math.h>\n__attribute__((visibility("default"))) double probe(double x) '
    "{ return sin(x); }\n"
)


class CompilerError(RuntimeError):
    """No compiler was found, or one failed; the message says which and what it printed."""


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C for one platform."""

    command: tuple[str, ...]
    platform: Platform

    def run(self, *arguments: str | Path) -> None:
        """Run the compiler.

        Raises
        ------
        CompilerError
            It cannot be started or ends with an error; its messages are in the error's.
        """
        line = [*self.command, *map(str, arguments)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, check=False)
        except OSError as error:
            raise CompilerError(f"{self.command[0]}: {error.strerror}") from error
        if done.returncode:
            said = done.stderr.strip()[-3000:] or f"exit status {done.returncode}"
            raise CompilerError(f"{shlex.join(self.command)} for {self.platform.name}: {said}")

    @property
    def position_flags(self) -> tuple[str, ...]:
        """Flags for position-independent code, which Windows has anyway."""
        return () if self.platform.suffix == ".dll" else ("-fPIC",)


def find_compiler() -> Compiler:
    """Return a compiler for this machine.

    The first of environment variable CC, then cc, gcc, clang, then ziglang that builds a library
    which this Python loads.

    Raises
    ------
    CompilerError
        There is none; says what was tried and what to install.
    """
    here = this_platform()
    tried = []
    for command in _candidates(here):
        compiler = Compiler(command, here)
        try:
            _probe(compiler)
        except (CompilerError, OSError) as error:
            tried.append(f"{shlex.join(command)} ({str(error).splitlines()[-1][:200]})")
        else:
            return compiler
    raise CompilerError(
        f"no C compiler works here; tried: {', '.join(tried) or 'none found'}. Install one: "
        "apt install gcc, or pip install mbcore[cross]"
    )


def find_cross_compiler(platform: Platform) -> Compiler:
    """Return a compiler for any platform: ziglang, or without it this machine's for itself.

    Raises
    ------
    CompilerError
        The platform needs ziglang and it is not installed; names the extra to install.
    """
    if platform == this_platform() and not (platform.target and _has_ziglang()):
        return find_compiler()
    return Compiler(_ziglang(platform), platform)


def compile_runtime(compiler: Compiler, folder: Path) -> tuple[Path, ...]:
    """Compile the runtime, the same for every model, and return its object files.

    The headers that it includes and that are generated are written into the folder, too.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    objects = []
    write_headers(folder)
    for source in sorted([*RUNTIME.glob("*.c"), *FACES.glob("*.c")]):
        target = folder / f"{source.stem}.o"
        compiler.run(
            *_FLAGS, "-O2", *compiler.position_flags, *_includes(folder), "-c", source, "-o", target
        )
        objects.append(target)
    return tuple(objects)


def compile_library(
    compiler: Compiler, source: str, name: str, runtime: Sequence[Path], folder: Path
) -> Path:
    """Compile a generated model and link it with the runtime's objects; return the library.

    Raises
    ------
    CompilerError
        The compiler fails.
    """
    file = folder / f"{name}.c"
    file.write_text(source)
    write_headers(folder)
    library = folder / f"{name}{compiler.platform.suffix}"
    target = folder / f"{name}.model.o"
    optimization = "-O2" if len(source) < _LARGE else "-O1"
    compiler.run(
        *_FLAGS,
        optimization,
        *compiler.position_flags,
        *_includes(folder),
        "-c",
        file,
        "-o",
        target,
    )
    # An ELF library may lack symbols until it is loaded: better to know now.
    defined = ("-Wl,-z,defs",) if compiler.platform.suffix == ".so" else ()
    compiler.run("-shared", "-s", *defined, *runtime, target, "-o", library, "-lm")
    return library


def _includes(generated: Path) -> tuple[str, ...]:
    """Return the include options: the runtime's headers, generated ones, FMI's from FMPy."""
    specification = importlib.util.find_spec("fmpy")
    if specification is None or specification.origin is None:
        raise CompilerError("FMI's headers come with FMPy, which is missing: pip install fmpy")
    return f"-I{RUNTIME}", f"-I{generated}", f"-I{Path(specification.origin).parent / 'c-code'}"


def _candidates(here: Platform) -> Iterator[tuple[str, ...]]:
    if os.environ.get("CC"):
        yield tuple(shlex.split(os.environ["CC"]))
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            yield (name,)
    if here.target and _has_ziglang():
        yield _ziglang(here)


def _has_ziglang() -> bool:
    return importlib.util.find_spec("ziglang") is not None


def _ziglang(platform: Platform) -> tuple[str, ...]:
    if not _has_ziglang():
        raise CompilerError(
            f"building for {platform.name} on {this_platform().name} needs ziglang: "
            "pip install mbcore[cross]"
        )
    if platform.target is None:
        raise CompilerError(f"nothing here builds for {platform.name}")
    return (sys.executable, "-m", "ziglang", "cc", "-target", platform.target)


def _probe(compiler: Compiler) -> None:
    """Build a library and load it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source = Path(folder) / "probe.c"
        source.write_text(_PROBE)
        library = source.with_suffix(compiler.platform.suffix)
        compiler.run(*_FLAGS, *compiler.position_flags, "-shared", source, "-o", library, "-lm")
        ctypes.CDLL(str(library)).probe.restype = ctypes.c_double
