"""Writes the page of all modules and C files of the library, by what each says of itself.

A Sphinx extension: the first paragraph of a module's docstring, or of the comment at the top of a C
file, is its line in a table for each room.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sphinx.application import Sphinx

from docs.site.gallery_examples import ROOT

LIBRARY = ROOT / "mbcore"
HEAD = """\
# All modules

The first line of each module and C file, room by room. [Architecture](../architecture.md) says
how the rooms depend on each other."""
_COMMENT = re.compile(r"\s*/\*\s?(.*?)(?:\*/|\n \*\s*\n)", re.DOTALL)


def first_words(file: Path) -> str:
    """Return the first paragraph of a module's docstring or of a C file's comment, on one line."""
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        said = ast.get_docstring(ast.parse(text)) or ""
    else:
        found = _COMMENT.match(text)
        said = re.sub(r"^ \* ?", "", found[1], flags=re.MULTILINE) if found else ""
    return " ".join(said.partition("\n\n")[0].split())


def rooms() -> dict[str, list[Path]]:
    """Return the files of each folder of the library, without those that only name others."""
    found: dict[str, list[Path]] = {}
    for file in sorted(LIBRARY.rglob("*")):
        if file.suffix in (".py", ".c", ".h") and file.stem != "__init__":
            found.setdefault(file.parent.relative_to(LIBRARY).as_posix(), []).append(file)
    return found


def page() -> str:
    """Return the page in Markdown."""
    parts = [HEAD]
    for room, files in rooms().items():
        face = LIBRARY / room / "__init__.py"
        title = "The package itself" if room == "." else f"`{room}/`"
        parts.append(f"## {title}\n\n{_cell(first_words(face)) if face.is_file() else ''}".rstrip())
        rows = [f"| `{file.name}` | {_cell(first_words(file))} |" for file in files]
        parts.append("\n".join(["| file | what it is for |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _cell(words: str) -> str:
    """Return words with code in one backtick, and what is Markdown's own masked outside of it."""
    parts = words.replace("``", "`").split("`")
    parts[::2] = [re.sub(r"[|<>*$_]", r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def write(app: Sphinx) -> None:
    """Write the page into the folder of generated sources."""
    target = Path(app.srcdir) / "generated" / "rooms.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
