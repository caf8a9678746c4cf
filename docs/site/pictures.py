"""Draws the pictures of the written pages with their own blocks of code. A Sphinx extension.

Such a picture stands in its page as a comment, ``<!-- ![What it shows](FILE) -->``, and appears on
the site alone: a repository's page of the same file has no dead link then.
"""

from __future__ import annotations

import re
import shutil
from concurrent.futures import ThreadPoolExecutor

from sphinx.application import Sphinx
from sphinx.util import logging

from docs.site import benchmark_figures
from docs.site.blocks import KEPT, draw, drawn
from docs.site.gallery_examples import ROOT

TARGET = ROOT / "docs" / "generated" / "pictures"
COMMENT = re.compile(r"^<!-- (!\[[^\]]*\]\([^)]*generated/pictures/[^)]*\)) -->$", re.MULTILINE)
_log = logging.getLogger(__name__)


def write(app: Sphinx) -> None:
    """Draw the pictures of all pages into the folder of generated sources."""
    shutil.rmtree(TARGET, ignore_errors=True)
    benchmark_figures.draw(TARGET / "benchmarks")
    found = list(drawn())
    with ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda one: draw(*one), found))
    for (name, _, wanted), problem in zip(found, problems, strict=True):
        if problem:
            _log.warning("pictures of %s: %s", name, problem)
            continue
        (TARGET / name).mkdir(parents=True)
        for picture in wanted:
            shutil.copyfile(KEPT / name / picture, TARGET / name / picture)


def show(app: Sphinx, page: str, source: list[str]) -> None:
    """Show the pictures that a page has in comments."""
    source[0] = COMMENT.sub(r"\1", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", write)
    app.connect("source-read", show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
