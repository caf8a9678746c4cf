"""Where components are defined: the library's own, and files of the user's."""

from __future__ import annotations

import ast
import sys
import traceback
from pathlib import Path

from mbcore.equations.equations import Equations
from mbcore.equations.model import Model
from mbcore.fmi.component import Component, as_component
from mbcore.fmi.python_slave import load_component, load_module
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.shown import near

SHIPPED = Path(__file__).parents[1] / "fmus"
"""Definitions of the FMUs that come with the library."""
_OWN = (ModelError, ConfigurationError, SimulationError)


def definitions(folder: Path = SHIPPED) -> dict[str, Path]:
    """Return the files of a folder that define an FMU, by its name.

    Raises
    ------
    ModelError
        There are none.
    """
    found = {
        file.stem: file for file in sorted(folder.glob("*.py")) if "component" in functions(file)
    }
    if not found:
        raise ModelError(f"no FMU is defined in {folder}: no file there has a component()")
    return found


def functions(file: Path) -> list[str]:
    """Return the names of the functions in a file, without running it.

    Raises
    ------
    ModelError
        What is wrong with the file, and in which line.
    """
    return [node.name for node in _syntax(file).body if isinstance(node, ast.FunctionDef)]


def one_line_description(file: Path) -> str:
    """Return the file's DESCRIPTION, or its docstring's first line, without running it."""
    tree = _syntax(file)
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "DESCRIPTION"
        ):
            try:
                return str(ast.literal_eval(node.value))
            except ValueError:
                break
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def _syntax(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8"), str(file))
    except SyntaxError as error:
        raise ModelError(f"{file}, line {error.lineno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{file} is no Python file: {error}") from error


def located(name: str, found: dict[str, Path]) -> Path:
    """Return the file that defines what a name or a path stands for.

    Parameters
    ----------
    name : str
        One of ``found``, or a path that ends in ``.py``.
    found : mapping of str to Path
        Files by the names of what they define.

    Raises
    ------
    ModelError
        There is no such name or file; tells those that are near, and all.
    """
    if name in found:
        return found[name]
    file = Path(name)
    if file.suffix == ".py":
        if not file.is_file():
            here = near(file.name, [other.name for other in file.parent.glob("*.py")])
            meant = f"; did you mean {' or '.join(here)}?" if here else ""
            raise ModelError(f"there is no file {name}{meant}")
        return file
    raise ModelError(unknown_names([name], found))


def unknown_names(names: list[str], found: dict[str, Path]) -> str:
    """Return what to say of names that no definition has."""
    meant = [repr(other) for name in names for other in near(name, list(found))]
    files = [f"{name}.py" for name in names if Path(f"{name}.py").is_file()]
    hint = f"; did you mean {' or '.join([*files, *meant])}?" if meant or files else ""
    return f"no FMU is called {', '.join(map(repr, names))}{hint}; there is {', '.join(found)}"


def importable(file: Path) -> None:
    """Let a definition import its neighbours, as ``NAME`` and as ``FOLDER.NAME``."""
    folder = file.resolve().parent
    if folder != SHIPPED:
        for parent in (str(folder.parent), str(folder)):
            if parent not in sys.path:
                sys.path.insert(0, parent)


def load(file: Path) -> Component:
    """Return the component that a file defines, or one made of what its ``model()`` returns.

    Raises
    ------
    ModelError
        The file defines neither, or fails; names the line.
    """
    importable(file)
    defined = functions(file)
    try:
        if "component" in defined:
            return load_component(file)
        if "model" not in defined:
            raise ModelError(
                f"{file} has no function component() that returns a mbcore.fmi.Component, and no "
                "model() that returns a Model; 'mbcore new NAME' writes a file that has both"
            )
        made = load_module(file).model()
    except _OWN:
        raise
    except Exception as error:
        raise ModelError(_where(file, error)) from error
    if isinstance(made, Model):
        made = made.equations()
    if not isinstance(made, Equations):
        raise ModelError(f"model() of {file} gives {made!r}, expected a Model or its equations")
    return as_component(made)


def _where(file: Path, error: Exception) -> str:
    """Return what to say of an error in a user's file: its last line there, kind and words."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    place = f", line {lines[-1]}" if lines else ""
    return f"{file}{place}: {type(error).__name__}: {error}"
