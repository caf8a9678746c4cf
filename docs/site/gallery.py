"""Runs the examples for the gallery, and keeps what they draw and print.

A run is kept in ``build/gallery/NAME/``: the figures, what was printed, and ``record.json`` with
the time it took and a digest of the sources it depends on. It is repeated only when these change.
A build of the site runs nothing unless it is told to, with ``-D gallery_run=1``: then it runs the
short examples. This command runs them or others, and with ``--keep`` stores small copies of their
figures in the repository, which a build shows if it has no newer run.
With ``--renew`` it does so for those that are older than what makes them, and says how many pixels
differ::

    python -m docs.site.gallery rotor iltis_modes
    python -m docs.site.gallery --all --keep
    python -m docs.site.gallery --renew
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path

from docs.site.gallery_examples import ROOT, SHORT, helpers, names, source, syntax
from docs.site.gallery_stored import store, stored

KEPT = ROOT / "build" / "gallery"
DRAWING = (ROOT / "mbcore" / "drawing", ROOT / "mbcore" / "model" / "shapes")
"""What draws every mechanism."""
PAGES = frozenset(("bundle", "frames", "inline", "player", "video"))
"""Modules there that draw no picture: of pages for the browser, and of films as files."""
PARTS = {"springs": ".spring("}
"""Modules there that draw one kind of part, each with what the statements of an example contain
that has such parts: for all others the pictures stay true where the module changes."""
EXPLAINING = frozenset(("@explains_arguments", "@explains_construction"))
LONGEST = 1800.0
"""After so many seconds an example is taken to hang."""


@dataclass(frozen=True)
class Kept:
    """Record of an example's run."""

    digest: str
    seconds: float
    """Time of processors, s; on Windows by the clock; 0 where it is not known."""
    day: str
    printed: str
    failed: bool = False
    warned: str = ""
    """Python's warnings; a run that a reader repeats should have none."""


def digest(name: str) -> str:
    """Return a digest of all that an example's results depend on in this repository."""
    summed = hashlib.sha256(digest_of_library())
    for other in (name, *helpers(name)):
        summed.update(source(other).read_bytes())
    return summed.hexdigest()[:16]


def digest_of_example(name: str) -> str:
    """Return a digest of the statements of the example, of what it imports, and of what draws it.

    Imports, docstrings and comments do not count, for they change nothing that is drawn: stored
    figures stay true where a module moves. Nor does a module of `PARTS` that the example has not.
    """
    summed = hashlib.sha256(digest_of_drawing())
    own = "".join(statements(source(other)) for other in (name, *helpers(name)))
    summed.update(own.encode())
    for part, mark in PARTS.items():
        if mark in own:
            summed.update(_digest_of_part(part))
    return summed.hexdigest()[:16]


def kept(name: str) -> Kept | None:
    """Return what is kept of the example's last run here, None where there was none."""
    file = KEPT / name / "record.json"
    return Kept(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def figures(name: str) -> list[Path]:
    """Return the figures of the last run here: its system, then in the order of drawing."""
    found = (KEPT / name).glob("*.png")
    system = f"{name}_system"
    return sorted(found, key=lambda f: (f.stem != system, f.stat().st_mtime_ns, f.name))


def shown(name: str) -> tuple[Kept, list[Path]] | None:
    """Return what the gallery shows of an example: its record and its figures.

    That is the last run here if its sources have not changed, else what the repository stores.
    """
    here, there = kept(name), stored(name)
    if here and (there is None or here.digest == digest(name)):
        return here, figures(name)
    return (Kept(**there[0]), there[1]) if there else None


def out_of_date(name: str) -> bool:
    """Return whether an example's stored figures are older than what makes them."""
    there = stored(name)
    return there is not None and there[0]["digest"] != digest_of_example(name)


def keep(name: str) -> dict[str, float | None]:
    """Store small copies of an example's last run; return what share of the pixels differs.

    Their digest is that of the example and of what draws, without the rest of the library, which
    changes more often than figures. None stands for a figure that was not there; those in which no
    pixel differs keep their file.
    """
    record = kept(name)
    if record is None:
        raise FileNotFoundError(f"{name} has not run, so that there is nothing to store of it")
    return store(name, asdict(record) | {"digest": digest_of_example(name)}, figures(name))


def run(name: str) -> Kept:
    """Run an example in a process of its own and keep what it draws and prints.

    Figures of an earlier run are replaced only by one that ends well.
    """
    folder = KEPT / f".{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began = os.times()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, str(source(name)), "--figures", str(folder)]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST
        )
        printed, failed, beside = done.stdout, done.returncode != 0, done.stderr
        printed += beside[-4000:] if failed else ""
    except subprocess.TimeoutExpired:
        printed, failed, beside = f"{name} was stopped after {LONGEST:.0f} s", True, ""
    lines = (line for line in printed.splitlines() if not line.startswith("figure: "))
    record = Kept(
        digest(name),
        round(_processors_time(began), 1),
        date.today().isoformat(),
        "\n".join(lines).replace(str(folder), "figures").strip(),
        failed,
        "\n".join(line for line in beside.splitlines() if re.search(r"\bWarning: ", line)),
    )
    if not failed:
        (folder / "record.json").write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
        shutil.rmtree(KEPT / name, ignore_errors=True)
        folder.rename(KEPT / name)
    return record


