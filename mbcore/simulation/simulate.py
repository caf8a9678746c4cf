"""Simulation by SciPy's integrators or in C: events, dense output, inputs, a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import numpy as np

from mbcore.equations.alternatives import Alternatives, named_alternatives
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equations.tolerances import CONFIRMED, LEAST_WAIT
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.input_rates import InputRateCheck
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.host.backend import Backend
from mbcore.host.long_runs import LongRun
from mbcore.host.memory import refuse_beyond_memory
from mbcore.host.threads import single_threaded
from mbcore.integrators.method import Method
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import SimulationError
from mbcore.model.variables import Value
from mbcore.results.result import Result
from mbcore.simulation.arguments import (
    MOST_SAMPLES,
    breaks_of_inputs,
    check_run,
    control_of,
    sample_times,
    split_inputs,
)
from mbcore.simulation.backends import (
    MakeStepper,
    backend_of_run,
    evaluating_points,
    stepper_maker,
)
from mbcore.simulation.bound_by_stability import LatePace, warn_if_bound
from mbcore.simulation.coordinate_changes import SwitchingRun, may_change
from mbcore.simulation.coordinates import Coordinates
from mbcore.simulation.native_stepper import Rows, Wanted
from mbcore.simulation.recorder import Recorder

if TYPE_CHECKING:
    from tqdm import tqdm

Signal = Value | Callable[[float], float]
"""An input: a constant or a function of time."""

DEFAULT_ROWS = 100
"""Smallest default number of rows; long steps are divided to reach it."""
LONG = 1.0
"""Seconds after which a progress bar appears, with an estimate of the time left."""
DECIDED = 2 * (LEAST_WAIT + CONFIRMED)
"""Steps by which equations that are stiff from the start have implicit ones."""
SLOPE_SPAN = 1e-5
"""Part of the simulation's time over which changes of inputs are compared with their rates."""


