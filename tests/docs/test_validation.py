"""The page of what is validated shows the expected numbers, and figures that meet them."""

from __future__ import annotations

import pytest

from docs.site.tables import validation
from tests.examples.expected import EXPECTED


def test_page_is_that_of_the_stored_figures() -> None:
    text = validation.PAGE.read_text("utf-8")
    assert validation.page(validation.stored()) == text, "run python -m docs.site.tables.validation"


def test_stored_figures_meet_what_is_expected() -> None:
    figures = validation.stored()
    assert figures.keys() == EXPECTED.keys()
    for name, expected in EXPECTED.items():
        for key, (value, within) in expected.numbers.items():
            assert figures[name][key] == pytest.approx(value, abs=within), (name, key)
