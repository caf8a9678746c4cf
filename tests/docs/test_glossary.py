"""The glossary: each word once, in order, at home where it says, and no former word in the code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORMER = [
    "Way",
    "Course",
    "Courses",
    "Keeper",
    "Handles",
    "HeldMatrices",
    "HeldSamples",
    "KeptSlips",
    "keep_modes",
    "_modes_told",
    "_held_stages",
    "read_courses",
    "Passing",
    "SingularPassageError",
    "RateWatch",
]
"""Identifiers in which a word had another meaning than the glossary gives it."""
FORMER_IN_C = [
    "MB_MEETING",
    "MB_HOLDING",
    "MB_DEMANDED",
    "MB_ADVISED",
    "MB_STEPS_ONLY",
    "MB_EXCHANGE_ONLY",
    "MB_TO_LOOK_AT",
    "regularity",
    "kept",
    "lasting",
    "landing",
    "untold",
]
"""Former words for impacts, held slips, severities, conditioning and cached values."""


def rows() -> list[tuple[str, str]]:
    text = (ROOT / "docs" / "theory" / "glossary.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [(row[0], row[-1].strip("`")) for row in cells if row[-1].startswith("`")]


def test_each_word_is_defined_once_and_in_order() -> None:
    words = [word for word, _ in rows()]
    assert len(words) > 40
    assert words == sorted(set(words), key=str.lower)


def test_each_word_is_at_home_where_the_glossary_says() -> None:
    for word, place in rows():
        module, _, name = place.rpartition(".")
        file = ROOT / place.replace(".", "/")
        if file.with_suffix(".py").is_file() or file.is_dir():
            continue
        source = (ROOT / module.replace(".", "/")).with_suffix(".py")
        assert source.is_file(), f"{word}: there is no {place}"
        assert re.search(rf"^class {name}\b", source.read_text(encoding="utf-8"), re.M), word


def test_no_former_word_is_an_identifier() -> None:
    former = re.compile(rf"\b({'|'.join(FORMER)})\b(?=[(:.,\]])")
    for file in (ROOT / "mbcore").rglob("*.py"):
        found = former.search(file.read_text(encoding="utf-8"))
        assert found is None, f"{file.relative_to(ROOT)}: {found and found.group()}"


def test_no_former_word_is_an_identifier_in_c() -> None:
    former = re.compile(rf"\b({'|'.join(FORMER_IN_C)})\b")
    comment = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
    files = [f for suffix in "ch" for f in (ROOT / "mbcore").rglob(f"*.{suffix}")]
    assert len(files) > 30
    for file in files:
        found = former.search(comment.sub("", file.read_text(encoding="utf-8")))
        assert found is None, f"{file.relative_to(ROOT)}: {found and found.group()}"
