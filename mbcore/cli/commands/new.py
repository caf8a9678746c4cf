"""The subcommand ``new``: writes a component that builds at once, with its test."""

from __future__ import annotations

import argparse
import importlib.util
import keyword
import re
from pathlib import Path
from string import Template

from mbcore.cli.definitions import definitions
from mbcore.cli.wrong_call import WrongCallError

HELP = "write a component of one's own, which builds at once, and its test"

TEMPLATES = Path(__file__).parents[1] / "templates"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a new component."""
    parser.add_argument("name", metavar="NAME", help="letters, digits and underscores")
    parser.add_argument(
        "--folder", default=".", metavar="DIR", help="where to write it; here by default"
    )


def run(options: argparse.Namespace) -> int:
    """Write NAME.py and test_NAME.py, and say what can be done with them; return the status."""
    name = checked_name(options.name)
    folder = Path(options.folder)
    if not folder.is_dir():
        raise WrongCallError(f"--folder {options.folder!r}: there is no such folder; make it first")
    files = {folder / f"{name}.py": "component.txt", folder / f"test_{name}.py": "test.txt"}
    for file in files:
        if file.exists():
            raise WrongCallError(f"{file} exists already; choose another name, or move it away")
    for file, template in files.items():
        text = Template((TEMPLATES / template).read_text(encoding="utf-8"))
        file.write_text(text.substitute(name=name), encoding="utf-8")
        print(f"wrote {file}")
    where = next(iter(files))
    print(f"next: mbcore run {where} --plot {name}.png")
    print(f"      mbcore page {where} --open")
    print(f"      mbcore build {where}")
    print(f"      python -m pytest {folder / f'test_{name}.py'}  (after: pip install pytest)")
    return 0


def checked_name(name: str) -> str:
    """Return a name that a file, a module and an FMU can have.

    Raises
    ------
    WrongCallError
        It is not an identifier, or would shadow an importable module.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        near = re.sub(r"\W+", "_", name.removesuffix(".py"), flags=re.ASCII).strip("_")
        near = f"my_{near}" if not near[:1].isalpha() or keyword.iskeyword(near) else near
        raise WrongCallError(
            f"{name!r} cannot be the name of a component: give letters, digits and underscores, "
            f"not a digit first, as in {near!r}"
        )
    if name in definitions():
        raise WrongCallError(f"{name} is a component of the library; choose another name")
    if importlib.util.find_spec(name) is not None and not Path(f"{name}.py").exists():
        raise WrongCallError(f"a file {name}.py would hide the module {name}; choose another name")
    return name
