"""Writes the atlas: a page for each family of elements, with a drawing, formulas and code of each.

A Sphinx extension. An entry is one file of ``docs/atlas/FAMILY/``: the lines that a reader would
write. The first line of its docstring names what it shows. The pictures follow from the ``model``
or the ``figure`` that it makes, the words, formulas and parameters from docstrings.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import os
import runpy
import shutil
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from docs.site.gallery import digest_of_library
from docs.site.gallery_examples import ROOT
from mbcore import Element, Model
from mbcore.model.quantities import Deformation, Role

ENTRIES = ROOT / "docs" / "atlas"
KEPT = ROOT / "build" / "atlas"
_MODULES = ("mbcore", "mbcore.contact", "mbcore.model.quantities")
_ROLES = {role.value: role for role in Role}
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Family:
    """A page of the atlas: its folder, its title, and the FMU that it shows alive."""

    folder: str
    title: str
    live: str


FAMILIES = (
    Family("bodies", "Bodies and beams", "caster_flexible"),
    Family("joints", "Joints, gears and couplings", "iltis"),
    Family("rolling", "Rolling and sliding", "rolling_disk"),
    Family("friction", "Friction and rolling resistance", "vehicle_grip"),
    Family("tyres", "Tyres", "car"),
    Family("contact", "Contact and lubrication", "clearance_joint"),
    Family("roles", "Roles of deformations and slips", "caster"),
)


@dataclass(frozen=True)
class Entry:
    """A file of the atlas."""

    file: Path

    @property
    def name(self) -> str:
        """Name of its file, of its pictures and its anchor."""
        return self.file.stem

    @cached_property
    def said(self) -> str:
        """The first line of its docstring."""
        said = ast.get_docstring(ast.parse(self.file.read_text("utf-8"))) or ""
        return said.partition("\n")[0]

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The object that it shows, by its full name in the interface."""
        return dict(_found(name) for name in self.said.partition(":")[0].split(", "))

    @property
    def case(self) -> str:
        """Which case of another entry it shows: ``TransmissionFriction: of gears``."""
        return self.said.partition(": ")[2]

    @property
    def title(self) -> str:
        """The first of its names; of a role, which a method gives, that of its file."""
        if self.file.parent.name == "roles":
            return self.name.replace("_", " ").capitalize()
        first = next(iter(self.shown)).rpartition(".")[2]
        return f"{first} {self.case}".strip()

    def elements(self, model: Model) -> list[Element]:
        """Return the elements of its model that it shows; all where it shows none by itself."""
        kinds = tuple(what for what in self.shown.values() if isinstance(what, type))
        own = [e for e in model.elements.values() if isinstance(e, kinds)]
        return own or list(model.elements.values())

    def deformations(
        self, elements: Sequence[Element], names: Mapping[int, str]
    ) -> list[tuple[str, Deformation]]:
        """Return the deformations that it shows: those of joints and laws are the free ones.

        An entry of a role shows those that have it.
        Those that a joint's attributes give have these as ``names``, by identity, and their order.
        """
        role = _ROLES.get(self.title.lower(), Role.DOF)
        whole = any(type(e) in self.shown.values() for e in elements)
        found = [
            (names.get(id(shown), name if len(elements) == 1 else shown.name), shown)
            for element in elements
            for name, shown in element.deformations.items()
            if whole or shown.role is role
        ]
        order = list(names)
        return sorted(found, key=lambda f: order.index(id(f[1])) if id(f[1]) in names else -1)


def _found(name: str) -> tuple[str, Any]:
    for module in map(importlib.import_module, (*_MODULES, f"mbcore.contact.{name}")):
        of, _, method = name.partition(".")
        found = getattr(module, of, None)
        found = getattr(found, method) if found and method else found
        if callable(found):
            return f"{module.__name__}.{name}", found
    raise LookupError(f"no public name {name}")


def attributes(made: Mapping[str, Any]) -> dict[int, str]:
    """Return how an entry writes the deformations of its joints, by identity: ``joint.angle``."""
    found: dict[int, str] = {}
    for variable, joint in made.items():
        if not is_dataclass(joint) or isinstance(joint, type):
            continue
        for name, value in vars(type(joint)).items():
            if not isinstance(value, property):
                continue
            several = getattr(joint, name)
            if isinstance(several, Deformation):
                found[id(several)] = f"{variable}.{name}"
            elif isinstance(several, tuple):
                for i, one in enumerate(several):
                    if isinstance(one, Deformation):
                        found[id(one)] = f"{variable}.{name}[{i}]"
    return found


