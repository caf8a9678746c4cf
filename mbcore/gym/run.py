"""A run of a model that goes on step by step with held inputs, as `mbcore.simulate` makes it.

Used by `mbcore.gym.environment` and, for what lanes leave, by `mbcore.gym.vector_environment`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mbcore.drawing.layout import Layout
from mbcore.equations.alternatives import Alternatives, named_alternatives
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.gym.task import TIME, Task
from mbcore.host.threads import single_threaded
from mbcore.model.errors import ModelError
from mbcore.results.motion import called
from mbcore.simulation.arguments import check_run, control_of
from mbcore.simulation.backends import backend_of_run, evaluating_points, stepper_maker
from mbcore.simulation.coordinate_changes import SwitchingRun, may_change
from mbcore.simulation.coordinates import Coordinates
from mbcore.simulation.native_stepper import Wanted


class Run:
    """A run that is begun again and again.

    Parameters
    ----------
    task : Task
        Of which model, and how it is integrated.
    """

    def __init__(self, task: Task) -> None:
        self._task, self._backend = task, backend_of_run(task.backend)
        q = task.own_equations
        end = task.steps * task.period
        asked = check_run(end, task.method, task.rtol, task.atol, task.max_step, (), self._backend)
        self._method, self._control = asked.method, control_of(asked, q)
        order = {record.name: i for i, record in enumerate(q.inputs)}
        self._places = [order[name] for name in task.acting]
        self._held = np.array([q.inputs[i].start for i in self._places], float)
        self._evaluation: Evaluation | None = None
        self._run: SwitchingRun | None = None

    @single_threaded
    def begin(self, start: dict[str, Any], parameters: dict[str, Any]) -> None:
        """Begin at start values, with parameters.

        Raises
        ------
        ModelError
            If a value is impossible.
        ConfigurationError, SimulationError
            If the model cannot start there.
        """
        q = self._task.own_equations
        self._run = None
        with evaluating_points(self._backend):
            constants = dict(self._task.inputs)
            if self._evaluation is None:
                self._evaluation = Evaluation(q, parameters, constants)
            else:
                self._evaluation.renew(parameters, constants)
            self._held[:] = [q.inputs[i].start for i in self._places]
            signals = {place: self._signal(k) for k, place in enumerate(self._places)}
            point = MovingPoint(self._evaluation, signals)
            for place, signal in signals.items():
                self._evaluation.u[place] = signal(0.0)
            self._evaluation.start(start)
            self._run = self._switching(point)

    def begin_at(
        self, t: float, carried: np.ndarray, x: np.ndarray, parameters: dict[str, Any]
    ) -> None:
        """Begin where another run of the model has come to; errors as those of `begin`.

        Parameters
        ----------
        t : float
            Time, s.
        carried : ndarray
            States and discrete variables.
        x : ndarray
            The configuration.
        parameters : mapping of str to value
            Those that differ.
        """
        names = [record.name for record in self._task.own_equations.states]
        self.begin(dict(zip(names, carried.tolist(), strict=False)), parameters)
        assert self._run is not None
        e = self._run.run.evaluation
        e.s[:], e.d[:], e.x[:] = carried[: len(names)], carried[len(names) :], x
        e.t[0] = t
        e.accept()  # on the branch of x
        e.configure()
        e.accept()

    def configuration(self) -> np.ndarray:
        """Return the configuration of the present point."""
        assert self._run is not None
        return self._run.configuration()

    def _signal(self, k: int) -> Any:
        return lambda time: self._held[k]

    def _switching(self, point: MovingPoint) -> SwitchingRun:
        q = self._task.own_equations
        switch = may_change(q, None)
        named = named_alternatives(q) if switch else []

        def coordinates(run: MovingPoint) -> Coordinates:
            return Coordinates(run, Alternatives(q, named), self._method.implicit)

        make = stepper_maker(
            self._backend,
            self._method,
            self._control,
            point,
            Wanted(np.empty(0), np.inf, False),
            lambda *_: None,
            False,
            math.inf,
        )
        return SwitchingRun(point, lambda run: make(run, switch), coordinates, switch)

    @single_threaded
    def go_on(self, end: float, held: np.ndarray) -> None:
        """Go on to a time, s, with these values of the actions.

        Raises
        ------
        ConfigurationError, SimulationError
            Where the model cannot go on.
        """
        assert self._run is not None
        self._held[:] = held
        with evaluating_points(self._backend):
            self._run.run.pass_jump(end)
            for _ in self._run.advance(end):
                pass

    def return_to_accepted(self) -> None:
        """Go back to the last point that was good."""
        assert self._run is not None
        self._run.run.evaluation.return_to_accepted()

    def values(self) -> dict[str, float]:
        """Return all columns at the present point, and the time, s."""
        assert self._run is not None
        e = self._run.run.evaluation
        with evaluating_points(self._backend):
            parts = (self._run.states(), e.d, e.u, e.output())
        found = dict(zip(self._task.columns, np.concatenate(parts).tolist(), strict=True))
        return {**found, TIME: float(e.t[0])}

    def picture(self) -> np.ndarray:
        """Return a picture of the present point, shape (height, width, 3), of whole numbers.

        Raises
        ------
        ModelError
            If no run has begun, or nothing has a shape.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # slow to import

        from mbcore.drawing.still import draw_still

        if self._run is None:
            raise ModelError("Environment: no run has begun; call reset()")
        e, scene = self._run.run.evaluation, self._task.scene
        point = (e.t, self._run.states(), e.d, e.u, e.p, self._run.configuration())
        arguments = [np.array(part, float).reshape(-1, 1) for part in point]
        numbers = called(scene.function, arguments)[0][:, 0]
        figure = draw_still(scene.description, numbers, Layout(None, True, False))
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.array(canvas.buffer_rgba())[:, :, :3]
