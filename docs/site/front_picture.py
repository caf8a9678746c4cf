"""Draws the film on the front page and in the README: a bicycle that was pushed, and gets up.

::

    python -m docs.site.front_picture
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from docs.site.gallery import digest_of_drawing, statements
from docs.site.gallery_examples import ROOT
from mbcore import simulate
from mbcore.fmus import bicycle

FILM = ROOT / "docs" / "images" / "bicycle.gif"
RECORD = FILM.with_suffix(".json")
DURATION = 5.0
"""s."""
_RATE = 10.0
"""Pictures in a second."""


def digest() -> str:
    """Return a digest of what the film shows: the bicycle, this file, and all that draws."""
    summed = hashlib.sha256(digest_of_drawing())
    for file in (Path(__file__), *sorted(Path(bicycle.__file__).parent.glob("*.py"))):
        summed.update(statements(file).encode())
    return summed.hexdigest()[:16]


def main() -> None:
    """Ride, and write the film with the digest of what made it."""
    riding = simulate(bicycle.model().equations(), DURATION)
    riding.animate(FILM, fps=_RATE, progress=False)
    RECORD.write_text(json.dumps({"digest": digest()}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
