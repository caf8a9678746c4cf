"""Which tests a change calls for: one table, from what is changed to the tests of it.

A file belongs to the row whose path is the longest one it begins with. Tests are folders or files
below ``tests/``; all in them count, heavy ones too. A row names what a change there has been
seen to break beside the room's own tests, not everything that imports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"

HOUSE = "house faults docs/test_docstrings.py"
"""Tests of every module of the library: rooms, sizes, faults, docstrings."""
FMUS = "fmu_src fmi/calls fmi/test_parity.py fmi/test_documentation.py"
"""Tests over all FMUs."""
SURVEYS = "mechanism_survey friction_survey exchange_survey"
"""Random mechanisms, without friction and with it; and impacts under masters of Model Exchange."""

ROOMS = {
    "mbcore/model": "model elements equations",
    "mbcore/formulas": "formulas fmi/test_documentation.py docs/test_atlas.py",
    "mbcore/host": "host native sweeps cli",
    "mbcore/elements": f"elements model equations mechanism_survey docs/test_atlas.py {FMUS}",
    "mbcore/elements/beams": "elements equations linear equilibria mechanism_survey fmu_src",
    "mbcore/elements/joints": f"elements model equations {SURVEYS} docs/test_atlas.py {FMUS}",
    "mbcore/elements/wheels": f"elements periodic/test_periodic_rolling.py {SURVEYS} fuzz {FMUS}",
    "mbcore/elements/friction": f"elements contact periodic {SURVEYS} fuzz linear {FMUS}",
    "mbcore/elements/tyres": f"elements/tyres cli examples {FMUS}",
    "mbcore/contact": f"contact elements/friction friction_survey fuzz {FMUS}",
    "mbcore/robots": "robots cli/test_robots.py docs/test_documents.py",
    "mbcore/drawing": "drawing results page docs fmu_src/test_fmu_pictures.py",
    "mbcore/equations": f"equations elements mechanism_survey native/test_parity.py linear {FMUS}",
    "mbcore/equations/unilateral": f"equations contact elements/friction friction_survey {FMUS}",
    "mbcore/integrators": "integrators codegen runtime evaluation native",
    "mbcore/codegen": "codegen native runtime fmi fmu_src fuzz",
    "mbcore/native": "native linear periodic sweeps integrators",
    "mbcore/evaluation": "evaluation equations native linear periodic contact",
    "mbcore/results": "results drawing native periodic",
    "mbcore/simulation": "evaluation native contact results integrators model",
    "mbcore/linear": "linear equilibria sweeps native small_vibrations",
    "mbcore/equilibria": "equilibria continuation sweeps elements/test_beam_deflections.py",
    "mbcore/small_vibrations": "small_vibrations native/test_backends.py examples",
    "mbcore/periodic": "periodic continuation native",
    "mbcore/continuation": "continuation native/test_backends.py",
    "mbcore/vibration": "periodic small_vibrations continuation",
    "mbcore/sweeps": "sweeps cli examples",
    "mbcore/runtime": f"runtime codegen contact fuzz importers fmi {FMUS}",
    "mbcore/fmi": "fmi importers fuzz runtime page fmu_src cli",
    "mbcore/drivers": "drivers identification optimization docs/test_documents.py",
    "mbcore/optimization": "optimization docs/test_documents.py",
    "mbcore/identification": "identification optimization cli docs/test_documents.py",
    "mbcore/gym": "gym docs/test_documents.py",
    "mbcore/cli": "cli page docs/test_documents.py",
    "mbcore/page": "page drawing cli",
    "mbcore/__init__.py": "model cli docs",
    "mbcore/__init__.pyi": "model cli docs",
    "mbcore/factories.py": "model drawing",
    "mbcore/factories.pyi": "house",
    "mbcore/__main__.py": "cli",
    "mbcore/version.py": "cli fmi/test_description.py",
    "mbcore/examples.py": "examples cli",
    "mbcore/fmus.py": "cli fmu_src",
    "mbcore/py.typed": "house",
    "fmu_src": f"cli examples fuzz importers {FMUS}",
    "build_fmu.py": "cli",
    "examples": "examples docs/test_gallery.py docs/test_notebooks.py",
    "benchmarks": "equations/test_scaling.py equations/test_mixed_chains.py house",
    "docs": "docs house/test_release.py",
    "README.md": "docs house/test_release.py",
    "CHANGELOG.md": "house/test_release.py docs/test_documents.py",
    "CONTRIBUTING.md": "docs/test_documents.py",
    "CITATION.cff": "house/test_release.py",
    "LICENSE": "house/test_release.py",
    "MANIFEST.in": "house/test_release.py",
    "pyproject.toml": "house/test_release.py faults",
    "setup.py": "house/test_release.py",
    ".ci": "house/test_release.py",
    ".gitignore": "house/test_release.py",
}
"""What is changed, and the tests that it calls for."""


def row_of(path: str) -> str | None:
    """Return the row of a file, by its path from the root; None where there is none."""
    found = [row for row in ROOMS if path == row or path.startswith(f"{row}/")]
    return max(found, key=len, default=None)


@cache
def definitions() -> frozenset[str]:
    """Return the names of the FMUs."""
    files = (ROOT / "fmu_src").iterdir()
    return frozenset(f.stem for f in files if f.suffix == ".py" or (f / "__init__.py").exists())


@cache
def _texts() -> dict[str, str]:
    files = TESTS.rglob("test_*.py")
    return {str(file.relative_to(TESTS)): file.read_text("utf-8") for file in files}


def naming(definition: str) -> set[str]:
    """Return the files of tests that name a definition of an FMU."""
    word = re.compile(rf"\b{definition}\b")
    return {name for name, text in _texts().items() if word.search(text)}


def _of_tests(path: str) -> set[str]:
    """Return the tests that a file below ``tests/`` calls for: itself, or those that share it."""
    within = Path(path).relative_to("tests")
    if within.name.startswith("test_"):
        return {str(within)}
    if len(within.parts) > 1:
        return {within.parts[0]}
    if within.name == "conftest.py":
        return set(FMUS.split())
    imported = re.compile(rf"\btests(\.| import (\w+, )*){within.stem}\b")
    return {name for name, text in _texts().items() if imported.search(text)}


def concerned(changed: Iterable[str]) -> list[str]:
    """Return the folders and files below ``tests/`` that changed files call for, in order.

    Parameters
    ----------
    changed : iterable of str
        Paths from the root.

    Raises
    ------
    KeyError
        Naming a file that no row of `ROOMS` has.
    """
    found: set[str] = set()
    for path in changed:
        if path.startswith("tests/"):
            found |= _of_tests(path)
            continue
        row = row_of(path)
        if row is None:
            raise KeyError(f"{path}: no row of tests/rooms.py has it; add one")
        found |= set(ROOMS[row].split())
        if path.startswith("mbcore/"):
            found |= set(HOUSE.split())
        if row == "fmu_src":
            name = Path(path).parts[1].removesuffix(".py")
            found |= naming(name) if name in definitions() else set()
    there = {name for name in found if (TESTS / name).exists()}
    return sorted(t for t in there if not any(str(above) in there for above in Path(t).parents))
