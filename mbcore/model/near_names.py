"""Names that are not known, with the similar ones that may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from mbcore.model.wording import listed

MOST_KNOWN = 20
"""Names listed in an error."""
LIKE, MUCH_LIKE = 0.7, 0.1
"""Least similarity of a name that may have been meant, and how far it may be behind the best."""


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Return the words for a name that is not known, with similar ones.

    Parameters
    ----------
    what : str
        What the name should be of: ``"result"``, ``"input"``.
    name : object
        What was given.
    known : iterable of str
        The names that exist.
    """
    names = list(known)
    close = near(name, names)
    asked = f"did you mean {' or '.join(map(repr, close))}? There" if close else "there"
    known_ones = listed(names, MOST_KNOWN) if names else "none"
    return f"no {what} {name!r}; {asked} is {known_ones}"


def near(name: object, known: Sequence[str], most: int = 3) -> list[str]:
    """Return the names that a misspelt or shortened one may stand for, the best first."""
    asked = str(name).casefold()
    folded = {other.casefold(): other for other in reversed(known)}
    ratio = {o: difflib.SequenceMatcher(None, asked, o).ratio() for o in folded}
    least = max(LIKE, max(ratio.values(), default=0.0) - MUCH_LIKE)
    close = sorted((o for o in folded if ratio[o] >= least), key=lambda o: -ratio[o])
    ends = [o for o in folded if asked and (o.endswith(f".{asked}") or o.startswith(f"{asked}."))]
    return [folded[other] for other in dict.fromkeys([*close, *reversed(ends)])][:most]
