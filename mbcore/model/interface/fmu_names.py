"""Names that variables of FMUs can have: FMI's structured names without quoted parts.

FMI also allows ``'left wheel'.x``, but users would have to write the quotes wherever they name the
variable, and few importers were tried with them. So one rule holds for all: parts of letters,
digits and underscores, with points between them and indices in brackets. Simulations take others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mbcore.model.errors import warn_user
from mbcore.model.wording import listed

_PART = r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?"
_NAME = re.compile(rf"{_PART}(\.{_PART})*|der\({_PART}(\.{_PART})*\)", re.ASCII)
_LISTED = 4
"""Most names in the warning."""


def wrong_part(name: str) -> str | None:
    """Return the part of a name that no variable of an FMU can have, None where all is well."""
    if _NAME.fullmatch(name):
        return None
    parts = name.removeprefix("der(").removesuffix(")").split(".")
    return next((part for part in parts if not re.fullmatch(_PART, part, re.ASCII)), name)


def exportable(name: str) -> str:
    """Return a name like another one that a variable of an FMU can have."""
    parts = [
        re.sub(r"\W+", "_", part, flags=re.ASCII).strip("_") or "_" for part in name.split(".")
    ]
    return ".".join(f"_{part}" if part[0].isdigit() else part for part in parts)


def warn_of_names(model: str, names: Iterable[str]) -> None:
    """Issue one ``ModelWarning`` that names the variables of a model that no FMU can have."""
    wrong = sorted((name for name in names if wrong_part(name) is not None), key=len)
    if wrong:
        warn_user(
            f"model {model}: no FMU can have variables called {listed(map(repr, wrong), _LISTED)}; "
            f"simulations take such names, export refuses them: write {exportable(wrong[0])!r}, of "
            "letters, digits and underscores"
        )