def run_stale(wanted: Iterable[str], workers: int = 2) -> dict[str, Kept]:
    """Run those of the examples whose sources have changed; return the records of what was run."""
    stale = [name for name in wanted if (was := kept(name)) is None or was.digest != digest(name)]
    done: dict[str, Kept] = {}
    # In processes, for each can then tell the time that its own examples took.
    with ProcessPoolExecutor(workers) as pool:
        pending = {pool.submit(run, name): name for name in stale}
        for future in as_completed(pending):
            name = pending[future]
            done[name] = future.result()
            verdict = "failed after" if done[name].failed else "ran in"
            print(f"{name} {verdict} {done[name].seconds:.1f} s", flush=True)
            if done[name].warned:
                print(f"{name} warned: {done[name].warned}", file=sys.stderr, flush=True)
            if done[name].failed:
                print(done[name].printed[-2000:], file=sys.stderr, flush=True)
    return done


def _processors_time(began: os.times_result) -> float:
    """Return the time, s, that child processes have taken since, or the clock if none is told."""
    now = os.times()
    taken = now.children_user + now.children_system - began.children_user - began.children_system
    return taken or now.elapsed - began.elapsed


def statements(file: Path) -> str:
    """Return a file's lines without imports, docstrings, comments and empty lines.

    Decorators that only explain wrong calls, `mbcore.model.calls`, draw nothing either.
    """
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    for node in ast.walk(syntax(file)):
        text_alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text_alone or isinstance(node, ast.Import | ast.ImportFrom):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[number - 1] = ""
    return "\n".join(line for line in lines if line.strip() and line.strip() not in EXPLAINING)


@cache
def digest_of_drawing() -> bytes:
    """Return a digest of the statements that draw, those of forms and of `mbcore.drawing`.

    Those of single parts, `PARTS`, are left out.
    """
    summed = hashlib.sha256()
    for folder in DRAWING:
        for file in sorted(folder.rglob("*.py")):
            if file.stem not in PAGES and file.stem not in PARTS:
                summed.update(statements(file).encode())
    return summed.digest()


@cache
def _digest_of_part(part: str) -> bytes:
    files = sorted(file for folder in DRAWING for file in folder.rglob(f"{part}.py"))
    return hashlib.sha256("".join(map(statements, files)).encode()).digest()


@cache
def digest_of_library() -> bytes:
    """Return a digest of the library's sources."""
    summed = hashlib.sha256()
    for file in sorted([*(ROOT / "mbcore").rglob("*"), *(ROOT / "fmu_src").rglob("*")]):
        if file.suffix in (".py", ".c", ".h"):
            summed.update(file.relative_to(ROOT).as_posix().encode())
            summed.update(file.read_bytes())
    return summed.digest()


def main() -> int:
    """Run the examples named, or all; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; short ones by default")
    parser.add_argument("--all", action="store_true", help="the long ones, too")
    parser.add_argument("--workers", type=int, default=2, help="at a time; %(default)s by default")
    parser.add_argument("--keep", action="store_true", help="store small copies of their figures")
    parser.add_argument(
        "--renew", action="store_true", help="run and store those whose stored figures are old"
    )
    given = parser.parse_args()
    there = names()
    unknown = sorted(set(given.names) - set(there))
    if unknown:
        parser.error(f"no example is called {', '.join(unknown)}; there is {', '.join(there)}")
    wanted = there if given.all else given.names or sorted(SHORT)
    if given.renew:
        wanted = [name for name in there if out_of_date(name)]
    failed = {n for n, record in run_stale(wanted, given.workers).items() if record.failed}
    for name in sorted({*wanted} - failed if given.keep or given.renew else ()):
        for figure, share in keep(name).items():
            print(f"{name}: {figure} {'is new' if share is None else f'differs in {share:.2%}'}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
