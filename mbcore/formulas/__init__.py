"""Formulas as they stand in docstrings, as MathML: one text for ``help()``, pages and FMUs.

`paragraph` typesets the lines of a displayed formula, `inline` a formula inside a sentence, and
`in_html` the formulas of a page: what stands in its ``<math>`` elements as plain text. Pages need
`style`. The notation is that of the library's docstrings, described in `mbcore.formulas.reading`.
"""

from mbcore.formulas.mathml import in_html, inline, paragraph
from mbcore.formulas.style import rules, style
from mbcore.formulas.tokens import FormulaError

__all__ = ["FormulaError", "in_html", "inline", "paragraph", "rules", "style"]
