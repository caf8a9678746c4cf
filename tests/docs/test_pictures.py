"""Stored pictures: none older than what makes it, and no copies beside those of the gallery."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs.fmu import tool_pictures
from docs.site import blocks, front_picture, gallery, gallery_examples, gallery_stored, pictures

IMAGES = gallery_examples.ROOT / "docs" / "images"
STORED = [name for name in gallery_examples.names() if gallery_stored.stored(name)]


@pytest.mark.parametrize("name", STORED)
def test_stored_figures_are_those_of_the_example(name: str) -> None:
    assert not gallery.out_of_date(name), "run: python -m docs.site.gallery --renew"


def test_the_film_of_the_front_page_is_that_of_the_bicycle() -> None:
    record = json.loads(front_picture.RECORD.read_text(encoding="utf-8"))
    assert record["digest"] == front_picture.digest(), "run: python -m docs.site.front_picture"


def test_pages_show_the_pictures_of_the_gallery_and_keep_none_of_their_own() -> None:
    files = [file for file in IMAGES.rglob("*") if file.suffix in (".png", ".gif", ".webp", ".jpg")]
    stored = (gallery_stored.STORED, tool_pictures.IMAGES)
    outside = [file for file in files if not {*stored} & {*file.parents}]
    assert outside == [front_picture.FILM]


def test_pictures_of_tools_are_those_that_are_drawn_and_small() -> None:
    record = json.loads(tool_pictures.RECORD.read_text(encoding="utf-8"))
    assert record["digest"] == tool_pictures.digest(), "run: python -m docs.fmu.tool_pictures FMU"
    shown = (gallery_examples.ROOT / "docs" / "fmu" / "importing.md").read_text(encoding="utf-8")
    for file in tool_pictures.IMAGES.glob("*.png"):
        assert file.name in shown
        assert file.stat().st_size <= 150_000


def test_pictures_of_pages_are_there() -> None:
    for page in (
        gallery_examples.ROOT / "README.md",
        *(gallery_examples.ROOT / "docs").rglob("*.md"),
    ):
        if "generated" in page.parts:
            continue
        for name in re.findall(r"[\w./-]*images/[\w./-]+\.\w+", page.read_text(encoding="utf-8")):
            assert Path(page.parent, name).is_file(), f"{page.name}: {name}"


def test_a_repository_s_pages_have_no_dead_pictures() -> None:
    """Pictures that only the site has stand in comments, which its extension takes away."""
    for page in blocks.pages():
        text = page.read_text(encoding="utf-8")
        shown = pictures.COMMENT.sub("", re.sub("`[^`\n]*`", "", text))
        assert not re.search(r"!\[[^\]]*\]\([^)]*generated/", shown), page.name
        assert "<!-- !" not in shown, page.name
