"""Writes a page for every FMU from its definition: words, picture, live page and all variables.

A Sphinx extension. The words and tables are those that the FMU itself carries. With
``-D live_pages=1`` a page also has the FMU inside, compiled for the browser by ziglang; all of them
take some 40 s of a processor's time.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from docs.site.gallery import digest_of_library
from docs.site.gallery_examples import ROOT
from mbcore.cli.definitions import SHIPPED, definitions
from mbcore.fmi.component import Component
from mbcore.fmi.description import documentation
from mbcore.fmi.description.variables import variables

KEPT = ROOT / "build" / "fmu_pages"
_HEAD = re.compile(r"<h2>(.*?)</h2>\s*")
_PICTURE = re.compile(r'<p><img src="picture.png"[^>]*></p>')
_log = logging.getLogger(__name__)


def names() -> list[str]:
    """Return the names of the FMUs."""
    return list(definitions())


def make(name: str, folder: Path, live: bool) -> None:
    """Write what an FMU's page is made of: ``body.html``, pictures, and a live page if wanted."""
    component: Component = importlib.import_module(f"mbcore.fmus.{name}").component()
    folder.mkdir(parents=True, exist_ok=True)
    text = documentation.page(component, variables(component))
    body = text.partition("<body>")[2].partition("</body>")[0]
    (folder / "body.html").write_text(body, encoding="utf-8")
    picture = documentation.picture(component)
    if picture:
        (folder / "picture.png").write_bytes(picture)
    (folder / "icon.png").write_bytes(documentation.icon(component))
    experiment = component.experiment
    about = {
        "description": component.description,
        "stop": experiment.stop,
        "step": experiment.step,
        "tolerance": experiment.tolerance,
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    if live:
        write_page = importlib.import_module("mbcore.page").write_page
        write_page(component, folder / f"{name}.html")


def write(app: Sphinx) -> None:
    """Make what has changed and write the pages into the folder of generated sources."""
    target = Path(app.srcdir) / "generated" / "fmus"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    live = Path(app.srcdir) / "generated" / "live"
    shutil.rmtree(live, ignore_errors=True)
    (live / "live").mkdir(parents=True)
    wanted = bool(int(app.config.live_pages))
    if wanted and not importlib.util.find_spec("ziglang"):
        _log.warning("live_pages=1: ziglang is not installed; python -m pip install ziglang")
        wanted = False
    stale = [name for name in names() if not _there(name, wanted)]
    halves, problems = (stale[::2], stale[1::2]), dict[str, str]()
    with ThreadPoolExecutor(2) as pool:
        for half, problem in zip(halves, pool.map(partial(_made, wanted), halves), strict=True):
            problems |= {name: problem for name in half if not _there(name, wanted)}
    for name in names():
        if name in problems:
            _log.warning("the page of the FMU %s cannot be made:\n%s", name, problems[name])
            continue
        (target / f"{name}.md").write_text(page(name, target, live / "live"), encoding="utf-8")
    (target / "index.md").write_text(overview(target), encoding="utf-8")


def page(name: str, target: Path, live: Path) -> str:
    """Return an FMU's page; its pictures are copied beside it."""
    kept = KEPT / name
    about = json.loads((kept / "about.json").read_text(encoding="utf-8"))
    body = (kept / "body.html").read_text(encoding="utf-8")
    body = _PICTURE.sub("", body.partition("</p>")[2])
    text, *sections = _HEAD.split(body)
    shutil.copyfile(kept / "icon.png", target / f"{name}--icon.png")
    parts = [f"(fmu-{name})=", f"# {name}", about["description"] + "."]
    if (kept / "picture.png").is_file():
        shutil.copyfile(kept / "picture.png", target / f"{name}--picture.png")
        parts.append(f"![Axes and signs of {name}]({name}--picture.png)")
    if (kept / f"{name}.html").is_file():
        shutil.copyfile(kept / f"{name}.html", live / f"{name}.html")
        parts += ["## Live", _frame(name)]
    else:
        parts.append(f"`mbcore page {name} --open` opens a page on which the FMU's own C runs.")
    parts += ["## The system", _raw(text)]
    place = definitions()[name].relative_to(SHIPPED).as_posix().removesuffix("__init__.py")
    parts.append(
        f"By default it runs to {about['stop']:g} s with steps of {about['step']:g} s and a "
        f"tolerance of {about['tolerance']:g}. `mbcore build {name}` makes it, and the definition "
        f"is in `fmu_src/{place}`."
    )
    for head, table in zip(sections[::2], sections[1::2], strict=True):
        parts += [f"## {head}", _raw(table)]
    return "\n\n".join(parts) + "\n"


def overview(target: Path) -> str:
    """Return the first page: a card for every FMU."""
    made = [name for name in names() if (target / f"{name}.md").is_file()]
    cards = []
    for name in made:
        said = json.loads((KEPT / name / "about.json").read_text(encoding="utf-8"))["description"]
        cards.append(
            f":::{{grid-item-card}} {name}\n:link: {name}\n:link-type: doc\n"
            f":img-top: {name}--icon.png\n:img-alt: {name}\n\n{said}\n:::"
        )
    return "\n\n".join(
        [
            "# The FMUs",
            "Every FMU carries its documentation with equations, a picture of axes and signs, and "
            "a table of its variables; these pages show the same.",
            "::::{grid} 2 3 4 4\n:gutter: 3\n\n" + "\n".join(cards) + "\n::::",
            "```{toctree}\n:hidden:\n\n" + "\n".join(made) + "\n```",
        ]
    )


def _state() -> str:
    """Return the digest on which the files of all FMUs depend."""
    return hashlib.sha256(digest_of_library()).hexdigest()


def _there(name: str, live: bool) -> bool:
    """Return whether an FMU's files are there and up to date."""
    stamp = KEPT / name / "state"
    there = stamp.is_file() and stamp.read_text(encoding="utf-8") == _state()
    return there and (not live or (KEPT / name / f"{name}.html").is_file())


def _made(live: bool, some: list[str]) -> str:
    """Make the files of some FMUs in one process; return what it said of those that failed."""
    if not some:
        return ""
    for name in some:
        shutil.rmtree(KEPT / name, ignore_errors=True)
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "docs.site.fmu_pages", *some, *(["--live"] if live else [])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    return done.stderr[-4000:]


def _frame(name: str) -> str:
    link = f"../../live/{name}.html"
    return (
        f'```{{raw}} html\n<iframe class="live" src="{link}" loading="lazy" title="{name}, live">'
        f'</iframe>\n<p>The FMU\'s own C, running in this page; <a href="{link}">in a window of '
        "its own</a>.</p>\n```"
    )


def _raw(html: str) -> str:
    return f"````{{raw}} html\n{html.strip()}\n````"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension; ``-D live_pages=1`` makes live pages, too."""
    app.add_config_value("live_pages", False, "", types=[bool, int, str])
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main(arguments: list[str]) -> None:
    """Make the files of the FMUs named, with ``--live`` their live pages, too.

    Their C is kept with that of tests: the runtime is compiled once for all, and other C if it is
    new.
    """
    if "--live" in arguments:
        from mbcore.page import webassembly
        from tests.objects import kept_cross

        webassembly.find_cross_compiler = kept_cross
    for name in arguments:
        if name == "--live":
            continue
        try:
            make(name, KEPT / name, live="--live" in arguments)
        except Exception:  # the others are made all the same
            traceback.print_exc()
        else:
            (KEPT / name / "state").write_text(_state(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
