"""Equations of the texts can be found: by citations at their lines, and by a table of these."""

from __future__ import annotations

import pytest

from docs.site import equations
from docs.site.equation_names import LAWS, TEXTS

SOUGHT = [
    ("Schwab2002", number)
    for number in (
        *("2.12", "2.14", "3.51", "4.15", "4.16", "5.22"),
        *("A.12", "A.98", "A.102", "A.107", "A.108", "A.114", "A.115", "A.116", "A.117"),
    )
] + [("Deppler", "3"), *(("", law) for law in LAWS)]


def test_the_page_lists_the_marks_that_there_are() -> None:
    assert equations.PAGE.read_text("utf-8") == equations.page(), "python -m docs.site.equations"


@pytest.mark.parametrize("key", SOUGHT, ids="".join)
def test_what_a_reader_looks_for_is_in_the_library_and_in_a_test(key: tuple[str, str]) -> None:
    code, tests = equations.places()[key]
    assert [place for place in code if place.file.startswith("mbcore/")]
    assert tests


def test_the_speed_of_a_shaft_is_in_an_example_and_in_a_test() -> None:
    code, tests = equations.places()["Schwab2002", "4.21"]
    assert code and tests


def test_citations_say_whose_they_are() -> None:
    assert not equations.unmarked(equations.CODE)


def test_places_are_named_with_their_lines() -> None:
    found = equations.marks(("mbcore",))["Schwab2002", "A.108"]
    [place] = [p for p in found if p.file.endswith("velocity.py")]
    assert place.name == "balancing_stresses"
    line = (equations.ROOT / place.file).read_text("utf-8").split("\n")[place.line - 1]
    assert "(A.108)" in line


def test_a_citation_is_read_to_its_end_and_one_without_its_text_is_seen() -> None:
    thesis, paper = "[Schwab2002]", "[Deppler]"  # in pieces, so that they are not marks here
    text = f"by {thesis} (A.99),\n    # (A.104) and (A.12), and by {paper} (3);\nnot (A.98)"
    cited = [("Schwab2002", "A.99"), ("Schwab2002", "A.104"), ("Schwab2002", "A.12")]
    assert [key for key, _ in equations.citations(text)] == [*cited, ("Deppler", "3")]
    assert [line for _, line in equations.citations(text)] == [1, 2, 2, 2]
    assert equations.bare(text) == ["(A.98)"]
    assert equations.bare(f"of {thesis}\n(A.98)") == ["(A.98)"]  # searching would not find it
    assert not equations.bare(f"signal(2.5) of {thesis} (2.5)")


def test_a_number_that_has_no_name_and_a_name_that_has_no_mark_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(TEXTS["Deppler"], "3")
    with pytest.raises(
        ValueError, match=r"no description of \[Deppler\] \(3\) in .*equation_names"
    ):
        equations.places()
    monkeypatch.undo()
    monkeypatch.setitem(TEXTS["Deppler"], "99", "nothing")
    with pytest.raises(ValueError, match=r"marked with \[Deppler\] \(99\)"):
        equations.places()


def test_laws_are_described_with_numbers_that_there_are() -> None:
    told = [key for what in LAWS.values() for key, _ in equations.citations(what) if key[0]]
    assert told and all(number in TEXTS[text] for text, number in told)
