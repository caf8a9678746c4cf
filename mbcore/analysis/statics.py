"""Assembly and equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from mbcore.analysis.linearize import linearizer_of
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

ACCURACY = 1e-8
"""Force that may be left, relative to the change that nominal deflections would make."""


@dataclass(frozen=True)
class Configuration:
    """A configuration with what belongs to it.

    Attributes
    ----------
    states, outputs, coordinates : mapping of str to float
        Values by name.
    residual : float
        Largest violation of a condition (assembly) or reduced force (equilibrium).
    """

    states: dict[str, float]
    outputs: dict[str, float]
    coordinates: dict[str, float]
    residual: float


def assemble(
    equations: Equations,
    *,
    start: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
) -> Configuration:
    """Find the configuration that belongs to the start state.

    The nodes' start coordinates may be inconsistent: they are where the search begins.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    ConfigurationError
        If the start values cannot be assembled; names the deformation violated most.
    """
    evaluation = _evaluation(equations, start, parameters, inputs)
    return _record(evaluation, float(np.abs(evaluation.residual()).max(initial=0.0)))


def equilibrium(
    equations: Equations,
    *,
    start: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    steps: int = 1,
) -> Configuration:
    """Find a configuration at rest in which the reduced forces f̄ of (A.107) vanish.

    The values of the degrees of freedom are sought; kinematic coordinates and auxiliary states
    keep their start values, rates are zero.

    Parameters
    ----------
    steps : int
        Number of steps in which inputs grow from zero to their values, for large deflections.

    Raises
    ------
    SimulationError
        If no equilibrium is found; shows the largest force that is left.
    """
    if steps < 1:
        raise ModelError(f"steps = {steps}: at least one")
    evaluation = _evaluation(equations, start, parameters, inputs)
    dofs = sum(1 for q in equations.model.deformations() if q.role and q.role.name == "DOF")
    evaluation.s[:dofs] = 0.0
    values = slice(dofs, 2 * dofs)
    full = evaluation.u.copy()

    def force(q: np.ndarray) -> np.ndarray:
        evaluation.s[values] = q
        try:
            evaluation.configure()
        except ConfigurationError:
            return np.full(dofs, 1e10)
        return evaluation.mass()[1]

    left = 0.0
    for k in range(1, steps + 1):
        evaluation.u[:] = full * k / steps
        begin = evaluation.s[values].copy()
        found = optimize.root(force, begin, method="hybr", tol=1e-13)
        remaining = force(found.x)
        left = float(np.abs(remaining).max(initial=0.0))
        stiffness = linearizer_of(equations).at_point(evaluation, "held").K_d
        nominal = np.array([s.nominal for s in equations.states[values]])
        bearable = np.abs(stiffness) @ nominal  # a force of this size would be felt
        if not np.all(np.abs(remaining) <= ACCURACY * bearable):
            names = [q.name for q in equations.states[:dofs]]
            worst = names[int(np.argmax(np.abs(remaining)))] if names else "nothing"
            raise SimulationError(
                f"{equations.name}: no equilibrium found from this start; the force on the "
                f"degree of freedom with rate {worst} is still {left:.6g}; start nearer or take "
                "more steps"
            )
        force(found.x)
        evaluation.accept()
    return _record(evaluation, left)


def _evaluation(
    equations: Equations,
    start: Mapping[str, float] | None,
    parameters: Mapping[str, float] | None,
    inputs: Mapping[str, float] | None,
) -> Evaluation:
    evaluation = Evaluation(equations, parameters, inputs)
    evaluation.start(start)
    return evaluation


def _record(evaluation: Evaluation, residual: float) -> Configuration:
    q = evaluation.equations
    return Configuration(
        {r.name: float(v) for r, v in zip(q.states, evaluation.s, strict=True)},
        {r.name: float(v) for r, v in zip(q.outputs, evaluation.output(), strict=True)},
        {n: float(v) for n, v in zip(q.coordinate_names, evaluation.x, strict=True)},
        residual,
    )
