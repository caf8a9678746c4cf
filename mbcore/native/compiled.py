"""When the equations of analyses are compiled, and what evaluates them until then.

Compiling pays where a model is evaluated often: Python evaluates equations until that has taken
about as long as compiling will. Then they are compiled, unless a process has done so before, while
Python goes on, so that nobody waits for the compiler who does not ask for it. A run that will end
about as soon by itself does not begin to.
"""

from __future__ import annotations

import math
import os
import weakref
from typing import TYPE_CHECKING, get_args

from mbcore.equations.equations import Equations, checked_equations
from mbcore.host.backend import Backend, asked_backend, backends, checked_backend
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import CompilerError, CompilerTimeoutError, ModelError, warn_user
from mbcore.native.extents import Extent, serving
from mbcore.native.library import kept, library, remembered_library
from mbcore.native.shared import Library

if TYPE_CHECKING:
    from mbcore.codegen.background import InBackground

VARIABLE = "MBCORE_BACKEND"
"""Environment variable that names the backend of all equations."""
LEAST = 1e6
"""Operations of Python before which nothing is looked for."""
LOOK = 1000
"""Evaluations of the rates in Python that take about as long as looking for compiled ones."""
PATIENCE = 30_000
"""Evaluations of the rates in Python that take about as long as compiling all functions."""


class Compilation:
    """Compiled functions of equations for analyses, once they are there.

    Parameters
    ----------
    equations : Equations
        The equations.
    extent : {"analyses", "held"}
        Functions that are compiled.

    Attributes
    ----------
    library : Library or None
        The compiled functions; None before.
    work : float
        Operations that Python has evaluated so far.
    backend : {"auto", "python", "c"}
        Evaluator where an analysis does not ask for another one.
    """

    def __init__(self, equations: Equations, extent: Extent = "analyses") -> None:
        self._equations, self._extent = weakref.ref(equations), extent
        self.library: Library | None = None
        self.work = 0.0
        self._sought = False
        self._background: InBackground | None = None
        self.choose(_backend_of_all())

    def choose(self, backend: Backend) -> None:
        """Let a backend evaluate from now on.

        Raises
        ------
        ModelError
            There is no such backend.
        """
        self.backend = checked_backend(backend)
        self._failed = False

    def chosen(self) -> Backend:
        """Return what evaluates them in the analysis under way."""
        asked = asked_backend()
        return self.backend if asked == "auto" else asked

    def add(
        self, work: float, backend: Backend, wait: bool = False, left: float = math.inf
    ) -> Library | None:
        """Count operations of Python; return the compiled equations where they are due.

        Where they cannot be compiled, a warning says why, once, and Python goes on.

        Parameters
        ----------
        work : float
            Number of operations since the last call.
        backend : {"auto", "python", "c"}
            Who is to evaluate, as ``chosen`` has said.
        wait : bool
            Whether to wait for the compiler, as where processes begin that will not have what comes
            later.
        left : float
            Operations that Python would take to the end of the run; where compiling takes longer,
            it does not begin.
        """
        self.work += work
        if backend == "python" or self._failed:
            return None
        asked = backend == "c"
        if self.library is None:
            self.library = self._of_larger()
        if not (self.library or asked or self._is_used()):
            return None
        try:
            if not (self.library or self._sought):
                self._sought = True
                self.library = remembered_library(self._made_of(), self._extent)
            if asked or self._is_due(left):
                return self.compile() if asked or wait else self._compiled_in_background()
            return None
        except (CompilerError, ModelError) as error:
            self._failed = True
            _warn_once(error)
            return None

    def _of_larger(self) -> Library | None:
        """Return the library of an extent with more functions, where one is in use."""
        used = _OF.get(self._made_of(), {})
        libraries = (used[extent].library for extent in serving(self._extent) if extent in used)
        return next((library for library in libraries if library is not None), None)

    def _is_used(self) -> bool:
        """Return whether it pays to look for compiled equations."""
        functions = self._made_of().functions
        # analyses at rest do without rates, which a structure without mass does not have
        if self.work < LEAST or not functions.has_made("derivative"):
            return False
        return self.work >= LOOK * functions["derivative"].n_instructions()

    def _is_due(self, left: float) -> bool:
        if self.library is not None or self._background is not None:
            return True
        compiling = PATIENCE * self._made_of().functions["derivative"].n_instructions()
        return min(self.work, left) >= compiling

    def _made_of(self) -> Equations:
        equations = self._equations()
        assert equations is not None, "whoever evaluates them holds them"
        return equations

    def compile(self) -> Library:
        """Compile the equations where they are not yet.

        Raises
        ------
        CompilerError
            There is no compiler, it fails, or the cache cannot be written.
        """
        if self.library is None and self._background is not None:
            self._take(self._background)
        if self.library is None:
            self.library = library(self._made_of(), self._extent)
        return self.library

    @property
    def runs(self) -> bool:
        """Whether a compiler works in the background."""
        return self._background is not None

    def _compiled_in_background(self) -> Library | None:
        """Return the library where it is there; else let it be compiled."""
        if self.library is None:
            if self._background is None:
                from mbcore.native.generated import compiling_in_background

                self._background = compiling_in_background(self._made_of(), self._extent)
            elif self._background.has_ended:
                self._take(self._background)
        return self.library

    def _take(self, background: InBackground) -> None:
        """Wait for the compiler, and load what it has made."""
        self._background = None
        path = background.wait()
        if path is not None:
            self.library = kept(self._made_of(), self._extent, path)
        else:  # the compiler is another process's; its library will be in the cache
            self._sought, self.work = False, 0.0


