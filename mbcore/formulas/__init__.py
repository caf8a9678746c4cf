"""Formulas as they stand in docstrings, as MathML: one text for ``help()``, pages and FMUs.

`paragraph` typesets the lines of a displayed formula, `inline` a formula inside a sentence,
`in_sentence` a sentence with the formulas that `pieces` finds in it, and `in_html` those of a page:
what stands in its ``<math>`` elements as plain text. Pages need `style`. The notation is that of
the library's docstrings, described in `mbcore.formulas.reading`.
"""

from mbcore.formulas.mathml import in_html, inline, paragraph
from mbcore.formulas.prose import in_sentence, pieces
from mbcore.formulas.style import rules, style
from mbcore.formulas.tokens import FormulaError

__all__ = [
    "FormulaError",
    "in_html",
    "in_sentence",
    "inline",
    "paragraph",
    "pieces",
    "rules",
    "style",
]
