"""Formulas as MathML, made when the site is built: every browser draws it, without a network.

A Sphinx extension; ``html_math_renderer = "mathml"`` chooses it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

from mbcore.formulas.style import FONT, rules

_TAG = re.compile(r"\\tag\{([^}]*)\}")
_ENVIRONMENT = re.compile(r"\\begin\{(aligned|align\*?|split|matrix|[pbvB]matrix|cases|array)\}")


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


def write_style(app: Sphinx, error: Exception | None) -> None:
    """Write the font and the style of all formulas, those of docstrings included."""
    if error is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        shutil.copyfile(FONT, static / FONT.name)
        (static / "formulas.css").write_text(rules(FONT.name), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_css_file("formulas.css")
    app.connect("build-finished", write_style)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
