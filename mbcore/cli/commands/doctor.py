"""The subcommand ``doctor``: checks an installation, to the numbers of an FMU that it builds.

Modules are imported check by check, so that a package that is missing or broken is a finding.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import shlex
import shutil
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from mbcore.cli.compiler_option import add_compiler_option
from mbcore.version import DISTRIBUTION, VERSION

HELP = "check this installation: packages, compiler, cache, an FMU, browser"
OLDEST = (3, 10)
"""Python that the library needs."""
FMU = "rolling_disk"
UNTIL, RELATIVE_TOLERANCE, NEAR = 87.0, 1e-11, 1e-6
STORED = {"contact.x": 4.8151003700, "contact.y": -6.1190930252, "energy.total": 1.12712342}
"""At 87 s, by an integration of equations derived by hand: [SchwabMeijaard2003] 3.2, Fig. 5."""
OPTIONAL = {
    "ziglang": "no pages (mbcore page) and no FMUs for other platforms (mbcore build --platforms)",
    "control": "no Bode plots, step responses and zeros of linear equations",
    "dask": "no sweeps on a cluster",
    "gymnasium": "no environments for reinforcement learning (mbcore.gym)",
    "mujoco": "no MJCF files (from_mjcf)",
    "imageio_ffmpeg": "films as .mp4 only where the machine has ffmpeg; .gif and .html without",
}
"""Packages of the extras by the modules that are imported, with what is lost without them."""
EXTRAS = {"ziglang": "ziglang", "control": "control", "dask": "dask[distributed]"}
"""Their names in pip, where these differ."""
TEXT_BROWSERS = ("elinks", "links", "lynx", "w3m", "www-browser")
LONGEST = 60.0
"""Time that a call of a compiler takes at most here by default, s."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    found: str
    """Its version, place or number; the fault where it is not ``good``."""
    good: bool = True
    needed: bool = True
    cost: str = ""
    """The loss without it, and the remedy."""
    slow: bool = False
    """Whether it has not ended in its time, so that nothing else is known of it."""

    def __str__(self) -> str:
        wrong = "SLOW" if self.slow else "MISSING" if self.needed else "without"
        mark = "ok" if self.good else wrong
        line = f"{mark:8} {self.name}: {self.found}"
        return line if self.good else f"{line}\n{'':8} {self.cost}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the time that a compiler may take."""
    add_compiler_option(parser, LONGEST)


def run(options: argparse.Namespace) -> int:
    """Print the findings; return 0 if everything needed is there and has ended, else 1."""
    began, bad = time.perf_counter(), []
    for finding in findings(options.compiler_timeout or LONGEST):
        print(finding, flush=True)
        bad += [] if finding.good else [finding]
    took = f"checked in {time.perf_counter() - began:.0f} s"
    slow = sum(finding.slow for finding in bad)
    missing = sum(finding.needed and not finding.slow for finding in bad)
    found = [f"{missing} needed: MISSING"] if missing else []
    found += [f"{slow} not checked: SLOW"] if slow else []
    without = len(bad) - missing - slow
    told = "; ".join(found) or "everything needed is there"
    print(f"{told}; {without} optional: without; {took}")
    return 1 if found else 0


def findings(longest: float) -> Iterator[Finding]:
    """Look at one thing after the other; a call of a compiler may take ``longest``, s."""
    yield python()
    yield Finding("mbcore", f"{VERSION}, in {Path(__file__).parents[2]}")
    yield from packages()
    yield from map(optional, OPTIONAL)
    yield guarded(
        "C compiler", lambda: compiler(longest), "no FMUs, and slow simulation; apt install gcc, "
        "or pip install ziglang",
    )  # fmt: skip
    yield runtime()
    yield guarded("cache", cache, "equations run in Python, slower than compiled ones")
    yield guarded(f"FMU {FMU}", lambda: fmu(longest), "FMUs cannot be built, or give wrong results")
    yield browser()


def guarded(name: str, check: Callable[[], str], cost: str) -> Finding:
    """Return the result of a check; any error is what is wrong."""
    try:
        return Finding(name, check())
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        slow = type(error).__name__ == "CompilerTimeoutError"  # whose module is not imported here
        cost = "building FMUs and starting compiled runs takes long here" if slow else cost
        return Finding(name, said, False, True, f"costs: {cost}", slow)


def python() -> Finding:
    """Return the interpreter's version, and the platform."""
    oldest = ".".join(map(str, OLDEST))
    return Finding(
        "Python",
        f"{platform.python_version()}, {sys.executable}, {platform.platform(terse=True)}",
        sys.version_info >= OLDEST,
        cost=f"costs: everything; install Python {oldest} or newer",
    )


def packages() -> Iterator[Finding]:
    """Give the packages that the library needs; each is imported, too."""
    try:
        required = metadata.requires(DISTRIBUTION) or []
        parse = importlib.import_module("packaging.requirements").Requirement
    except metadata.PackageNotFoundError:
        cost = "costs: versions of packages are not checked; python -m pip install . in its folder"
        yield Finding("packages", f"{DISTRIBUTION} is not installed by pip", False, False, cost)
        return
    except ModuleNotFoundError:
        cost = "costs: versions of packages are not checked; python -m pip install packaging"
        yield Finding("packaging", "not installed", False, True, cost)
        return
    for requirement in map(parse, required):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield package(requirement.name, requirement.specifier)


