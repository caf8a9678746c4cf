"""Names that are not known, with the similar ones that may have been meant; attributes as well."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mbcore.model.wording import listed

MOST_KNOWN, FEW = 20, 8
"""Names listed in an error, and the nearest ones of more than these."""
LIKE, MUCH_LIKE = 0.7, 0.1
"""Least similarity of a name that may have been meant, and how far it may be behind the best."""


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Return the words for a name that is not known, with similar ones.

    Parameters
    ----------
    what : str
        Kind of the name: ``"result"``, ``"input"``.
    name : object
        Name that was given.
    known : iterable of str
        The names that exist.
    """
    names = list(known)
    elements = [other for other in names if other.startswith(f"{name}[")]
    if elements:
        return (
            f"no {what} {name!r} of one value; it has {len(elements)}, {elements[0]} to "
            f"{elements[-1]}: give these"
        )
    whole, bracket, _ = str(name).partition("[")
    own = [other for other in names if other.startswith(f"{whole}[")] if bracket else []
    if own:
        return f"no {what} {name!r}; indices count from 1: {own[0]} to {own[-1]}"
    close = near(name, names)
    asked = f"did you mean {' or '.join(map(repr, close))}? There" if close else "there"
    if len(names) > MOST_KNOWN:
        folded = str(name).casefold()
        likeness = {n: difflib.SequenceMatcher(None, folded, n.casefold()).ratio() for n in names}
        others = sorted(likeness, key=lambda n: -likeness[n])
        names = [*close, *(n for n in others if n not in close)]
    known_ones = listed(names, FEW if len(names) > MOST_KNOWN else MOST_KNOWN) if names else "none"
    return f"no {what} {name!r}; {asked} is {known_ones}"


def near(name: object, known: Sequence[str], most: int = 3) -> list[str]:
    """Return the names that a misspelt or shortened one may stand for, the best first."""
    asked = str(name).casefold()
    folded = {other.casefold(): other for other in reversed(known)}
    ratio = {o: difflib.SequenceMatcher(None, asked, o).ratio() for o in folded}
    least = max(LIKE, max(ratio.values(), default=0.0) - MUCH_LIKE)
    close = sorted((o for o in folded if ratio[o] >= least), key=lambda o: -ratio[o])
    ends = [
        o
        for o in folded
        if asked
        and (o.endswith((f".{asked}", f"_{asked}")) or o.startswith((f"{asked}.", f"{asked}_")))
    ]
    whole = [o for o in folded if "." in asked and _abbreviates(asked, o)]
    return [folded[other] for other in dict.fromkeys([*whole, *close, *reversed(ends)])][:most]


def _abbreviates(short: str, name: str) -> bool:
    """Return whether each part of a name begins as that of a short one: ``b.x`` for ``bar.x``."""
    parts, whole = short.split("."), name.split(".")
    return len(parts) == len(whole) and all(map(str.startswith, whole, parts)) and all(parts)


class Suggesting:
    """Base of objects that answer a missing attribute with similar ones.

    A subclass names in ``_elsewhere`` what users look for in it, with where that is.
    """

    _elsewhere: ClassVar[Mapping[str, str]] = {}
    _hidden: ClassVar[frozenset[str]] = frozenset()
    """Attributes for the library, which are not suggested."""

    if not TYPE_CHECKING:  # type checkers would take any attribute for one that is there

        def __getattr__(self, name: str) -> Any:
            hint = self._elsewhere.get(name) or f"see help({type(self).__name__})"
            return missing_attribute(self, name, hint, sought=name in self._elsewhere)


def missing_attribute(
    owner: object, name: str, hint: str, more: Iterable[str] = (), *, sought: bool = False
) -> Any:
    """Raise the error of an attribute that an object does not have, to be called when that is so.

    Parameters
    ----------
    owner : object
        The object; copies and pickles ask it for attributes before it has any.
    name : str
        The attribute.
    hint : str
        Further words.
    more : iterable of str
        Attributes beside those of the class and the object.
    sought : bool
        Whether the hint says where it is, so that similar names are left out.

    Raises
    ------
    AttributeError
        Always, so that ``hasattr`` is false; that of a property where one has failed.
    """
    kind = type(owner)
    if hasattr(kind, name):  # a property, whose own error is the cause
        return object.__getattribute__(owner, name)
    if name.startswith("_"):
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    own = getattr(owner, "__dict__", {})
    hidden: frozenset[str] = getattr(kind, "_hidden", frozenset())
    known = sorted(n for n in {*dir(kind), *own, *more} - hidden if not n.startswith("_"))
    close = [] if sought else near(name, known)
    title = f"{kind.__name__} {own['name']!r}" if own.get("name") else kind.__name__
    if close:
        hint = f"did you mean {' or '.join(map(repr, close))}? {hint[:1].upper()}{hint[1:]}"
    # With an object and no name, Python adds no suggestion of its own.
    raise AttributeError(f"{title} has no {name!r}; {hint}", obj=owner)
