"""Seven questions are answered within four clicks, and pages fit a telephone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from docs.site.gallery_examples import ROOT
from tests.browser import READ, needs_browser, open_browser
from tests.docs import walks

SITE = ROOT / "build" / "docs"
built = pytest.mark.skipif(
    not (SITE / "index.html").is_file(), reason="the site is not built: sphinx docs build/docs"
)


@pytest.fixture(scope="module")
def reader() -> Iterator[walks.Reader]:
    browser = open_browser(size=walks.WIDE, graphics=READ)
    yield walks.Reader(browser, SITE)
    browser.quit()


def test_the_ways_are_those_that_are_written_down() -> None:
    text = (ROOT / "docs" / "site" / "index.md").read_text(encoding="utf-8")
    for walk in walks.WALKS:
        clicks = ", ".join(walk.clicks)
        assert f"| {walk.question} | {clicks} | {walk.query}; {walk.result} |" in text
        assert len(walk.clicks) <= walks.MOST_CLICKS


@pytest.mark.heavy
@built
@needs_browser
@pytest.mark.parametrize("walk", walks.WALKS, ids=lambda walk: walk.query)
def test_a_reader_finds_the_answer(reader: walks.Reader, walk: walks.Walk) -> None:
    assert not [found for found in walks.walked(reader, walk) if found[2]]


@pytest.mark.heavy
@built
@needs_browser
def test_no_page_is_wider_than_a_telephone(reader: walks.Reader) -> None:
    assert not list(walks.too_wide(reader))
