"""Where the numbered equations of the texts are: ``python -m docs.site.equations`` writes it.

A mark is a citation in a comment or docstring at the line that is the equation, ``[Schwab2002]
(A.107)`` on one line, or several of one text, ``[Schwab2002] (A.99), (A.104)``. Named laws are
marked by their names. The docstring of a module says what a file is about, and is no mark.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docs.site.equation_names import LAWS, TEXTS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).parents[1] / "theory" / "equations.md"
BEGIN, END = "<!-- equations -->\n", "<!-- end -->"
CODE = ("mbcore", "fmu_src", "examples")
TESTS = ("tests",)

NUMBER = r"\((?:[A-C]\.\d{1,3}|[1-5]\.\d{1,2}|\d{1,2})\)"
BREAK = r"\s+(?:(?:#|\*|//)\s+)?"
CITATION = re.compile(
    rf"\[({'|'.join(TEXTS)})\] ({NUMBER}(?:(?:,|,?{BREAK}(?:and|to|or|\+)){BREAK}{NUMBER})*)"
)
BARE = re.compile(r"\((?<![\w)\]]\()(?:[A-C]\.\d{1,3}|[2-5]\.[1-9]\d?)\)")
MODULE_DOCSTRING = re.compile(r'r?"""(?:.*?)"""', re.DOTALL)
DEFINITION = re.compile(r"( *)(?:def|class) (\w+)")
NAMED = re.compile(r"(?:def|class) (\w+)|(\w\w+)(?:: [^=]*)? = ")
C_FUNCTION = re.compile(r"^[a-z][\w *]*?\b(\w+)\([^;]*?\)\s*\{", re.MULTILINE | re.DOTALL)

Key = tuple[str, str]
"""Text and number of an equation; for a law, nothing and its name."""


@dataclass(frozen=True)
class Place:
    """Where an equation is: a file, relative to the root, a function or class in it, a line."""

    file: str
    name: str
    line: int


def files(folders: tuple[str, ...]) -> list[Path]:
    """Return the source files of folders."""
    found = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file()]
    return sorted(p for p in found if p.suffix in (".py", ".c", ".h"))


def citations(text: str) -> Iterator[tuple[Key, int]]:
    """Return the equations and laws that a text cites, and at which of its lines, from 1 on."""
    for found in CITATION.finditer(text):
        for number in re.finditer(NUMBER, found[2]):
            yield (found[1], number[0][1:-1]), _line(text, found.start(2) + number.start())
    for law in LAWS:
        if law in text:  # far faster than an expression of all of them
            yield from ((("", law), _line(text, m.start())) for m in re.finditer(law, text))


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


@cache
def marks(folders: tuple[str, ...]) -> dict[Key, list[Place]]:
    """Return the places of all equations and laws that the files of folders mark."""
    found: dict[Key, list[Place]] = {}
    for path in files(folders):
        text = path.read_text("utf-8")
        cited = list(citations(text))
        if not cited:
            continue
        name_at = _names_of_python(text) if path.suffix == ".py" else _names_of_c(text)
        file = path.relative_to(ROOT).as_posix()
        for key, line in cited:
            name = name_at(line)
            places = found.setdefault(key, [])
            if name is not None and all((p.file, p.name) != (file, name) for p in places):
                places.append(Place(file, name, line))
    return {key: places for key, places in found.items() if places}


def _names_of_python(text: str) -> Callable[[int], str | None]:
    """Return what tells the name of what a line is in or before; None in the module's docstring.

    It goes by indentation, for parsing takes longer than all the rest.
    """
    lines = text.split("\n")
    about = MODULE_DOCSTRING.match(text)
    code = _line(text, about.end()) if about else 0

    def name_at(line: int) -> str | None:
        if line <= code:
            return None
        names: list[str] = []
        indent = _indent(lines[line - 1]) + 1
        for above in reversed(lines[code:line]):
            head = DEFINITION.match(above)
            if head and len(head[1]) < indent:
                names.insert(0, head[2])
            if above.strip() and not above.lstrip().startswith((")", "]", "}")):
                indent = min(indent, _indent(above))
        return ".".join(names) or _value_at(lines, line)

    return name_at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _value_at(lines: list[str], line: int) -> str:
    """Return the constant that a docstring is of, or the name of what a comment is before."""
    here = lines[line - 1 :] if lines[line - 1].startswith(("#", "@")) else lines[line - 1 :: -1]
    found = next((match for at in here if (match := NAMED.match(at))), None)
    return found[1] or found[2] if found else ""


def _names_of_c(text: str) -> Callable[[int], str]:
    """Return what tells the name of the function that a line is in, or that its comment is of."""
    heads = [(_line(text, match.start(1)), match[1]) for match in C_FUNCTION.finditer(text)]
    ends = [_line(text, match.start() + 1) for match in re.finditer(r"\n\}", text)]

    def name_at(line: int) -> str:
        end = min((e for e in ends if e >= line), default=line)
        before = [name for start, name in heads if start <= line]
        after = [name for start, name in heads if line < start < end]
        return (after[:1] or before[-1:] or [""])[0]

    return name_at


def unmarked(folders: tuple[str, ...]) -> list[str]:
    """Return citations without their text in comments and docstrings, with file and line."""
    found = []
    for path in files(folders):
        text = path.read_text("utf-8")
        if bare(text):
            parts = _prose(text) if path.suffix == ".py" else [(text, 1)]
            file = path.relative_to(ROOT).as_posix()
            found += [f"{file}:{line}: {', '.join(b)}" for p, line in parts if (b := bare(p))]
    return found


def bare(text: str) -> list[str]:
    """Return the equations that a text cites without saying whose they are."""
    return BARE.findall(CITATION.sub("", text)) if BARE.search(text) else []


def _prose(text: str) -> Iterator[tuple[str, int]]:
    """Return comments and docstrings, but for that of the module, with their lines."""
    tree = ast.parse(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string, token.start[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            value = node.value.value
            if isinstance(value, str) and node is not tree.body[0]:
                yield value, node.lineno


def places() -> dict[Key, tuple[list[Place], list[Place]]]:
    """Return where equations and laws are in the code and in the tests, in the order of the texts.

    Raises
    ------
    ValueError
        If a mark has a number that has no description, or an equation has no mark any more.
    """
    code, tests = marks(CODE), marks(TESTS)
    known = [(text, number) for text, numbers in TEXTS.items() for number in numbers]
    known += [("", law) for law in LAWS]
    strange = [(key, at[0]) for found in (code, tests) for key, at in found.items()]
    told = [f"[{k[0]}] ({k[1]}) in {at.file}:{at.line}" for k, at in strange if k not in known]
    if told:
        raise ValueError(
            f"no description of {', '.join(told)}; correct the number, or describe the equation "
            "in docs/site/equation_names.py"
        )
    lost = [f"[{text}] ({number})" for text, number in known if (text, number) not in code | tests]
    if lost:
        raise ValueError(f"no line is marked with {', '.join(lost)}; mark it, or take out its name")
    return {key: (code.get(key, []), tests.get(key, [])) for key in known}


def table(lines: bool = False) -> str:
    """Return the table in Markdown, with the lines of all places if wanted."""
    rows = ["| equation | what it is | where | test |", "|---|---|---|---|"]
    for (text, number), (code, tests) in places().items():
        cited = f"[{text}] ({number})" if text else number
        what = TEXTS[text][number] if text else LAWS[number]
        rows.append(f"| {cited} | {what} | {_cell(code, lines)} | {_cell(tests, lines)} |")
    return "\n".join(rows) + "\n"


def _cell(found: list[Place], lines: bool) -> str:
    """Return places file by file: what is in a file stands behind it."""
    names: dict[str, list[str]] = {}
    for place in sorted(found, key=lambda place: (place.file, place.line)):
        name = f"`{place.name}`" if place.name else "the file itself"
        names.setdefault(place.file, []).append(name + (f" {place.line}" if lines else ""))
    return "; ".join(f"{file}: {', '.join(of)}" for file, of in names.items())


def page(lines: bool = False) -> str:
    """Return the page with the table as it is now."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return before + BEGIN + table(lines) + END + rest.partition(END)[2]


def with_lines(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the lines of all places into the page when the site is built."""
    if name == f"{PAGE.parent.name}/{PAGE.stem}":
        source[0] = page(lines=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", with_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
