"""Formulas as MathML, made when the site is built: every browser draws it, without a network.

A Sphinx extension. Those of LaTeX are drawn by ``html_math_renderer = "mathml"``. Formulas inside
sentences, of docstrings, guides, theory and the gallery, have no mark: `mbcore.formulas` finds
them. Code, headings and names stay text.
"""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from mbcore import formulas
from mbcore.formulas.style import FONT, rules

_TAG = re.compile(r"\\tag\{([^}]*)\}")
_ENVIRONMENT = re.compile(r"\\begin\{(aligned|align\*?|split|matrix|[pbvB]matrix|cases|array)\}")
_log = logging.getLogger(__name__)
_CODE = (
    nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.math_block, nodes.comment,
    nodes.title, nodes.doctest_block, addnodes.desc_signature, addnodes.toctree,
)  # fmt: skip


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula inside a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number, or its ``tag``, at the right."""
    formula = node.astext().strip()
    tag = _TAG.search(formula)
    formula = _TAG.sub("", formula)
    if "\\\\" in formula and not _ENVIRONMENT.search(formula):
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    shown = tag[1] if tag else node.get("number")
    number = f'<span class="eqno">({shown})</span>' if shown else ""
    anchor = f' id="equation-{node["label"]}"' if node.get("label") else ""
    writer.body.append(
        f'<div class="math"{anchor}>{number}{convert(formula, display="block")}</div>\n'
    )
    raise nodes.SkipNode


class Typesetting(SphinxTransform):
    """Replaces the formulas in the text of a page by MathML."""

    default_priority = 700
    """Before quotation marks are made of the primes of derivatives."""

    def apply(self, **_: Any) -> None:
        """Replace them."""
        for element in list(self.document.findall(nodes.TextElement)):
            above: Any = element
            while above is not None and not isinstance(above, _CODE):
                above = above.parent
            if above is None:
                element.children = [
                    made for child in _joined(element.children) for made in _typeset(child)
                ]
                for child in element.children:
                    child.parent = element


def _joined(children: list[nodes.Node]) -> Iterator[nodes.Node]:
    """Give the parts of an element with adjacent texts as one; Markdown has one for each line."""
    for is_text, group in itertools.groupby(children, lambda node: isinstance(node, nodes.Text)):
        if is_text:
            yield nodes.Text("".join(node.astext() for node in group))
        else:
            yield from group


def _typeset(child: nodes.Node) -> list[nodes.Node]:
    if not isinstance(child, nodes.Text):
        return [child]
    return [_node(part, formula) for part, formula in formulas.pieces(child.astext())]


def _node(text: str, formula: bool) -> nodes.Node:
    if not formula:
        return nodes.Text(text)
    try:
        return nodes.raw("", formulas.inline(text), format="html")
    except formulas.FormulaError as error:
        _log.warning("a formula in a sentence cannot be read: %s", error)
        return nodes.Text(text)


def write_style(app: Sphinx, error: Exception | None) -> None:
    """Write the font and the style of all formulas, those of docstrings included."""
    if error is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        shutil.copyfile(FONT, static / FONT.name)
        (static / "formulas.css").write_text(rules(FONT.name), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_css_file("formulas.css")
    app.add_transform(Typesetting)
    app.connect("build-finished", write_style)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
