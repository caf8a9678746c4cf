"""Assembly and equilibrium."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.equilibria.static_search import Search
from mbcore.evaluation.evaluation import Evaluation, started_at_inputs
from mbcore.host.backend import Backend, Evaluator, evaluator, takes_backend
from mbcore.host.threads import one_thread
from mbcore.model import checks, summary, wording
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.variables import Value

NEUTRAL = 1e-6
"""Share in a neutral displacement above which a degree of freedom is named."""


@dataclass(frozen=True, repr=False)
class Configuration(summary.Summarized):
    """A configuration with its states, inputs and outputs.

    Attributes
    ----------
    states, inputs, outputs, coordinates : mapping of str to float
        Values by name.
    residual : float
        Largest violation of a condition (assembly) or reduced force (equilibrium).
    neutral : tuple of str
        Degrees of freedom that an equilibrium leaves open, because no force depends on them.
    units : mapping of str to str
        Of states, inputs and outputs.
    backend : {"python", "c"}
        Backend that evaluated the equations.
    """

    states: dict[str, float]
    outputs: dict[str, float]
    coordinates: dict[str, float]
    residual: float
    inputs: dict[str, float]
    neutral: tuple[str, ...] = ()
    units: dict[str, str] = field(default_factory=dict)
    backend: Evaluator = field(default_factory=evaluator, compare=False)

    def _title(self) -> str:
        return "configuration"

    def _facts(self) -> list[str]:
        return [
            wording.quantities(self.states, self.units) or "no states",
            f"inputs {wording.quantities(self.inputs, self.units)}" if self.inputs else "",
            f"outputs {wording.quantities(self.outputs, self.units)}" if self.outputs else "",
            wording.count(len(self.coordinates), "coordinate"),
            f"neutral {wording.listed(self.neutral)}" if self.neutral else "",
            f"residual {self.residual:.3g}",
        ]

    def _tables(self) -> list[summary.Table]:
        groups = {
            "states": self.states,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "coordinates": self.coordinates,
        }
        return [
            summary.Table(
                title,
                ("name", "value", "unit"),
                [(name, value, self.units.get(name, "")) for name, value in of.items()],
            )
            for title, of in groups.items()
        ]


@explains_arguments
@takes_backend
def assemble(
    equations: Equations,
    *,
    start: Mapping[str, Value] | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    backend: Backend = "auto",
) -> Configuration:
    """Find the configuration that belongs to the start state.

    The nodes' start coordinates may be inconsistent: they are where the search begins.

    Parameters
    ----------
    equations : Equations
        Result of ``Model.equations``.
    start, parameters, inputs : mapping of str to float or str
        Values that differ from the model's, in SI units or with their own.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    ConfigurationError
        If the start values cannot be assembled; names the deformation violated most.
    """
    evaluation = Evaluation(checked_equations("assemble", equations), parameters, inputs)
    evaluation.start(start)
    evaluation.warn()
    residual = float(np.abs(evaluation.residual()).max(initial=0.0))
    return _record(evaluation, evaluation.output(), residual)


@takes_backend
@explains_arguments
def equilibrium(
    equations: Equations,
    *,
    start: Mapping[str, Value] | Configuration | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    steps: int = 1,
    unstable: bool = False,
    progress: bool = True,
    backend: Backend = "auto",
) -> Configuration:
    """Find a configuration at rest in which the reduced forces f̄ of [Schwab2002] (A.107) vanish.

    The values of the degrees of freedom are sought, by Newton's method with the exact stiffness;
    kinematic coordinates and auxiliary states keep their start values, but a filter rests at its
    input; rates are zero. No mass is needed, and outputs are those at rest.

    The search begins with the degrees of freedom held where they start and the inputs at their
    start values. The holding forces are then taken away while the inputs go to their values, at
    once or in as many steps as it needs. The result is the equilibrium that the structure reaches
    if it is loaded slowly, unless it snaps through on the way. A coordinate on which no force
    depends stays where it is.

    Parameters
    ----------
    equations : Equations
        Result of ``Model.equations``.
    start : mapping of str to float, or Configuration
        Start values that differ from the model's, which belong to ``inputs``; or an equilibrium
        with its own inputs, from which to go on.
    parameters, inputs : mapping of str to float or str
        Values that differ from the model's.
    steps : int
        Smallest number of load steps.
    unstable : bool
        Whether to take an unstable equilibrium, too, from which the system would run away.
    progress : bool
        Show a bar on searches that take longer than two seconds.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        If a name is unknown, a value impossible, a unilateral contact closed at the start, or a
        slip is a degree of freedom: nothing says where it could go.
    ConfigurationError
        If the start values cannot be assembled.
    SimulationError
        If no equilibrium is found, or a requirement is violated at the start; says how far the
        search came, and which states nothing resists or would run away.
    """
    checked_equations("equilibrium", equations)
    asked = checks.scalar("equilibrium: steps", steps)
    if not 1 <= asked < math.inf or asked != int(asked):
        raise ModelError(f"steps = {steps}: give a whole number, at least 1")
    if not isinstance(start, Configuration):
        start = checks.values("start value", start, equations.states)
    _refuse_speeds(equations)
    goal = Evaluation(equations, parameters, inputs).u
    filtered = started_at_inputs(equations, goal)
    if isinstance(start, Configuration):
        begin = Evaluation(equations, parameters, start.inputs).u
        evaluation = _assembled_at_rest(equations, start.states | filtered, parameters, [begin])
    else:
        begin = np.array([record.start for record in equations.inputs])
        order = [goal, begin] if start else [begin, goal]
        evaluation = _assembled_at_rest(equations, filtered | dict(start or {}), parameters, order)
    search = Search(evaluation, goal, unstable)
    with one_thread():  # small matrices
        tangent = search.run(steps, progress)
    evaluation.warn()
    open_ = np.abs(tangent.neutral()).max(axis=1, initial=0.0)
    values = equations.states[equations.dofs : 2 * equations.dofs]
    neutral = tuple(r.name for r, part in zip(values, open_, strict=True) if part > NEUTRAL)
    return _record(evaluation, search.forces.outputs(), search.residual, neutral)


def _refuse_speeds(equations: Equations) -> None:
    if equations.speeds:
        last = equations.states[equations.dofs - equations.speeds : equations.dofs]
        raise ModelError(
            f"equilibrium, model {equations.name!r}: {', '.join(r.name for r in last)} are "
            "generalized speeds, which have no value to be found; make coordinates or angles of "
            "hinges degrees of freedom in their place"
        )


def _assembled_at_rest(
    equations: Equations,
    start: Mapping[str, float],
    parameters: Mapping[str, Value] | None,
    inputs: list[np.ndarray],
) -> Evaluation:
    """Assemble the start at rest, with the first of these inputs with which that succeeds."""
    rates = {record.name for record in equations.states[: equations.dofs]}
    evaluation = Evaluation(equations, parameters)
    evaluation.s[: equations.dofs] = 0.0
    evaluation.u[:] = inputs[0]
    try:
        evaluation.start({k: v * 0.0 if k in rates else v for k, v in start.items()}, at_rest=True)
    except (ConfigurationError, SimulationError):
        if len(inputs) == 1 or np.array_equal(inputs[0], inputs[1]):
            raise
        return _assembled_at_rest(equations, start, parameters, inputs[1:])
    return evaluation


def _record(
    evaluation: Evaluation, outputs: np.ndarray, residual: float, neutral: tuple[str, ...] = ()
) -> Configuration:
    equations = evaluation.equations
    return Configuration(
        {r.name: float(v) for r, v in zip(equations.states, evaluation.s, strict=True)},
        {r.name: float(v) for r, v in zip(equations.outputs, outputs, strict=True)},
        {n: float(v) for n, v in zip(equations.coordinate_names, evaluation.x, strict=True)},
        residual,
        {r.name: float(v) for r, v in zip(equations.inputs, evaluation.u, strict=True)},
        neutral,
        wording.units_of(equations.states, equations.inputs, equations.outputs),
    )
