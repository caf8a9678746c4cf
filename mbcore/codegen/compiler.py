"""Compilers of C: the one of this machine and, with ziglang, those for others."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Thread
from typing import TypeVar

from mbcore.codegen.platforms import Platform, this_platform
from mbcore.host.workspace import workspace
from mbcore.model.errors import CompilerError, CompilerTimeoutError

FLAGS = ("-std=c99", "-fvisibility=hidden", "-ffp-contract=off", "-fno-tree-slp-vectorize", "-g0")
# GCC searches straight-line code for vectorizable statements in more than linear time; in generated
# models that gains nothing measurable. Zig would write symbols for debuggers, which linking strips.
# Tables for exceptions stay, 2 % of a library: callbacks of a host in C++ may throw through it, and
# without them that ends the process.
LONGEST = 1800.0
"""Default time limit of one call of a compiler, s."""
_RUNNING: set[subprocess.Popen] = set()
"""Running compilers, which are ended on an interrupt."""
_ENDING = threading.Event()
"""Set when this process ends, after which no compiler starts."""
if hasattr(os, "register_at_fork"):  # those of its parent are none of a forked process
    os.register_at_fork(after_in_child=_RUNNING.clear)
_SUPERVISED = """
exec 3<&0
(read _; kill -s KILL 0) <&3 >/dev/null 2>&1 &
"$0" "$@" </dev/null 3<&-
status=$?
exec 2>/dev/null
kill $!
exit $status
"""
"""Runs a command next to a subshell that kills the process group when its input ends.

A compiler starts other processes. When the process that waits for it is killed, a signal to the
compiler alone would let them run on.
"""
_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_PROBE = (
    '#include <math.h>\n__attribute__((visibility("default"))) double probe(double x) '
    "{ return sin(x); }\n"
)


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C for one platform; one call may take ``timeout`` seconds."""

    command: tuple[str, ...]
    platform: Platform
    timeout: float = LONGEST

    def run(self, *arguments: str | Path) -> None:
        """Run the compiler.

        Raises
        ------
        CompilerTimeoutError
            It does not end.
        CompilerError
            It cannot be started or ends with an error; its messages are in the error's.
        """
        line = [*self.command, *map(str, arguments)]
        # its temporary files go beside the result, where nobody leaves them if it is ended
        beside = Path(line[line.index("-o") + 1]).parent if "-o" in line else None
        try:
            returned, said = _finish(line, self.timeout, beside)
        except subprocess.TimeoutExpired:
            raise CompilerTimeoutError(
                f"{shlex.join(self.command)} for {self.platform.name} did not end in "
                f"{self.timeout:g} s"
            ) from None
        except OSError as error:
            raise CompilerError(f"{self.command[0]}: {error.strerror}") from error
        if returned:
            said = said.strip()[-3000:] or f"exit status {returned}"
            raise CompilerError(f"{shlex.join(self.command)} for {self.platform.name}: {said}")

    @cached_property
    def family(self) -> str:
        """Whether it is "gcc" or "clang", some of whose options others refuse, or neither, ""."""
        try:
            said = _finish([*self.command, "-v"], self.timeout)[1]
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return next((name for name in ("gcc", "clang") if f"{name} version" in said), "")

    @property
    def position_flags(self) -> tuple[str, ...]:
        """Flags for position-independent code, which Windows and WebAssembly have anyway."""
        return () if self.platform.suffix in (".dll", ".wasm") else ("-fPIC",)


