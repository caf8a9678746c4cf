"""The gallery and the pages of the interface leave nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import mbcore
import mbcore.contact
import mbcore.fmi
import mbcore.vibration
from docs import gallery

DOCS = Path(__file__).parents[1] / "docs"


def test_every_example_is_in_one_group() -> None:
    grouped = [name for group in gallery.GROUPS.values() for name in group]
    assert sorted(grouped) == gallery.names()
    assert set(grouped) >= gallery.SHORT


def test_the_digest_follows_what_an_example_imports() -> None:
    assert "bicycle_figures" in gallery.helpers("bicycle")
    assert "bicycle_rider" in gallery.helpers("bicycle")  # by way of its lane change
    assert len({gallery.digest(name) for name in gallery.names()}) == len(gallery.names())


def test_every_public_name_has_its_place_in_the_interface() -> None:
    documented: dict[str, set[str]] = {}
    for page in (DOCS / "api").glob("*.md"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            if found := re.match(r"\.\. auto(?:class|function):: (\w+)$", line):
                documented.setdefault(module, set()).add(found[1])
    for room in (mbcore, mbcore.contact, mbcore.fmi, mbcore.vibration):
        public = {name for name in room.__all__ if not name.startswith("__")}
        assert documented[room.__name__] == public, f"docs/api: {room.__name__}"