_SAID: set[str] = set()
"""Causes of fallbacks that have been warned of."""
_OF: weakref.WeakKeyDictionary[Equations, dict[Extent, Compilation]] = weakref.WeakKeyDictionary()


def compilation(equations: Equations, extent: Extent = "analyses") -> Compilation:
    """Return what knows whether equations are compiled."""
    every = _OF.setdefault(equations, {})
    if extent not in every:
        new = Compilation(equations, extent)
        for other in every.values():
            new.choose(other.backend)  # the same for all
        every[extent] = new
    return every[extent]


@explains_arguments
def compile_equations(equations: Equations) -> None:
    """Compile equations for all analyses now, and wait for it.

    Otherwise that happens where an analysis has evaluated them for about as long as it takes.
    Libraries are cached, so that it happens once on a machine. Matrices of held motions are
    compiled where the first nominal motion needs them.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache cannot be written.
    """
    compilation(checked_equations("compile_equations", equations)).compile()
    evaluate_by(equations, "c")


@explains_arguments
def evaluate_by(equations: Equations, backend: Backend) -> None:
    """Choose what evaluates equations in all analyses that begin from now on.

    Parameters
    ----------
    backend : {"auto", "python", "c"}
        ``auto`` begins in Python and goes on with compiled functions where that pays, ``c`` uses
        them from the start, where there is a compiler.

    Raises
    ------
    ModelError
        There is no such backend.
    """
    compilation(checked_equations("evaluate_by", equations))
    for each in _OF[equations].values():
        each.choose(backend)


def _warn_once(error: Exception) -> None:
    """Warn that Python goes on, once for each cause in a process, not for each model."""
    hung = isinstance(error.__cause__, CompilerTimeoutError)
    cause = "hung" if hung else str(error.__cause__ or error)
    if cause not in _SAID:
        _SAID.add(cause)
        warn_user(f"{error}; Python evaluates them, which takes longer")


def _backend_of_all() -> Backend:
    named = os.environ.get(VARIABLE, "auto")
    for known in get_args(Backend):
        if named == known:
            return known
    raise ModelError(f"the environment variable {VARIABLE} is {named!r}; it may be {backends()}")