def _finish(line: Sequence[str], timeout: float, temporary: Path | None = None) -> tuple[int, str]:
    """Run a command; return its exit status and its output. It leaves no process behind.

    Its temporary files are in a folder, or where the system has them.

    Raises
    ------
    CompilerError
        This process ends.
    """
    if os.name == "posix" and shutil.which(line[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    supervised = ("/bin/sh", "-c", _SUPERVISED, *line) if os.name == "posix" else line
    if _ENDING.is_set():
        raise CompilerError(f"{line[0]} is not started, because this process ends")
    # A session of its own, because the processes that a compiler starts must end with it.
    with subprocess.Popen(
        supervised,
        stdin=subprocess.PIPE,  # its end signals that this process has ended
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=None if temporary is None else os.environ | {"TMPDIR": str(temporary.absolute())},
    ) as process:
        _RUNNING.add(process)
        try:
            said = _said_in_the_end(process, timeout)
        except BaseException:
            _end(process)
            raise
        finally:
            _RUNNING.discard(process)
    return process.returncode, said


def _said_in_the_end(process: subprocess.Popen, timeout: float) -> str:
    """Return the messages of a command after it has ended; its input stays open until then."""
    assert process.stdin is not None
    stdin, process.stdin = process.stdin, None  # communicate would close it
    try:
        return str(process.communicate(timeout=timeout)[1])
    finally:
        with contextlib.suppress(OSError):
            stdin.close()


def _end(process: subprocess.Popen) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def find_compiler(timeout: float = LONGEST) -> Compiler:
    """Return a compiler for this machine.

    The first of environment variable CC, then cc, gcc, clang, then ziglang that builds a library
    which this Python loads.

    Raises
    ------
    CompilerTimeoutError
        There is none, and one did not end.
    CompilerError
        There is none; names the tried compilers and those to install.
    """
    here = this_platform()
    tried, kind = [], CompilerError
    for command in candidates(here):
        compiler = Compiler(command, here, timeout)
        try:
            _probe(compiler)
        except (CompilerError, OSError) as error:
            tried.append(f"{shlex.join(command)} ({str(error).splitlines()[-1][:200]})")
            kind = CompilerTimeoutError if isinstance(error, CompilerTimeoutError) else kind
        else:
            return compiler
    found = ", ".join(tried) or "none found"
    if kind is CompilerTimeoutError:
        raise kind(f"no C compiler has built a small library in time; tried: {found}")
    raise kind(
        f"no C compiler works here; tried: {found}. Install one: apt install gcc, or pip install "
        "ziglang"
    )


def find_cross_compiler(platform: Platform, timeout: float = LONGEST) -> Compiler:
    """Return a compiler for any platform: ziglang, or without it this machine's for itself.

    Raises
    ------
    CompilerError
        The platform needs ziglang and it is not installed; names the extra to install.
    """
    if platform == this_platform() and not _has_ziglang():
        return find_compiler(timeout)
    return Compiler(_ziglang(platform), platform, timeout)


def in_threads(
    work: Callable[[_Task], _Result],
    tasks: Sequence[_Task],
) -> tuple[_Result, ...]:
    """Map work that waits for compilers, in as many threads as there are processors.

    On an interrupt, compilers that are still running are ended. Threads other than the main one
    have daemons: Python would wait for others before it ends.
    """
    if threading.current_thread() is not threading.main_thread():
        return _by_daemons(work, tasks)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            return tuple(pool.map(work, tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _end_running()
            raise


def _by_daemons(work: Callable[[_Task], _Result], tasks: Sequence[_Task]) -> tuple[_Result, ...]:
    results: dict[int, _Result] = {}
    errors: list[Exception] = []
    left = iter(enumerate(tasks))

    def take() -> None:
        for place, task in left:
            if errors:
                return
            try:
                results[place] = work(task)
            except Exception as error:  # raised by the thread that waits
                errors.append(error)

    threads = [
        Thread(target=take, daemon=True) for _ in range(min(os.cpu_count() or 1, len(tasks)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return tuple(results[place] for place in range(len(tasks)))


def end_compilers() -> None:
    """End running compilers and start no others, because this process ends."""
    _ENDING.set()
    _end_running()


def _end_running() -> None:
    for process in tuple(_RUNNING):
        _end(process)


def candidates(here: Platform) -> Iterator[tuple[str, ...]]:
    """Give the commands that may be C compilers here, the preferred one first."""
    if os.environ.get("CC", "").strip():
        yield _named_by_user(os.environ["CC"])
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            yield (name,)
    if _has_ziglang():
        yield _ziglang(here)


def _named_by_user(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise CompilerError(
            f"the environment variable CC = {command!r} is not a command ({error}); correct it, "
            "as in 'gcc -m64', or unset it"
        ) from error


def _has_ziglang() -> bool:
    return importlib.util.find_spec("ziglang") is not None


def _ziglang(platform: Platform) -> tuple[str, ...]:
    if not _has_ziglang():
        raise CompilerError(
            f"building for {platform.name} on {this_platform().name} needs ziglang: "
            "pip install ziglang"
        )
    # On aarch64 LLVM looks for aliases, in quadratic time over the long blocks of generated code.
    quick = ("-mllvm", "-aarch64-use-aa=false") if platform.name.startswith("aarch64") else ()
    return (*_zig(), "cc", "-target", platform.target, *quick)


def _zig() -> tuple[str, ...]:
    """Return the binary of ziglang, which avoids starting Python for each file."""
    specification = importlib.util.find_spec("ziglang")
    if specification is not None and specification.origin is not None:
        for name in ("zig", "zig.exe"):
            program = Path(specification.origin).with_name(name)
            if program.is_file():
                return (str(program),)
    return (sys.executable, "-m", "ziglang")


def _probe(compiler: Compiler) -> None:
    """Build a library and load it."""
    with workspace() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(_PROBE)
        library = source.with_suffix(compiler.platform.suffix)
        compiler.run(*FLAGS, *compiler.position_flags, "-shared", source, "-o", library, "-lm")
        ctypes.CDLL(str(library)).probe.restype = ctypes.c_double
