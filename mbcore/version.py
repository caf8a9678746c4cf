"""The version of the library, which pyproject.toml states."""

from __future__ import annotations

import re
from pathlib import Path

DISTRIBUTION = "mbcore-multibody"
"""Name of the library in package managers; on PyPI, ``mbcore`` is another one."""


def _version() -> str:
    """Return the version of the source tree where this is one, else the installed one's."""
    source = Path(__file__).parents[1] / "pyproject.toml"
    if source.is_file():
        text = source.read_text(encoding="utf-8")
        found = re.search(r'^version = "([^"]+)"', text, re.MULTILINE)
        if found and f'name = "{DISTRIBUTION}"' in text:
            return found[1]
    from importlib import metadata  # slow to import, and for installed ones alone

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "unknown"


VERSION = _version()
