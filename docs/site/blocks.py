"""Blocks of code in pages of Markdown: what the tests run, and what draws a page's pictures.

Each block runs alone. Only a block that begins with the name of a file, as in ``# pendulum.py``, is
also written to that file, for the later blocks of its page to import, as the reader does.

A page may show pictures from ``generated/pictures/PAGE/``: those are what its own blocks save, so
that a picture is always what its code draws. FMUs of the project that a block opens in ``build/``
are built before.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docs.site.gallery import digest_of_library
from docs.site.gallery_examples import ROOT

FENCE = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\w+\.py)\n")
FMU = re.compile(r"build/fmi([23])/(\w+)\.fmu")
PICTURE = re.compile(r"generated/pictures/([\w-]+)/([\w.-]+)")
KEPT = ROOT / "build" / "pictures"
DRAWN_BY_ITSELF = "benchmarks"
"""The page whose pictures `docs.site.benchmark_figures` draws, from stored numbers."""


@dataclass(frozen=True)
class Block:
    """A block of code: where it is, in which language, and its text."""

    page: str
    number: int
    language: str
    text: str

    @property
    def name(self) -> str:
        """Page and number, for messages."""
        return f"{self.page}-{self.number}"

    @property
    def file(self) -> str | None:
        """Name of the file that the reader makes of it, None where it is not one."""
        found = FILE.match(self.text)
        return found[1] if found and self.language == "python" else None


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, in its order; directives of Sphinx are among them."""
    matches = FENCE.findall(page.read_text(encoding="utf-8"))
    where = page.relative_to(ROOT).as_posix()
    return [Block(where, i, m[1].strip(), m[2]) for i, m in enumerate(matches, start=1)]


def pages() -> list[Path]:
    """Return README.md and the written pages of the site."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(p for p in found if "generated" not in p.parts)]


def write_files(block: Block, page: list[Block], folder: Path) -> None:
    """Write the files that earlier blocks of a page are, and the block's own, into a folder."""
    for other in page:
        if other.file and other.number <= block.number:
            (folder / other.file).write_text(other.text, encoding="utf-8")


def drawn() -> Iterator[tuple[str, list[Block], set[str]]]:
    """Give pages that show pictures of their own blocks: name, blocks, names of the pictures."""
    for page in pages():
        wanted = {
            name
            for folder, name in PICTURE.findall(page.read_text(encoding="utf-8"))
            if folder == page.stem
        }
        if wanted and page.stem != DRAWN_BY_ITSELF:
            yield page.stem, blocks_of(page), wanted


def draw(name: str, page: list[Block], wanted: set[str]) -> str:
    """Run the blocks that save these pictures, unless they are there; return what went wrong."""
    library = digest_of_library()
    text = "".join(block.text for block in page if block.language == "python").encode()
    state = hashlib.sha256(library + text).hexdigest()
    folder, stamp = KEPT / name, KEPT / name / "state"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == state:
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    paths = os.pathsep.join([str(ROOT), str(folder), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    for block in page:
        if block.language != "python" or not any(
            f'"{picture}"' in block.text for picture in wanted
        ):
            continue
        write_files(block, page, folder)
        builds = [
            ["-m", "mbcore", "build", fmu, "--fmi", version]
            for version, fmu in dict.fromkeys(FMU.findall(block.text))
            if not (folder / "build" / f"fmi{version}" / f"{fmu}.fmu").is_file()
        ]
        for run in (*builds, ["-c", block.text]):
            done = subprocess.run(
                [sys.executable, *run], cwd=folder, env=environment, capture_output=True, text=True
            )
            if done.returncode:
                return f"{block.name}: {done.stderr[-3000:]}"
    missing = [picture for picture in sorted(wanted) if not (folder / picture).is_file()]
    if missing:
        return f"no block of {name} saves {', '.join(missing)}"
    stamp.write_text(state, encoding="utf-8")
    return ""
