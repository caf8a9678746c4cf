"""Figures of the documents: each paragraph that states one says who repeats it, and it is true."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

from docs.site.gallery_stored import STORED
from tests.docs.claims import (
    BUILDING,
    CONSTANTS,
    DERIVED,
    HELD,
    ONCE,
    PRINTED,
    Constant,
    Derived,
    Held,
    Printed,
)

ROOT = Path(__file__).parents[2]
FIGURE = re.compile(
    r"(?<![\w.$])\d[\d,.]*(?:e-?\d+)?\s(?:%|ms|µs|kHz|Hz|[kMG]B|k?N|m/s²?|mm|µm|rad|rad/s|min|minutes?"
    r"|seconds?|times|degrees|points|mrad|cm|m|s)\b|(?<![\w.])\d(?:\.\d+)?e-?\d+|\d°|\d %"
)
SAID = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
WRITTEN_BY_TESTS = {"importers.md"}
EXAMPLES_OF_UNITS = ("* Radians are checked", "* Units in the syntax", "Wherever a value is given")
"""Paragraphs whose figures are arguments that a reader may give, not claims."""
GIVEN = ("These lines print the last", "Values are linear between rows", "On the page the mouse",
         "`--interface model-exchange`", "Outputs are checked for their units",
         "* **A degree of freedom may cease", "Numbers without a unit are in SI units")  # fmt: skip
"""The same, and one share of a picture that its own code has."""


ROWS = (*PRINTED, *CONSTANTS, *DERIVED, *HELD, *ONCE)


def pages() -> list[Path]:
    found = [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
    found += [ROOT / "docs" / "theory" / name for name in ("limits.md", "contact.md")]
    found += sorted((ROOT / "docs" / "fmu").glob("*.md"))
    return [page for page in found if page.name not in WRITTEN_BY_TESTS]


def paragraphs(page: Path) -> list[str]:
    """Return the paragraphs, list items and tables of a page, without code and formulas."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.DOTALL)
    return [part.strip() for part in re.split(r"\n\s*\n|\n(?=\* |\d\. )", text) if part.strip()]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_each_paragraph_with_figures_says_who_repeats_them(page: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    known = [row.words for row in ROWS if row.page == name]
    bare = [
        part[:200]
        for part in paragraphs(page)
        if FIGURE.search(part)
        and not part.startswith((*EXAMPLES_OF_UNITS, *GIVEN))
        and not any(words in part for words in known)
    ]
    assert not bare, "give each an entry in tests/docs/claims.py"


def test_every_entry_is_of_words_that_are_there() -> None:
    for row in ROWS:
        assert row.words in (ROOT / row.page).read_text(encoding="utf-8"), row


def stated(words: str) -> tuple[float, float]:
    """Return the first number of words, and half a unit of its last digit."""
    text = SAID.search(words)
    assert text, words
    digits, _, power = text[0].replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    return float(text[0].replace(",", "")), 0.5 * 10.0 ** (int(power or 0) - decimals)


def test_numbers_and_their_digits_are_read() -> None:
    assert stated("goes 2.07 m to") == (2.07, 0.005)
    assert stated("200,000 points") == (200000, 0.5)
    assert stated("8.447e-4 rad") == pytest.approx((8.447e-4, 0.5e-7))


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: row.words[:16])
def test_figures_are_those_that_the_example_printed(row: Printed) -> None:
    printed = json.loads((STORED / row.example / "record.json").read_text("utf-8"))["printed"]
    found = re.search(row.line, printed)
    assert found, row.line
    value, within = stated(row.words)
    assert value == pytest.approx(row.factor * float(found[1]), abs=1.001 * within)


@pytest.mark.parametrize("row", CONSTANTS, ids=lambda row: row.words[:16])
def test_figures_are_those_of_the_code(row: Constant) -> None:
    module, _, name = row.place.partition(":")
    name, _, index = name.partition("[")
    found = getattr(importlib.import_module(module), name)
    found = found[int(index.rstrip("]"))] if index else found
    assert stated(row.words)[0] == pytest.approx(row.factor * found)


def weighed(row: Derived) -> object:
    """Mark what makes the model of a whole car as heavy."""
    return pytest.param(row, marks=pytest.mark.heavy) if row.page == BUILDING else row


@pytest.mark.parametrize("row", list(map(weighed, DERIVED)), ids=lambda row: row.words[:16])
def test_figures_follow_by_their_formulas(row: Derived) -> None:
    value, within = stated(row.words)
    assert value == pytest.approx(row.formula(), rel=1e-9, abs=within if value > 1 else 0)


@pytest.mark.parametrize("row", HELD, ids=lambda row: row.words[:16])
def test_judges_are_there(row: Held) -> None:
    if row.by.startswith("mbcore "):
        assert (ROOT / "mbcore" / "cli" / "commands" / f"{row.by.split()[1]}.py").is_file()
        return
    if row.by.startswith("python -m "):
        place = ROOT / row.by.split()[2].replace(".", "/")
        assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()
        return
    assert (ROOT / row.by.removeprefix("python ").split()[0]).exists()
