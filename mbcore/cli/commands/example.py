"""The subcommand ``example``: lists the examples, or copies one to a folder and runs it."""

from __future__ import annotations

import argparse
import ast
import importlib
import shutil
import subprocess
import sys
from pathlib import Path

from mbcore.cli.parser import refuse_idle
from mbcore.cli.wrong_call import WrongCallError
from mbcore.model.near_names import near

HELP = "list the examples, or copy one and run it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the example, and where it is copied to."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="an example; all are listed by default"
    )
    parser.add_argument("--folder", metavar="DIR", help="where to copy it; here by default")
    parser.add_argument("--copy-only", action="store_true", help="do not run it")


def run(options: argparse.Namespace) -> int:
    """List the examples, or copy one and run it; return the exit status, that of the example."""
    found = examples()
    if options.name is None:
        refuse_idle(options, ("folder", "copy-only"), "without a NAME; name the example to copy")
        print(listed(found))
        return 0
    if options.name not in found:
        meant = near(options.name, list(found), 1)
        hint = f"did you mean {meant[0]!r}? " if meant else ""
        raise WrongCallError(f"no example {options.name!r}; {hint}'mbcore example' lists them")
    folder = Path("." if options.folder is None else options.folder)
    if not folder.is_dir():
        raise WrongCallError(f"--folder {options.folder!r}: there is no such folder; make it first")
    copy = folder / found[options.name].name
    if copy.exists():
        raise WrongCallError(
            f"{copy} exists already; give another --folder, or run 'python {copy}'"
        )
    shutil.copyfile(found[options.name], copy)
    print(f"wrote {copy}; what it imports from mbcore.examples is installed", flush=True)
    if options.copy_only:
        print(f"next: python {copy}")
        return 0
    return subprocess.run([sys.executable, copy.name], cwd=folder, check=False).returncode


def examples() -> dict[str, Path]:
    """Return the files of the examples by their names: those that can be run."""
    folder = Path(next(iter(importlib.import_module("mbcore.examples").__path__)))
    return {
        file.stem: file
        for file in sorted(folder.rglob("*.py"))
        if "\ndef main(" in file.read_text(encoding="utf-8")
    }


def listed(found: dict[str, Path]) -> str:
    """Return the names and titles of examples, by their folders."""
    lines = []
    width = max(map(len, found))
    for folder in dict.fromkeys(file.parent.name for file in found.values()):
        lines += ["", folder]
        for name, file in found.items():
            if file.parent.name == folder:
                said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
                lines.append(f"  {name:{width}}  {said.partition(chr(10))[0].rstrip('.')}")
    return "\n".join(
        [*lines[1:], "", "'mbcore example NAME' copies one to this folder and runs it."]
    )
