"""Lines of code of each room: ``python -m benchmarks.lines_of_code [FOLDER]``, a checkout.

Of Python without docstrings, comments, blank lines and imports; of C all lines, and those without
comments and blank lines.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("mbcore", "fmu_src", "tests")
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
COMMENT_IN_C = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def left_out(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the imports of a module and all texts that are statements, docstrings first of all."""
    for node in ast.walk(tree):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            text and isinstance(node.value.value, str)
        ):
            yield node


def lines_of_python(text: str) -> int:
    """Return the number of lines of a module on which code stands."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in left_out(ast.parse(text)):
        lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def lines_of_c(text: str) -> tuple[int, int]:
    """Return the number of lines of a C file, and of those on which code stands."""
    bare = COMMENT_IN_C.sub(lambda found: "\n" * found[0].count("\n"), text)
    return len(text.splitlines()), sum(bool(line.strip()) for line in bare.splitlines())


def counted(folder: Path) -> dict[str, Counter[str]]:
    """Return the lines of each room and of the rooms in it, by language."""
    found: dict[str, Counter[str]] = {}
    for top in ROOMS:
        for file in sorted((folder / top).rglob("*.*")):
            inside = file.relative_to(folder).parts[:-1]
            text = file.read_text("utf-8") if file.suffix in (".py", ".c", ".h") else ""
            lines = Counter[str]()
            if file.suffix == ".py":
                lines["Python"] = lines_of_python(text)
            elif text:
                lines["C"], lines["C, code alone"] = lines_of_c(text)
            for room in {top, "/".join(inside[:2])}:
                found.setdefault(room, Counter()).update(lines)
    return {room: lines for room, lines in found.items() if lines.total()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1])
    found = counted(parser.parse_args().folder)
    kinds = ("Python", "C", "C, code alone")
    print(f"{'room':28}" + "".join(f"{kind:>15}" for kind in kinds))
    for room in sorted(found):
        print(f"{room:28}" + "".join(f"{found[room][kind]:15,}" for kind in kinds))


if __name__ == "__main__":
    main()