@single_threaded
@explains_arguments
def simulate(
    equations: Equations,
    until: Value,
    *,
    start: Mapping[str, Value] | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Signal] | None = None,
    method: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-11,
    samples: int | Sequence[float] | np.ndarray | None = None,
    max_step: Value = np.inf,
    breaks: Sequence[Value] = (),
    progress: bool = True,
    singular: Literal["switch", "stop"] | None = None,
    backend: Backend = "auto",
    store: str | Path | None = None,
) -> Result:
    """Integrate the equations of motion from t = 0.

    Parameters
    ----------
    equations : Equations
        Equations to simulate.
    until : float or str
        End time, s. Here and below a text is a number with its unit: ``"2 min"``.
    start : mapping of str to float or str
        Start values of states that differ from the model's: ``{"v": "50 km/h"}``.
    parameters : mapping of str to float or str
        Parameter values that differ; those that choose also take an item's name.
    inputs : mapping of str to float, str or callable
        Constants or functions of time, or a whole `mbcore.InputTable`. Where an input's rate is an
        input too, give both: where they contradict each other and the rate is used, a
        `ModelWarning` says so, once.
    method : str
        By default the steps are explicit, those of DOP853, and implicit where the equations are
        stiff, which the steps themselves tell; ``result.steps`` says which were used from when. Or
        one of SciPy's: DOP853, RK45, RK23, Radau, BDF, LSODA; the implicit ones get the exact
        Jacobian. Or ``"one_stage"``, Meijaard's, or ``"classical"``, Runge and Kutta's of order 4,
        whose equal steps are ``max_step``. In C there are DOP853, RK45, ``"classical"`` and, for
        stiff systems, ``"Rodas5P"`` and ``"rosenbrock"``, which FMUs have. Or one's own, from
        `mbcore.integrators`. An explicit one that is clearly a bad choice gives a `ModelWarning`.
    rtol, atol : float
        Tolerances; ``atol`` is multiplied by each state's nominal value. In steps by Radau,
        ``"Rodas5P"`` and ``"rosenbrock"`` that of a rate is at least a share of that of its value
        over the step's length, `mbcore.equations.tolerances.SHARE_OF_VALUE`: rates that decay
        within a step, as those of many small elements, do not bound its length.
    samples : int or sequence of float, optional
        Number of equidistant results or their times, from the dense output. By default the
        integrator's own steps, with points between those longer than a hundredth of the time. They
        follow the tolerances and, with ``backend="auto"``, the moment when the compiler has
        finished; runs that are to have the same rows give their times here.
    max_step : float or str
        Longest step, s; by default a thousandth of the time where slips may be held, for while all
        sticks no error estimate keeps steps short.
    breaks : sequence of float or str
        Times where inputs jump; the integration restarts there, with a row on each side. Those of
        tables, and of SciPy's piecewise polynomials and splines, are known.
    progress : bool
        Show a bar, with the time left, on runs that take longer than a second, on terminals;
        elsewhere, tell the time of those that take more than a minute.
    singular : {"switch", "stop"}, optional
        If the degrees of freedom cease to determine the motion: change to other
        ones (``result.switches`` lists which and when; columns keep their names), or stop with an
        error. The default is to change where roles were chosen automatically or a degree of freedom
        has ``or_else``. A singular configuration of the mechanism itself is crossed along the
        motion in either case, if the velocity determines how.
    backend : {"auto", "python", "c"}
        Whether SciPy's integrators and CasADi's functions run in Python alone, or the compiled
        equations by themselves: the same results and errors many times faster, after the compiler
        has run for seconds once. ``auto`` takes C where the equations are compiled already, see
        `mbcore.compile_equations`, and else begins in Python and goes on in C where the run is long
        enough for it.
    store : str or path, optional
        A new netCDF file, ``.nc``, for runs that are longer than the memory: rows are written to it
        in portions, and the memory holds their times, 8 bytes each. Columns are read from it when
        they are asked for; `xarray.open_dataset` opens it later. After an interrupt or an error
        it has the rows so far. Pictures and films need a run without it.

    Returns
    -------
    Result
        States, inputs, discrete variables and outputs.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible; if the results are larger than the memory, or
        the ``store`` is there already or cannot be written.
    ConfigurationError, SimulationError
        If no configuration exists, a requirement is violated or the step becomes too small; the
        message gives name, value and time. If superposed motions about wheels that stand start with
        rates, by which these roll away.
    CompilerError
        With ``backend="c"`` or a method that is in C only, if the equations cannot be compiled.
    """
    checked_equations("simulate", equations)
    backend = backend_of_run(backend)
    asked = check_run(until, method, rtol, atol, max_step, breaks, backend)
    end_time, control = asked.end, control_of(asked, equations)
    if inputs is not None:
        from mbcore.evaluation.input_table import tell_ends  # with SciPy's interpolation

        tell_ends("simulate", inputs, end_time)
    jumps = sorted({*asked.breaks, *breaks_of_inputs(inputs, end_time)})
    _refuse_beyond_memory(equations, samples, store)
    with evaluating_points(backend), _bar(end_time, progress) as bar:
        run = _prepare(equations, start, parameters, inputs)
        needed = equations.iterated > 0 or bool(run.signals) or may_change(equations, singular)
        wanted = Wanted(sample_times(samples, end_time), end_time / DEFAULT_ROWS, needed)

        estimate, pace = LongRun(equations.name, end_time, progress), LatePace()

        def report(t: float, in_c: bool = True) -> None:
            bar.update(t - bar.n)
            pace.note(t, switching_run.steps)
            if not in_c and (run.evaluation.compiles or _decides(switching_run, asked.method)):
                estimate.restart()  # these steps tell nothing of those in C, or of implicit ones
            estimate.at(t)

        make_stepper = stepper_maker(
            backend, asked.method, control, run, wanted, report, progress, end_time
        )
        switching_run = _switching_run(run, singular, asked.method, make_stepper)
        rolling = _started_to_roll(run.evaluation)
        with Recorder(switching_run, wanted, store) as recorder:
            largest = _go(switching_run, recorder, end_time, jumps, report)
            _refuse_rolling(switching_run.run.evaluation, rolling)
        statistics = _statistics(switching_run, end_time, largest)
        result = recorder.result(tuple(switching_run.run.events), statistics)
        if not switching_run.switches:
            warn_if_bound(switching_run.run, asked.method, control, switching_run.steps, pace)
        return result