def package(name: str, wanted: object) -> Finding:
    """Return one package's version, which must be one of the wanted ones."""
    cost = f"costs: mbcore does not work; python -m pip install {shlex.quote(f'{name}{wanted}')}"
    try:
        version = metadata.version(name)
        importlib.import_module(name)
    except metadata.PackageNotFoundError:
        return Finding(name, f"not installed, needed is {wanted}", False, True, cost)
    except Exception as error:  # of any kind: a package that is damaged, or built for another NumPy
        said = f"{type(error).__name__}: {error}"
        return Finding(name, f"{version} cannot be imported: {said}", False, True, cost)
    suits = version in wanted  # type: ignore[operator]
    return Finding(name, version if suits else f"{version}, needed is {wanted}", suits, True, cost)


def optional(module: str) -> Finding:
    """Return the version of a package that some things need."""
    pip = EXTRAS.get(module, module.replace("_", "-"))
    try:
        return Finding(module, metadata.version(pip.partition("[")[0]), needed=False)
    except metadata.PackageNotFoundError:
        remedy = f"python -m pip install {shlex.quote(pip)}"
        return Finding(
            module, "not installed", False, False, f"costs: {OPTIONAL[module]}; {remedy}"
        )


def compiler(longest: float) -> str:
    """Return the command of the compiler that builds a library here, and its version.

    Raises
    ------
    CompilerTimeoutError
        It does not end; names the way to give it more time.
    """
    known = importlib.import_module("mbcore.fmi.packing.compiler")
    try:
        command = known.find_compiler(longest).command
        said = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, errors="replace", check=False,
            timeout=longest,
        )  # fmt: skip
    except known.CompilerTimeoutError as error:
        raise error.allowing_more() from error
    except subprocess.TimeoutExpired as error:
        raise known.CompilerTimeoutError(str(error)).allowing_more() from error
    return f"{shlex.join(command)}, {said.stdout.partition(chr(10))[0].strip()}"


def runtime() -> Finding:
    """Return whether the installation has compiled what all models share in C."""
    name, remedy = "runtime in C", "install mbcore again where a C compiler is"
    try:
        found = importlib.import_module("mbcore.native.prebuilt").prebuilt()
    except Exception as error:  # of a package that is missing or damaged
        said = f"{type(error).__name__}: {error}"
        return Finding(name, said, False, False, "costs: as the line on that package says")
    if found is None:
        cost = f"costs: the first simulation in C waits some 3 s for it; {remedy}"
        return Finding(name, "not compiled at the installation", False, False, cost)
    return Finding(name, f"compiled at the installation by {found.compiler}", needed=False)


def cache() -> str:
    """Return the folder of compiled equations, which can be written, and its size."""
    known = importlib.import_module("mbcore.native.cache")
    folder: Path = known.cache_folder()
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
    free = shutil.disk_usage(folder).free
    most = known.MOST_BYTES
    return f"{folder}, {size / 1e6:.0f} MB of {most / 1e6:.0f} MB, {free / 1e9:.1f} GB free"


def fmu(longest: float) -> str:
    """Build an FMU, run it under FMPy, and compare its last values with stored ones.

    Raises
    ------
    ValueError
        They differ.
    """
    workspace = importlib.import_module("mbcore.host.workspace").workspace
    export = importlib.import_module("mbcore.fmi.export").export
    load = importlib.import_module("mbcore.cli.loading").load
    files = importlib.import_module("mbcore.cli.definitions").definitions()
    fmpy = importlib.import_module("fmpy")
    ended_in_order = importlib.import_module("mbcore.fmi.packing.interruption").ended_in_order
    with ended_in_order(), workspace() as folder:
        (path,) = export(load(files[FMU]), folder, "3.0", compiler_timeout=longest)
        rows = fmpy.simulate_fmu(
            str(path), stop_time=UNTIL, relative_tolerance=RELATIVE_TOLERANCE, output=[*STORED]
        )
    return compared({name: float(rows[name][-1]) for name in STORED})


def compared(last: dict[str, float]) -> str:
    """Return how far last values are off the stored ones.

    Raises
    ------
    ValueError
        They are off by more than is allowed, or are not finite.
    """
    for name, stored in STORED.items():
        if not abs(last[name] - stored) <= NEAR:
            raise ValueError(f"{name} = {last[name]:.10g} at {UNTIL:g} s, stored is {stored:.10g}")
    off = max(abs(last[name] - stored) for name, stored in STORED.items())
    return f"built, run to {UNTIL:g} s, off the stored numbers by {off:.1e} at most"


def browser() -> Finding:
    """Return the browser that opens pages here."""
    cost = "costs: pages cannot be seen here; copy NAME.html to a machine with a browser"
    try:
        name = getattr(webbrowser.get(), "name", "") or "that of the system"
    except webbrowser.Error:
        return Finding("browser", "none, or no display for one", False, False, cost)
    if Path(name).name in TEXT_BROWSERS:
        return Finding("browser", f"{name} shows text alone", False, False, cost)
    return Finding("browser", name, needed=False)
