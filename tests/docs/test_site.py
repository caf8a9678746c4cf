"""What makes the site: blocks, stored figures, runs of examples, docstrings, formulas."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from docs.site import benchmark_figures, check, gallery, gallery_examples
from docs.site.blocks import Block, drawn, write_files


def test_files_of_a_page_are_there_for_its_later_blocks(tmp_path: Path) -> None:
    page = [
        Block("page", 1, "python", "# one.py\nx = 1\n"),
        Block("page", 2, "python", "from one import x\n"),
        Block("page", 3, "python", "# two.py\ny = 2\n"),
        Block("page", 4, "text", "# three.py\n"),
    ]
    write_files(page[1], page, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"one.py"}
    write_files(page[3], page, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"one.py", "two.py"}


def test_every_picture_of_a_page_is_saved_by_one_of_its_blocks() -> None:
    found = list(drawn())
    assert "tutorial" in [name for name, _, _ in found]
    for name, page, wanted in found:
        code = "".join(block.text for block in page if block.language == "python")
        assert all(f'"{picture}"' in code for picture in wanted), name


def test_stored_figures_are_read_as_they_stand() -> None:
    rows = benchmark_figures.table()
    assert rows["planar"][10]["per part"] == 89
    assert rows["spatial"][100]["FMU s"] == 33.8
    assert rows["spatial"][20]["C us"] == 3.50
    assert rows["loop"][20]["operations"] == 3221
    assert "Pinocchio 4.1.0 us" not in rows["beam"][10]


def test_examples_that_fail_keep_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends well is kept with its figures; one that fails takes nothing away."""
    monkeypatch.setattr(gallery_examples, "EXAMPLES", tmp_path)
    monkeypatch.setattr(gallery, "KEPT", tmp_path / "kept")
    example = tmp_path / "drawing.py"
    example.write_text(
        "import sys\nfrom pathlib import Path\nprint('one is', 1)\n"
        "def main(): Path(sys.argv[2], 'a.png').write_bytes(b'picture')\nmain()\n"
    )
    first = gallery.run("drawing")
    assert not first.failed and first.printed == "one is 1"
    assert [file.name for file in gallery.figures("drawing")] == ["a.png"]
    example.write_text("raise ValueError('broken')\n")
    second = gallery.run("drawing")
    assert second.failed and "ValueError: broken" in second.printed
    assert gallery.kept("drawing") == first
    assert [file.name for file in gallery.figures("drawing")] == ["a.png"]


def test_signs_in_docstrings_are_no_markup() -> None:
    docstrings = pytest.importorskip("docs.site.docstrings")
    lines = ["λ/|λ| of ``|x|``, q_ and `a*b`, 2 * 3::", "", "    |x| * q_", "", "|y|", "  m."]
    docstrings.escape(None, "class", "", None, None, lines)
    assert lines == [
        r"λ/\|λ\| of ``|x|``, q\_ and `a*b`, 2 \* 3::",
        "",
        "    |x| * q_",
        "",
        r"\|y\|",
        r"  \m.",
    ]


def test_formulas_are_drawn_by_the_browser() -> None:
    mathml = pytest.importorskip("docs.site.mathml")
    nodes = pytest.importorskip("docutils.nodes")
    writer = SimpleNamespace(body=[])
    formula = nodes.math_block("", r"\bar{M} \ddot{q} = \tfrac{1}{2} f \tag{2.43}")
    with pytest.raises(nodes.SkipNode):
        mathml.block(writer, formula)
    [text] = writer.body
    assert '<span class="eqno">(2.43)</span>' in text
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>" in text
    assert "\\" not in text


def test_formulas_that_are_plain_text_are_found() -> None:
    box = '<div class="highlight-{} notranslate"><div class="highlight"><pre>{}</pre></div>'
    quote = "<blockquote><div><p>{}</p></div></blockquote>"
    assert list(check.formulas_as_text(box.format("none", "<span>ẋ</span> = v"))) == ["ẋ = v"]
    assert list(check.formulas_as_text(quote.format("a = b²"))) == ["a = b²"]
    for fine in (
        box.format("python", "ω = 1"),
        box.format("text", "x = 1"),
        quote.format("<math>ω = 1</math>"),
        f"""{check._PRINTED}{box.format("text", "ψ = 0.1")}</section>""",
    ):
        assert not list(check.formulas_as_text(fine))


def test_formulas_in_sentences_are_found_outside_of_mathematics() -> None:
    page = "<nav>λ = 1</nav><article>{}</article>"
    plain = ["the angle φ", "of M̄ and b", "with l_0 long", "x² + 1"]
    for sentence in plain:
        assert list(check.formulas_in_prose(page.format(f"<p>{sentence}</p>"))) == [sentence]
    for fine in (
        "<p><math><mi>φ</mi></math> in <code>φ</code></p>",
        "<pre>φ = 1</pre><h2>The angle φ</h2>",
        "<p>16 m/s², 2 kg m², 10 μm, start_time</p>",
    ):
        assert not list(check.formulas_in_prose(page.format(fine)))


def test_formulas_in_sentences_of_a_page_become_mathematics() -> None:
    mathml = pytest.importorskip("docs.site.mathml")
    nodes = pytest.importorskip("docutils.nodes")
    utils = pytest.importorskip("docutils.utils")
    document = utils.new_document("page")
    lines = [
        nodes.Text("with κ ="),
        nodes.Text("\n"),
        nodes.Text("1/2 of "),
        nodes.literal("", "φ"),
    ]
    document += nodes.paragraph("", "", *lines)
    mathml.Typesetting(document).apply()
    [paragraph] = document.children
    text, formula, behind, code = paragraph.children
    assert (text, behind, code.astext()) == ("with ", " of ", "φ")
    assert "<mi>κ</mi><mo>=</mo>" in formula.astext()
    assert formula.parent is paragraph
