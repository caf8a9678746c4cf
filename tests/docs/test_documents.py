"""Every block of code in README.md and docs/ is run, alone, and prints what it says it prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

from docs.site import check
from docs.site.blocks import FENCE, FMU, Block, blocks_of, pages, write_files
from docs.site.tables import methods
from mbcore import formulas
from mbcore.integrators import table as integrators
from mbcore.model.element import Element
from mbcore.native import compiled
from tests.conftest import Archives
from tests.importers.faults import FAULTS

ROOT = Path(__file__).parents[2]
RUN_ELSEWHERE = "docs/fmu/importers.md"
"""Its blocks are the clients' examples, which `tests/importers` runs in processes of their own."""
SHOWN_ONLY = {"text", "console", "toml", "c"}
DECIMAL = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e[-+]?\d+)?")
LONG = (
    "export(",
    "build/",
    "continuation(",
    "linearize(",
    "closed_loop(equations",  # builds an FMU of them
    " = System(",  # builds FMUs of its units
    ".animate(",
    ".bode(",
    "Radau",
    "write_page(",
    'backend="c"',
    "equations.compile(",
    "linearizations(",
    "simulate_many(",
    "until=87",
    "steady_motion(",
    "lyapunov_exponents(",
    "linearizer.at(",
    ".play(",
    "or_else=",
    "samples=3001",
    "trailer",
    "mbcore.gym",
    "slider_crank(of",
    "Ground(friction",
    "nominal_range(",
    "fit(",
    "FlatContact(",
    "fmus import mecanum",
    "store=file",
    "import clearance",
    "backspin",
    "billiard",
    "to_xarray",
)
"""Blocks with one of these take seconds, or most of one."""
IN_C = "continuation("
"""Blocks with this take ten seconds in Python; a reader's are compiled, too."""


def blocks(*languages: str) -> list[Block]:
    """Return the blocks of all pages, in these languages."""
    found = [block for page in pages() for block in blocks_of(page)]
    return [b for b in found if b.language in languages] if languages else found


