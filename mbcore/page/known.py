"""Check of names in a page's settings, of which the page alone knows shapes and enumerations."""

from __future__ import annotations

from collections.abc import Collection

from mbcore.model.errors import ModelError


def refuse_unknown(setting: str, name: str, known: Collection[str], role: str) -> None:
    """Refuse a name that a setting gives.

    Raises
    ------
    ModelError
        If it is not known; its message lists known ones.
    """
    if name not in known:
        some = ", ".join(sorted(known)[:20]) or "none"
        raise ModelError(f"page: {setting} {name!r}, which is not {role}; there are {some}")
