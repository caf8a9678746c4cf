"""Words on the tyres of a vehicle, `car` or `iltis`, for the page of its FMU."""

from __future__ import annotations

from html import escape

from mbcore import MagicFormula

from .tyre_data import TyreData

BEYOND = {
    "hold": "Arguments outside the file's ranges are held at their ends",
    "free": "Arguments outside the file's ranges are taken as they are",
    "refuse": "A step in which an argument leaves the file's ranges is refused",
}
"""By what becomes of such arguments."""


def with_words_of(text: str, data: TyreData) -> str:
    """Return a page's text with the words that hold for its tyres.

    ``THE_TYRES`` stands for whose they are, ``THE_RANGES`` for what becomes of arguments outside
    the ranges of a property file. A passage between ``IF_FILE`` and ``END_FILE`` is for tyres of a
    property file alone.
    """
    law = data.left
    beyond = BEYOND[law.limits] if isinstance(law, MagicFormula) else None
    parts = text.split("IF_FILE")
    kept = [parts[0]]
    for part in parts[1:]:
        of_file, _, rest = part.partition("END_FILE")
        kept += [of_file.strip(), rest] if beyond else [rest.lstrip()]
    return "".join(kept).replace("THE_TYRES", whose(data)).replace("THE_RANGES", beyond or "")


def whose(data: TyreData) -> str:
    """Return of which file or law the tyres are, in HTML."""
    name = escape(data.name)
    if isinstance(data.left, MagicFormula):
        version = f"{data.left.version / 10:.1f}"
        return f"those of the property file <tt>{name}</tt>, by the Magic Formula {version}"
    return f"those of the law <tt>{type(data.left).__name__}</tt> ({name})"
