"""The pages of the FMUs: every symbol of a formula is explained, most of them by a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest

from mbcore.fmi.description import documentation
from mbcore.fmi.description.variables import variables
from mbcore.formulas import inline
from mbcore.formulas.reading import read
from mbcore.formulas.tree import Accent, Fenced, Fraction, Leaf, Matrix, Part, Root, Row, Script
from mbcore.model.errors import ModelError
from tests.shipped import SHIPPED, each

KNOWN = {"π"}


def symbols(part: Part | None) -> Iterator[str]:
    """Give the symbols of a formula: letters with their indices, without accents."""
    match part:
        case Leaf(kind="mi") if len(part.text) == 1:
            yield part.text
        case Row():
            for inside in part.parts:
                yield from symbols(inside)
        case Script(base=Leaf(kind="mi") | Accent()) if part.below is not None:
            [base] = symbols(part.base)
            yield f"{base}_{letters(part.below)}"
            yield from symbols(part.above)
        case Script() | Accent():
            yield from symbols(part.base)
            yield from symbols(part.above if isinstance(part, Script) else None)
        case Fraction():
            yield from (*symbols(part.top), *symbols(part.bottom))
        case Fenced() | Root():
            yield from symbols(part.inside)
        case Matrix():
            for cell in (cell for row in part.rows for cell in row):
                yield from symbols(cell)


def letters(part: Part | None) -> str:
    if isinstance(part, Leaf):
        return part.text
    assert isinstance(part, Row)
    return "".join(letters(inside) for inside in part.parts)


def in_page(page: str) -> set[str]:
    found = re.findall(r"<math( display[^>]*)?>([^<]*)</math>", page)
    pieces = [
        piece
        for block, text in found
        for piece in (re.split(r"\n|\s{2,}", unescape(text)) if block else [unescape(text)])
    ]
    formulas = [piece for piece in pieces if piece and not re.fullmatch(r"\([\w.]+\)", piece)]
    return {symbol for text in formulas for symbol in symbols(read(text))}


each_fmu = pytest.mark.parametrize("name", each())


@each_fmu
def test_every_symbol_is_explained(name: str) -> None:
    component = SHIPPED[name].component
    explained = {symbol for key in component.symbols for symbol in symbols(read(key))}
    used = in_page(component.documentation)
    assert used - explained - KNOWN == set()
    assert explained - used == set()


@each_fmu
def test_symbols_are_variables_with_their_units(name: str) -> None:
    component = SHIPPED[name].component
    table = variables(component)
    names = {row.name for row in table.rows}
    page = documentation.page(component, table).replace("<wbr>", "")  # where a name may break
    for symbol, meaning in component.symbols.items():
        said = meaning.split(", ")
        assert names.issuperset(said) or not re.search(r"\w\.\w|_\w", meaning), meaning
        if names.issuperset(said):
            cells = f"{inline(symbol)}</td><td>" + "<br>".join(f"<code>{n}</code>" for n in said)
            assert cells in page
    assert "<math>" in page and not re.search(r"<math[^>]*>[^<]", page)
    assert len(page) < 140_000
    head = page.partition("</head>")[0]
    assert "@media(max-width" in head and 'name="viewport" content="width=device-width' in head


def test_what_cannot_be_drawn_is_refused() -> None:
    given = SHIPPED["rolling_disk"].component
    with pytest.raises(ModelError, match=r"rolling_disk, documentation: .*'a = \(b'"):
        replace(given, documentation="<p><math>a = (b</math></p>")
    with pytest.raises(ModelError, match=r"documentation: .*'#'"):
        replace(given, symbols={"#": "disk.mass"})
