"""Writes the gallery's pages: for every example its figures, mathematics, numbers and code.

A Sphinx extension. A page shows the last run here if the sources have not changed since, or what
the repository stores of one, with its day. With ``-D gallery_run=1`` the short examples run before,
where their sources have changed.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging

from docs.site import gallery, gallery_examples
from docs.site.formulas import markdown
from docs.site.notebooks import notebook

_THUMBNAIL = 480
"""Width in pixels of the pictures on the gallery's first page."""
_log = logging.getLogger(__name__)


def write(app: Sphinx) -> None:
    """Run what is wanted and write the pages into the folder of generated sources."""
    target = Path(app.srcdir) / "generated" / "gallery"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if app.config.gallery_run:
        for name, record in gallery.run_stale(sorted(gallery_examples.SHORT)).items():
            if record.failed:
                _log.warning("example %s failed:\n%s", name, record.printed)
    for name in gallery_examples.names():
        (target / f"{name}.md").write_text(page(name, target), encoding="utf-8")
    (target / "index.md").write_text(overview(target), encoding="utf-8")


def page(name: str, target: Path) -> str:
    """Return an example's page; its figures are copied beside it."""
    title, about = described(gallery_examples.source(name))
    record, drawn = gallery.shown(name) or (None, [])
    parts = [f"(example-{name})=", f"# {title}", markdown(about)]
    if record:
        parts += ["## Figures"] if drawn else []
        for figure in drawn:
            copy = f"{name}--{figure.name}"
            shutil.copyfile(figure, target / copy)
            alternative = figure.stem.replace("_", " ")
            parts.append(f"![{alternative}]({copy})")
        parts.append(f"## What it prints\n\n```text\n{record.printed}\n```")
    parts += [_said_of_run(name, record), "## Code", _taken_away(name, target), _code(name)]
    others = gallery_examples.helpers(name)
    if others:
        parts.append("It uses these files:")
        for other in others:
            parts.append(f":::{{dropdown}} {_path(other)}\n{_code(other, whole=True)}\n:::")
    return "\n\n".join(parts) + "\n"


def _taken_away(name: str, target: Path) -> str:
    """Write an example as script and notebook; return what says how to take it away."""
    file = gallery_examples.source(name)
    shutil.copyfile(file, target / file.name)
    (target / f"{name}.ipynb").write_text(notebook(file), encoding="utf-8")
    return (
        f"Take it away: {{download}}`script <{name}.py>`, {{download}}`notebook <{name}.ipynb>`, "
        f"or `mbcore example {name}`, which copies it and runs it."
    )


def overview(target: Path) -> str:
    """Return the gallery's first page: a card for every example, by subject."""
    parts = [
        "# Gallery",
        "Each example builds a system of the literature or of practice, runs it, draws its figures "
        "and prints ours beside the published numbers. They stand in `examples/`, in folders by "
        "subject; each runs alone: `mbcore example rolling_disk` copies one and runs it.",
    ]
    listed = [
        f"{name.replace('_', ' ')} <{name}>"
        for group in gallery_examples.GROUPS
        for name in group.examples
    ]
    for group in gallery_examples.GROUPS:
        cards = "\n".join(_card(name, target) for name in group.examples)
        parts.append(f"## {group.title}\n\n::::{{grid}} 1 2 3 3\n:gutter: 3\n\n{cards}\n::::")
    parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(listed) + "\n```")
    return "\n\n".join(parts) + "\n"


def described(file: Path) -> tuple[str, str]:
    """Return the first line of a file's docstring, and the rest but for how it is run."""
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or file.stem
    title, _, rest = said.partition("\n")
    paragraphs = [p for p in rest.strip("\n").split("\n\n") if not p.startswith("Run: ")]
    return title.rstrip("."), "\n\n".join(paragraphs)


def _card(name: str, target: Path) -> str:
    title, _ = described(gallery_examples.source(name))
    _, drawn = gallery.shown(name) or (None, [])
    picture = ""
    if drawn:
        small = target / f"{name}--small.png"
        _shrink(drawn[0], small)
        picture = f":img-top: {small.name}\n:img-alt: {drawn[0].stem.replace('_', ' ')}\n"
    return f":::{{grid-item-card}} {title}\n:link: {name}\n:link-type: doc\n{picture}:::"


def _shrink(source: Path, target: Path) -> None:
    """Write a picture with fewer pixels."""
    with Image.open(source) as opened:
        picture = opened.convert("RGB")
    picture.thumbnail((_THUMBNAIL, 3 * _THUMBNAIL))
    picture.save(target)


def _path(name: str) -> str:
    """Return the path of an example's file from the repository's root."""
    return gallery_examples.source(name).relative_to(gallery_examples.ROOT).as_posix()


def _said_of_run(name: str, record: gallery.Kept | None) -> str:
    command = f"`python {_path(name)}`"
    if record is None:
        return (
            f"```{{note}}\nThis example takes longer than a build of this site allows, so that its "
            f"figures are not shown here. {command} draws them, and "
            f"`python -m docs.site.gallery {name}` before a build brings them into this page.\n```"
        )
    took = f"{command} draws and prints this"
    if record.seconds:
        time = _duration(record.seconds)
        took = f"{command} took {time} of a processor's time, start and import of packages included"
    if record.digest == gallery.digest(name):
        return f"{took}, on the machine that built this page."
    if record.digest == gallery.digest_of_example(name):
        return f"{took}. Figures and numbers are those of a run of {record.day}."
    return (
        f"```{{note}}\n{took}. Figures and numbers are those of a run of {record.day}; "
        "the example has changed since.\n```"
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _code(name: str, whole: bool = False) -> str:
    """Return the directive that shows a file, without the docstring that the page has as text."""
    lines = ""
    if not whole:
        first = ast.parse(gallery_examples.source(name).read_text(encoding="utf-8")).body[0]
        lines = f":lines: {(first.end_lineno or 0) + 2}-\n"
    return f"```{{literalinclude}} /../{_path(name)}\n:language: python\n{lines}```"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension; ``-D gallery_run=1`` runs the short examples."""
    app.add_config_value("gallery_run", False, "", types=[bool, int, str])
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
