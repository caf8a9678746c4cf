"""Figures as pictures inside HTML, for notebooks."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 60
"""Per inch: small pictures, some 30 kB."""


def inline(figure: Figure, text: str) -> str:
    """Return a figure as an HTML image with this alternative text."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DOTS)
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<img alt="{escape(text)}" src="data:image/png;base64,{data}"/>'
