"""Steady motions over a parameter: a family of solutions that `continuation` follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mbcore.continuation.branch_data import Record
from mbcore.continuation.branch_tracer import Beginning
from mbcore.continuation.chosen_rows import ChosenRows
from mbcore.continuation.modes import Modes
from mbcore.continuation.starts import Start, start_states
from mbcore.continuation.varied import ParameterRange, Varied, differenced, varied
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equilibria.steady_motion import SteadyMotion, steady_motion
from mbcore.equilibria.steady_search import SteadySearch
from mbcore.linear.linearizer import linearizer_of
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError, SimulationError
from mbcore.periodic.driving import refuse_driven
from mbcore.periodic.shot import Shootable

STEADY = 1e-7
"""Largest rate, in parts of nominal values, that is left in a steady motion."""


@dataclass(frozen=True)
class Condition:
    """A state or output that is given its values in turn, in place of a parameter.

    Attributes
    ----------
    name, unit : str
    """

    name: str
    unit: str


def condition(equations: Equations, name: object) -> Condition | None:
    """Return a state or output by name; None if there is none."""
    units = {r.name: r.unit for r in equations.states} | {r.name: r.unit for r in equations.outputs}
    return Condition(name, units[name]) if isinstance(name, str) and name in units else None


class RelativeEquilibriumFamily:
    """States, and inputs that are found, at which accelerations vanish.

    More rates must vanish than there are unknowns, and some vanish by themselves. The equations
    are those combinations of them that change most with unknowns and parameter, chosen anew at
    each solution; that the others vanish too is seen there. Exponents are the eigenvalues of the
    linearized equations with all inputs held, without zeros: one for each coordinate free to change
    and for each dimension of the family of steady motions.

    Parameters
    ----------
    search : SteadySearch
        At the first solution.
    over : Varied or Condition
        Varied quantity.
    span : float
        Length of its range.
    """

    accuracy = 1e-13

    def __init__(self, search: SteadySearch, over: Varied | Condition, span: float) -> None:
        self._search, self._over, self._span = search, over, span
        self.start = search.values(search.unknown)
        self._rows = ChosenRows(self.start.size, span)
        by_free = search.rows(search.free)[0][:, : len(search.free)]
        rank = int(np.linalg.matrix_rank(by_free, tol=1e-7 * max(1.0, np.abs(by_free).max())))
        self._zeros = len(search.ignorable) + len(search.free) - rank + search.held
        self._linearizer = linearizer_of(search.equations)
        self._modes = Modes(search.evaluation)

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes: unknowns are in parts of theirs."""
        return np.ones(self.start.size)

    def _move_to(self, unknowns: np.ndarray, value: float) -> None:
        search, over = self._search, self._over
        point = search.evaluation
        self._modes.restore(point)
        if isinstance(over, Varied):
            over.set(point, value)
        elif over.name in search.wanted:
            search.wanted[over.name] = value
        else:
            point.s[search.names.index(over.name)] = value
        search.set(search.unknown, unknowns)
        point.configure()
        self._modes.follow(point)
        point.check()

    def _rates(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        """Return what must vanish, shape (m,), m >= n."""
        self._move_to(unknowns, value)
        search = self._search
        outputs = dict(zip(search.outputs, search.evaluation.output(), strict=True))
        wanted = [outputs[name] - given for name, given in search.wanted.items()]
        return np.r_[search.accelerations(), wanted]

    def _slopes(self, unknowns: np.ndarray, value: float) -> tuple[np.ndarray, np.ndarray]:
        """Return derivatives of all that must vanish by unknowns, (m, n), and value, (m,)."""
        by_value = differenced(lambda v: self._rates(unknowns, v), value, self._span)
        self._move_to(unknowns, value)
        return np.vstack(self._search.rows(self._search.unknown)), by_value

    def residual(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the chosen combinations of rates, and their derivatives."""
        by_unknowns, by_value = self._slopes(unknowns, value)
        return self._rows.of(self._rates(unknowns, value), by_unknowns, by_value)

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        """Return eigenvalues without the zeros that there always are."""
        self._move_to(unknowns, value)
        found = self._linearizer.at_point(self._search.evaluation).eigenvalues(zeros=True)
        return np.delete(found, np.argsort(np.abs(found), kind="stable")[: self._zeros])

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        """Return "hopf" for one of a pair."""
        return "hopf" if exponent.imag else ""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Choose the equations anew, and seek the next configurations from here."""
        self._rows.choose(*self._slopes(unknowns, value))
        left = float(np.abs(self._rates(unknowns, value)).max(initial=0.0))
        point = self._search.evaluation
        if not left <= STEADY:
            raise SimulationError(
                f"{self._search.equations.name}: the motion is not steady: {left:.3g} of a "
                "nominal acceleration or rate remains; choose other conditions"
            )
        self._modes.remember(point)
        point.accept()
        point.warn()

    def record(self, unknowns: np.ndarray, value: float) -> Record:
        """Return the data recorded for a solution."""
        self._move_to(unknowns, value)
        point = self._search.evaluation
        return Record(point.s.copy(), point.output().copy(), point.p.copy(), point.u.copy())


@explains_construction
@dataclass(frozen=True)
class SteadyMotions:
    """The steady motions of a system, its relative equilibria, for `continuation`.

    A parameter, an input, or a state or output may vary: a further condition.

    Attributes
    ----------
    equations : Equations or driver
        The system; of an FMU what `mbcore.driver` returns.
    conditions : mapping of str to float
        Values of states and outputs, as in `mbcore.steady_motion`.
    find : sequence of str
        Inputs that are found, as in `mbcore.steady_motion`.
    start : mapping of str to float, SteadyMotion or Configuration, optional
        Where the first one is sought: states by name, or a motion that is known.
    parameters, inputs : mapping of str to float
        Values that differ from the model's.
    """

    equations: Equations | Shootable
    conditions: Mapping[str, float] | None = None
    find: Sequence[str] = ()
    start: Start | None = None
    parameters: Mapping[str, float] | None = None
    inputs: Mapping[str, float] | None = None

    kind: ClassVar[str] = "steady"

    def begin(self, over: ParameterRange) -> Beginning:
        """Return the first solution, where the range ``over`` begins.

        Raises
        ------
        ModelError
            If a name is unknown, a value impossible, or what varies is given or found, too.
        SimulationError
            If there is none near the start, or the conditions are too few or too many.
        """
        if hasattr(self.equations, "steady_branch"):
            begun = dict(start_states("steady motions", self.start) or {})
            there = dict(self.start.inputs) if isinstance(self.start, SteadyMotion) else {}
            there.pop(over.name, None)
            held = there | dict(self.inputs or {})
            beginning: Beginning = self.equations.steady_branch(
                over, self.conditions or {}, self.find, begun, self.parameters, held
            )
            return beginning
        equations = checked_equations("continuation", self.equations)
        parameters = checks.values("parameter", self.parameters, equations.parameters)
        inputs = checks.values("input", self.inputs, equations.inputs)
        met = condition(equations, over.name)
        what = met or varied(equations, over.name, (over.low, over.high), parameters, inputs)
        given = checks.values("condition", self.conditions, (*equations.outputs, *equations.states))
        if over.name in given or over.name in self.find:
            raise ModelError(
                f"continuation over {over.name}: it varies; leave it out among the conditions and "
                "find"
            )
        if isinstance(what, Varied):
            parameters, inputs = what.among(over.first, parameters, inputs)
        else:
            given[over.name] = over.first
        if isinstance(self.start, SteadyMotion):
            known = self.start.inputs.items()
            inputs = {k: v for k, v in known if k != over.name} | inputs
        search = self._search(equations, over, given, parameters, inputs)
        refuse_driven(search.evaluation, "steady motion")
        family = RelativeEquilibriumFamily(search, what, over.span)
        family.accept(family.start, over.first)
        return Beginning(family, what.unit, family.start, over.first)

    def _search(
        self,
        equations: Equations,
        over: ParameterRange,
        given: Mapping[str, float],
        parameters: Mapping[str, float],
        inputs: Mapping[str, float],
    ) -> SteadySearch:
        """Return the search for steady motions at the first one."""
        guess = dict(start_states("steady motions", self.start) or {})
        try:
            found = steady_motion(
                equations,
                given,
                find=self.find,
                guess=guess,
                parameters=parameters,
                inputs=inputs,
            )
        except SimulationError as error:
            raise SimulationError(
                f"continuation: no steady motion at {over.name} = {over.first:g} from this start; "
                f"{error}"
            ) from error
        begin = {k: v for k, v in found.state.items() if k not in given}
        return SteadySearch(equations, given, self.find, begin, parameters, found.inputs)
