"""Backends of a simulation: SciPy's integrators in Python, compiled equations in C, or both."""

from __future__ import annotations

from collections.abc import Callable

from mbcore.equations.equations import Equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import StepControl
from mbcore.host.backend import Backend, asked_backend, evaluating
from mbcore.integrators.method import Method
from mbcore.integrators.table import method_named, stand_in_of
from mbcore.native.extents import extent_of
from mbcore.native.library import library
from mbcore.simulation.any_stepper import AnyStepper
from mbcore.simulation.automatic_stepper import python_stepper
from mbcore.simulation.coordinate_changes import JUDGED_BELOW, NEAR_SINGULARITY
from mbcore.simulation.handover import Handover
from mbcore.simulation.native_stepper import NativeStepper, Wanted

MakeStepper = Callable[[MovingPoint, bool], AnyStepper]
"""Makes the stepper of a run; the flag says whether the run may change its coordinates."""


def backend_of_run(asked: Backend) -> Backend:
    """Return the backend of a run that is perhaps a part of another analysis, which may ask, too.

    An analysis that asks for C lets a run go on in Python by methods that C has not.
    """
    return "python" if asked == "auto" and asked_backend() == "python" else asked


def evaluating_points(backend: Backend) -> evaluating:
    """Return the context in which a run's points are evaluated: its start, its events, its outputs.

    Compiled functions serve where they are there already; a run in C does not wait for them.
    """
    return evaluating("python" if backend == "python" else "auto", run=True)


def stepper_maker(
    asked: Backend,
    method: Method,
    control: StepControl,
    start: MovingPoint,
    wanted: Wanted,
    report: Callable[[float], object],
    announce: bool,
    until: float,
) -> MakeStepper:
    """Return the factory of a run's steppers.

    Equations in other coordinates are not compiled: Python integrates them, and C continues when
    the run returns to its own coordinates.

    Parameters
    ----------
    asked : {"auto", "python", "c"}
        Where the steps are made; ``auto`` begins in Python and goes on in C once the equations
        are compiled.
    method : Method
        One of the backend's.
    control : StepControl
        Tolerances, and the longest step.
    start : MovingPoint
        The run in its own coordinates.
    wanted : Wanted
        Rows of results that C is to record.
    report : callable
        Called with the time now and then while C integrates.
    announce : bool
        Whether compiling that takes long is announced.
    until : float
        End of the run, s; infinite where that is not known.
    """
    equations, backend = start.evaluation.equations, _chosen(asked, method, start)
    in_python = stand_in_of(method) if backend == "c" else method

    def make(run: MovingPoint, switch: bool) -> AnyStepper:
        if backend == "python" or run.evaluation.equations is not equations:
            return python_stepper(run, in_python, control)
        if backend == "auto":
            first = python_stepper(run, in_python, control)
            return Handover(first, lambda: in_c(run, switch), until)
        return in_c(run, switch)

    def in_c(run: MovingPoint, switch: bool) -> NativeStepper:
        return NativeStepper(
            run,
            method,
            wanted,
            conditioning_threshold=JUDGED_BELOW if switch else NEAR_SINGULARITY,
            report=report,
            announce=announce,
            control=control,
        )

    return make


def _chosen(asked: Backend, method: Method, run: MovingPoint) -> Backend:
    """Return what makes the steps of a run.

    ``auto`` becomes C where the equations are compiled already or only C has the method, and Python
    where only Python has it.
    """
    if asked != "auto":
        return asked
    if not method.in_c:
        return "python"
    return "c" if not method.in_python or run.evaluation.backend == "c" else "auto"


def compile_ahead(equations: Equations, method: str) -> None:
    """Compile equations for a method in C before they are simulated, perhaps in other processes.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache cannot be written.
    """
    library(equations, extent_of(method_named(method)))
