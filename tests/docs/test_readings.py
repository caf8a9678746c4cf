"""What a reader would stumble over on a page is found, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import needs_browser
from tests.docs.readings import Chromium, pages, read

GOOD = """
<p>Dark on light, with <a href="#">a link</a>.</p>
<div style="overflow-x: auto; width: 300px"><math><mspace width="2000px"/></math></div>
"""
BAD = """
<p style="color: #ddd">too faint</p>
<div style="width: 900px">wide</div>
<div style="overflow: hidden; width: 300px"><h2 style="width: 400px">A long title</h2></div>
<script>console.error("broken")</script>
"""


def written(site: Path, name: str, text: str) -> Path:
    page = f"<!doctype html><meta charset='utf-8'><body style='margin: 0'><main>{text}</main>"
    (site / name).parent.mkdir(parents=True, exist_ok=True)
    (site / name).write_text(page, encoding="utf-8")
    return Path(name)


def test_pages_are_chosen_by_folder_or_name(tmp_path: Path) -> None:
    for name in ("index.html", "theory/contact.html", "_modules/mbcore.html"):
        written(tmp_path, name, "")
    assert pages(tmp_path, []) == [Path("index.html"), Path("theory/contact.html")]
    assert (
        pages(tmp_path, ["theory"]) == pages(tmp_path, ["contact"]) == [Path("theory/contact.html")]
    )


@pytest.mark.heavy
@needs_browser
def test_defects_are_found(tmp_path: Path) -> None:
    good, bad = written(tmp_path, "good.html", GOOD), written(tmp_path, "bad.html", BAD)
    reader = Chromium(dark=False)
    try:
        assert list(read(reader, tmp_path, good)) == []
        found = list(read(reader, tmp_path, bad))
    finally:
        reader.close()
    faint = "faint: rgb(221, 221, 221) on 255,255,255: too faint"
    title = "H2 is cut: A long title"
    for width, wrong in (
        (390, ["900 pixels wide", title, faint]),
        (768, ["900 pixels wide", title, faint]),
        (1280, [title, faint]),
    ):
        assert [w for w in found if w.startswith(f"{width} px")] == [
            f"{width} px: {w}" for w in wrong
        ]
    assert len(found) == 9 and "broken" in found[-1]
