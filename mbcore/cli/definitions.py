"""Files that define components: the library's own and the user's. None is run here."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from mbcore.cli.wrong_call import WrongCallError
from mbcore.host.definition_files import SHIPPED, defined_name
from mbcore.model.errors import ModelError
from mbcore.model.near_names import near


def definitions(folder: Path = SHIPPED) -> dict[str, Path]:
    """Return the files of a folder that define an FMU, by its name.

    One that takes several files is a package in a folder of its own.

    Raises
    ------
    ModelError
        There are none.
    """
    files = {defined_name(file): file for file in folder.glob("*/__init__.py")}
    files |= {file.stem: file for file in folder.glob("*.py")}
    found = {name: files[name] for name in sorted(files) if "component" in functions(files[name])}
    if not found:
        raise ModelError(f"no FMU is defined in {folder}: no file there has a component()")
    return found


def functions(file: Path) -> list[str]:
    """Return the names that a file gives to functions of its own, or of those that it imports.

    The file is not run.

    Raises
    ------
    ModelError
        Fault of the file, and its line.
    """
    return [name for node in _syntax(file).body for name in _named(node)]


def _named(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    return []


def one_line_description(file: Path) -> str:
    """Return the file's DESCRIPTION, or its docstring's first line, without running it."""
    return (
        constant(file, "DESCRIPTION") or (ast.get_docstring(_syntax(file)) or "").partition("\n")[0]
    )


def constant(file: Path, name: str) -> str:
    """Return the text that a file assigns to a name, without running it; empty if it has none."""
    for node in _syntax(file).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
        ):
            try:
                return str(ast.literal_eval(node.value))
            except ValueError:
                break
    return ""


def _syntax(file: Path) -> ast.Module:
    try:
        return _parsed(file.read_text(encoding="utf-8"), str(file))
    except SyntaxError as error:
        raise ModelError(f"{file}, line {error.lineno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{file} is not a Python file: {error}") from error


_parsed = cache(ast.parse)
"""A text's syntax, which is read several times for one command."""


def located(name: str, found: dict[str, Path]) -> Path:
    """Return the file that defines what a name or a path stands for.

    Parameters
    ----------
    name : str
        One of ``found``, or a path: it ends in ``.py``, ``.urdf`` or ``.xml``, or is a package's
        folder.
    found : mapping of str to Path
        Files by the names of what they define.

    Raises
    ------
    WrongCallError
        There is no such name or file; the message lists similar names, and all.
    """
    if name in found:
        return found[name]
    file = Path(name)
    if is_package(file):
        return file / "__init__.py"
    if file.suffix == ".py" or file.suffix.lower() in (".urdf", ".xml"):
        if not file.is_file():
            here = near(file.name, [other.name for other in file.parent.glob(f"*{file.suffix}")])
            here += [f"the component {other!r}" for other in near(file.stem, list(found), 1)]
            meant = f"did you mean {' or '.join(here)}?" if here else "give a file or a component"
            raise WrongCallError(f"there is no file {name}; {meant}")
        return file
    if file.suffix.lower() == ".fmu":
        raise WrongCallError(f"{name} is an FMU; give its definition, a component or NAME.py")
    raise WrongCallError(unknown_names([name], found))


def is_package(path: Path) -> bool:
    """Return whether a path is a folder that holds a package."""
    return (path / "__init__.py").is_file()


def unknown_names(names: list[str], found: dict[str, Path]) -> str:
    """Return what to say of names that no definition has."""
    meant = [repr(other) for name in names for other in near(name, list(found))]
    files = [f"{name}.py" for name in names if Path(f"{name}.py").is_file()]
    hint = f"; did you mean {' or '.join([*files, *meant])}? There" if meant or files else "; there"
    return f"no FMU is called {', '.join(map(repr, names))}{hint} are {', '.join(found)}"


def list_definitions(found: dict[str, Path]) -> int:
    """Print names and one-line descriptions; return 0."""
    width = max(map(len, found))
    for name, file in found.items():
        print(f"{name:{width}}  {one_line_description(file)}")
    return 0
