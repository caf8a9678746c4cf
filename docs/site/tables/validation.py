"""The page of what is validated: ``python -m docs.site.tables.validation`` writes it anew.

Each number that an example is held to by its test is computed and put beside the expected one, with
its source. Names of examples measure these alone; the other figures stay as they were stored::

    python -m docs.site.tables.validation
    python -m docs.site.tables.validation bouncing_ball rotor
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.docs.claims import CONSTANTS, DERIVED, HELD, ONCE, PRINTED
from tests.examples.expected import EXPECTED, MECHANISMS, ROLLING

THEORY = Path(__file__).parents[2] / "theory"
PAGE = THEORY / "validation.md"
FIGURES = THEORY / "validation.json"
BEGIN, END = "<!-- numbers -->\n", "<!-- end -->"
CLAIMS, CLAIMED = "<!-- claims -->\n", "<!-- end of claims -->"
FILES = {"rolling.py": ROLLING, "mechanisms.py": MECHANISMS}


def measured(names: Iterable[str]) -> dict[str, dict[str, float]]:
    """Run examples, and return the numbers that their tests expect."""
    from tests.examples.test_examples import run

    found = {}
    for name in names:
        print(name, file=sys.stderr, flush=True)
        numbers = run(name).numbers
        found[name] = {key: float(numbers[key]) for key in EXPECTED[name].numbers}
    return found


def stored() -> dict[str, dict[str, float]]:
    """Return the figures of the last runs."""
    figures: dict[str, dict[str, float]] = json.loads(FIGURES.read_text("utf-8"))
    return figures


def tables(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Return one table for each example, in Markdown.

    Raises
    ------
    KeyError
        If a number that is expected has not been measured; its example is to be run.
    """
    parts = []
    for file, examples in FILES.items():
        for name, expected in examples.items():
            rows = [
                f"| `{key}` | {value:.10g} | {figures[name][key]:.10g} | "
                f"{abs(figures[name][key] - value):.1e} | {within:.0e} |"
                for key, (value, within) in expected.numbers.items()
            ]
            parts.append(
                f"### `{name}`\n\n{expected.source}. Held by `tests/examples/expected/{file}`.\n\n"
                "| number | expected | ours | apart | within |\n|---|---:|---:|---:|---:|\n"
                + "\n".join(rows)
            )
    return "\n\n".join(parts) + "\n"


def claims() -> str:
    """Return who repeats the figures of the documents, in Markdown; those of nobody come first."""
    rows = [(row.page, row.words, f"none: {row.what}", "measured once") for row in ONCE]
    rows += [
        (row.page, row.words, "what it prints", f"`mbcore example {row.example}`")
        for row in PRINTED
    ]
    rows += [(row.page, row.words, "the code", f"`{row.place}`") for row in CONSTANTS]
    checked = "`tests/docs/test_claims.py`"
    rows += [(row.page, row.words, row.said, checked) for row in DERIVED]
    rows += [(row.page, row.words, row.judge, f"`{row.by}`") for row in HELD]
    lines = ["| document | words | judge | test or command |", "|---|---|---|---|"]
    for name, words, judge, by in rows:
        place = name.removeprefix("docs/")
        said = " ".join(words.replace("|", "").replace("`", "").split())
        lines.append(f"| `{place}` | {said} | {judge.replace('|', '&#124;')} | {by} |")
    return "\n".join(lines) + "\n"


def page(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Return the page with these figures."""
    text = _filled(PAGE.read_text("utf-8"), CLAIMS, claims(), CLAIMED)
    return _filled(text, BEGIN, tables(figures), END)


def _filled(text: str, begin: str, content: str, end: str) -> str:
    """Return a text with other content between two marks."""
    before, _, rest = text.partition(begin)
    return before + begin + content + end + rest.partition(end)[2]


def main() -> None:
    """Measure examples, all without a name, and write figures and page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*EXPECTED, []], metavar="EXAMPLE")
    names = parser.parse_args().names
    kept = stored() if names else {}
    figures = kept | measured(names or EXPECTED)
    text = json.dumps({name: figures[name] for name in EXPECTED}, indent=1, ensure_ascii=False)
    FIGURES.write_text(text + "\n", "utf-8")
    PAGE.write_text(page(figures), "utf-8")


if __name__ == "__main__":
    main()