@cache
def entries(family: Family) -> list[Entry]:
    """Return the entries of a family by title."""
    found = [Entry(file) for file in (ENTRIES / family.folder).glob("*.py")]
    return sorted(found, key=lambda entry: entry.title.lower())


def all_entries() -> list[Entry]:
    """Return all entries."""
    return [entry for family in FAMILIES for entry in entries(family)]


def make(entry: Entry, folder: Path) -> None:
    """Run an entry and draw it: ``NAME-1.png`` and on, and a table of its quantities."""
    from docs.site.atlas_pictures import Drawn, save

    made = runpy.run_path(str(entry.file))
    folder.mkdir(parents=True, exist_ok=True)
    figures, rows = [], []
    if "model" in made:
        drawn = Drawn(made["model"], entry.elements(made["model"]), made.get("view"))
        figures.append(drawn.nodes_and_slips())
        shown = entry.deformations(drawn.elements, attributes(made))
        figures += [drawn.deformations(shown)] if shown else []
        slips = [(n, q) for e in drawn.elements for n, q in e.slips.items()]
        rows = [(n, q.unit, q.role.value if q.role else "") for n, q in (*shown, *slips)]
    figures += [made["figure"]] if "figure" in made else []
    for i, figure in enumerate(figures, start=1):
        save(figure, folder / f"{entry.name}-{i}.png")
    about = {"pictures": len(figures), "rows": list(dict.fromkeys(rows))}
    (folder / f"{entry.name}.json").write_text(json.dumps(about), encoding="utf-8")


def write(app: Sphinx) -> None:
    """Make what has changed and write the pages into the folder of generated sources."""
    target = Path(app.srcdir) / "generated" / "atlas"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    stale = [family for family in FAMILIES if not _there(family)]
    halves, problems = (stale[::2], stale[1::2]), dict[Family, str]()
    with ThreadPoolExecutor(2) as pool:
        for half, problem in zip(halves, pool.map(_made, halves), strict=True):
            problems |= {family: problem for family in half if not _there(family)}
    for family in FAMILIES:
        if family in problems:
            said = problems[family]
            _log.warning("the atlas of %s cannot be made:\n%s", family.title, said)
            continue
        live = Path(app.srcdir) / "generated" / "live" / "live" / f"{family.live}.html"
        for picture in (KEPT / family.folder).glob("*.png"):
            shutil.copyfile(picture, target / picture.name)
        text = page(family, live.is_file())
        (target / f"{family.folder}.md").write_text(text, encoding="utf-8")
    (target / "index.md").write_text(overview(), encoding="utf-8")


def _state(family: Family) -> str:
    """Return the digest of the library and of a family's entries, on which its files depend."""
    sources = [entry.file.read_bytes() for entry in entries(family)]
    sources += [Path(__file__).with_name("atlas_pictures.py").read_bytes()]
    return hashlib.sha256(digest_of_library() + b"".join(sources)).hexdigest()


def _there(family: Family) -> bool:
    """Return whether a family's pictures are there and up to date."""
    stamp = KEPT / family.folder / "state"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == _state(family)


def _made(some: list[Family]) -> str:
    """Make the pictures of some families in one process; return what it said of what failed."""
    if not some:
        return ""
    for family in some:
        shutil.rmtree(KEPT / family.folder, ignore_errors=True)
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "docs.site.atlas", *(family.folder for family in some)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    return done.stderr[-4000:]


def page(family: Family, live: bool) -> str:
    """Return the page of a family; ``live`` says whether the page of its FMU is there."""
    parts = [f"# {family.title}", _LEGEND]
    parts += [_section(family, entry) for entry in entries(family)]
    if live:
        link = f"../../live/{family.live}.html"
        parts.append(
            f"## Live\n\nThe FMU {{ref}}`{family.live} <fmu-{family.live}>`, its own C running in "
            f'this page.\n\n```{{raw}} html\n<iframe class="live" src="{link}" loading="lazy" '
            f'title="{family.live}, live"></iframe>\n```'
        )
    return "\n\n".join(parts) + "\n"


_LEGEND = (
    "Points are dots, orientations have axes x (red), y (green) and z (blue). Green arrows are "
    "slips: along the velocity, or, with two heads, about the axis of a rotation. Below, each "
    "deformation alone, with the others as they start, and the start in pale colours."
)


