"""The documentation inside an FMU: a page with picture and table of variables, and the icon."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from mbcore import formulas
from mbcore.codegen.table import Row, Table
from mbcore.fmi.component import LICENSE_NAME, Component
from mbcore.fmi.description.description import characteristics
from mbcore.model.variables import shown_value
from mbcore.version import DISTRIBUTION

_ICON_PIXELS = 128
_TITLES = {
    "input": "Inputs",
    "output": "Outputs",
    "parameter": "Parameters",
    "local": "Local variables",
}
_STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ccc;"
    "text-align:left;vertical-align:top}td.number{text-align:right}td.unit{white-space:nowrap}"
    "img{max-width:100%}code{font-size:95%}"
    # on telephones and in narrow windows of tools
    "@media(max-width:45em){table{display:block;overflow-x:auto}td,th{padding:.2em .3em}"
    "td code{font-size:85%}p math{display:inline-block math;max-width:100%;overflow:auto hidden}}"
)


UNCHECKED = (
    "<p>This FMU does without the check of its accelerations by virtual power. Near to where its "
    "degrees of freedom cease to determine the motion, accelerations may lose digits without a "
    "message.</p>"
)
"""Text of the page on an FMU whose accelerations are not checked."""


def page(component: Component, table: Table) -> str:
    """Return the page: description, picture, the component's own text, and all variables."""
    words = body(component, table, "picture.png")
    style = _STYLE + (formulas.style() if "<math" in words else "")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(component.name)}</title><style>{style}</style></head><body>",
            f"<h1>{escape(component.name)}</h1>",
            f"<p>{escape(component.description)}</p>",
            words,
            "</body></html>",
            "",
        ]
    )


def body(component: Component, table: Table, image: str) -> str:
    """Return what stands below the description; ``image`` is where the picture is."""
    picture_tag = f'<p><img src="{image}" alt="axes and signs"></p>' if component.picture else ""
    sections = []
    for causality, title in _TITLES.items():
        rows = [row for row in table.rows if characteristics(row)["causality"] == causality]
        if rows:
            sections.append(f"<h2>{title}</h2>\n{_table(rows)}")
    words = formulas.in_html(component.documentation)
    said = [] if component.checked or not component.equations.obeys_power else [UNCHECKED]
    return "\n".join([picture_tag, words, *said, *_symbols(component, table), *sections])


def picture(component: Component) -> bytes | None:
    """Return the picture of the system as PNG, None where the component draws none."""
    if component.picture is None:
        return None
    figure = Figure(figsize=(8, 5), layout="tight")
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set_axis_off()
    component.picture(axes)
    return _png(figure, dpi=120, bbox_inches="tight", pad_inches=0.15)


def icon(component: Component) -> bytes:
    """Return the icon as PNG of 128 x 128 pixels; the name in a box where none is drawn."""
    figure = Figure(figsize=(1, 1))
    axes = figure.add_axes((0.04, 0.04, 0.92, 0.92))
    axes.set_aspect("equal")
    axes.set_axis_off()
    (component.icon or _named_box(component.name))(axes)
    return _png(figure, dpi=_ICON_PIXELS)


def license_text() -> str:
    """Return the licence of the library, which the runtime in every FMU is part of."""
    licence = Path(__file__).parents[3] / "LICENSE"
    if licence.is_file():
        return licence.read_text(encoding="utf-8")
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return LICENSE_NAME
    return (
        distribution.read_text("licenses/LICENSE")
        or distribution.read_text("LICENSE")
        or LICENSE_NAME
    )


def _png(figure: Figure, dpi: int, **margins: Any) -> bytes:
    FigureCanvasAgg(figure)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=dpi, metadata={"Software": None}, **margins)
    return stream.getvalue()


def _named_box(name: str) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        axes.add_patch(FancyBboxPatch((0.1, 0.1), 0.8, 0.8, "round,pad=0.05", fill=False))
        axes.text(0.5, 0.5, name.replace("_", "\n"), ha="center", va="center", fontsize=9)
        axes.set(xlim=(0, 1), ylim=(0, 1))

    return draw


def _table(rows: list[Row]) -> str:
    """Return the table of the variables; a column in which no row has anything is left out."""
    heads = ("name", "kind", "unit", "start", "description")
    contents = [_cells(row) for row in rows]
    columns = [place for place in range(len(heads)) if any(cells[place] for cells in contents)]
    lines = ["<table>", "<tr>" + "".join(f"<th>{heads[place]}</th>" for place in columns) + "</tr>"]
    for cells in contents:
        lines.append("<tr>" + "".join(_cell(heads[p], cells[p]) for p in columns) + "</tr>")
    lines.append("</table>")
    return "\n".join(lines)


def _symbols(component: Component, table: Table) -> list[str]:
    """Return the table of the symbols of the formulas, with the variables that they are."""
    rows = {
        name: row
        for row in table.rows
        for name in (row.name, *(alias.name for alias in row.aliases))
    }
    lines, columns = [], ("symbol", "variable", "unit", "meaning")
    for symbol, meaning in component.symbols.items():
        names = meaning.split(", ")
        known = [rows[name] for name in names if name in rows]
        if len(known) == len(names):
            units = " or ".join(dict.fromkeys(row.unit for row in known if row.type == "real"))
            shown = "<br>".join(map(_code, names))
            meanings = {row.description for row in known}
            about = meanings.pop() if len(meanings) == 1 else ""
        else:
            shown, units, about = "", "", meaning
        cells = (formulas.inline(symbol), shown, escape(units), formulas.in_sentence(about))
        lines.append("<tr>" + "".join(map(_cell, columns, cells)) + "</tr>")
    if not lines:
        return []
    heads = "".join(f"<th>{head}</th>" for head in columns)
    return [f"<h2>Symbols</h2>\n<table>\n<tr>{heads}</tr>", *lines, "</table>"]


def _code(name: str) -> str:
    """Return a variable's name, which a narrow column may break after dots and underlines."""
    return "<code>" + re.sub("([._])(?=.)", r"\1<wbr>", escape(name)) + "</code>"


def _cell(head: str, content: str) -> str:
    kind = {"start": ' class="number"', "unit": ' class="unit"'}.get(head, "")
    return f"<td{kind}>{content}</td>"


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    """Return what stands in the five columns of one variable, escaped for the page."""
    about = formulas.in_sentence(row.description)
    if row.items:
        about += "".join(
            f"<br><code>{escape(item.name)}</code> ({value})"
            + (f": {formulas.in_sentence(item.description)}" if item.description else "")
            + ("" if item.available else " <em>(not yet available)</em>")
            for value, item in enumerate(row.items, start=1)
        )
    given = row.kind in ("parameter", "constant", "input", "state") and row.start is not None
    start = shown_value(row.type, row.items, row.start or 0.0) if given else ""
    names = (row.name, *(alias.name for alias in row.aliases))
    return (
        "<br>".join(map(_code, names)),
        _kind(row),
        escape(row.unit) if row.type == "real" and row.unit else "",
        escape(start),
        about,
    )


def _kind(row: Row) -> str:
    """Return what the field calls the variable: its type, and how it changes."""
    words: list[str] = [row.type] if row.type != "real" else []
    if row.kind == "parameter":
        words.append("tunable" if row.tunable else "fixed")
    elif row.kind in ("constant", "state", "derivative", "discrete", "indicator", "sensitivity"):
        words.append(row.kind)
    return ", ".join(words)
