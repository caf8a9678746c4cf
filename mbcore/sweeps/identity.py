"""The identity of a sweep: digests of its task, the same in every process."""

from __future__ import annotations

import dataclasses
import dis
import functools
import hashlib
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.model.model import Model
from mbcore.sweeps.model_task import ModelTask
from mbcore.sweeps.outcome import Task
from mbcore.sweeps.source import Source
from mbcore.version import VERSION

BASIS = (
    *("newton", "place", "derivative", "output", "mass", "start"),
    *("indicator", "update", "project", "require", "conditioning", "rate_use"),
)
"""Functions of equations that determine all others."""
LIBRARIES = tuple(
    str(folder) + os.sep
    for folder in (*map(sysconfig.get_path, ("stdlib", "platstdlib")), Path(__file__).parents[1])
)
"""Folders of installed code, identified by name and version; other code may be edited."""
INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class Identity:
    """Digests that tell whether two sweeps evaluate the same.

    Attributes
    ----------
    title : str
        The task in words, for messages.
    versions : str
        Versions of the libraries that calculate.
    equations : str
        Digest of the equations that the task is about, empty where it is about none.
    task : str
        Digest of its settings and functions.
    """

    title: str
    versions: str
    equations: str
    task: str

    def change_from(self, old: Identity) -> str:
        """Return in words what differs from an older sweep; empty where nothing does."""
        if old.title != self.title:
            return f"task ({old.title}; now {self.title})"
        if old.versions != self.versions:
            return f"version ({old.versions}; now {self.versions})"
        if old.equations != self.equations:
            return (
                f"model ({self.title}: its equations, constants, ranges or start values have been "
                "changed since)"
            )
        if old.task != self.task:
            return (
                f"task ({self.title}: its settings, a function or a value that it uses have been "
                "changed since)"
            )
        return ""


def identity_of(task: Task) -> Identity:
    """Return the identity of a sweep of a task.

    Equations are identified by their functions and records; the task's own functions by their code,
    with the user's functions that these call and the numbers, texts and arrays that they refer to.
    Files that they read do not count.
    """
    versions = (
        f"mbcore {VERSION}, CasADi {ca.__version__}, "
        f"Python {'.'.join(platform.python_version_tuple()[:2])}"
    )
    if isinstance(task, ModelTask):
        equations, settings = digest_of_equations(task.equations), digest_of(task.settings)
        return Identity(title_of(task), versions, equations, settings)
    return Identity(title_of(task), versions, "", digest_of(task))


def title_of(task: Task) -> str:
    """Return a description of a task in one line."""
    title = getattr(task, "title", None)
    return title if isinstance(title, str) else _name(task)


def digest_of_equations(equations: Equations) -> str:
    """Return a digest of the equations: their functions and records."""
    found = hashlib.sha256()
    for name in BASIS:
        found.update(f"{name}\n{equations.functions[name].serialize()}\n".encode())
    kinds = ("parameters", "inputs", "states", "discretes", "events", "outputs", "requirements")
    for kind in kinds:
        for record in getattr(equations, kind):
            found.update(f"{kind} {_fields(record)}\n".encode())
    about = (
        *(equations.dofs, equations.speeds, equations.iterated, equations.superposed),
        *(equations.contacts, equations.held, equations.coordinate_names),
        *(equations.constraint_names, equations.indeterminate, equations.spins),
    )
    found.update(repr(about).encode())
    return found.hexdigest()


def digest_of(value: object) -> str:
    """Return a digest of a value with all that it refers to, of a function with its code."""
    noted = _Noted()
    noted.note(value)
    return noted.found.hexdigest()


def _fields(record: Any) -> list[tuple[str, str]]:
    """Return the fields of a record without its expressions, which are in functions."""
    pairs = ((part.name, getattr(record, part.name)) for part in dataclasses.fields(record))
    return [(name, _plain(value)) for name, value in pairs if not isinstance(value, ca.SX)]


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return str([_plain(part) for part in value if not isinstance(part, ca.SX)])
    if isinstance(getattr(value, "symbol", None), ca.SX):
        return str(value.name)
    return repr(value)


