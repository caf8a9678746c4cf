"""Tracing of a branch: points as they are found, progress, interruption, other branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from tqdm import tqdm

from mbcore.continuation.arclength import Curve, Family, LostError
from mbcore.continuation.branch import Branch, BranchEvent
from mbcore.continuation.branch_data import Record, columns_of
from mbcore.continuation.branching import other_direction
from mbcore.continuation.crossings import Node
from mbcore.continuation.curve_tracer import CurveTracer, Steps
from mbcore.continuation.varied import ParameterRange
from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

LONG = 2.0
"""Seconds after which a progress bar appears."""
TITLES = {"equilibrium": "equilibria", "steady": "steady motions", "periodic": "periodic solutions"}


class Solutions(Family, Protocol):
    """A family of solutions of a model."""

    def record(self, unknowns: np.ndarray, value: float) -> Record:
        """Return the data recorded for a solution."""


@runtime_checkable
class Orbits(Solutions, Protocol):
    """A family of periodic solutions."""

    def doubled(self, unknowns: np.ndarray, value: float) -> tuple[Solutions, np.ndarray]:
        """Return the family of twice the period, and the same solution in it."""


@dataclass(frozen=True)
class Beginning:
    """The first solution of a branch.

    Attributes
    ----------
    family : Solutions
        Family of the branch.
    unit : str
        Of the parameter.
    unknowns : ndarray, shape (n,)
        Near the solution.
    value : float
        Of the parameter.
    direction : ndarray, shape (n,), optional
        Change of the unknowns along which the branch leaves them, where it begins at an event.
    """

    family: Solutions
    unit: str
    unknowns: np.ndarray
    value: float
    direction: np.ndarray | None = None


@dataclass(frozen=True)
class BranchTracer:
    """Traces a branch, and the branches that begin at its events.

    Attributes
    ----------
    equations : Equations
    of : str
        Kind of the solutions.
    over : ParameterRange
        Varied quantity, and its range.
    unit : str
        Of what varies.
    family : Solutions
    steps : Steps
    progress : bool
        Whether to show a bar on branches that take long.
    """

    equations: Equations
    of: str
    over: ParameterRange
    unit: str
    family: Solutions
    steps: Steps
    progress: bool

    @property
    def parameter(self) -> str:
        """Name of what varies."""
        return self.over.name

    def begin(self, unknowns: np.ndarray, first: float, towards: float) -> Branch:
        """Return the branch from a solution near ``unknowns``.

        Raises
        ------
        SimulationError
            If there is none.
        """
        return self._from(
            lambda tracer: tracer.start(unknowns, first, towards),
            f"no solution at {self.parameter} = {first:g} near the start; ",
            "; give a nearer start, or begin elsewhere",
        )

    def begin_along(self, unknowns: np.ndarray, first: float, direction: np.ndarray) -> Branch:
        """Return the branch that leaves a solution along a change of the unknowns, (n,).

        Raises
        ------
        SimulationError
            If there is none.
        """
        return self._from(
            lambda tracer: tracer.start_along(unknowns, first, direction),
            f"no solutions leave the start at {self.parameter} = {first:.9g}: ",
        )

    def _from(self, start: Callable[[CurveTracer], Node], lost: str, remedy: str = "") -> Branch:
        """Return the branch from its first point; ``lost`` begins what is said without one."""
        curve = Curve(self.family, self.over.span)
        tracer = CurveTracer(curve, self.over.low, self.over.high, self.steps)
        try:
            node = start(tracer)
        except LostError as why:
            raise SimulationError(
                f"continuation, model {self.equations.name!r}: {lost}{why}{remedy}"
            ) from None
        self.family.accept(node.y[:-1], node.value)
        nodes, records = [node], [self._record(node)]
        ended = self._trace(tracer, node, nodes, records)
        return self._branch(curve, nodes, records, ended)

    def _trace(
        self, tracer: CurveTracer, first: Node, nodes: list[Node], records: list[Record]
    ) -> str:
        """Continue the branch, add the points found; return why it ended."""
        with tqdm(
            total=1.0,
            delay=LONG,
            disable=None if self.progress else True,  # None: on terminals only
            leave=False,
            bar_format="{l_bar}{bar}| [{elapsed}]",
        ) as bar:
            try:
                for node in tracer.follow(first):
                    records.append(self._record(node))
                    nodes.append(node)
                    where = f"{self.parameter} = {node.value:.6g}, {len(nodes)} points"
                    bar.set_description_str(where, refresh=False)
                    part = abs(node.value - first.value) / self.over.span
                    bar.update(max(0.0, min(part, 1.0) - bar.n))
            except KeyboardInterrupt:
                del records[len(nodes) :]
                return "interrupted"
            except (ConfigurationError, SimulationError, ModelError) as error:
                return f"no solution beyond: {error}"
        return tracer.ended

    def _record(self, node: Node) -> Record:
        return self.family.record(node.y[:-1], node.value)

    def _branch(self, curve: Curve, nodes: list[Node], records: list[Record], ended: str) -> Branch:
        equations = self.equations
        nd, values = equations.dofs, equations.dofs - equations.speeds
        attributes = {
            "title": f"{equations.name}, {TITLES[self.of]}",
            "parameter": self.parameter,
            "ended": ended,
            "degrees_of_freedom": [r.name for r in equations.states[nd : nd + values]],
        }
        columns = columns_of(equations, self.parameter, self.unit, nodes, records, attributes)
        events = [
            self._event(i, node, record)
            for i, (node, record) in enumerate(zip(nodes, records, strict=True))
            if node.event
        ]

        def switch(index: int) -> Branch:
            return self._switch(curve, nodes[index])

        solutions = [r.solution for r in records if r.solution is not None]
        return Branch(
            equations.name, self.of, self.parameter, columns, events, ended, switch, solutions
        )

    def _event(self, index: int, node: Node, record: Record) -> BranchEvent:
        equations, critical = self.equations, node.critical
        return BranchEvent(
            kind=node.event,
            value=node.value,
            index=index,
            exponent=complex(critical.real, abs(critical.imag)),
            state=_named(equations.states, record.states),
            parameters=_named(equations.parameters, record.parameters),
            inputs=_named(equations.inputs, record.inputs),
        )

    def _switch(self, curve: Curve, node: Node) -> Branch:
        """Return the other branch through a node."""
        doubled = node.event == "flip"
        tracer, here = self, node
        if doubled:
            assert isinstance(self.family, Orbits)  # others have no flips
            family, unknowns = self.family.doubled(node.y[:-1], node.value)
            tracer = replace(self, family=family)
            curve = Curve(family, self.over.span)
            curve.begin(unknowns)
            more = unknowns.size - (node.y.size - 1)
            direction = np.r_[node.direction[:-1], np.zeros(more), node.direction[-1]]
            here = replace(node, y=np.r_[unknowns, node.value], direction=direction, event="branch")
        try:
            direction = other_direction(curve, here)
        except LostError as why:
            raise SimulationError(
                f"{self.equations.name}: no branch to switch to at {self.parameter} = "
                f"{node.value:.9g}: {why}"
            ) from None
        return tracer._both_sides(curve, replace(here, direction=direction), doubled)

    def _both_sides(self, curve: Curve, node: Node, one: bool) -> Branch:
        """Return the branch through a node, or its one side."""
        family = self.family
        family.accept(node.y[:-1], node.value)
        node = replace(node, sign=0.0)
        node = replace(node, exponents=family.exponents(node.y[:-1], node.value))
        sides, ended = [], []
        for sense in (1.0,) if one else (-1.0, 1.0):
            tracer = CurveTracer(curve, self.over.low, self.over.high, self.steps)
            nodes: list[Node] = []
            records: list[Record] = []
            begin = replace(node, direction=sense * node.direction)
            ended.append(self._trace(tracer, begin, nodes, records))
            sides.append((nodes, records))
            family.accept(node.y[:-1], node.value)
            if ended[-1] == "interrupted":
                break
        middle = [node], [self._record(node)]
        if len(sides) == 1:
            nodes, records = middle[0] + sides[0][0], middle[1] + sides[0][1]
        else:
            (back, back_records), (on, on_records) = sides
            turned = [replace(n, direction=-n.direction) for n in reversed(back)]
            nodes = [*turned, *middle[0], *on]
            records = [*reversed(back_records), *middle[1], *on_records]
        return self._branch(curve, nodes, records, "; ".join(ended))


def _named(records: Iterable, values: np.ndarray) -> dict[str, float]:
    return {r.name: float(v) for r, v in zip(records, values, strict=True)}
