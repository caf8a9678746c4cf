"""The runtime's object files as the installation has compiled them, so that no first run waits.

``python -m mbcore.native.prebuilt FOLDER`` writes them for each platform in a folder of its own;
``setup.py`` calls it. Where none suit, `mbcore.native.cache` compiles the runtime.

Whoever can write these files can write the modules beside them, so both are trusted alike.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mbcore.codegen.compiler import FLAGS, Compiler, find_compiler, find_cross_compiler
from mbcore.codegen.headers import methods_headers
from mbcore.codegen.libraries import compile_files
from mbcore.codegen.platforms import PLATFORMS, Platform, this_platform
from mbcore.host.workspace import workspace
from mbcore.model.errors import CompilerError
from mbcore.native.sources import LOADED, OTHERS, copied, grouping, stems, units

VARIABLE = "MBCORE_PREBUILD"
"""Environment variable of an installation: platforms with commas between, ``all``, or ``none``."""
FOLDER = Path(__file__).parent / "objects"
LONGEST = 180.0
"""Time limit of a call of a compiler, s."""
_NOTE = "about.json"


@dataclass(frozen=True)
class Prebuilt:
    """Object files for a platform, whole and of the sources that this process has loaded."""

    folder: Path
    compiler: str
    """The compiler that made them, with its version."""
    named: str
    """The environment variable CC then."""
    digest: str

    def objects(self, analyses: bool) -> tuple[Path, ...]:
        """Return the files that all models share, or those that analyses need besides."""
        return tuple(self.folder / f"{stem}.o" for stem in sorted(stems(analyses)))

    def serves(self) -> bool:
        """Whether a user has not asked for another compiler than theirs, by CC."""
        return os.environ.get("CC", "").strip() in ("", self.named)


def prebuilt() -> Prebuilt | None:
    """Return the runtime that the installation has compiled for this machine; None without one."""
    found = _found(FOLDER / _key(this_platform()))
    return found if found is not None and found.serves() else None


@cache
def _found(folder: Path) -> Prebuilt | None:
    try:
        about = json.loads((folder / _NOTE).read_text("utf-8"))
        sound = all(_digest(folder / name) == told for name, told in about["digests"].items())
        whole = {f"{stem}.o" for part in (False, True) for stem in stems(part)}
        if not sound or whole != set(about["digests"]):
            return None
        digest = hashlib.sha256(json.dumps(about["digests"], sort_keys=True).encode()).hexdigest()
        return Prebuilt(folder, about["compiler"], about["CC"], digest)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):  # incomplete or damaged
        return None


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _key(platform: Platform) -> str:
    """Return the name of a platform's folder, with a digest of all that objects are made from."""
    basis = "\n".join([platform.name, *FLAGS, LOADED, grouping(), *methods_headers().values()])
    return f"{platform.name}-{hashlib.sha256(basis.encode()).hexdigest()[:24]}"


def compile_runtime(compiler: Compiler, work: Path, analyses: Sequence[bool]) -> Path:
    """Compile the runtime in an empty folder, and return the folder of its objects in there.

    Parameters
    ----------
    compiler : Compiler
        What compiles.
    work : Path
        The folder.
    analyses : sequence of bool
        False for what all models share, True for what analyses need besides.

    Raises
    ------
    CompilerError
        The compiler fails, or the files of mbcore have been changed.
    """
    places, made = copied(work), work / "objects"
    made.mkdir(mode=0o700)
    sources = [unit for part in analyses for unit in units(work, part)]
    compile_files(compiler, sources, places, made, less=OTHERS)
    return made


def build(folder: Path) -> list[str]:
    """Compile the runtime for the platforms that are asked for; return lines that say so.

    Raises
    ------
    CompilerError
        A compiler is missing or fails.
    ValueError
        A platform is unknown.
    """
    return [_build(folder, platform) for platform in _asked()]


def _asked() -> list[Platform]:
    given = os.environ.get(VARIABLE, "").strip()
    if given in ("", "none", "all"):
        return [this_platform()] if not given else list(PLATFORMS.values()) * (given == "all")
    names = [name.strip() for name in given.split(",")]
    unknown = [name for name in names if name not in PLATFORMS]
    if unknown:
        raise ValueError(
            f"{VARIABLE} = {given!r}: unknown {', '.join(map(repr, unknown))}; known are "
            f"{', '.join(PLATFORMS)}, all, none"
        )
    return [PLATFORMS[name] for name in names]


def _build(folder: Path, platform: Platform) -> str:
    here = platform == this_platform()
    compiler = find_compiler(LONGEST) if here else find_cross_compiler(platform, LONGEST)
    place = folder / _key(platform)
    with workspace() as work:
        objects = compile_runtime(compiler, work, (False, True))
        place.mkdir(parents=True, exist_ok=True)
        (place / _NOTE).unlink(missing_ok=True)  # without it, the rest does not count
        digests = {}
        for made in sorted(objects.iterdir()):
            (place / made.name).write_bytes(made.read_bytes())
            digests[made.name] = _digest(made)
        version = _version(compiler, work)
    about = {
        "compiler": version,
        "CC": os.environ.get("CC", "").strip() if here else "",
        "digests": digests,
    }
    (place / _NOTE).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return f"{place.name}: by {version}"


def _version(compiler: Compiler, work: Path) -> str:
    """Return the name of a compiler's command and the first line of what it tells of itself."""
    said = subprocess.run(
        [*compiler.command, "--version"], capture_output=True, text=True, errors="replace",
        check=False, timeout=LONGEST, stdin=subprocess.DEVNULL, cwd=work,
    )  # fmt: skip
    command = [Path(compiler.command[0]).name, *compiler.command[1:]]
    return f"{shlex.join(command)}, {said.stdout.partition(chr(10))[0].strip()}"


if __name__ == "__main__":
    try:
        print("\n".join(build(Path(sys.argv[1]))))
    except (CompilerError, ValueError, OSError) as error:
        sys.exit(str(error))
