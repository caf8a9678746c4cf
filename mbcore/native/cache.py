"""The cache of compiled equations, addressed by content.

A library's name is a digest of everything that determines it: the generated C, the runtime, the
compiler and its flags. So no entry is ever out of date, and the folder may be deleted at any time.
Any number of processes may use it at once: an entry is locked while it is made, and appears
complete.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from mbcore.codegen.background import InBackground
from mbcore.codegen.compiler import (
    FLAGS,
    Compiler,
    CompilerError,
    CompilerTimeoutError,
    candidates,
    find_compiler,
)
from mbcore.codegen.headers import methods_headers
from mbcore.codegen.libraries import LARGE, compile_model, link
from mbcore.codegen.platforms import this_platform
from mbcore.host.workspace import workspace
from mbcore.model.errors import ModelError
from mbcore.native.prebuilt import compile_runtime, prebuilt
from mbcore.native.sources import LOADED, copied, grouping
from mbcore.native.trust import is_own, refuse_strange

VARIABLE = "MBCORE_CACHE"
"""Environment variable that names the folder."""
REMEDY = f"set {VARIABLE} to a folder of yours, or simulate with backend='python'"
MOST_BYTES = 500_000_000
"""Size of the folder above which the least recently used libraries are deleted."""
LONGEST_PROBE = 60.0
"""Time limit of finding out whether a compiler works, s."""
LONGEST, LONGEST_PER_BYTE = 180.0, 1e-4
"""Time limit of compiling, s, and what each byte of generated C adds: some ten times the usual."""
HUNG = 3600.0
"""Time for which a compiler that has not ended is not called again, s."""
OPTIMIZED = 100_000
"""Bytes of generated code above which -O1 saves two fifths of the compiler's time, and runs take at
most a tenth longer; not with lanes, whose loops -O2 turns into vectors."""
_DIGEST = ".sha256"
_NOTE = ".library"


def cache_folder() -> Path:
    """Return the folder of compiled equations, and make it where there is none.

    It is what the environment variable ``MBCORE_CACHE`` says, else ``mbcore`` among the user's
    caches: ``~/.cache`` on Linux, ``~/Library/Caches`` on macOS, ``%LOCALAPPDATA%`` on Windows.

    Raises
    ------
    CompilerError
        It cannot be made or written, or others can write it, too: they could put in libraries that
        this process would load.
    """
    folder = _place_of_cache()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CompilerError(
            f"compiled equations cannot be kept in {folder} ({error.strerror}); set {VARIABLE} to "
            "a folder that can be written, or simulate with backend='python'"
        ) from error
    refuse_strange(folder, REMEDY)
    return folder


def _place_of_cache() -> Path:
    given = os.environ.get(VARIABLE)
    return Path(given) if given else user_cache_path("mbcore", appauthor=False)


def _kept() -> Iterator[tuple[Path, Sequence[str]]]:
    """Give the folder, where there is one to look into, with each command that may compile.

    It need not be writable.
    """
    folder = _place_of_cache()
    if os.path.isdir(folder):  # Path.is_dir raises in a folder that may not be read
        refuse_strange(folder, REMEDY)
        for command in candidates(this_platform()):
            yield folder, command


def compiled(source: str, name: str, analyses: bool) -> Path:
    """Return the library of a generated model, compiled where it has not been before.

    Parameters
    ----------
    source : str
        The generated C.
    name : str
        The model's, for messages.
    analyses : bool
        Whether it is for more than runs; then its source is another one.

    Raises
    ------
    CompilerError
        There is no compiler, it fails or does not end, or the folder cannot be written.
    """
    for kept, command in _kept():
        known = _place(kept, source, command)
        if _is_sound(known):
            _mark_used(known)
            return known
    folder = cache_folder()
    try:
        made = _compiled_by_first(folder, source, analyses)
    except (CompilerError, ModelError, OSError) as error:
        raise CompilerError(
            f"{name}: its equations cannot be compiled: {_cause(error)}; or simulate with "
            "backend='python'"
        ) from error
    _delete_oldest(folder, made)
    return made


def _cause(error: Exception) -> str:
    """Return what to say of an error; those of the system are wrapped by ``workspace``."""
    system = error if isinstance(error, OSError) else error.__cause__
    if isinstance(error, CompilerError) or not isinstance(system, OSError):
        return str(error)
    return f"{_place_of_cache()} cannot be written ({system.strerror or system})"


def _mark_used(library: Path) -> None:
    with contextlib.suppress(OSError):
        os.utime(library)


def remembered(identity: str) -> Path | None:
    """Return the library of equations that were compiled before, known by what they are made from.

    Writing the C of equations takes about as long as compiling it; what they are made from is known
    at once.

    Parameters
    ----------
    identity : str
        A digest of all that the C follows from.

    Raises
    ------
    CompilerError
        Others can write the folder or what is in it.
    """
    for kept, command in _kept():
        note = _note(kept, identity, command)
        if not is_own(note, REMEDY):
            continue
        library = kept / _noted(note)
        if _is_sound(library):
            _mark_used(library)
            return library
    return None


def remember(identity: str, library: Path) -> None:
    """Note which library ``compiled`` has returned for equations of an identity."""
    for command in candidates(this_platform()):
        note = _note(library.parent, identity, command)
        with contextlib.suppress(OSError, ModelError), workspace(library.parent) as work:
            new = work / note.name
            new.write_text(library.name)
            new.chmod(0o600)
            os.replace(new, note)
        return


def _noted(note: Path) -> str:
    """Return the name in a note; a damaged one has a name that no library has."""
    with contextlib.suppress(OSError):
        return Path(note.read_text("ascii", "replace").replace("\0", "?").strip()).name
    return ""


def _note(folder: Path, identity: str, command: Sequence[str]) -> Path:
    key = hashlib.sha256(f"{_basis(command)}\n{identity}".encode()).hexdigest()[:40]
    return folder / f"{key}{_NOTE}"


def _compiled_by_first(folder: Path, source: str, analyses: bool) -> Path:
    """Return the library of a model that the first compiler that works has made."""
    hung = folder / _hung_name()
    _refuse_hung(hung)
    try:
        compiler = find_compiler(LONGEST_PROBE)
        longest = LONGEST + LONGEST_PER_BYTE * len(source)
        return _made(folder, replace(compiler, timeout=longest), source, analyses)
    except CompilerTimeoutError:
        with contextlib.suppress(OSError):
            hung.touch()
        raise


def _refuse_hung(note: Path) -> None:
    """Refuse compilers that have hung lately, so that nobody waits for them again."""
    with contextlib.suppress(OSError):
        since = time.time() - note.stat().st_mtime
        if since < HUNG:
            raise CompilerTimeoutError(
                f"a compiler did not end {since / 60:.0f} min ago, and is not waited for again "
                f"within {HUNG / 60:.0f} min; correct it and delete {note}"
            )


def _hung_name() -> str:
    known = "\n".join(_basis(command) for command in candidates(this_platform()))
    return f"{hashlib.sha256(known.encode()).hexdigest()[:24]}.hung"


@contextlib.contextmanager
def _locked(file: Path, longest: float) -> Iterator[None]:
    """Hold a lock; who needs the same waits for the first one instead of making it again."""
    lock = FileLock(file.with_suffix(".lock"), timeout=longest)
    try:
        with contextlib.suppress(NotImplementedError):  # a file system that knows no locks
            lock.acquire()
    except Timeout as error:
        raise CompilerError(
            f"another process has been compiling the same for {longest:.0f} s; if none does, "
            f"delete {error.lock_file}"
        ) from error
    try:
        yield
    finally:
        lock.release()


def _made(folder: Path, compiler: Compiler, source: str, analyses: bool) -> Path:
    library = _place(folder, source, compiler.command)
    with _locked(library, compiler.timeout):
        if _is_sound(library):
            return library
        _refuse_hung(folder / _hung_name())  # while this process waited
        large = LARGE if "mb_lane" in source else OPTIMIZED
        with workspace(folder) as work:
            model = compile_model(compiler, source, "equations", copied(work), work, large)
            target = work / library.name
            parts = (False, True) if analyses else (False,)
            objects = [file for part in parts for file in _runtime(folder, compiler, part)]
            try:
                link(compiler, [*objects, model], target)
            except CompilerError:  # objects may be damaged or strange to it: they are made anew
                anew = [file for part in parts for file in _runtime(folder, compiler, part, True)]
                link(compiler, [*anew, model], target)
            target.chmod(0o700)  # others must not be able to change it, whatever the umask
            digest = target.with_suffix(_DIGEST)
            digest.write_text(_digest_of(target))
            # The library first: without its digest it does not count, so nobody loads half of the
            # pair.
            for file in (target, digest):
                os.replace(file, folder / file.name)
    return library


def _runtime(
    folder: Path, compiler: Compiler, analyses: bool, anew: bool = False
) -> tuple[Path, ...]:
    """Return the object files that all models share, or all for analyses besides; made once.

    Those of the installation serve unless the compiler could not link them.
    """
    place = _place_of_runtime(folder, compiler.command)
    place = place.with_name(f"{place.name}-analyses") if analyses else place
    installed = prebuilt()
    if installed is not None and not anew and not place.exists():
        return installed.objects(analyses)
    with _locked(place, compiler.timeout):
        if anew:
            shutil.rmtree(place, ignore_errors=True)
        if not is_own(place, REMEDY):
            shutil.rmtree(place, ignore_errors=True)
            with workspace(folder) as work:
                made = compile_runtime(compiler, work, (analyses,))
                try:
                    os.replace(made, place)
                except OSError:  # without locks another process may have been faster
                    if not is_own(place, REMEDY):
                        raise
    return tuple(sorted(place.glob("*.o")))


def prepare_runtime() -> None:
    """Begin to compile what all models share, where it is not there, in the background.

    Errors come up again where equations are compiled.
    """
    with contextlib.suppress(CompilerError, ModelError):
        if prebuilt() is None and not any(_place_of_runtime(*at).is_dir() for at in _kept()):
            InBackground(_prepared_runtime)


def _prepared_runtime() -> Path:
    folder = cache_folder()
    _refuse_hung(folder / _hung_name())
    _runtime(folder, replace(find_compiler(LONGEST_PROBE), timeout=LONGEST), analyses=False)
    return folder


def _place_of_runtime(folder: Path, command: Sequence[str]) -> Path:
    return folder / f"runtime-{hashlib.sha256(_basis(command).encode()).hexdigest()[:24]}"


def _place(folder: Path, source: str, command: Sequence[str]) -> Path:
    key = hashlib.sha256(f"{_basis(command)}\n{source}".encode()).hexdigest()[:40]
    return folder / f"{key}{this_platform().suffix}"


def _basis(command: Sequence[str]) -> str:
    """Return all that determines a library, but for the model, as one text."""
    program = Path(shutil.which(command[0]) or command[0]).resolve()
    with contextlib.suppress(OSError):
        # Size and time tell an updated compiler; asking for its version would take longer.
        about = program.stat()
        command = [*command, str(program), str(about.st_size), str(about.st_mtime_ns)]
    installed = prebuilt()
    objects = "" if installed is None else installed.digest
    made = LOADED, grouping(), str(OPTIMIZED), *methods_headers().values(), objects
    return "\n".join([this_platform().name, *command, *FLAGS, *made])


def _digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _is_sound(library: Path) -> bool:
    """Whether a library is there, whole, and as its owner has made it."""
    try:
        if not is_own(library, REMEDY):
            return False
        digest = library.with_suffix(_DIGEST).read_text("ascii", "replace")
        return digest.strip() == _digest_of(library)
    except OSError:
        return False


def _delete_oldest(folder: Path, made: Path) -> None:
    """Delete the least recently used libraries; one that cannot be deleted is in use."""
    files = [file for file in folder.iterdir() if file.suffix == made.suffix and file != made]
    with contextlib.suppress(OSError):
        oldest = sorted(files, key=lambda file: file.stat().st_mtime)
        size = sum(file.stat().st_size for file in [*oldest, made])
        names = {file.name for file in [*oldest, made]}
        for note in folder.glob(f"*{_NOTE}"):
            if _noted(note) not in names:
                note.unlink()
        for file in oldest:
            if size <= MOST_BYTES:
                return
            size -= file.stat().st_size
            for suffix in (made.suffix, _DIGEST, ".lock"):
                file.with_suffix(suffix).unlink(missing_ok=True)