def _refuse_beyond_memory(equations: Equations, samples: object, store: object) -> None:
    """Refuse a number of results that do not fit into the memory, before any of them is made.

    Half of the memory is left for copies while they are put together.

    Raises
    ------
    ModelError
        With their size and the remedy.
    """
    if isinstance(samples, int | np.integer) and samples <= MOST_SAMPLES:
        q = equations
        columns = 1 if store is not None else 1 + len(q.states) + len(q.inputs) + len(q.outputs)
        size = int(samples) * columns * np.dtype(float).itemsize
        remedy = "give fewer in samples" + ', or store="run.nc"' * (store is None)
        refuse_beyond_memory(f"simulate: {samples} results", size, remedy)


def _bar(end_time: float, progress: bool) -> tqdm[NoReturn]:
    """Return the bar of a run to an end time, s, for terminals alone."""
    from tqdm import tqdm  # takes a tenth of the time to import this module

    return tqdm(
        total=end_time,
        delay=LONG,
        unit="s",
        disable=None if progress else True,  # None: on terminals only
        leave=False,
        bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}]",
    )


def _decides(switching_run: SwitchingRun, method: Method) -> bool:
    """Return whether first steps in Python decide yet on the method of the others.

    Stiff equations take explicit ones until then, and the first trial makes the Jacobian.
    """
    few = method.automatic is not None and switching_run.steps < DECIDED
    return few and len(switching_run.methods) == 1


def _go(
    switching_run: SwitchingRun,
    recorder: Recorder,
    end_time: float,
    jumps: Sequence[float],
    report: Callable[[float, bool], object],
) -> float:
    """Integrate to the end, restarting where inputs jump; return the largest position residual."""
    e = switching_run.run.evaluation
    largest = float(np.abs(e.residual()).max(initial=0.0))
    rate_check = _InputRateWarnings(switching_run, end_time, jumps)
    rate_check.check()
    recorder.first(0.0, e.s.copy())
    ends = [*sorted({b for b in jumps if 0.0 < b < end_time}), end_time]
    for k, end in enumerate(ends):
        run = switching_run.run
        if run.pass_jump(end) and k:
            recorder.first(ends[k - 1], run.evaluation.s.copy())
        for step in switching_run.advance(end):
            if step.after_event:
                recorder.first(step.time, step.state)
                continue
            rate_check.check()
            if isinstance(step, Rows):
                largest = max(largest, step.residual)
                recorder.block(step, rate_check.check if rate_check.varies else None)
            else:
                e = switching_run.run.evaluation
                largest = max(largest, float(np.abs(e.residual()).max(initial=0.0)))
                recorder.step(step)
            report(step.time, isinstance(step, Rows))
    return largest


def _started_to_roll(evaluation: Evaluation) -> dict[str, float]:
    """Return the rates with which small motions about wheels that stand start, by name."""
    equations = evaluation.equations
    if not equations.stands:
        return {}
    values = dict(zip((q.name for q in equations.states), evaluation.s.tolist(), strict=True))
    rates = [q.states.rate for q in equations.assembly.dofs if q.states is not None]
    return {rate: values[rate] for rate in rates if values[rate] != 0}


