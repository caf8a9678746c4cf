"""Components and their connections as one system, which is run here or written as a package."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.input_table import TimedInput
from mbcore.fmi.component import Component, identifier
from mbcore.fmi.export import export
from mbcore.fmi.running.fmu_variables import REALS
from mbcore.fmi.systems import ssp
from mbcore.fmi.systems.connections import (
    Connection,
    Part,
    Place,
    connected,
    elements,
    number,
)
from mbcore.fmi.systems.coupling import COUPLINGS, CoupledRun, Coupling, Given, Run
from mbcore.host.workspace import workspace
from mbcore.model import checks
from mbcore.model.arrays.elements import values_by_element
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.near_names import unknown
from mbcore.model.variables import Value, Values
from mbcore.results.result import Result
from mbcore.simulation.arguments import ArraySignal, checked_signal

Source = str | Path | Component | Equations
ACCURACY = 1e-10


class System:
    """FMUs that are connected by their variables or terminals.

    Parameters
    ----------
    name : str
        Of the system.
    components : mapping of str to path, Component or Equations
        FMUs of FMI 2.0 or 3.0 for this machine, or what one is made of, by names of one's own,
        without dots.
    start : mapping of str to float, bool, str or array
        Start values of parameters, states and inputs by ``"component.variable"``; texts have a
        unit, or name an item. Those of an array are given as a whole or by element.

    Raises
    ------
    ModelError
        A name is none or unknown, a file is not an FMU with Co-Simulation, a start value is wrong.
    """

    @explains_arguments
    def __init__(
        self,
        name: str,
        components: Mapping[str, Source],
        start: Mapping[str, Value | Values] | None = None,
    ) -> None:
        if not isinstance(components, Mapping) or not components:
            raise ModelError(f"system {name}: components = {components!r}; give FMUs by names")
        self.name = checks.text("system", name)
        self._files = ExitStack()
        weakref.finalize(self, self._files.close)
        self._parts: dict[str, Part] = {}
        for part, source in components.items():
            if not isinstance(part, str) or part != identifier(part) or not part:
                raise ModelError(
                    f"system {name}: component {part!r}; name it by letters, digits and underscores"
                )
            self._parts[part] = Part(part, self._file(part, source))
        self._connections: list[Connection] = []
        self._shown: list[Place] = []
        self._start: dict[Place, Any] = {}
        for key, value in (start or {}).items():
            given = self._values("start value", self._place(key), value)
            if twice := [str(place) for place in given if place in self._start]:
                raise ModelError(f"start value {twice[0]} is given twice, once within an array")
            self._start |= given

    def _file(self, part: str, source: Source) -> Path:
        if isinstance(source, Component | Equations):
            folder = self._files.enter_context(workspace())
            return export(source, folder, fmi="3.0")[0]
        if not isinstance(source, str | Path):
            raise ModelError(
                f"component {part} = {source!r}; give an FMU file, a component or equations"
            )
        return Path(source)

    def __repr__(self) -> str:
        parts, wires = ", ".join(self._parts), "; ".join(map(str, self._connections))
        return f"<System {self.name}: {parts}; {wires or 'nothing is connected'}>"

    @property
    def connections(self) -> tuple[Connection, ...]:
        """The connections so far."""
        return tuple(self._connections)

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of what results hold: those chosen by `show`, else all outputs."""
        return tuple(map(str, self._columns()))

    def connect(self, source: str, target: str) -> None:
        """Connect an output with an input, or a terminal with another one.

        Arrays of equal shapes are connected as a whole; an element is a number, ``"a.y[1]"``.

        Parameters
        ----------
        source, target : str
            ``"component.variable"``, or ``"component.terminal"``, where the direction of each
            member follows from what is an input. Flows, such as forces, change their sign: what
            acts on one component acts on the other one in the opposite direction.

        Raises
        ------
        ModelError
            A name is unknown, an input has a connection already, or the ends do not fit.
        """
        found = connected(self._parts, self._place(source), self._place(target))
        taken = {c.target: c.source for c in self._single_connections()}
        for connection in found:
            for place in elements(self._parts, connection.target):
                if place in taken:
                    raise ModelError(
                        f"{place} is connected with {taken[place]} already; an input has one source"
                    )
        self._connections += found

    def show(self, *names: str) -> None:
        """Choose what results hold, by ``"component.variable"``, arrays or their elements.

        Raises
        ------
        ModelError
            A name is unknown, or that of a text or a clock.
        """
        if not names:
            raise ModelError(f"system {self.name}: show() of nothing; name component.variable")
        for name in names:
            place = self._place(name)
            self._parts[place.part].variable(place.name)
            if place not in self._shown:
                self._shown.append(place)

    @explains_arguments
    def simulate(
        self,
        until: float,
        step: float,
        coupling: Coupling = "extrapolated",
        *,
        inputs: Mapping[str, float | Callable[[float], float]] | None = None,
        accuracy: float = ACCURACY,
        tolerance: float | None = None,
        progress: bool = True,
    ) -> Result:
        """Run the system in Co-Simulation.

        Parameters
        ----------
        until, step : float
            End and communication step, s.
        coupling : {"extrapolated", "held", "iterated"}
            Connected inputs within a step: extrapolated from the last two points, held, or linear
            to what the outputs are at its end, for which steps are repeated.
        inputs : mapping of str to float or callable
            Inputs that nothing is connected with, by ``"component.variable"``: values, functions of
            time, or those of a `mbcore.InputTable`.
        accuracy : float
            Of ``"iterated"``: part of a value, or of its nominal value.
        tolerance : float, optional
            Of the solvers inside.
        progress : bool
            Show a bar on runs that take longer than two seconds.

        Returns
        -------
        Result
            Columns ``"component.variable"`` at each communication point.

        Raises
        ------
        ModelError
            An argument is wrong, or outputs at the start depend on each other in a circle.
        SimulationError
            A component fails, or repeated steps do not converge.

        Warns
        -----
        ModelWarning
            A start value is that of a connected input.
        """
        owner = f"system {self.name}"
        checks.choice(owner, "coupling", coupling, COUPLINGS)
        run = Run(
            checks.real(owner, "until", until, above=0, unit="s"),
            checks.real(owner, "step", step, above=0, unit="s"),
            coupling,
            checks.real(owner, "accuracy", accuracy, above=0),
            tolerance,
            progress,
        )
        if run.step > run.end:
            raise ModelError(f"{owner}: step = {run.step:g} s is longer than until = {run.end:g} s")
        shown = self._columns()
        columns = [*dict.fromkeys(one for place in shown for one in elements(self._parts, place))]
        self._tell_idle_starts()
        given = self._given(inputs or {})
        with CoupledRun(self._parts, self._single_connections(), columns, given, run) as coupled:
            coupled.run()
            steps = len(coupled.times) - 1
            table = np.array(coupled.values, float).reshape(steps + 1, len(columns))
            units = {str(p): coupled.units[p.part].variables.unit(p.name) for p in columns}
            texts = {str(p): coupled.units[p.part].variables.text(p.name) for p in columns}
            shapes = {str(p): self._parts[p.part].shape(p.name) for p in shown}
            return Result(
                self.name,
                np.array(coupled.times),
                {str(place): table[:, i] for i, place in enumerate(columns)},
                units,
                statistics={"steps": steps, "repeated steps": coupled.repeated},
                descriptions={name: text for name, text in texts.items() if text},
                arrays={name: shape for name, shape in shapes.items() if shape},
            )

    def write(self, path: str | Path, version: str = "2.0", stop: float = 1.0) -> Path:
        """Write a package of SSP: the FMUs, their connections and start values.

        Parameters
        ----------
        path : path
            A file that ends in ``.ssp``.
        version : {"2.0", "1.0"}
            Of SSP. Version 2.0 has the types of FMI 3.0.
        stop : float
            End of the default experiment, s.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ModelError
            The version is unknown, or the package cannot be written.

        Warns
        -----
        ModelWarning
            FMUs of FMI 3.0 are in a package of SSP 1.0, which only knows earlier ones; a start
            value is that of a connected input.
        """
        stop = checks.real(f"system {self.name}", "stop", stop, above=0, unit="s")
        self._tell_idle_starts()
        structure = ssp.Structure(
            self.name, self._parts, self._connections, self._columns(), self._start, stop
        )
        return ssp.write(path, structure, version)

    @classmethod
    def read(cls, path: str | Path) -> System:
        """Return the system of a package of SSP 1.0 or 2.0.

        Raises
        ------
        ModelError
            It is not a package, or holds what is not run here: systems inside, other
            transformations than by a factor, mappings of parameters.
        """
        files = ExitStack()
        folder = Path(files.enter_context(workspace()))
        found = ssp.read(Path(path), folder)
        system = cls(found.name, found.parts, found.start)
        system._files.push(files.pop_all())
        for source, target, factor in found.connections:
            [connection] = connected(system._parts, system._place(source), system._place(target))
            system._connections.append(Connection(connection.source, connection.target, factor))
        system.show(*found.shown)
        return system

    def _place(self, name: str) -> Place:
        """Return the place of ``"component.variable"``."""
        part, dot, variable = name.partition(".") if isinstance(name, str) else ("", "", "")
        if not dot or not variable:
            raise ModelError(f"system {self.name}: {name!r}; write component.variable")
        if part not in self._parts:
            raise ModelError(f"system {self.name}: {unknown('component', part, self._parts)}")
        return Place(part, variable)

    def _columns(self) -> list[Place]:
        if self._shown:
            return self._shown
        return [
            Place(name, v.name)
            for name, part in self._parts.items()
            for v in part.variables.values()
            if v.causality == "output" and v.type not in ("String", "Binary", "Clock")
        ]

    def _values(self, owner: str, place: Place, value: object) -> dict[Place, float]:
        """Return the values of numbers, of an array those of its elements."""
        known = elements(self._parts, place)
        if not self._parts[place.part].shape(place.name):
            return {place: self._value(owner, place, value)}
        names = [one.name for one in known]
        pairs = values_by_element(f"{owner} {place}", place.name, value, names)
        return {
            one: self._value(owner, one, each) for one, (_, each) in zip(known, pairs, strict=True)
        }

    def _value(self, owner: str, place: Place, value: object) -> float:
        """Return the value of a number."""
        return number(f"{owner} {place}", self._parts[place.part].variable(place.name), value)

    def _signal(self, place: Place, given: Callable[[float], Any]) -> Callable[[float], float]:
        """Return an input's function of time as one that gives numbers."""
        if self._parts[place.part].variable(place.name).type in REALS:
            return checked_signal(str(place), given)
        return checked_signal(str(place), lambda t: self._value("input", place, given(t)))

    def _single_connections(self) -> list[Connection]:
        """Return the connections of single numbers."""
        return [single for c in self._connections for single in c.by_element(self._parts)]

    def _tell_idle_starts(self) -> None:
        """Warn of start values of inputs that other components give."""
        sources = {c.target: c.source for c in self._single_connections()}
        idle = [f"{place} by {sources[place]}" for place in self._start if place in sources]
        if idle:
            warn_user(
                f"system {self.name}: start values of connected inputs change nothing, because "
                f"these are given at the start, too: {', '.join(idle)}; leave them out"
            )

    def _given(self, inputs: Mapping[str, Any]) -> dict[str, Given]:
        """Return start values and inputs over time by component."""
        taken = {c.target for c in self._single_connections()}
        starts = {name: dict[str, float]() for name in self._parts}
        signals = {name: dict[str, Callable[[float], float]]() for name in self._parts}
        for place, value in self._start.items():
            starts[place.part][place.name] = value
        seen: set[Place] = set()
        for name, value in inputs.items():
            place = self._place(name)
            known = elements(self._parts, place)
            if twice := [one for one in known if one in seen]:
                raise ModelError(f"input {twice[0]} is given twice, once within an array")
            seen.update(known)
            if taken.intersection(known):
                raise ModelError(f"input {name} is connected; give no value for it")
            if self._parts[place.part].variable(place.name).causality != "input":
                raise ModelError(f"{name} is not an input; give its value in start=")
            if isinstance(value, TimedInput):
                signals[place.part][place.name] = value
            elif callable(value):
                shape = self._parts[place.part].shape(place.name)
                whole = ArraySignal(name, shape, value)
                single = [whole.element(i) for i in range(len(known))] if shape else [value]
                for one, signal in zip(known, single, strict=True):
                    signals[one.part][one.name] = self._signal(one, signal)
            else:
                for one, each in self._values("input", place, value).items():
                    starts[one.part][one.name] = each
        return {name: Given(starts[name], signals[name]) for name in self._parts}