PYTHON = [b for b in blocks("python") if b.page != RUN_ELSEWHERE]


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    "block",
    [
        pytest.param(
            b, id=b.name, marks=[pytest.mark.heavy] if any(w in b.text for w in LONG) else []
        )
        for b in PYTHON
    ],
)
def test_python_block_runs_alone(
    block: Block,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "mbcore.gym" in block.text:
        pytest.importorskip("gymnasium", reason="the extra gym is not installed")
    if "from_mjcf" in block.text:
        pytest.importorskip("mujoco", reason="the extra mjcf is not installed")
    matplotlib.use("Agg")
    if IN_C in block.text:
        monkeypatch.setenv(compiled.VARIABLE, "c")
    monkeypatch.setattr(integrators, "_methods", integrators.methods())  # a page adds to them
    for fmi, name in FMU.findall(block.text):
        if "export(" in block.text:
            continue
        archives: Archives = request.getfixturevalue("archives")
        target = tmp_path / "build" / f"fmi{fmi}" / f"{name}.fmu"
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.symlink_to(archives[name, f"{fmi}.0"].path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    page = blocks_of(ROOT / block.page)
    write_files(block, page, tmp_path)
    for other in page:  # another page may have a file of that name
        monkeypatch.delitem(sys.modules, (other.file or "").removesuffix(".py"), raising=False)
    printed: list[str] = []

    def show(*values: object, **_: object) -> None:
        printed.append(" ".join(str(value) for value in values))

    code = compile(block.text, block.name, "exec")
    exec(code, {"__name__": "__main__", "print": show})
    promised = [line for line in block.text.splitlines() if line.startswith("print(")]
    assert len(printed) >= len(promised)
    if len(printed) == len(promised):
        for line, output in zip(promised, printed, strict=True):
            check_promise(line, output)


def check_promise(line: str, output: str) -> None:
    """Assert that decimal numbers, True and False in a line's comment are among what it printed."""
    values = [float(number) for number in NUMBER.findall(output)]
    comment = line.partition("  # ")[2]
    for truth in ("True", "False"):
        assert truth not in comment or truth in output, f"{line!r}, but {output!r} is printed"
    for text in DECIMAL.findall(comment):
        digits = len(text.partition(".")[2].partition("e")[0])
        half = 0.5000001 * 10.0 ** (int(text.partition("e")[2] or 0) - digits)
        near = [value for value in values if abs(value - float(text)) <= half]
        assert near, f"{line!r} promises {text}, but {output!r} is printed"


def test_a_broken_promise_is_seen() -> None:
    check_promise("print(x)  # 0.4426  -6.1191, of 3", "0.442571 -6.11909")
    with pytest.raises(AssertionError, match=r"promises 0\.4426"):
        check_promise("print(x)  # 0.4426", "0.4427")
    with pytest.raises(AssertionError, match="False"):
        check_promise("print(x < 1)  # True", "False")


def test_the_page_on_methods_lists_those_that_there_are() -> None:
    assert methods.PAGE.read_text("utf-8") == methods.page(), (
        "run python -m docs.site.tables.methods"
    )


def test_every_block_says_its_language() -> None:
    for block in blocks():
        directive = block.language.startswith("{")
        known = {"python", "sh"} | SHOWN_ONLY
        assert directive or block.language in known, f"{block.name}: {block.language!r}"


def test_blocks_of_the_importers_are_those_that_are_run() -> None:
    """What cannot run alone there is how to reproduce a fault, marked as text."""
    shown = [b for b in blocks() if b.page == RUN_ELSEWHERE]
    clients = [p.read_text("utf-8") for p in (ROOT / "tests" / "importers").glob("client_*.py")]
    faults = {fault.reproduction for fault in FAULTS}
    for block in shown:
        if block.language == "python":
            assert any(block.text in client for client in clients), block.name
        else:
            assert block.text in faults, block.name


@pytest.mark.parametrize("block", [pytest.param(b, id=b.name) for b in blocks("sh")])
def test_shell_block_names_what_is_there(block: Block) -> None:
    """The shell can read it, and every file of this repository that it runs is there."""
    if os.name == "posix":
        read = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
        assert read.returncode == 0, read.stderr
    for line in block.text.splitlines():
        words = shlex.split(line, comments=True)
        for before, word in zip([""] + words, words, strict=False):
            if word.endswith(".py") and before.endswith("python"):
                assert (ROOT / word).is_file(), f"{block.name}: there is no {word}"
            if before == "-m" and word.startswith(("docs.", "tests.", "benchmarks.", "mbcore")):
                module = ROOT / word.replace(".", "/")
                there = module.with_suffix(".py").is_file() or (module / "__main__.py").is_file()
                assert there, f"{block.name}: there is no module {word}"


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *pages()], ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert "generated/" in target or (page.parent / target).exists(), target


def test_what_the_pages_of_classes_leave_out_exists() -> None:
    listed = re.compile(r"autoclass:: (\S+)\n +:exclude-members: (.+)")
    pages = (ROOT / "docs" / "api").glob("*.md")
    found = [match for page in pages for match in listed.findall(page.read_text("utf-8"))]
    assert len(found) > 20
    missing = [
        (name, member)
        for name, members in found
        for member in members.split(", ")
        if not hasattr(Element, member)
    ]
    assert missing == []


CODE_AND_LATEX = re.compile(
    r"^(`{3,}).*?^\1|\$\$.*?\$\$|\$[^$\n]*\$|`[^`]*`|\]\([^)]*\)|^#.*?$", re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("page", pages(), ids=lambda p: p.stem)
def test_formulas_in_sentences_can_be_read(page: Path) -> None:
    """What is left as text has no sign of a formula, which the site's check would find later."""
    for line in CODE_AND_LATEX.sub("", page.read_text(encoding="utf-8")).splitlines():
        for text, formula in formulas.pieces(line):
            if formula:
                formulas.inline(text)
            else:
                assert not check.signs_of_formulas(text), f"{line!r}: write LaTeX in dollar signs"
