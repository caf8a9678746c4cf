"""Draws the pictures of the written pages with their own blocks of code. A Sphinx extension."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

from sphinx.application import Sphinx
from sphinx.util import logging

from docs.site import benchmark_figures
from docs.site.blocks import KEPT, draw, drawn
from docs.site.gallery import ROOT

TARGET = ROOT / "docs" / "generated" / "pictures"
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


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