def _refuse_rolling(evaluation: Evaluation, started: Mapping[str, float]) -> None:
    """Refuse small motions about wheels that stand if start rates have rolled them away.

    A way is small up to the size of the mechanism, an angle up to 1 rad.

    Raises
    ------
    SimulationError
        Naming what has moved, the rates, and what to do.
    """
    equations = evaluation.equations
    values = dict(zip((q.name for q in equations.states), evaluation.s.tolist(), strict=True))
    A = equations.assembly
    states = [q.states for q in [*A.dofs, *A.kinematic] if q.states is not None]
    fast = [one for one in states[: len(A.dofs)] if one.rate in started]
    for one in [*fast, *states[len(A.dofs) :]] if started else []:
        value, length = values[one.value], one.unit == "m"
        small = value - values.get(f"{one.value}.nominal", 0.0)
        most = equations.natural_length if length else 1.0
        if abs(small) > most:
            rates = ", ".join(f"{name} = {rate:g}" for name, rate in started.items())
            limit = f"the mechanism's size is {most:.3g} m" if length else "small is below 1 rad"
            raise SimulationError(
                f"{equations.name}: nothing rolls in the nominal motion, and the start with "
                f"{rates} has led to {one.value} = {value:.4g} {one.unit} at t = "
                f"{float(evaluation.t[0]):.6g} s; {limit}. Superposed motions are small: "
                "prescribe the speed at which wheels roll, as in "
                "axle.angle.prescribe(5.0 * model.time)"
            )


def _statistics(switching_run: SwitchingRun, end_time: float, largest: float) -> dict[str, float]:
    """Return the cost of a run, and how often its modes switched."""
    run = switching_run.run
    statistics: dict[str, float] = {
        "steps": switching_run.steps,
        "steps in C": switching_run.steps_in_c,
        "evaluations": run.calls,
        "largest residual": largest,
    }
    if switching_run.switches:
        statistics["switches"] = len(switching_run.switches)
    contacts = run.evaluation.equations.contacts
    if contacts:
        closings = {f"{name}.closed" for name in contacts}
        switches = sum(name in closings for _, name in run.events)
        statistics["mode switches per second"] = switches / end_time
    return statistics


class _InputRateWarnings:
    """Warns, at the ends of steps, of inputs that their rates contradict, except at jumps."""

    def __init__(self, switching_run: SwitchingRun, until: float, breaks: Sequence[float]) -> None:
        self._switching_run, self._until, self._span = switching_run, until, SLOPE_SPAN * until
        self._breaks = np.array(sorted(breaks), float)
        self._rates = InputRateCheck(switching_run.run.evaluation)

    @property
    def varies(self) -> bool:
        """Whether there is anything to compare that changes with time."""
        return bool(self._switching_run.run.signals) and self._rates.is_open

    def check(self) -> None:
        """Compare at the present point."""
        run = self._switching_run.run
        if np.any(np.abs(self._breaks - float(run.evaluation.t[0])) <= self._span):
            return
        self._rates.follow(run.evaluation)
        self._rates.of_signals(run.signals, self._span, self._until)


def _switching_run(
    run: MovingPoint, singular: str | None, method: Method, make: MakeStepper
) -> SwitchingRun:
    """Return a run that knows what to do at singular configurations."""
    equations = run.evaluation.equations
    switch = may_change(equations, singular)
    named = named_alternatives(equations) if switch else []

    def make_coordinates(run: MovingPoint) -> Coordinates:
        alternatives = Alternatives(equations, named)
        return Coordinates(run, alternatives, method.implicit)

    return SwitchingRun(run, lambda run: make(run, switch), make_coordinates, switch)


def _prepare(
    equations: Equations,
    start: Mapping[str, Value] | None,
    parameters: Mapping[str, Value] | None,
    inputs: Mapping[str, Signal] | None,
) -> MovingPoint:
    """Assemble the start configuration and start the modes."""
    constants, signals = split_inputs(equations, inputs)
    evaluation = Evaluation(equations, parameters, constants)
    run = MovingPoint(evaluation, signals)
    for i, signal in signals.items():
        evaluation.u[i] = signal(0.0)
    evaluation.start(start)
    return run
