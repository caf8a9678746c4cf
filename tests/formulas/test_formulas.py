"""Formulas of docstrings as MathML: beside a converter of LaTeX, and what is refused."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import mbcore
from docs.site.formulas import formulas, markdown
from mbcore.formulas import FormulaError, in_html, inline, paragraph

ROOT = Path(mbcore.__file__).parents[1]
OURS = (*ROOT.glob("mbcore/**/*.py"), *ROOT.glob("fmu_src/**/*.py"), *ROOT.glob("examples/**/*.py"))


def shape(element: ElementTree.Element) -> Any:
    """Return what MathML says: tags and signs, without attributes, spaces and rows of one part."""
    tag = element.tag.rpartition("}")[2]
    if not len(element):
        # accents, minus signs and bars have more than one letter in Unicode
        return tag, (element.text or "").translate(str.maketrans("-ˉ¯˙", "−___")).strip()
    parts = [shape(part) for part in element if part.tag.rpartition("}")[2] != "mspace"]
    if tag in ("mrow", "mpadded") and len(parts) == 1:
        return parts[0]
    flat = [p for part in parts for p in (part[1] if part[0] == "mrow" else [part])]
    return (tag, flat if tag in ("math", "mrow") else parts)


def meant(mathml: str) -> Any:
    return shape(ElementTree.fromstring(mathml))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("x² + a_i", "x^2 + a_i"),
        ("√(x² + y²)", r"\sqrt{x^2 + y^2}"),
        ("(1 + κ)/(1 - κ e)", r"\frac{1 + \kappa}{1 - \kappa e}"),
        ("a b/c", r"a\frac{b}{c}"),
        ("a b / c", r"\frac{a b}{c}"),
        ("a = b c / d + e", r"a = \frac{b c}{d} + e"),
        ("∂f/∂x", r"\frac{\partial f}{\partial x}"),
        ("e^{A h}", "e^{A h}"),
        ("x_k^2", "x_k^2"),
        ("r_{k+i}", "r_{k+i}"),
        ("sin α", r"\sin\alpha"),
        ("(3/2) ω", r"\frac{3}{2}\omega"),
        ("½ m", r"\frac{1}{2}m"),
        ("cos φ/l", r"\frac{\cos\varphi}{l}"),
        ("a ≤ b", r"a \leq b"),
    ],
)
def test_formulas_mean_what_latex_means(text: str, latex: str) -> None:
    converter = pytest.importorskip("latex2mathml.converter")
    ours = paragraph(text).partition(">")[2].rpartition("</div>")[0]
    assert meant(ours) == meant(converter.convert(latex))


def test_a_superscript_of_a_derivative_stands_beside_the_letter() -> None:
    """Above the dot it would float; without a mark nothing is changed."""
    [raised] = ElementTree.fromstring(inline("δ̇⁻"))
    base, minus = raised
    assert (raised.tag, base.tag, minus.text) == ("msup", "mpadded", "−")
    assert base.get("height") == "0.6em" and base[0].tag == "mover"
    assert [part.tag for part in ElementTree.fromstring(inline("δ⁻"))[0]] == ["mi", "mo"]


def test_derivatives_by_time_are_dots_above() -> None:
    [dotted] = ElementTree.fromstring(inline("q̈"))
    assert dotted.tag == "mover" and [part.text for part in dotted] == ["q", "¨"]
    assert inline("ẋ") == inline("x\u0307") != inline("x")


def test_matrices_have_rows_and_cells() -> None:
    for text in ("[m 0; 0 J]", "[m, 0; 0, J]"):
        rows = ElementTree.fromstring(inline(text)).iter("mtr")
        assert [["".join(cell.itertext()) for cell in row] for row in rows] == [
            ["m", "0"],
            ["0", "J"],
        ]
    assert inline("[k, -k b + P; -k b, k b²]").count("<mtd>") == 4


def test_lines_have_their_numbers_and_may_be_broken_between_formulas() -> None:
    [line] = paragraph("a = b,    c = d        (4.21)").splitlines()
    assert '<span class="number">(4.21)</span>' in line and line.count("<math ") == 2
    first, second = paragraph("a = b\n    - c").splitlines()
    assert 'class="formula"' in first and 'class="formula continued"' in second
    assert len(paragraph("a = (b\n    - c)").splitlines()) == 1


def test_words_and_names_are_no_symbols() -> None:
    text = inline("λ = mean load of `cabin.load` in 3 N/m, EA")
    assert "<mtext>mean\u00a0" not in text  # a function of the field
    assert "<mtext>load of</mtext>" in text.replace("\u00a0", "")
    assert '<mtext class="code">cabin.load</mtext>' in text
    assert "<mi>E</mi><mi>A</mi>" in text and "N/m" in text


def test_in_pages_only_plain_text_is_typeset() -> None:
    drawn = "<math><mi>x</mi></math>"
    assert in_html(f"<p>{drawn}</p>") == f"<p>{drawn}</p>"
    assert in_html("a <math>x &lt; 2</math>") == f"a {inline('x < 2')}"
    assert '<div class="formula">' in in_html('<math display="block">x = 2</math>')


@pytest.mark.parametrize("wrong", ["a = (b", "x)", "a /", "/ b", "a # b", "_x", "√"])
def test_what_cannot_be_read_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(FormulaError):
        inline(wrong)


def test_code_and_second_paragraphs_are_no_formulas() -> None:
    code = "Code::\n\n    a = 1\n\n    b = 2\n\n"
    text = f"Title.\n\n    a = b\n\n{code}x : number\n    m.\n\n    More.\n"
    assert [formula.text for formula in formulas(text.split("\n"))] == ["a = b"]
    shown = markdown(text)
    assert "```{raw} html\n<div" in shown and "    b = 2" in shown


@pytest.mark.heavy
def test_formulas_of_all_docstrings_can_be_drawn() -> None:
    found = 0
    for file in OURS:
        text = file.read_text(encoding="utf-8")
        if "\n\n    " not in text or "templates" in file.parts:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for formula in formulas((ast.get_docstring(node) or "").split("\n")):
                    found += bool(paragraph(formula.text))
    assert found > 100
