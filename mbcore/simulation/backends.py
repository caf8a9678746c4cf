"""Backends of a simulation: SciPy's integrators in Python, or compiled equations in C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from mbcore.equations.equations import Equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import Stepper
from mbcore.integrators.table import method_named
from mbcore.native.library import extent_of, library
from mbcore.simulation.coordinate_changes import JUDGED_BELOW, NEAR_SINGULARITY
from mbcore.simulation.native_stepper import NativeStepper, StepControl, Wanted

MakeStepper = Callable[[MovingPoint, bool], Stepper | NativeStepper]
"""Makes the stepper of a run; the flag says whether the run may change its coordinates."""


def stepper_maker(
    backend: str,
    method: str,
    start: MovingPoint,
    wanted: Wanted,
    report: Callable[[float], object],
    announce: bool,
    **options: float,
) -> MakeStepper:
    """Return the factory of a backend's steppers.

    Equations in other coordinates are not compiled: Python integrates them, and C continues when
    the run returns to its own coordinates.

    Parameters
    ----------
    backend : {"python", "c"}
        Where the steps are made.
    method : str
        One of the backend's methods.
    start : MovingPoint
        The run in its own coordinates.
    wanted : Wanted
        Rows of results that C is to record.
    report : callable
        Called with the time now and then while C integrates.
    announce : bool
        Whether compiling that takes long is announced.
    options : float
        ``rtol``, ``atol`` and ``max_step``.
    """
    equations = start.evaluation.equations
    in_python = method_named(method).for_python if backend == "c" else method

    def make(run: MovingPoint, switch: bool) -> Stepper | NativeStepper:
        if backend == "python" or run.evaluation.equations is not equations:
            return Stepper(run, in_python, **options)
        return NativeStepper(
            run,
            method,
            wanted,
            conditioning_threshold=JUDGED_BELOW if switch else NEAR_SINGULARITY,
            report=report,
            announce=announce,
            control=StepControl(**options),
        )

    return make


def chosen_backend(
    backend: Literal["auto", "python", "c"], method: str, run: MovingPoint
) -> Literal["python", "c"]:
    """Return what makes the steps of a run.

    Parameters
    ----------
    backend : {"auto", "python", "c"}
        ``auto`` stands for C where the equations are compiled already, or only C has the method.
    method : str
        Name of the method.
    run : MovingPoint
        The start.
    """
    if backend != "auto":
        return backend
    record = method_named(method)
    if not record.in_python:
        return "c"
    return "c" if record.in_c and run.evaluation.backend == "c" else "python"


def compile_ahead(equations: Equations, method: str) -> None:
    """Compile equations for a method in C before they are simulated, perhaps in other processes.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache cannot be written.
    """
    library(equations, extent_of(method_named(method)))