def _section(family: Family, entry: Entry) -> str:
    """Return what a page says of an entry."""
    about = json.loads((KEPT / family.folder / f"{entry.name}.json").read_text("utf-8"))
    parts = [f"(atlas-{entry.name})=", f"## {entry.title}"]
    kind = getattr(next(iter(entry.shown.values())), "kind", "")
    for i in range(1, about["pictures"] + 1):
        parts.append(f"![{entry.title}, picture {i}]({entry.name}-{i}.png)")
    if about["rows"]:
        table = ["| deformation or slip | unit | role here |", "|---|---|---|"]
        table += [f"| `{name}` | {unit} | {role} |" for name, unit, role in about["rows"]]
        parts.append("\n".join(table))
    if kind:
        parts.append(f"Messages call it *{kind} NAME*.")
    parts.append(f"```{{literalinclude}} /atlas/{family.folder}/{entry.file.name}\n"
                 ":language: python\n:lines: 3-\n```")  # fmt: skip
    if entry.case:
        [of] = [e for e in all_entries() if e.shown == entry.shown and not e.case]
        parts.append(f"Formulas and parameters: {{ref}}`{of.title} <atlas-{of.name}>`.")
        return "\n\n".join(parts)
    for name, what in entry.shown.items():
        plain = "method" if entry.file.parent.name == "roles" else "function"
        directive = "class" if isinstance(what, type) else plain
        options = "   :no-index:\n" + ("   :no-members:\n" if directive == "class" else "")
        parts.append(f"```{{eval-rst}}\n.. auto{directive}:: {name}\n{options}```")
    return "\n\n".join(parts)


def overview() -> str:
    """Return the atlas's first page: a card for every entry, by family."""
    parts = [
        "# Atlas",
        "What a model is made of: each element, joint, law of contact and tyre with its nodes and "
        "frames, its deformations and slips, its formulas, its parameters with units, and lines "
        "that run as they stand.",
    ]
    for family in FAMILIES:
        cards = "\n".join(
            f":::{{grid-item-card}} {entry.title}\n:link: atlas-{entry.name}\n:link-type: ref\n"
            f":img-top: {entry.name}-1.png\n:img-alt: {entry.title}\n:::"
            for entry in entries(family)
        )
        parts.append(f"## {family.title}\n\n::::{{grid}} 2 3 4 4\n:gutter: 3\n\n{cards}\n::::")
    parts += ["## As messages call them", messages()]
    folders = "\n".join(family.folder for family in FAMILIES)
    parts.append("```{toctree}\n:hidden:\n\n" + folders + "\n```")
    return "\n\n".join(parts) + "\n"


def messages() -> str:
    """Return a table of what errors and warnings call an element, and of where it is drawn."""
    rows = ["| a message about | is about |", "|---|---|"]
    links: dict[str, list[str]] = {}
    for entry in all_entries():
        for name, what in entry.shown.items():
            if kind := getattr(what, "kind", "") if not entry.case else "":
                link = f"{{ref}}`{name.rpartition('.')[2]} <atlas-{entry.name}>`"
                links.setdefault(kind, []).append(link)
    rows += [f"| *{kind} NAME* | {', '.join(of)} |" for kind, of in sorted(links.items())]
    return "\n".join(rows)


def show_in_interface(
    app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]
) -> None:
    """Put an entry's first picture below the first paragraph of what the interface says."""
    if app.env.docname.startswith("generated/atlas"):
        return
    for entry in all_entries():
        if of in entry.shown.values() and not entry.case:
            end = lines.index("") if "" in lines else len(lines)
            picture = f"/generated/atlas/{entry.name}-1.png"
            shown = [f".. image:: {picture}", f"   :alt: {entry.title}", "   :width: 24em"]
            said = f"In the atlas: :ref:`drawn, with code that runs <atlas-{entry.name}>`."
            lines[end:end] = ["", *shown, "", said, ""]
            return


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension, after `docs.site.fmu_pages`, whose live pages it shows."""
    app.connect("builder-inited", write)
    app.connect("autodoc-process-docstring", show_in_interface, priority=70)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def main(folders: list[str]) -> None:
    """Make the pictures of some families."""
    for family in FAMILIES:
        if family.folder not in folders:
            continue
        try:
            for entry in entries(family):
                make(entry, KEPT / family.folder)
        except Exception:  # the others are made all the same
            traceback.print_exc()
        else:
            (KEPT / family.folder / "state").write_text(_state(family), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
