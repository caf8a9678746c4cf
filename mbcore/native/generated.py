"""The C of equations and the files that are made of it.

It stands apart from `mbcore.native.library`, which imports it on demand: runs that are short need
neither the rooms that write C nor the cache.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path

import casadi

from mbcore.codegen.background import InBackground
from mbcore.codegen.c_model import generate
from mbcore.codegen.lanes import in_lanes
from mbcore.codegen.model_source.tables import tables
from mbcore.codegen.rows import SOLVER_PARAMETERS, Table
from mbcore.equations.equations import Equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.host.vectors import vectors
from mbcore.native.cache import compiled, prepare_runtime, remember, remembered
from mbcore.native.extents import Extent, serving

_WITHOUT: dict[Extent, tuple[str, ...]] = {
    "runs": ("adjoint_change", "rate_use", "start", "change"),
    "implicit runs": ("adjoint_change", "rate_use", "start"),
    "analyses": ("adjoint_change",),
    "batches": ("adjoint_change",),
    "held": tuple(FUNCTIONS),
}
"""Functions of the runtime that nothing calls there."""
_OF_RUNS: tuple[Extent, ...] = ("runs", "implicit runs")
"""Extents without flows, whose libraries lack these functions."""
_IN_LANES: tuple[Extent, ...] = ("implicit runs", "analyses", "batches")
"""Extents whose Jacobians, and columns of changes, are calculated in vectors."""
OTHERS = ("mass", "remembered_change", "indicator_change", "jump_change", "project_change")
"""Functions that only analyses call."""
HELD = ("held", "held_change")
"""Functions of held motions."""
_BASIC = (
    *("newton", "place", "derivative", "output", "indicator", "update", "project", "require"),
    *("conditioning", "rate_use", "start"),
)
"""Functions from which, and from the tables, all others follow."""
LARGE, SMALL = 2.0, 1000
"""Size of a function, in parts of the derivative's, and what may be added to that: only Python
evaluates larger ones."""

_BASES: weakref.WeakKeyDictionary[Equations, bytes] = weakref.WeakKeyDictionary()


def remembered_file(equations: Equations, extent: Extent) -> Path | None:
    """Return the file of equations that were compiled before, for this extent or a larger one."""
    found = (remembered(_identity(equations, more)) for more in serving(extent))
    return next((path for path in found if path is not None), None)


def compiling(equations: Equations, extent: Extent) -> Callable[[], Path]:
    """Write the C of equations; return what compiles it, in any thread, and returns the file.

    Expressions are no matter for several threads, so all that needs them is done at once.
    """
    prepare_runtime()
    identity, source = _identity(equations, extent), _source(equations, extent)
    name, analyses = equations.name, extent not in _OF_RUNS

    def compile_it() -> Path:
        path = compiled(source, name, analyses)
        remember(identity, path)
        return path

    return compile_it


def compiling_in_background(equations: Equations, extent: Extent) -> InBackground:
    """Write the C of equations, and let a thread compile it."""
    return InBackground(compiling(equations, extent))


def compiles(equations: Equations, name: str) -> bool:
    """Return whether a function that the runtime does not need is compiled for analyses.

    The reduced mass matrix as an expression grows with the cube of the model's size.
    """
    if name not in OTHERS or (name == "remembered_change" and not equations.remembered.numbers):
        return False
    size = {n: equations.functions[n].n_instructions() for n in (name, "derivative")}
    return size[name] <= LARGE * size["derivative"] + SMALL


def _identity(equations: Equations, extent: Extent) -> str:
    """Return a digest of what the C of equations follows from: functions, tables, this package."""
    digest = hashlib.sha256(f"{extent}\n{_package()}\n{casadi.__version__}\n".encode())
    if extent in _IN_LANES:
        digest.update(f"{vectors()}\n".encode())
    if extent == "held" and equations.held_motion is not None:
        digest.update(f"{equations.held_motion.formulas().serialize()}\n".encode())
    digest.update(_basis(equations))
    return digest.hexdigest()


def _basis(equations: Equations) -> bytes:
    """Return a digest of the functions and tables from which all others follow."""
    found = _BASES.get(equations)
    if found is None:
        digest = hashlib.sha256(tables(equations, _table(equations)).encode())
        for name in _BASIC:
            digest.update(f"{name}\n{equations.functions[name].serialize()}\n".encode())
        found = _BASES[equations] = digest.digest()
    return found


@cache
def _package() -> str:
    """Return a digest of the Python code of mbcore."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for file in sorted(root.rglob("*.py")):
        digest.update(f"{file.relative_to(root).as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _table(equations: Equations) -> Table:
    return Table((), len(equations.parameters) + SOLVER_PARAMETERS)


def _source(equations: Equations, extent: Extent) -> str:
    """Return the C of equations.

    Start values and names of variables are in no row of its table, so that models which differ in
    them alone share a library.
    """
    analyses = extent in ("analyses", "batches")
    others = [name for name in OTHERS if analyses and compiles(equations, name)]
    others = list(HELD) if extent == "held" else others
    lanes = vectors() if extent in _IN_LANES else None
    source = generate(equations, _table(equations), _WITHOUT[extent], others, vectors=lanes).source
    if extent not in _OF_RUNS:
        source = f"/* with flows */\n{source}"
    return f"{source}\n{in_lanes(equations, vectors())}" if extent == "batches" else source
