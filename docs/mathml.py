"""Formulas as MathML, made when the site is built: every browser draws it, without a network.

A Sphinx extension; ``html_math_renderer = "mathml"`` chooses it.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

_ENVIRONMENT = re.compile(r"\\begin\{(aligned|align\*?|split|matrix|[pbvB]matrix|cases|array)\}")


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula inside a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number at the right if it has one."""
    formula = node.astext().strip()
    if "\\\\" in formula and not _ENVIRONMENT.search(formula):
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    anchor = f' id="equation-{node["label"]}"' if node.get("label") else ""
    writer.body.append(
        f'<div class="math"{anchor}>{number}{convert(formula, display="block")}</div>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