class _Noted:
    """Writes values into a digest; a repeated object is noted by its first occurrence."""

    def __init__(self) -> None:
        self.found = hashlib.sha256()
        self._known: dict[int, tuple[int, object]] = {}

    def note(self, value: Any) -> None:
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self._text(f"{type(value).__name__} {value!r}")
        elif id(value) in self._known:
            self._text(f"again {self._known[id(value)][0]}")
        else:
            # The value is stored with its number: once freed, its id could be another object's.
            self._known[id(value)] = (len(self._known), value)
            self._text(type(value).__qualname__)
            self._parts(value)

    def _text(self, text: str) -> None:
        # With its length, so that no two sequences of texts give the same bytes.
        self.found.update(f"{len(text)} {text}\n".encode())

    def _all(self, values: Iterable[Any]) -> None:
        for value in values:
            self.note(value)
        self._text("end")

    def _parts(self, value: Any) -> None:
        if isinstance(value, np.ndarray | np.generic):
            self._text(f"{value.dtype.str} {value.shape}")
            if value.dtype.hasobject:
                self._all(np.asarray(value).ravel().tolist())
            else:
                self.found.update(value.tobytes())
        elif isinstance(value, Mapping):
            self._all(part for pair in value.items() for part in pair)
        elif isinstance(value, list | tuple | range):
            self._all(value)
        elif isinstance(value, set | frozenset):
            # Sets of texts have another order in each process.
            self._all(sorted(digest_of(part) for part in value))
        elif isinstance(value, Equations | Model | Source | ModelTask):
            self._about_models(value)
        elif isinstance(value, os.PathLike):
            self._text(os.fspath(value))
        elif isinstance(value, ca.SX | ca.DM):
            self._text(str(value))
        else:
            self._code_and_others(value)

    def _about_models(self, value: Any) -> None:
        if isinstance(value, ModelTask):
            parts = vars(value).items()
            self._all(
                part for pair in parts if pair[0] not in ("source", "_kinds") for part in pair
            )
            value = value.source
        if isinstance(value, Source | Model):
            try:
                value = value.equations()
            except ModelError as error:  # the model is incomplete
                self._text(str(error))
                return
        self._text(digest_of_equations(value))

    def _code_and_others(self, value: Any) -> None:
        if isinstance(value, functools.partial):
            self._all([value.func, value.args, value.keywords])
        elif isinstance(value, MethodType):
            self._all([value.__func__, value.__self__])
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, CodeType):
            self._code(value)
        elif isinstance(value, ModuleType):
            self._module(value)
        elif isinstance(value, type):
            self._text(_name(value))
            if not _in_library(_file_of(value)):
                self._members(value)
        else:
            self.note(type(value))
            if dataclasses.is_dataclass(value) or not _in_library(_file_of(type(value))):
                self.note(getattr(value, "__dict__", {}))

    def _members(self, kind: type) -> None:
        for name, part in vars(kind).items():
            part = getattr(part, "__func__", getattr(part, "fget", part))
            if isinstance(part, FunctionType) or not name.startswith("__"):
                self._text(name)
                self.note(part)

    def _function(self, function: FunctionType) -> None:
        self._text(_name(function))
        if _in_library(function.__code__.co_filename):
            return
        self.note(function.__code__)
        self._all([function.__defaults__, function.__kwdefaults__])
        for cell in function.__closure__ or ():
            try:
                self.note(cell.cell_contents)
            except ValueError:  # a closure variable has no value yet
                self._text("empty")
        # A changed constant or helper in the user's file changes what the task computes.
        for name in _globals_of(function.__code__):
            if name in function.__globals__:
                self._text(name)
                self.note(function.__globals__[name])

    def _code(self, code: CodeType) -> None:
        self._text(f"{code.co_code.hex()} {code.co_names} {code.co_varnames}")
        self._all(code.co_consts)

    def _module(self, module: ModuleType) -> None:
        self._text(module.__name__)
        file = getattr(module, "__file__", None)
        if file and not _in_library(file):
            try:
                self.found.update(Path(file).read_bytes())
            except OSError:
                self._text("not there")


def _globals_of(code: CodeType) -> list[str]:
    """Return the global names that code and the functions inside of it read, in order."""
    names = [
        str(step.argval)
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    ]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names += _globals_of(inner)
    return list(dict.fromkeys(names))


def _name(value: Any) -> str:
    return (
        f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
    )


def _file_of(kind: type) -> str:
    if kind.__module__ == "__main__":  # a script or a session; the file may be that of a tool
        return "<main>"
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or f"<{kind.__module__}>"


def _in_library(file: str) -> bool:
    """Whether code is of an installed library, Python itself or this one."""
    if file.startswith("<"):
        return file.startswith("<frozen") or file == "<builtins>"
    path = Path(file).absolute()
    return str(path).startswith(LIBRARIES) or not INSTALLED.isdisjoint(path.parts)
