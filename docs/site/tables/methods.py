"""Writes the table of methods into its page: ``python -m docs.site.tables.methods``."""

from __future__ import annotations

from pathlib import Path

from mbcore.integrators.table import methods

PAGE = Path(__file__).parents[2] / "extend" / "integrator.md"
BEGIN, END = "<!-- methods -->\n", "<!-- end -->"


def table() -> str:
    """Return the table in Markdown."""
    lines = ["| `method` | order | in C | in FMUs | stability | what it is for |"]
    lines.append("|---|---|---|---|---|---|")
    for m in methods():
        item = f"`{m.item.name}`" if m.item else ""
        name = f"`{m.name}`" if m.in_python else f"`{m.name}`, in C alone"
        lines.append(
            f"| {name} | {m.order} | {'yes' if m.in_c else ''} | {item} | {m.stability} "
            f"| {m.purpose} |"
        )
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the table as it is now."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
